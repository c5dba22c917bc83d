#pragma once
// Compressed files of versions 2, 3 and 5 that have been checked as far as possible without
// decoding them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/layout.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/side_coding.hpp"
#include "synth/prelude.hpp"

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
  enum class Behind { Nothing, Anything };
  /// Checks the header and every frame, and that the file ends with its last block, unless anything
  /// may be behind that. Throws Error, which starts with `name`.
  Archive(std::span<const std::byte> file, std::string_view name, Behind behind = Behind::Nothing);

  const std::string& name() const { return name_; }
  std::size_t bytes() const { return file_.size(); }
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

/// True if a file, whose bytes may be anything, begins as one of sections does.
bool has_sections(std::span<const std::byte> file);
/// True if a file, whose bytes may be anything, begins as one with a prelude does, with sections
/// behind it or not.
bool has_prelude(std::span<const std::byte> file);

/// Checks the beginning of a file of any version, an Input::Check. Throws Error.
void check_beginning(std::span<const std::byte> beginning, std::string_view name);

/// The side data of a step, as errors name them.
std::string side_name(std::string_view file, const synth::PreludeStep& step);

/// Lists for SideCoding that are checked as an Archive is, but not decoded. Throws where others
/// return Damaged.
struct SideArchives {
  std::span<const std::byte> in;
  std::string name;  ///< side_name()
  static constexpr bool kDecodes = false;

  template <class T, class Pipeline = SidePipeline<T>>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, T*&, std::size_t& count) {
    std::size_t size = 0;
    const Status status = StaticContainer<Pipeline>::read_header(in.data() + at, bytes, size);
    if (status != Status::Ok || !count_list<T>(size, most, count)) {
      return damaged("not what its prelude writes");
    }
    Archive(in.subspan(at, bytes), name);
    return Status::Ok;
  }
  void load(std::size_t at, std::uint64_t* numbers, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = codec::load<std::uint64_t>(in.data() + at + i * sizeof *numbers);
    }
  }
  Status damaged(std::string_view what) const { refuse_damaged(name, what); }
};

/// A section of a file.
struct SectionView {
  std::span<const std::byte> container;  ///< of version 2 or 3
  std::string name;                      ///< of the file and the section, for errors
};

/// The checksum of a file of sections without a prelude: that of their originals' checksums.
std::uint64_t sections_checksum(std::span<const std::uint64_t> checksums);

/// A view of a file with a prelude, with sections, or with both; the caller keeps the bytes, which
/// may be anything.
class PreludeArchive {
 public:
  /// Checks the header, that of the container within or all of each section's, and all of the side
  /// data that can be checked without decoding them. Throws Error, which starts with `name`.
  PreludeArchive(std::span<const std::byte> file, std::string_view name);

  const synth::Prelude& prelude() const { return prelude_; }  ///< of sections it may be empty
  std::size_t word_bytes() const { return fields_.word_bytes; }
  std::uint64_t original_bytes() const { return fields_.original_bytes; }
  /// Of the original; of sections without a prelude, see above.
  std::uint64_t checksum() const { return fields_.checksum; }
  /// Bytes of the file in front of the container within.
  std::size_t overhead_bytes() const { return file_.size() - inner_.size(); }
  /// The side data of each step.
  const std::vector<std::span<const std::byte>>& side() const { return side_; }
  /// The container, of version 2, of the original after the prelude, or those of its sections.
  std::span<const std::byte> inner() const { return inner_; }
  /// The sections, or the container as the only one.
  const std::vector<SectionView>& sections() const { return sections_; }
  /// The header that a container of the original without the prelude would have, for messages; of
  /// sections, it has no pipeline.
  Header header() const;

 private:
  void find_sections(std::string_view name);

  std::span<const std::byte> file_, inner_;
  PreludeFields fields_;
  synth::Prelude prelude_;
  std::vector<std::span<const std::byte>> side_;
  std::vector<SectionView> sections_;
  Header inner_header_;
};

/// The header that says of which words and bytes a file without a description is, and their
/// checksum. Throws Error, which starts with `name`, as the views of these files do.
Header original_header(std::span<const std::byte> file, std::string_view name);

/// The sections of a file, behind its description if it has one; one, which is all of it, if it has
/// none that are decoded each by itself. Throws Error, which starts with `name`, if a file of
/// sections is damaged.
std::vector<SectionView> sections_of(std::span<const std::byte> file, std::string_view name);

}  // namespace fpsynth::codec
