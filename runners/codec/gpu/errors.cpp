#include "runners/codec/gpu/errors.hpp"

#include <fmt/core.h>

#include <string>

#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

std::string text_of(const Header& format) {
  return fmt::format("{} on {}-byte words in chunks of {}", synth::to_string(format.pipeline),
                     format.word_bytes, format.chunk_words);
}

}  // namespace

void refuse_room(std::size_t room, std::size_t needed, std::size_t bound) {
  throw Error(fmt::format(
      "room for {} bytes of a container that needs {}; {} are enough for any data of this size",
      room, needed, bound));
}

void refuse_other_format(const Header& container, const Header& codec) {
  if (container.pipeline == codec.pipeline && container.word_bytes == codec.word_bytes &&
      container.chunk_words == codec.chunk_words) {
    return;
  }
  throw Error(fmt::format("a container of {} for a codec of {}; make a codec for it",
                          text_of(container), text_of(codec)));
}

}  // namespace fpsynth::codec
