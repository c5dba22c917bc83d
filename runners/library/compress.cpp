// The functions that take "auto", and so all of C but fpsynth_best_method(). In both libraries:
// best_sections() is that of the library.

#include <fpsynth.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <fpsynth/codec.hpp>

#include "runners/codec/format/description.hpp"
#include "runners/codec/prelude_files.hpp"
#include "runners/library/front.hpp"
#include "synth/common/value_type.hpp"
#include "synth/common/words.hpp"

namespace fpsynth {
namespace library {
namespace {

static_assert(FPSYNTH_MOST_RANK == codec::kMostExtents);

constexpr struct {
  fpsynth_type number;
  std::string_view name;
} kTypes[] = {
    {FPSYNTH_FLOAT64, "float64"}, {FPSYNTH_FLOAT32, "float32"},   {FPSYNTH_INT64, "int64"},
    {FPSYNTH_INT32, "int32"},     {FPSYNTH_UINT64, "uint64"},     {FPSYNTH_UINT32, "uint32"},
    {FPSYNTH_FLOAT16, "float16"}, {FPSYNTH_BFLOAT16, "bfloat16"}, {FPSYNTH_INT16, "int16"},
    {FPSYNTH_UINT16, "uint16"},   {FPSYNTH_INT8, "int8"},         {FPSYNTH_UINT8, "uint8"}};

/// The number of a type's name.
fpsynth_type number_of(std::string_view name) {
  return std::ranges::find(kTypes, name, [](const auto& one) { return one.name; })->number;
}

/// The text of fpsynth_error(), which must not need memory.
thread_local char last_error[1024];

int keep(std::string_view message, int status) {
  const std::size_t length = std::min(message.size(), sizeof last_error - 1);
  std::memcpy(last_error, message.data(), length);
  last_error[length] = 0;
  return status;
}

/// The caller's memory. What does not fit is only counted.
class BufferSink : public codec::PatchableSink {
 public:
  explicit BufferSink(std::span<std::byte> buffer) : buffer_(buffer) {}
  void write(std::span<const std::byte> bytes) override {
    patch(written_, bytes);
    written_ += bytes.size();
  }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset > buffer_.size() || bytes.size() > buffer_.size() - offset) return;
    std::ranges::copy(bytes, buffer_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void finish() override {}

 private:
  std::span<std::byte> buffer_;
  std::uint64_t written_ = 0;
};

/// Writes a container and returns its length.
std::uint64_t to_sink(const Values& values, std::string_view method, const CompressOptions& options,
                      codec::PatchableSink& sink) {
  const Described type = described(values);
  const auto sections = method == kAuto ? best_sections(values, options)
                                        : std::vector{named_section(values, method, options)};
  codec::CodecOptions codec;
  codec.threads = options.threads;
  codec::SinkBehind behind(type.front, sink);
  return type.front.size() + codec::compress_sections(values.bytes, "the input", sections,
                                                      type.word_bytes(), behind, codec);
}

template <class Byte, class Memory>
std::span<Byte> buffer(Memory* begin, std::size_t bytes, const char* name) {
  if (bytes > 0) not_null(begin, name);
  return {static_cast<Byte*>(begin), bytes};
}

}  // namespace

void not_null(const void* pointer, const char* name) {
  if (!pointer) throw UsageError(std::string(name) + " is NULL, which only 0 bytes may be");
}

int caught() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(error.what(), error.status());
  } catch (const std::exception&) {
    try {
      return keep(caught_message(), FPSYNTH_FAILED);
    } catch (const std::exception&) {  // no memory for the message
      return keep("not enough memory", FPSYNTH_FAILED);
    }
  }
}

Values values_of(const fpsynth_values* from, bool with_data) {
  not_null(from, "values");
  if (with_data && from->bytes > 0) not_null(from->data, "values->data");
  if (from->rank > 0) not_null(from->shape, "values->shape");
  const auto type =
      std::ranges::find(kTypes, from->type, [](const auto& one) { return one.number; });
  return {{static_cast<const std::byte*>(from->data), from->bytes},
          type != std::end(kTypes) ? type->name : std::to_string(from->type),
          {from->shape, from->shape + from->rank}};
}

CompressOptions options_of(const fpsynth_options* from) {
  CompressOptions options;
  if (!from) return options;
  options.threads = from->threads;
  options.chunk_words = from->chunk_words;
  if (from->effort) options.effort = from->effort;
  return options;
}

}  // namespace library

std::vector<std::byte> compress(const Values& values, std::string_view method,
                                const CompressOptions& options) {
  codec::MemorySink sink;
  codec::reserve_output(sink.bytes(), values.bytes.size());
  library::to_sink(values, method, options, sink);
  return std::move(sink.bytes());
}

}  // namespace fpsynth

namespace library = fpsynth::library;

std::size_t fpsynth_bound(const fpsynth_values* values, const char* method,
                          const fpsynth_options* options) {
  std::size_t bound = 0;
  library::status_of([&] {
    library::not_null(method, "method");
    bound = library::bound(library::values_of(values, false), method, library::options_of(options));
  });
  return bound;
}

int fpsynth_compress(const fpsynth_values* values, const char* method,
                     const fpsynth_options* options, void* out, std::size_t capacity,
                     std::size_t* written) {
  if (written) *written = 0;
  return library::status_of([&] {
    library::not_null(method, "method");
    const fpsynth::Values from = library::values_of(values);
    const fpsynth::CompressOptions how = library::options_of(options);
    library::BufferSink sink(library::buffer<std::byte>(out, capacity, "out"));
    const std::size_t size = library::to_sink(from, method, how, sink);
    if (written) *written = size;
    if (size <= capacity) return;
    fpsynth::codec::refuse_capacity(capacity, size, library::bound(from, method, how));
  });
}

int fpsynth_inspect(const void* container, std::size_t bytes, fpsynth_info* info) {
  return library::status_of([&] {
    library::not_null(info, "info");
    const fpsynth::ContainerInfo found =
        fpsynth::inspect(library::buffer<const std::byte>(container, bytes, "container"));
    const auto words = fpsynth::synth::precision_of_words(found.word_bytes);
    *info = {
        .original_bytes = found.original_bytes,
        .type = library::number_of(fpsynth::synth::to_string(fpsynth::synth::ValueType(words))),
        .fortran_order = found.fortran_order,
        .rank = 1,
        .shape = {found.original_bytes / found.word_bytes}};
    if (found.type.empty()) return;
    info->type = library::number_of(found.type);
    info->rank = found.shape.size();
    std::ranges::copy(found.shape, info->shape);
  });
}

int fpsynth_decompress(const void* container, std::size_t bytes, int threads, void* out,
                       std::size_t capacity, std::size_t* written) {
  if (written) *written = 0;
  return library::status_of([&] {
    const auto from = library::buffer<const std::byte>(container, bytes, "container");
    const auto to = library::buffer<std::byte>(out, capacity, "out");
    const std::size_t size = fpsynth::codec::original_bytes(from, "compressed data");
    if (written && size > capacity) *written = size;
    // Which refuses what is too small.
    fpsynth::decompress_into(from, to.first(std::min(size, capacity)), {.threads = threads});
    if (written) *written = size;
  });
}

const char* fpsynth_error(void) { return library::last_error; }
