#pragma once
// Error messages of the codecs that throw, made from a status or a fault. (Kept out of headers that
// nvcc compiles, because it does not compile the formatting library.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/layout.hpp"

namespace fpsynth::codec {

/// Throws Error: `what` is wrong with the file.
[[noreturn]] void refuse_damaged(std::string_view name, std::string_view what);
/// Throws Error unless the container of `size` bytes is long enough for all its frames.
void refuse_truncated(std::string_view name, const Header& header, const ContainerLayout& layout,
                      std::uint64_t size);
/// Throws Error that says what is wrong in the container `name`. `frame`: the chunk's frame if that
/// is what is wrong; otherwise ignored.
[[noreturn]] void refuse_fault(std::string_view name, const Header& header, const Fault& fault,
                               const std::byte* frame = nullptr);
/// Throws Error unless the checksum of the decoded data equals the header's.
void refuse_wrong_sum(std::string_view name, const Header& header, std::uint64_t found);

/// Throws Error: the container has `needed` bytes or more, but the output holds only `capacity`.
[[noreturn]] void refuse_capacity(std::size_t capacity, std::size_t needed, std::size_t bound);
/// Throws Error unless both have the same pipeline, word size and chunk length.
void refuse_other_format(const Header& container, const Header& codec);

}  // namespace fpsynth::codec
