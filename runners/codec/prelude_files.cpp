#include "runners/codec/prelude_files.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/errors.hpp"
#include "runners/codec/format/prelude_header.hpp"
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

template <class T>
std::span<const std::byte> bytes_of(const T* values, std::size_t count) {
  return std::as_bytes(std::span<const T>(values, count));
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

}  // namespace

template <class W>
std::vector<std::byte> encode_side(const SideData<W>& data, preludes::Shape shape,
                                   const CodecOptions& of_words) {
  CodecOptions options = of_words;
  options.chunk_words = synth::kChunkWords;  // whatever the words have
  if (shape == preludes::Shape::Ranked) {
    return compress(bytes_of(data.values, data.count), pipeline_of<SidePipeline<W>>(), sizeof(W),
                    options);
  }
  if (shape != preludes::Shape::Excepted || data.count == 0) return {};
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

template <class W>
DecodedSide<W>::DecodedSide(std::span<const std::byte> side, preludes::Shape shape,
                            std::uint64_t words, std::string_view name,
                            const CodecOptions& options) {
  if (shape == preludes::Shape::Ranked) {
    values_ = decode_values<W>(side, pipeline_of<SidePipeline<W>>(), words, name, options);
  } else if (shape == preludes::Shape::Excepted && !side.empty()) {
    const std::uint64_t length = side.size() < 8 ? 0 : load<std::uint64_t>(side.data());
    if (side.size() < 8 || length > side.size() - 8) {
      refuse_damaged(name, "its side data are cut off");
    }
    side = side.subspan(8);
    positions_ = decode_values<std::uint64_t>(
        side.first(length), pipeline_of<SidePipeline<std::uint64_t>>(), words, name, options);
    values_ = decode_values<W>(side.subspan(length), pipeline_of<SidePipeline<W>>(), words, name,
                               options);
    if (positions_.empty() || positions_.size() / 8 != values_.size() / sizeof(W)) {
      refuse_damaged(name, "its exceptions are not as many as their positions");
    }
  }
}

template <class W>
SideData<W> DecodedSide<W>::view() {
  return {reinterpret_cast<W*>(values_.data()),
          positions_.empty() ? nullptr : reinterpret_cast<std::uint64_t*>(positions_.data()),
          values_.size() / sizeof(W)};
}

void refuse_unless_ok(Status status, const synth::PreludeStep& step, std::string_view name) {
  if (status == Status::Ok) return;
  if (status == Status::NoMemory) {
    throw Error(
        fmt::format("{}: not enough memory for {}; free some, raise its limit (ulimit -v), or "
                    "compress with a method without it",
                    name, synth::to_string(step)));
  }
  refuse_damaged(
      name, fmt::format("its words or side data are not what {} gives", synth::to_string(step)));
}

std::vector<std::byte> front_of(const synth::Prelude& prelude, SideSections sections,
                                std::size_t word_bytes, std::uint64_t original_bytes,
                                std::uint64_t checksum) {
  PreludeFields fields;
  fields.word_bytes = static_cast<std::uint8_t>(word_bytes);
  for (const synth::PreludeStep& step : prelude.steps) {
    const std::size_t side_bytes = sections[fields.steps].size();
    fields.step[fields.steps++] = {step.kind, step.parameter, side_bytes};
  }
  fields.original_bytes = original_bytes;
  fields.checksum = checksum;
  std::vector<std::byte> front(prelude_header_bytes(fields.steps));
  store_prelude_header(fields, front.data());
  for (std::vector<std::byte>& section : sections) {
    front.insert(front.end(), section.begin(), section.end());
    section = {};
  }
  return front;
}

template std::vector<std::byte> encode_side(const SideData<std::uint64_t>&, preludes::Shape,
                                            const CodecOptions&);
template std::vector<std::byte> encode_side(const SideData<std::uint32_t>&, preludes::Shape,
                                            const CodecOptions&);
template class DecodedSide<std::uint64_t>;
template class DecodedSide<std::uint32_t>;

}  // namespace fpsynth::codec
