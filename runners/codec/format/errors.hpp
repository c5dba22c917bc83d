#pragma once
// What the codecs that throw say: messages made of a status or a fault. (nvcc does not compile what
// formats them.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/layout.hpp"

namespace fpsynth::codec {

/// Throws Error unless the container of `size` bytes is long enough for all its frames.
void refuse_truncated(std::string_view name, const Header& header, const ContainerLayout& layout,
                      std::uint64_t size);
/// Throws Error: what is wrong in the container `name`. `frame`: of the chunk, where that is its
/// frame, else not looked at.
[[noreturn]] void refuse_fault(std::string_view name, const Header& header, const Fault& fault,
                               const std::byte* frame = nullptr);
/// Throws Error unless the checksum of what was decoded is the header's.
void refuse_wrong_sum(std::string_view name, const Header& header, std::uint64_t found);

/// Throws Error: a container of `needed` bytes, or more, where the output holds `capacity` bytes.
[[noreturn]] void refuse_capacity(std::size_t capacity, std::size_t needed, std::size_t bound);
/// Throws Error unless both have the same pipeline, word size and chunk length.
void refuse_other_format(const Header& container, const Header& codec);

}  // namespace fpsynth::codec
