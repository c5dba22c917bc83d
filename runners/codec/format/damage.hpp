#pragma once
// What is said of damaged files, whoever finds the damage.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "components/extent.hpp"
#include "runners/codec/format/container.hpp"

namespace fpsynth::codec::damage {

/// Throws Error: `name`, what is wrong, and what to do about it.
[[noreturn]] void refuse(std::string_view name, std::string_view what);

std::string too_short(std::uint64_t bytes, const Header& header);
/// `extents`: what the chunk's frame says. Empty if that can be.
std::string frame(const Header& header, std::uint64_t chunk,
                  std::span<const components::Extent> extents);
/// The file ends before the chunk's block does.
std::string end(const Header& header, std::uint64_t chunk);
std::string trailing(std::uint64_t bytes);
/// The chunk's block is not the encoding of anything.
std::string block(const Header& header, std::uint64_t chunk);
std::string checksum(const Header& header, std::uint64_t found);

}  // namespace fpsynth::codec::damage
