#include "runners/codec/format/container_writer.hpp"

#include <algorithm>
#include <array>

namespace fpsynth::codec {

ContainerWriter::ContainerWriter(const Header& header, std::span<const std::byte> tail,
                                 PatchableSink& sink)
    : sink_(sink), checksum_at_(checksum_at(header.pipeline.stages.size())) {
  put(serialize(header));
  put(tail);
  frames_at_ = written_;
  std::uint64_t left = header.chunks() * PipelineFrames(header).bytes();
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(left, kPatchBytes));
  while (left > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(left, zeros.size());
    put(std::span(zeros).first(piece));
    left -= piece;
  }
}

void ContainerWriter::add_frames(std::span<const std::byte> frames) {
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  if (frames_.size() >= kPatchBytes) patch_frames();
}

void ContainerWriter::add_blocks(std::span<const std::byte> blocks) { put(blocks); }

std::uint64_t ContainerWriter::finish(std::uint64_t checksum) {
  patch_frames();
  std::array<std::byte, 8> bytes;
  store(bytes.data(), checksum);
  sink_.patch(checksum_at_, bytes);
  return written_;
}

void ContainerWriter::put(std::span<const std::byte> bytes) {
  sink_.write(bytes);
  written_ += bytes.size();
}

void ContainerWriter::patch_frames() {
  sink_.patch(frames_at_, frames_);
  frames_at_ += frames_.size();
  frames_.clear();
}

}  // namespace fpsynth::codec
