#include "runners/codec/preludes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "runners/codec/cpu/parallel_hash.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/errors.hpp"
#include "runners/codec/format/prelude_archive.hpp"
#include "runners/codec/format/side_pipeline.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

/// The pipeline of a static one.
template <class Static>
synth::Pipeline pipeline_of() {
  synth::Pipeline pipeline;
  const typename Static::Stages stages;
  pipeline.cut = static_cast<unsigned>(stages.cut());
  stages.for_each([&](std::size_t, const auto& stage) {
    pipeline.stages.push_back({synth::family_of_wire(stage.wire()).value(), stage.parameter()});
    return true;
  });
  return pipeline;
}

const PreludeTable& table_of(const CodecOptions& options) {
  return preludes_beside(options.stages ? *options.stages : components::default_stages());
}

/// Throws Error unless a driver's status is Ok.
void expect(Status status, const synth::PreludeStep& step, std::string_view name) {
  if (status == Status::Ok) return;
  if (status == Status::NoMemory) {
    throw Error(
        fmt::format("{}: not enough memory for {}; use a method without it, or a larger "
                    "machine",
                    name, synth::to_string(step)));
  }
  refuse_damaged(
      name, fmt::format("its words or side data are not what {} gives", synth::to_string(step)));
}

template <class T>
std::span<const std::byte> bytes_of(const T* values, std::size_t count) {
  return std::as_bytes(std::span<const T>(values, count));
}

// Side data.

template <class W>
std::vector<std::byte> encode_side(const SideData<W>& data, preludes::Shape shape,
                                   const CodecOptions& options) {
  if (shape != preludes::Shape::Ranked && shape != preludes::Shape::Excepted) return {};
  if (shape == preludes::Shape::Ranked) {
    return compress(bytes_of(data.values, data.count), pipeline_of<SidePipeline<W>>(), sizeof(W),
                    options);
  }
  if (data.count == 0) return {};
  const std::vector<std::byte> positions = compress(
      bytes_of(data.positions, data.count), pipeline_of<SidePipeline<std::uint64_t>>(), 8, options);
  const std::vector<std::byte> values = compress(
      bytes_of(data.values, data.count), pipeline_of<SidePipeline<W>>(), sizeof(W), options);
  std::vector<std::byte> side(8);
  store(side.data(), std::uint64_t{positions.size()});
  side.insert(side.end(), positions.begin(), positions.end());
  side.insert(side.end(), values.begin(), values.end());
  return side;
}

/// Decodes a container of side data: at most `most` values of type T, by a pipeline that is known.
template <class T>
std::vector<std::byte> decode_values(std::span<const std::byte> container,
                                     const synth::Pipeline& pipeline, std::uint64_t most,
                                     std::string_view name, const CodecOptions& options) {
  const Header header = parse_header(container, name);
  if (header.pipeline != pipeline || header.word_bytes != sizeof(T) ||
      header.chunk_words != synth::kChunkWords || header.tail_bytes() != 0 ||
      header.words() > most) {
    refuse_damaged(name, "its side data are not those of its prelude");
  }
  CodecOptions unlimited = options;
  unlimited.limit = CodecOptions().limit;
  return decompress(container, unlimited, name);
}

/// The side data of a step, decoded.
template <class W>
struct DecodedSide {
  std::vector<std::byte> values, positions;

  DecodedSide(std::span<const std::byte> side, preludes::Shape shape, std::uint64_t words,
              std::string_view name, const CodecOptions& options) {
    if (shape == preludes::Shape::Ranked) {
      values = decode_values<W>(side, pipeline_of<SidePipeline<W>>(), words, name, options);
    } else if (shape == preludes::Shape::Excepted && !side.empty()) {
      const std::uint64_t length = side.size() < 8 ? 0 : load<std::uint64_t>(side.data());
      if (side.size() < 8 || length > side.size() - 8) {
        refuse_damaged(name, "its side data are cut off");
      }
      side = side.subspan(8);
      positions = decode_values<std::uint64_t>(
          side.first(length), pipeline_of<SidePipeline<std::uint64_t>>(), words, name, options);
      values = decode_values<W>(side.subspan(length), pipeline_of<SidePipeline<W>>(), words, name,
                                options);
      if (positions.empty() || positions.size() / 8 != values.size() / sizeof(W)) {
        refuse_damaged(name, "its exceptions are not as many as their positions");
      }
    }
  }

  SideData<W> view() {
    return {reinterpret_cast<W*>(values.data()),
            positions.empty() ? nullptr : reinterpret_cast<std::uint64_t*>(positions.data()),
            values.size() / sizeof(W)};
  }
};

// Words.

/// The side data of each step of a prelude, as the file holds them.
using SideSections = std::vector<std::vector<std::byte>>;

/// Applies a prelude that is not empty: `out` gets as many bytes as `input` has.
template <class W>
SideSections transform_words(std::span<const std::byte> input, std::span<std::byte> out,
                             const synth::Prelude& prelude, const CodecOptions& options) {
  const std::size_t words = input.size() / sizeof(W);
  const int threads = threads_for(options.threads, UINT64_MAX);
  SideSections sections;
  const std::byte* in = input.data();
  for (const synth::PreludeStep& step : prelude.steps) {
    const preludes::Shape shape = synth::prelude_traits(step.kind).shape;
    SideMemory<W> side;
    expect(table_of(options).of<W>().forward(step.kind, in, out.data(), words, step.parameter,
                                             threads, side.data),
           step, "the input");
    sections.push_back(encode_side(side.data, shape, options));
    in = out.data();
  }
  std::ranges::copy(input.subspan(words * sizeof(W)), out.subspan(words * sizeof(W)).begin());
  return sections;
}

