#include "synth/generator/device_texts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "synth/generator/prelude_texts.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

using preludes::Shape;

Shape shape_of(const PreludeStep& step) { return prelude_traits(step.kind).shape; }

/// What a codec holds besides the original while it works.
struct DeviceMemory {
  unsigned copies = 0;  ///< of the words in its workspace
  // Bytes of other device memory that it allocates, at most, for a word.
  std::size_t compressing = 0, decompressing = 0;
  /// How many times the original's size side data can have.
  std::size_t side = 0;

  DeviceMemory(const Prelude& prelude, std::size_t word_bytes) {
    for (std::size_t i = 0; i < prelude.steps.size(); ++i) {
      const Shape shape = shape_of(prelude.steps[i]);
      copies = std::max(copies, preludes::reads_apart(shape) && i > 0 ? 2u : 1u);
      if (shape == Shape::Ranked) {
        compressing = std::max(compressing, 32 + word_bytes);  // the hash table, and its keys
        decompressing = std::max(decompressing, word_bytes);
        side += 1;
      } else if (shape == Shape::Excepted) {
        compressing = std::max(compressing, 8 + word_bytes);
        decompressing = std::max(decompressing, 8 + word_bytes);
        side += 1 + 8 / word_bytes;
      }
    }
  }
};

bool sorts(const Prelude& prelude) {
  return std::ranges::any_of(prelude.steps,
                             [](const auto& step) { return shape_of(step) == Shape::Ranked; });
}

constexpr std::size_t kReadmeWidth = 105, kCodeWidth = 100;

std::string readme_part(const Prelude& prelude, const DeviceMemory& memory) {
  if (prelude.empty()) return {};
  std::string text = "That is work for kernels of their own in the same stream";
  if (has_side_data(prelude)) {
    text += fmt::format(
        ", which also compress what is stored beside the words.{} Calls wait for the stream "
        "several "
        "times, and allocate device memory besides the workspace while they run: for each word of "
        "the original up to {} bytes to compress, if {}, and up to {} bytes to decompress.",
        sorts(prelude) ? " The host sorts the distinct words, in its own memory." : "",
        memory.compressing, sorts(prelude) ? "most words are distinct" : "none is such a decimal",
        memory.decompressing);
  } else {
    text +=
        ": one for each step of a compression; for each lag of a decompression up to a few, which "
        "together read the words twice and write them once, or read them once if the lag is very "
        "long.";
  }
  text += fmt::format(
      " The steps need the whole original at once: if a program compresses data in parts, each "
      "part has a prelude of its own, and a word that is nearer to its beginning than a lag stays "
      "as it is. The workspace also holds the words{}. A second checksum, that of the words behind "
      "the prelude, costs as much as that of the original.",
      memory.copies == 2 ? ", before and after a step" : "");
  return "\n" + wrapped(text, "", kReadmeWidth);
}

/// Of the C header.
std::string stream_use(const Prelude& prelude, const DeviceMemory& memory) {
  std::string text =
      "Pointers named d_... point to memory of the calling thread's current device, which does the "
      "work. `stream` is a cudaStream_t of that device, or NULL for the default stream. ";
  if (has_side_data(prelude)) {
    text += fmt::format(
        "The functions that take a stream wait for it, and their work is done when they return: "
        "how many "
        "values the prelude stores beside the words is not known before its steps have run. They "
        "cannot be captured into a graph. Besides the workspace they allocate device memory while "
        "they run, for each word of the original up to {} bytes to compress and {} to decompress",
        memory.compressing, memory.decompressing);
    if (sorts(prelude)) {
      text += ", and host memory to compress, for the distinct words, which the host sorts";
    }
    text += ". ";
  } else {
    text +=
        "Compression and decompression enqueue their work in the stream and return: until the "
        "stream has finished it, their inputs must not be changed and their outputs not be used. "
        "They allocate nothing and may be captured into a graph. Only the function that returns "
        "the original's size waits for the stream. ";
  }
  return wrapped(text + "The first call on a device queries the device's properties.", " * ",
                 kCodeWidth);
}

/// Of the C header, on the status of a decompression, after "The".
std::string result(const Prelude& prelude) {
  return has_side_data(prelude)
             ? " * function returns the result; if that is 0, *d_status is 0, too, and the output "
               "is valid. No\n * memory outside of the arguments is accessed, but for what the "
               "call allocates. */\n"
             : " * function returns the errors that it detects at once; if it returns 0, the "
               "enqueued work sets\n * *d_status.\n * The output is valid only if both are 0. No "
               "memory outside of the arguments is accessed. */\n";
}

std::string readme_calls(const Prelude& prelude, std::string_view name) {
  if (has_side_data(prelude)) {
    return wrapped(
        fmt::format(
            "All data are in device memory. Functions that take a stream wait for it: when "
            "`{0}_compress` returns 0, the length of the compressed data is in device memory; "
            "`{0}_decompress` returns its result, and if that is 0, the status in device memory is "
            "0, too. They allocate memory, and return an error if there is not enough. A caller "
            "that knows the original's size need not call `{0}_original_size`. `{0}.h` documents "
            "every function.",
            name),
        "", kReadmeWidth);
  }
  return fmt::format(
      "All data are in device memory. `{0}_compress` and `{0}_decompress` enqueue their work in "
      "the stream\nand return. That work writes the length of the compressed data, or the status "
      "of a decompression, to\ndevice memory. `{0}_original_size` waits for the stream, because "
      "it returns the size to the host; a\ncaller that knows the size need not call it. `{0}.h` "
      "documents every function.\n",
      name);
}

std::string program_memory(const Prelude& prelude, std::size_t word_bytes,
                           const DeviceMemory& memory) {
  if (!has_side_data(prelude)) {
    constexpr const char* kTimes[] = {"three", "four", "five"};
    return kTimes[memory.copies];
  }
  const std::size_t least = 3 + memory.copies + memory.side;
  return fmt::format("{} to {}", least, least + (memory.compressing + word_bytes - 1) / word_bytes);
}

}  // namespace

Values device_values(const Method& method, std::size_t word_bytes, std::string_view name) {
  const Prelude& prelude = method.prelude;
  const DeviceMemory memory(prelude, word_bytes);
  // By copies of the words.
  constexpr const char* kWorkspaces[] = {"a few\n * percent of them",
                                         "as\n * many, and a few percent",
                                         "twice\n * as many, and a few percent"};
  const std::string no_memory = fmt::format(
      "  /* There is not enough memory for what the call allocates. */\n  {}_NO_MEMORY = 3,\n",
      upper(name));
  return {{"WORKSPACE", kWorkspaces[memory.copies]},
          {"PROGRAM_MEMORY", program_memory(prelude, word_bytes, memory)},
          {"DEVICE_README", readme_part(prelude, memory)},
          {"STREAM_USE", stream_use(prelude, memory)},
          {"RESULT", result(prelude)},
          {"README_CALLS", readme_calls(prelude, name)},
          {"NO_MEMORY", has_side_data(prelude) ? no_memory : std::string()}};
}

}  // namespace fpsynth::synth
