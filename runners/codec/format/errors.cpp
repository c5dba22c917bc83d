#include "runners/codec/format/errors.hpp"

#include <fmt/core.h>

#include <array>

#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

std::string frame_text(const Header& header, std::uint64_t chunk, const std::byte* frame) {
  const PipelineFrames frames(header);
  std::array<components::Extent, kMostStages> extents;
  const std::uint32_t bad = frames.read(frame, header.words_of(chunk), extents);
  return fmt::format("chunk {}: stage {} ({}) cannot have put out {} words, {} of them values",
                     chunk, bad + 1, synth::to_string(header.pipeline.stages[bad]),
                     extents.at(bad).words, extents.at(bad).values);
}

std::string format_text(const Header& format) {
  return fmt::format("{} on {}-byte words in chunks of {}", synth::to_string(format.pipeline),
                     format.word_bytes, format.chunk_words);
}

}  // namespace

void refuse_damaged(std::string_view name, std::string_view what) {
  throw Error(fmt::format(
      "{}: {}; the file is damaged, get it again or compress the original again", name, what));
}

void refuse_truncated(std::string_view name, const Header& header, const ContainerLayout& layout,
                      std::uint64_t size) {
  if (layout.accept(size) == Status::Ok) return;
  refuse_damaged(name,
                 fmt::format("{} {} too few for an original of {}", counted(size, "byte"),
                             by_count(size, "is", "are"), counted(header.original_bytes, "byte")));
}

void refuse_fault(std::string_view name, const Header& header, const Fault& fault,
                  const std::byte* frame) {
  switch (fault.kind) {
    case FaultKind::Frame:
      refuse_damaged(name, frame_text(header, fault.chunk, frame));
    case FaultKind::End:
      refuse_damaged(name, fmt::format("it ends within the block of chunk {} of {}", fault.chunk,
                                       header.chunks()));
    case FaultKind::Trailing:
      refuse_damaged(name, fmt::format("{} {} its last block", counted(fault.bytes, "byte"),
                                       by_count(fault.bytes, "follows", "follow")));
    case FaultKind::Block:
    case FaultKind::None:
      break;
  }
  refuse_damaged(name, fmt::format("chunk {}: its block is not a valid encoding by {}", fault.chunk,
                                   synth::to_string(header.pipeline)));
}

void refuse_wrong_sum(std::string_view name, const Header& header, std::uint64_t found) {
  if (found == header.checksum) return;
  refuse_damaged(
      name, fmt::format("its contents have checksum {:016x}, not {:016x}", found, header.checksum));
}

void refuse_capacity(std::size_t capacity, std::size_t needed, std::size_t bound) {
  throw Error(
      fmt::format("the output has {} bytes, but the container needs {}; {} are enough for any data "
                  "of this size",
                  capacity, needed, bound));
}

void refuse_other_format(const Header& container, const Header& codec) {
  if (container.pipeline == codec.pipeline && container.word_bytes == codec.word_bytes &&
      container.chunk_words == codec.chunk_words) {
    return;
  }
  throw Error(fmt::format(
      "the container is of {}, but the codec is of {}; create a codec for the container's format",
      format_text(container), format_text(codec)));
}

}  // namespace fpsynth::codec
