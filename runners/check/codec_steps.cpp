// Steps for what the codec runs on devices: its stages, the look-back that places blocks,
// checksums, preludes.

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "components/preludes/registry.hpp"
#include "runners/check/steps.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/words.hpp"
#include "synth/pipeline.hpp"
#include "synth/space.hpp"

namespace fpsynth::check {
namespace {

using Bytes = std::vector<std::byte>;

/// A codec on the device, and its memory for originals of one length and their containers.
class CodecCheck {
 public:
  CodecCheck(Target& target, const synth::Pipeline& pipeline, std::size_t word_bytes,
             std::size_t chunk_words, std::size_t bytes)
      : codec_(target.codec(pipeline, word_bytes, chunk_words)),
        poison_(std::max(bytes, codec_->bound(bytes)), std::byte{0xa5}),
        original_(codec_->buffer(std::max<std::size_t>(1, bytes))),
        container_(codec_->buffer(poison_.size())) {}

  /// `checksum`: of the input; without it, the device computes it.
  Bytes encode(std::span<const std::byte> input, std::optional<std::uint64_t> checksum = {}) {
    original_->write(input);
    container_->write(poison_);  // what an earlier call has written must not pass for this one's
    codec_->encode(original_->data(), input.size(), container_->data(), poison_.size(), nullptr,
                   checksum);
    return container_->read(codec_->finish_encode());
  }
  /// `verify`: the device computes the checksum of what it decodes, and throws if it is wrong.
  Bytes decode(std::span<const std::byte> file, std::size_t bytes, bool verify) {
    original_->write(std::span(poison_).first(bytes));
    container_->write(file);
    const codec::Header header = codec_->header(container_->data(), file.size(), nullptr);
    codec_->decode(container_->data(), file.size(), header, original_->data(), nullptr, verify);
    codec_->finish_decode();
    return original_->read(bytes);
  }

