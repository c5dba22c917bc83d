#include "runners/codec/format/sections.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/compact_header.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// Offsets in bytes; FORMAT.md has the table. The checksum of all before it follows the entries.
constexpr std::size_t kCountAt = 6, kZeroAt = 7, kEntriesAt = 8;
constexpr std::size_t kEntryBytes = 24, kFileBytesInEntry = 8, kChecksumInEntry = 16;

std::size_t sum_at(std::size_t sections) { return kEntriesAt + kEntryBytes * sections; }

struct Index {
  std::size_t word_bytes = 8;
  std::vector<SectionEntry> entries;
  std::uint64_t checksum = 0;
};

/// Reads the index of a file that has_sections(), whose beginning `file` is.
Index index_of(std::span<const std::byte> file, std::string_view name) {
  const auto cut_off = [&] { refuse_damaged(name, "it ends within the index of its sections"); };
  if (file.size() < kEntriesAt) cut_off();
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(file[at]); };
  const auto refuse = [&](std::string_view what, std::uint64_t value) {
    refuse_damaged(name, fmt::format("the index of its sections has {} {}", what, value));
  };
  Index index;
  index.word_bytes = byte(kWordBytesAt);
  const std::size_t count = byte(kCountAt);
  if (index.word_bytes != 8 && index.word_bytes != 4) refuse("the word size", index.word_bytes);
  if (count < 2 || count > kMostSections) refuse("the number of sections", count);
  if (byte(kZeroAt) != 0) refuse("at byte 7 the number", byte(kZeroAt));
  if (file.size() < sections_front_bytes(count)) cut_off();
  index.checksum = load<std::uint64_t>(&file[sum_at(count)]);
  if (const auto found = ContentHash::of(file.first(sum_at(count))); found != index.checksum) {
    refuse_damaged(name, fmt::format("the index of its sections has checksum {:016x}, not {:016x}",
                                     index.checksum, found));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const at = file.data() + kEntriesAt + kEntryBytes * i;
    index.entries.push_back({load<std::uint64_t>(at), load<std::uint64_t>(at + kFileBytesInEntry),
                             load<std::uint64_t>(at + kChecksumInEntry)});
    const std::uint64_t bytes = index.entries.back().original_bytes;
    if (bytes == 0 || (i + 1 < count && bytes % index.word_bytes != 0)) {
      refuse(fmt::format("for section {} the original's size", i + 1), bytes);
    }
  }
  return index;
}

/// The header of a container without sections, all of which has been checked.
Header checked_header(std::span<const std::byte> container, std::string_view name) {
  if (!has_prelude(container)) return Archive(container, name).header();
  // Before it is read: sections of sections could go on for as long as the file.
  if (is_turned(container)) refuse_damaged(name, "it has sections within a section");
  const PreludeArchive prelude(container, name);
  const Archive checked(prelude.inner(), name);
  return prelude.header();
}

/// Adds to a sum. Throws Error if it has more than 64 bits.
void add(std::uint64_t& sum, std::uint64_t bytes, std::string_view name) {
  if (!__builtin_add_overflow(sum, bytes, &sum)) return;
  refuse_damaged(name, "its sections would have more than 2^64 bytes");
}

}  // namespace

std::size_t sections_front_bytes(std::size_t sections) { return sum_at(sections) + 8; }

std::vector<std::byte> front_of(std::span<const SectionEntry> entries, std::size_t word_bytes) {
  std::vector<std::byte> front(sections_front_bytes(entries.size()));
  std::ranges::copy(std::as_bytes(std::span(kMagic)), front.begin());
  front[kVersionAt] = std::byte{kSectionsVersion};
  front[kWordBytesAt] = std::byte(word_bytes);
  front[kCountAt] = std::byte(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::byte* const at = front.data() + kEntriesAt + kEntryBytes * i;
    store(at, entries[i].original_bytes);
    store(at + kFileBytesInEntry, entries[i].file_bytes);
    store(at + kChecksumInEntry, entries[i].checksum);
  }
  const std::size_t end = sum_at(entries.size());
  store(front.data() + end, ContentHash::of(std::span(front).first(end)));
  return front;
}

bool has_sections(std::span<const std::byte> file) {
  return has_version(file.data(), file.size(), kSectionsVersion);
}

void check_sections_beginning(std::span<const std::byte> beginning, std::string_view name) {
  index_of(beginning, name);
}

SectionedFile::SectionedFile(std::span<const std::byte> file, std::string_view name) {
  const Index index = index_of(file, name);
  header_.word_bytes = index.word_bytes;
  header_.checksum = index.checksum;
  std::uint64_t held = sections_front_bytes(index.entries.size());
  for (const SectionEntry& entry : index.entries) {
    add(header_.original_bytes, entry.original_bytes, name);
    add(held, entry.file_bytes, name);
  }
  if (held != file.size()) {
    refuse_damaged(name, fmt::format("its index and its sections have {}, and the file has {}",
                                     counted(held, "byte"), file.size()));
  }
  std::size_t at = sections_front_bytes(index.entries.size());
  for (const SectionEntry& entry : index.entries) {
    const SectionView section{file.subspan(at, entry.file_bytes),
                              fmt::format("{}: section {}", name, sections_.size() + 1)};
    at += entry.file_bytes;
    const Header header = checked_header(section.container, section.name);
    if (header.word_bytes != index.word_bytes || header.original_bytes != entry.original_bytes ||
        header.checksum != entry.checksum) {
      refuse_damaged(
          section.name,
          fmt::format("its container is of {} in words of {} with checksum {:016x}, the "
                      "index has {}, {}, {:016x}",
                      counted(header.original_bytes, "byte"), header.word_bytes, header.checksum,
                      entry.original_bytes, index.word_bytes, entry.checksum));
    }
    sections_.push_back(section);
  }
}

std::vector<SectionView> sections_of(std::span<const std::byte> file, std::string_view name) {
  if (is_described(file)) file = DescribedFile(file, name).inner();
  if (has_sections(file)) return SectionedFile(file, name).sections();
  return {{file, std::string(name)}};
}

Header original_header(std::span<const std::byte> file, std::string_view name) {
  if (is_compact(file)) return compact_header(file, name);
  if (has_sections(file)) return SectionedFile(file, name).header();
  return has_prelude(file) ? PreludeArchive(file, name).header() : parse_header(file, name);
}

}  // namespace fpsynth::codec
