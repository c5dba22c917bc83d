#pragma once
// Wrong calls of the codec on device memory. (nvcc does not compile what formats them.)

#include <cstddef>

#include "runners/codec/format/container.hpp"

namespace fpsynth::codec {

/// Throws Error: a container of `needed` bytes, or more, where there is room for `room` of them.
[[noreturn]] void refuse_room(std::size_t room, std::size_t needed, std::size_t bound);

/// Throws Error unless both have the same pipeline, word size and chunk length.
void refuse_other_format(const Header& container, const Header& codec);

}  // namespace fpsynth::codec
