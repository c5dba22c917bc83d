#include "runners/codec/prelude_files.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/side_coding.hpp"
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

/// Lists for SideCoding as vectors of bytes.
struct HostLists : SideArchives {
  const CodecOptions& options;
  std::vector<std::byte> out{};  ///< where side data are written

  template <class T>
  Status encode(std::size_t at, const T* values, std::size_t count, std::size_t& written) {
    CodecOptions usual = options;
    usual.chunk_words = synth::kChunkWords;  // whatever the words have
    MemorySink sink;
    written = compress_container(std::as_bytes(std::span(values, count)),
                                 pipeline_of<SidePipeline<T>>(), sizeof(T), sink, usual);
    out.resize(at);
    out.insert(out.end(), sink.bytes().begin(), sink.bytes().end());
    return Status::Ok;
  }
  template <class T>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, std::vector<std::byte>& values,
                std::size_t& count) {
    SideArchives::decode<T>(at, bytes, most, values, count);
    CodecOptions unlimited = options;
    unlimited.limit = CodecOptions().limit;
    values = decompress_container(in.subspan(at, bytes), name, unlimited);
    return Status::Ok;
  }
  Status store(std::size_t at, const std::uint64_t* numbers, std::size_t count) {
    out.resize(std::max(out.size(), at + count * sizeof *numbers));
    for (std::size_t i = 0; i < count; ++i) {
      codec::store(out.data() + at + i * sizeof *numbers, numbers[i]);
    }
    return Status::Ok;
  }
};

using preludes::Shape;

}  // namespace

template <class W>
std::vector<std::byte> encode_side(const SideData<W>& data, preludes::Shape shape,
                                   const CodecOptions& options) {
  HostLists lists{{}, options};
  std::size_t written = 0;
  if (shape == Shape::Ranked) SideCoding<Shape::Ranked, W>::encode(lists, data, written);
  if (shape == Shape::Excepted) SideCoding<Shape::Excepted, W>::encode(lists, data, written);
  if (shape == Shape::Selected) SideCoding<Shape::Selected, W>::encode(lists, data, written);
  return std::move(lists.out);
}

template <class W>
DecodedSide<W>::DecodedSide(std::span<const std::byte> side, const synth::PreludeStep& step,
                            std::uint64_t words, std::string_view name,
                            const CodecOptions& options) {
  HostLists lists{{side, side_name(name, step)}, options};
  const Shape shape = synth::prelude_traits(step.kind).shape;
  const std::size_t bytes = side.size();
  if (shape == Shape::Ranked) SideCoding<Shape::Ranked, W>::decode(lists, bytes, words, *this);
  if (shape == Shape::Excepted) SideCoding<Shape::Excepted, W>::decode(lists, bytes, words, *this);
  if (shape == Shape::Selected) SideCoding<Shape::Selected, W>::decode(lists, bytes, words, *this);
}

template <class W>
SideData<W> DecodedSide<W>::view() {
  return {reinterpret_cast<W*>(values.data()),
          positions.empty() ? nullptr : reinterpret_cast<std::uint64_t*>(positions.data()),
          count,
          divisors,
          reinterpret_cast<std::uint32_t*>(selectors.data()),
          selector_words};
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
template struct DecodedSide<std::uint64_t>;
template struct DecodedSide<std::uint32_t>;

}  // namespace fpsynth::codec
