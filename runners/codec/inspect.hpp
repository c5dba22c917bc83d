#pragma once
// What a compressed file holds, without decoding it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"

namespace fpsynth::codec {

/// All sizes in bytes. header_bytes + tail_bytes = overhead_bytes; frames_bytes + blocks_bytes =
/// payload_bytes; both sums together are the file.
struct Inspection {
  Header header;
  std::uint64_t file_bytes = 0;
  std::uint64_t header_bytes = 0, tail_bytes = 0, overhead_bytes = 0;
  std::uint64_t frame_bytes = 0;  ///< of one chunk
  std::uint64_t frames_bytes = 0, blocks_bytes = 0, payload_bytes = 0;
  BlockLengths blocks;
  double ratio = 0;  ///< original / compressed

  /// Mean length of a chunk's block; 0 without chunks.
  double mean_block() const;
};

/// Checks the structure of a file; throws Error, which starts with `name`.
Inspection inspect(std::span<const std::byte> file, std::string_view name);

/// Decodes a file and checks its checksum, keeping nothing; throws Error.
void verify(std::span<const std::byte> file, std::string_view name,
            const CodecOptions& options = {});

}  // namespace fpsynth::codec
