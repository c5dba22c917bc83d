#pragma once
// Writes a container to a sink; the chunks are encoded elsewhere.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runners/codec/format/container.hpp"
#include "runners/codec/streams.hpp"

namespace fpsynth::codec {

/// Writes the header and the tail immediately and reserves space for the frames. Appends blocks as
/// they come, and writes frames into the reserved space. Throws what the sink throws.
class ContainerWriter {
 public:
  /// `tail`: the trailing bytes of the original, which fill no word.
  ContainerWriter(const Header& header, std::span<const std::byte> tail, PatchableSink& sink);

  /// Add the frames and the blocks of the next chunks. A chunk's frame and block may come in
  /// separate calls.
  void add_frames(std::span<const std::byte> frames);
  void add_blocks(std::span<const std::byte> blocks);
  /// Writes the remaining frames and the checksum and returns the container's length. Does not
  /// finish the sink.
  std::uint64_t finish(std::uint64_t checksum);

 private:
  /// Frames are collected up to this many bytes between patches.
  static constexpr std::size_t kPatchBytes = std::size_t{256} << 10;

  void put(std::span<const std::byte> bytes);
  void patch_frames();

  PatchableSink& sink_;
  std::uint64_t checksum_at_, written_ = 0, frames_at_ = 0;
  std::vector<std::byte> frames_;  ///< not written yet; they go to frames_at_
};

}  // namespace fpsynth::codec
