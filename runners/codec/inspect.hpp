#pragma once
// The contents of a compressed file, found without decoding it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/description.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// The prelude of a file, and what it takes in the file.
struct PreludeInspection {
  synth::Prelude prelude;
  std::uint64_t header_bytes = 0;
  std::vector<std::uint64_t> side_bytes;  ///< of each step
  std::uint64_t bytes = 0;                ///< all of it
};

/// All sizes are in bytes.
struct Inspection {
  std::uint8_t version = kVersion;
  std::optional<Description> description;
  std::uint64_t description_bytes = 0;
  /// Of the sections; empty without them. With them, `header` has the size and the checksum alone,
  /// no method and no chunks, and all sizes are the sums of theirs.
  std::vector<Inspection> sections = {};
  std::uint64_t index_bytes = 0;  ///< the header of sections without a prelude
  PreludeInspection prelude;      ///< all 0 without one
  Header header;                  ///< its checksum is that of the original, or of its words
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0, tail_bytes = 0;
  std::uint64_t frame_bytes = 0;  ///< of one chunk
  std::uint64_t frames_bytes = 0, blocks_bytes = 0;
  BlockLengths blocks;

  std::uint64_t payload_bytes() const { return frames_bytes + blocks_bytes; }
  std::uint64_t overhead_bytes() const { return file_bytes - payload_bytes(); }
  double ratio() const;  ///< original / compressed
  /// Mean length of a chunk's block; 0 if there are no chunks.
  double mean_block() const;
  std::uint64_t chunks() const;
  /// The method; those of sections, with semicolons between them, behind a prelude of all in
  /// braces.
  std::string method() const;
};

/// Checks the structure of a file and measures its parts. Throws Error, which starts with `name`.
Inspection inspect(std::span<const std::byte> file, std::string_view name);

/// Decodes a file without keeping the output and checks its checksum. Throws Error.
void verify(std::span<const std::byte> file, std::string_view name,
            const CodecOptions& options = {});

}  // namespace fpsynth::codec