SideSections transform_to(std::span<const std::byte> input, std::span<std::byte> out,
                          const synth::Prelude& prelude, std::size_t word_bytes,
                          const CodecOptions& options) {
  return word_bytes == 8 ? transform_words<std::uint64_t>(input, out, prelude, options)
                         : transform_words<std::uint32_t>(input, out, prelude, options);
}

std::uint64_t overhead_of(const SideSections& sections) {
  std::uint64_t total = prelude_header_bytes(sections.size());
  for (const std::vector<std::byte>& section : sections) total += section.size();
  return total;
}

[[noreturn]] void refuse_for_memory(const synth::Prelude& prelude, std::size_t bytes) {
  throw Error(
      fmt::format("not enough memory for the prelude '{}' on {} bytes; use a method "
                  "without one",
                  synth::to_string(prelude), bytes));
}

template <class W>
void restore_words(std::span<std::byte> bytes, const synth::Prelude& prelude,
                   std::span<const std::span<const std::byte>> side, std::string_view name,
                   const CodecOptions& options) {
  const std::size_t words = bytes.size() / sizeof(W);
  const int threads = threads_for(options.threads, UINT64_MAX);
  for (std::size_t i = prelude.steps.size(); i-- > 0;) {
    const synth::PreludeStep& step = prelude.steps[i];
    DecodedSide<W> decoded(side[i], synth::prelude_traits(step.kind).shape, words, name, options);
    expect(table_of(options).of<W>().backward(step.kind, bytes.data(), words, step.parameter,
                                              threads, decoded.view()),
           step, name);
  }
}

/// Writes a container behind what a sink has got already.
class SinkAfter : public PatchableSink {
 public:
  SinkAfter(PatchableSink& sink, std::uint64_t bytes) : sink_(sink), bytes_(bytes) {}
  void write(std::span<const std::byte> bytes) override { sink_.write(bytes); }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    sink_.patch(bytes_ + offset, bytes);
  }
  void finish() override {}

 private:
  PatchableSink& sink_;
  std::uint64_t bytes_;
};

std::uint64_t checksum_of(std::span<const std::byte> content, int threads) {
  ContentHash hash;
  hash_in_parallel(hash, content, threads);
  return hash.digest();
}

}  // namespace

std::uint64_t Transformed::overhead_bytes() const { return side.empty() ? 0 : overhead_of(side); }

Transformed transform(std::span<const std::byte> input, const synth::Prelude& prelude,
                      std::size_t word_bytes, const CodecOptions& options) {
  synth::check(prelude, word_bytes);
  if (prelude.empty()) return {{input.begin(), input.end()}, {}};
  try {
    Transformed result;
    reserve_output(result.bytes, input.size());
    result.bytes.resize(input.size());
    result.side = transform_to(input, result.bytes, prelude, word_bytes, options);
    return result;
  } catch (const std::bad_alloc&) {
    refuse_for_memory(prelude, input.size());
  }
}

void restore(std::span<std::byte> bytes, const synth::Prelude& prelude, std::size_t word_bytes,
             std::span<const std::span<const std::byte>> side, std::string_view name,
             const CodecOptions& options) {
  synth::check(prelude, word_bytes);
  word_bytes == 8 ? restore_words<std::uint64_t>(bytes, prelude, side, name, options)
                  : restore_words<std::uint32_t>(bytes, prelude, side, name, options);
}

std::uint64_t compress_behind(std::span<const std::byte> input, const synth::Prelude& prelude,
                              std::size_t word_bytes, PatchableSink& sink,
                              const CodecOptions& options, const WriteContainer& inner) {
  if (prelude.empty()) return inner(input, sink);
  synth::check(prelude, word_bytes);
  try {
    LargeBuffer words(input.size());
    const SideSections sections = transform_to(input, words.bytes(), prelude, word_bytes, options);
    PreludeFields fields;
    fields.word_bytes = static_cast<std::uint8_t>(word_bytes);
    for (const synth::PreludeStep& step : prelude.steps) {
      const std::size_t side_bytes = sections[fields.steps].size();
      fields.step[fields.steps++] = {step.kind, step.parameter, side_bytes};
    }
    fields.original_bytes = input.size();
    fields.checksum = checksum_of(input, options.threads);
    std::vector<std::byte> header(prelude_header_bytes(fields.steps));
    store_prelude_header(fields, header.data());
    sink.write(header);
    for (const std::vector<std::byte>& section : sections) sink.write(section);
    SinkAfter behind(sink, overhead_of(sections));
    return overhead_of(sections) + inner(words.bytes(), behind);
  } catch (const std::bad_alloc&) {
    refuse_for_memory(prelude, input.size());
  }
}

std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options) {
  return compress_behind(input, method.prelude, word_bytes, sink, options,
                         [&](std::span<const std::byte> bytes, PatchableSink& rest) {
                           return compress(bytes, name, method.pipeline, word_bytes, rest, options);
                         });
}

std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Method& method,
                                std::size_t word_bytes, const CodecOptions& options) {
  MemorySink sink;
  reserve_output(sink.bytes(), input.size());
  compress(input, "the input", method, word_bytes, sink, options);
  return std::move(sink.bytes());
}

void restore_original(const PreludeArchive& archive, std::span<std::byte> decoded,
                      std::string_view name, const CodecOptions& options) {
  restore(decoded, archive.prelude(), archive.word_bytes(), archive.side(), name, options);
  refuse_wrong_sum(name, archive.header(), checksum_of(decoded, options.threads));
}

}  // namespace fpsynth::codec
