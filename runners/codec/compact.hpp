#pragma once
// The compact form (version 6) of small files of versions 2, 3 and 5: the same numbers, each in as
// few bits as it needs, and one checksum. FORMAT.md defines it.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "runners/codec/cpu/containers.hpp"
#include "runners/codec/format/compact_header.hpp"

namespace fpsynth::codec {

/// The compact form of a file without a description; the file itself if it has none that is smaller
/// and gives the file again. Of a file that compress() has made.
std::vector<std::byte> compacted(std::vector<std::byte> file);

/// The parts of a compact file.
struct Expanded {
  std::vector<std::byte> file;      ///< of version 2, 3 or 5
  std::vector<std::byte> original;  ///< of it, decoded and compared with the checksum
};

/// Decodes a file that is_compact(), whose bytes may be anything. Throws Error, which starts with
/// `name`. Uses memory for kMostCompact bytes some ten times at most.
Expanded expanded(std::span<const std::byte> compact, std::string_view name,
                  const CodecOptions& options = {});

}  // namespace fpsynth::codec