 private:
  std::unique_ptr<codec::DeviceCodec> codec_;
  Bytes poison_;
  std::unique_ptr<codec::DeviceBuffer> original_, container_;
};

/// Compresses `input` and decompresses the CPU's file, so many times. Checksums are the host's:
/// those of devices have a step of their own.
void expect_the_cpus(Target& target, const std::string& what, const synth::Pipeline& pipeline,
                     std::size_t word_bytes, std::size_t chunk_words, const Bytes& input,
                     unsigned times = 1) {
  codec::CodecOptions options;
  options.chunk_words = chunk_words;
  const Bytes file = codec::compress(input, pipeline, word_bytes, options);
  CodecCheck check(target, pipeline, word_bytes, chunk_words, input.size());
  const std::uint64_t checksum = codec::ContentHash::of(input);
  for (unsigned i = 1; i <= times; ++i) {
    const std::string time = times > 1 ? fmt::format(", {} of {} times", i, times) : "";
    expect_same(what + time + ": encoding kernels", check.encode(input, checksum), file,
                in_file(file));
    expect_same(what + time + ": decoding kernels", check.decode(file, input.size(), false), input,
                in_pieces("chunk", chunk_words * word_bytes));
  }
}

std::string code(Target& target) {
  const Bytes input = sample(synth::kChunkWords, 8);
  double seconds[2];
  for (double& one : seconds) {
    const auto start = Clock::now();
    CodecCheck(target, synth::parse_pipeline("ZE"), 8, synth::kChunkWords, input.size())
        .encode(input);
    one = seconds_since(start);
  }
  return fmt::format("{}; the first kernel took {:.3f} s, once more {:.3f} s",
                     target.compiles() ? "PTX, which the driver compiles"
                                       : "the program has machine code for the device",
                     seconds[0], seconds[1]);
}

/// A component on words of `word_bytes` bytes: alone if it can end a pipeline, else in front of
/// ZE, which passes on what it is given.
synth::Pipeline with_stage(synth::Component component, std::size_t word_bytes) {
  const std::string name = synth::to_string(component);
  const bool ends = synth::family(component.family).frame_fields > 0;
  return synth::parse_pipeline((word_bytes == 1 ? "| " : "") + name + (ends ? "" : " ZE"));
}

std::string stages(Target& target, std::size_t word_bytes) {
  std::size_t blocks = 0, components = 0;
  for (const synth::Component component : synth::registered_components()) {
    const synth::Pipeline pipeline = with_stage(component, word_bytes);
    const std::string what =
        fmt::format("{} on words of {}", synth::to_string(component), counted(word_bytes, "byte"));
    ++components;
    for (const std::size_t words : target.work().stage_words) {
      // Blocks of bytes are cut from doubles.
      const std::size_t of_file = word_bytes == 1 ? 8 : word_bytes;
      const Bytes input = sample(5 * words + (words + 1) / 2, of_file, words);
      expect_the_cpus(target, fmt::format("{}, in chunks of {}", what, counted(words, "word")),
                      pipeline, of_file, words, input);
      blocks += 6;
    }
  }
  return fmt::format("{}, {}", counted(components, "component"), counted(blocks, "block"));
}

std::string lookback(Target& target) {
  constexpr unsigned kTimes = 20;
  const std::size_t words = target.work().lookback_words;
  const std::size_t chunks = 4 * target.work().resident_chunks;
  expect_the_cpus(target, fmt::format("the look-back over {}", counted(chunks, "chunk")),
                  synth::parse_pipeline("LNV1s ZE"), 8, words, sample(chunks * words, 8, 100),
                  kTimes);
  return fmt::format("{}, {} times there and back", counted(chunks, "chunk"), kTimes);
}

/// Lengths on both sides of where XXH3 changes its ways, of a segment, and of the list of two.
std::string checksums(Target& target) {
  constexpr std::size_t kLengths[] = {0,
                                      1,
                                      3,
                                      4,
                                      8,
                                      9,
                                      16,
                                      17,
                                      128,
                                      129,
                                      240,
                                      241,
                                      1023,
                                      1025,
                                      codec::kSegmentBytes - 1,
                                      codec::kSegmentBytes,
                                      codec::kSegmentBytes + 1,
                                      2 * codec::kSegmentBytes + 241};
  const Bytes bytes = sample(std::ranges::max(kLengths), 1);
  CodecCheck check(target, synth::parse_pipeline("ZE"), 8, synth::kChunkWords, bytes.size());
  for (const std::size_t length : kLengths) {
    const auto input = std::span(bytes).first(length);
    const Bytes file = check.encode(input);
    const std::uint64_t found = codec::parse_header(file, "its file").checksum;
    const std::uint64_t expected = codec::ContentHash::of(input);
    if (found == expected) {
      check.decode(file, length, true);
      continue;
    }
    throw Difference(fmt::format("the hashing kernel's checksum of {} is {:016x}, not {:016x}",
                                 counted(length, "byte"), found, expected));
  }
  return counted(std::size(kLengths), "length");
}

std::string prelude(Target& target, const std::string& text) {
  const synth::Method method = synth::parse_method(text);
  for (const std::size_t word_bytes : {8, 4}) {
    const std::string what = fmt::format("{}, words of {} bytes", text, word_bytes);
    Bytes input = sample(target.work().whole_words, word_bytes);
    input.resize(input.size() + 3, std::byte{0x5a});
    const Bytes file = codec::compress(input, method, word_bytes);
    codec::MemorySink there, back;
    target.compress(input, method, word_bytes, there);
    expect_same(what + ": encoding kernels", there.bytes(), file, in_file(file));
    compare_after([&] { target.decompress(file, back); },
                  [&] {
                    expect_same(what + ": decoding kernels", back.bytes(), input,
                                in_pieces("chunk", synth::kChunkWords * word_bytes));
                  });
  }
  return fmt::format("{} in doubles and singles, there and back",
                     counted(target.work().whole_words, "word"));
}

}  // namespace

void add_stage_steps(std::vector<Step>& steps) {
  steps.push_back({"code", code});
  for (const std::size_t word_bytes : {8, 4, 1}) {
    steps.push_back({fmt::format("stages of {}", counted(word_bytes, "byte")),
                     [word_bytes](Target& target) { return stages(target, word_bytes); }});
  }
}

void add_codec_steps(std::vector<Step>& steps) {
  steps.push_back({"look-back", lookback});
  steps.push_back({"checksums", checksums});
  // Each kind of step of a prelude; of lags and rows, short and long ones.
  std::vector<std::string> texts;
  for (const synth::PreludeTraits& traits : synth::prelude_kinds()) {
    std::vector<std::uint64_t> parameters = {traits.parametric ? 3u : 0u};
    preludes::Divisors divisors;
    if (traits.shape == preludes::Shape::Lagged) parameters = {1, 2401};
    if (traits.shape == preludes::Shape::Divided) parameters = {256};
    if (traits.shape == preludes::Shape::Permuted) parameters = {3, 2401};
    if (traits.shape == preludes::Shape::Selected) {
      parameters = {256};
      divisors = preludes::Divisors(7, 100);
    }
    for (const std::uint64_t parameter : parameters) {
      texts.push_back(synth::to_string(synth::PreludeStep{traits.wire, parameter, divisors}));
    }
  }
  texts.emplace_back("DICT LAGs:7 LAGx:300");
  for (const std::string& text : texts) {
    steps.push_back({"prelude " + text, [method = text + " / LNV1s ZE"](Target& target) {
                       return prelude(target, method);
                     }});
  }
}

}  // namespace fpsynth::check
