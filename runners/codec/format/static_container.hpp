#pragma once
// The container of a components::StaticPipeline.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "components/static_pipeline.hpp"
#include "runners/codec/format/layout.hpp"

namespace fpsynth::codec {

template <class Pipeline>
struct StaticContainer {
  using Stages = typename Pipeline::Stages;
  using Extents = components::Extent[Pipeline::kStages];
  using LastWord = typename Pipeline::template WordOf<Pipeline::kStages - 1>;

  static constexpr bool kWide = components::wide_frames(Stages(), Pipeline::kChunkWords);
  static constexpr ContainerShape kShape = container_shape(Stages(), Pipeline::kChunkWords);
  static constexpr std::size_t kFrameBytes = kShape.frame_bytes;
  static constexpr std::size_t kHeaderBytes = kShape.header_bytes;
  static constexpr std::size_t kPrefixBytes = original_bytes_at(Pipeline::kStages);
  static constexpr std::size_t kChecksumAt = checksum_at(Pipeline::kStages);

  static constexpr ContainerLayout layout(std::uint64_t original_bytes) {
    return ContainerLayout(kShape, original_bytes);
  }

  FPSYNTH_INLINE static void write_frame(const Extents& extents, std::byte* out) {
    codec::write_frame(Stages(), kWide, extents, out);
  }
  FPSYNTH_INLINE static std::uint32_t read_frame(const std::byte* frame, std::size_t words,
                                                 components::Extent* extents) {
    return codec::read_frame(Stages(), kWide, frame, words, extents);
  }
  /// Bytes of the block whose lengths these are.
  FPSYNTH_INLINE static std::size_t block_bytes(const components::Extent* extents) {
    return extents[Pipeline::kStages - 1].words * sizeof(LastWord);
  }

  /// The first bytes, which all containers share.
  static constexpr auto prefix() {
    std::array<std::byte, kPrefixBytes> bytes{};
    store_prefix(Stages(), Pipeline::kChunkWords, bytes.data());
    return bytes;
  }
  /// Writes the header without the checksum.
  static void write_header(const ContainerLayout& layout, std::byte* out) {
    static constexpr auto kPrefix = prefix();
    std::memcpy(out, kPrefix.data(), kPrefix.size());
    store(out + kPrefixBytes, layout.original_bytes);
  }
  /// Reads the original's size from the header of a container of `size` bytes. Its first
  /// kHeaderBytes bytes, or all if it has fewer, are at `container` and may be anything. Returns Ok
  /// if the header is this pipeline's and the container is long enough for all its frames.
  static Status read_header(const std::byte* container, std::size_t size, std::size_t& original) {
    static constexpr auto kPrefix = prefix();
    const Status status = match_prefix(container, size, kPrefix.data(), kPrefix.size());
    if (status != Status::Ok) return status;
    if (size < kHeaderBytes) return Status::Damaged;
    const std::uint64_t bytes = load<std::uint64_t>(container + kPrefixBytes);
    if (layout(bytes).accept(size) != Status::Ok) return Status::Damaged;
    original = static_cast<std::size_t>(bytes);
    return Status::Ok;
  }
};

}  // namespace fpsynth::codec
