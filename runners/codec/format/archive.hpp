#pragma once
// A compressed file that has been checked as far as that goes without decoding.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/format/container.hpp"

namespace fpsynth::codec {

/// Lengths, in bytes, of the chunks' compressed blocks. All 0 where there is no chunk.
struct BlockLengths {
  std::uint64_t shortest = 0, longest = 0, total = 0;
};

/// A view of a compressed file, whose bytes stay the caller's and may be anything. Built with what
/// the file can pay for: 8 bytes per slice of chunks. Immutable, so any thread may use it.
class Archive {
 public:
  /// Checks the header, every frame, and that the file ends where its last block does. Throws
  /// Error, which starts with `name`.
  Archive(std::span<const std::byte> file, std::string_view name);

  const Header& header() const { return header_; }
  const FrameLayout& layout() const { return layout_; }
  const BlockLengths& block_lengths() const { return lengths_; }
  /// The trailing bytes of the original that fill no word.
  std::span<const std::byte> tail() const {
    return file_.subspan(header_bytes(header_.pipeline), header_.tail_bytes());
  }

  /// Slices are runs of chunks; all hold slice_bytes() of original data, the last one may hold
  /// less. The last chunk of an original is in the last slice, its trailing bytes are in none.
  std::size_t slices() const { return starts_.size(); }
  std::size_t slice_bytes() const { return slice_chunks_ * chunk_bytes(); }
  std::size_t bytes_of(std::size_t slice) const;

  /// Bytes of a chunk that is not the last one.
  std::size_t chunk_bytes() const { return header_.chunk_words * header_.word_bytes; }
  /// The frames of the chunks of `count` slices from slice `first` on, and their blocks.
  std::span<const std::byte> frames(std::size_t first, std::size_t count) const;
  std::span<const std::byte> blocks(std::size_t first, std::size_t count) const;

  /// Decodes a slice to out[0..bytes_of(slice)) on a chain made for this header. Throws Error
  /// naming the first chunk whose block is not the encoding of anything.
  void decode(std::size_t slice, ChunkCoder& chain, std::byte* out) const;

  /// Throws Error if `checksum` is not what the header says the original has.
  void verify(std::uint64_t checksum) const;

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::span<const std::byte> file_;
  std::string name_;
  Header header_;
  FrameLayout layout_;
  std::size_t slice_chunks_;
  const std::byte* frames_ = nullptr;
  std::vector<std::uint64_t> starts_;  ///< where in the file a slice's first block begins
  BlockLengths lengths_;
};

}  // namespace fpsynth::codec
