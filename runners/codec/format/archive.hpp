#pragma once
// A compressed file that has been checked as far as possible without decoding it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/layout.hpp"

namespace fpsynth::codec {

/// Lengths, in bytes, of the chunks' compressed blocks. All 0 if there are no chunks.
struct BlockLengths {
  std::uint64_t shortest = 0, longest = 0, total = 0;
};

/// A view of a compressed file; the caller keeps the bytes, which may be anything. It allocates no
/// more than the file's size justifies: 8 bytes for every slice of chunks. Immutable, so any number
/// of threads may use it.
class Archive {
 public:
  /// Checks the header and every frame, and that the file ends with its last block. Throws Error,
  /// which starts with `name`.
  Archive(std::span<const std::byte> file, std::string_view name);

  const std::string& name() const { return name_; }
  const Header& header() const { return header_; }
  const PipelineFrames& frames() const { return frames_; }
  /// The positions of chunks and slices. A slice is a run of chunks; the last slice ends with the
  /// original's last chunk. No chunk contains the original's trailing bytes.
  const ContainerLayout& layout() const { return layout_; }
  const BlockLengths& block_lengths() const { return lengths_; }
  /// The trailing bytes of the original that do not fill a word.
  std::span<const std::byte> tail() const {
    return file_.subspan(layout_.shape.header_bytes, layout_.tail_bytes);
  }

  /// The frames and the blocks of the chunks in slices first..first + count - 1.
  std::span<const std::byte> frames_of(std::size_t first, std::size_t count) const;
  std::span<const std::byte> blocks_of(std::size_t first, std::size_t count) const;

 private:
  std::span<const std::byte> file_;
  std::string name_;
  Header header_;
  PipelineFrames frames_;
  ContainerLayout layout_;
  std::vector<std::uint64_t> starts_;  ///< the offset in the file of a slice's first block
  BlockLengths lengths_;
};

}  // namespace fpsynth::codec
