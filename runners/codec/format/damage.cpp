#include "runners/codec/format/damage.hpp"

#include <fmt/core.h>

#include "synth/common/error.hpp"

namespace fpsynth::codec::damage {

void refuse(std::string_view name, std::string_view what) {
  throw Error(fmt::format(
      "{}: {}; the file is damaged, get it again or compress the original again", name, what));
}

std::string too_short(std::uint64_t bytes, const Header& header) {
  return fmt::format("{} bytes are too few for an original of {} bytes", bytes,
                     header.original_bytes);
}

std::string frame(const Header& header, std::uint64_t chunk,
                  std::span<const components::Extent> extents) {
  const std::size_t bad =
      check_extents(header.pipeline, header.word_bytes, header.words_of(chunk), extents);
  if (bad == extents.size()) return {};
  return fmt::format("chunk {}: {} words, {} of them values, out of stage {} ({}) cannot be", chunk,
                     extents[bad].words, extents[bad].values, bad + 1,
                     synth::to_string(header.pipeline.stages[bad]));
}

std::string end(const Header& header, std::uint64_t chunk) {
  return fmt::format("it ends within the block of chunk {} of {}", chunk, header.chunks());
}

std::string trailing(std::uint64_t bytes) {
  return fmt::format("{} bytes follow its last block", bytes);
}

std::string block(const Header& header, std::uint64_t chunk) {
  return fmt::format("chunk {}: its block is not one that {} writes", chunk,
                     synth::to_string(header.pipeline));
}

std::string checksum(const Header& header, std::uint64_t found) {
  return fmt::format("its contents have checksum {:016x}, not {:016x}", found, header.checksum);
}

}  // namespace fpsynth::codec::damage
