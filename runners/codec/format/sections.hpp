#pragma once
// Files of sections (version 5): an index, then one container for each part of the original, every
// one with a method of its own.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/container.hpp"

namespace fpsynth::codec {

/// The most sections of a file.
inline constexpr std::size_t kMostSections = 128;

/// The entry of a section in the index.
struct SectionEntry {
  std::uint64_t original_bytes = 0;
  std::uint64_t file_bytes = 0;  ///< of its container
  std::uint64_t checksum = 0;    ///< of its original, as its container has it
};

/// Bytes in front of the containers of so many sections.
std::size_t sections_front_bytes(std::size_t sections);
/// These bytes, for sections of words of `word_bytes` bytes. `entries`: 2 to kMostSections.
std::vector<std::byte> front_of(std::span<const SectionEntry> entries, std::size_t word_bytes);

/// True if a file, whose bytes may be anything, begins as one of sections does.
bool has_sections(std::span<const std::byte> file);

/// Checks the beginning of such a file. Throws Error, which starts with `name`.
void check_sections_beginning(std::span<const std::byte> beginning, std::string_view name);

/// A section of a file.
struct SectionView {
  std::span<const std::byte> container;  ///< of version 2 or 3
  std::string name;                      ///< of the file and the section, for errors
};

/// A view of a file of sections; the caller keeps the bytes, which may be anything.
class SectionedFile {
 public:
  /// Checks the index, that it suits the containers, and all of these that can be checked without
  /// decoding them. Throws Error, which starts with `name`.
  SectionedFile(std::span<const std::byte> file, std::string_view name);

  /// Of the whole original, without a pipeline. Its checksum is that of the index, which has those
  /// of all sections.
  const Header& header() const { return header_; }
  const std::vector<SectionView>& sections() const { return sections_; }
  /// Bytes of the file in front of the containers.
  std::size_t front_bytes() const { return sections_front_bytes(sections_.size()); }

 private:
  Header header_;
  std::vector<SectionView> sections_;
};

/// The header that says of which words and bytes a file without a description is, and their
/// checksum. Throws Error, which starts with `name`, as the views of these files do.
Header original_header(std::span<const std::byte> file, std::string_view name);

/// The sections of a file, behind its description if it has one; one, which is all of it, if it has
/// none. Throws Error, which starts with `name`, if a file of sections is damaged.
std::vector<SectionView> sections_of(std::span<const std::byte> file, std::string_view name);

}  // namespace fpsynth::codec
