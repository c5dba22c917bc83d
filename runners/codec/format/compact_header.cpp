#include "runners/codec/format/compact_header.hpp"

#include <algorithm>
#include <bit>

namespace fpsynth::codec {

void CompactBits::refuse() const {
  refuse_damaged(name_, "its compact form has an impossible value, or is cut off");
}

bool CompactBits::bit(bool value) {
  const std::size_t byte = at_ / 8, shift = at_ % 8;
  ++at_;
  if (reads_) {
    if (byte >= end_) refuse();
    return (std::to_integer<unsigned>(file_[byte]) >> shift & 1) != 0;
  }
  if (shift == 0) front_.emplace_back();
  front_.back() |= std::byte(unsigned{value} << shift);
  return value;
}

void CompactBits::number(std::uint64_t& value) {
  std::uint64_t next = reads_ ? 1 : value + 1;
  if (next == 0) refuse();
  auto width = std::uint64_t(std::bit_width(next));
  const auto zeros_wanted = unsigned(std::bit_width(width)) - 1;
  unsigned zeros = 0;
  while (!bit(zeros == zeros_wanted)) ++zeros;
  if (zeros > 6) refuse();
  const auto pass = [&](std::uint64_t& of, unsigned below) {
    bits(of, below);
    of |= std::uint64_t{1} << below;
  };
  pass(width, zeros);
  if (width > 64) refuse();
  pass(next, unsigned(width) - 1);
  value = next - 1;
}

void CompactBits::verbatim(std::vector<std::byte>& bytes, std::size_t at, std::size_t count) {
  if (!reads_) {
    for (std::size_t i = count; i-- > 0;) back_.push_back(bytes[at + i]);
    return;
  }
  if (count > left()) refuse();
  end_ -= count;
  bytes.resize(std::max(bytes.size(), at + count));
  std::ranges::copy(file_.subspan(end_, count), bytes.begin() + std::ptrdiff_t(at));
}

std::vector<std::byte> CompactBits::written() const {
  std::vector<std::byte> all = front_;
  all.insert(all.end(), back_.rbegin(), back_.rend());
  return all;
}

void CompactBits::finish() {
  if (left() > 0) refuse();
  for (unsigned padding = 0; at_ % 8 != 0;) {
    bits(padding, 1);
    if (padding != 0) refuse();
  }
}

void pass_beginning(CompactBits& bits, Header& header) {
  char magic = kCompactMagic;
  std::uint8_t version = header.word_bytes < 4 ? kCompactNarrowVersion : kCompactVersion;
  bool short_words = header.word_bytes == 4 || header.word_bytes == 1, mark = true;
  bits.bits(magic, 8);
  bits.bits(version, 6);
  bits.bits(short_words, 1);
  bits.bits(mark, 1);
  header.word_bytes = (version == kCompactVersion ? 8 : 2) / (short_words ? 2 : 1);
  bits.number(header.original_bytes);
  if (header.original_bytes > kMostCompact) bits.refuse();
  bits.bits(header.checksum, compact_checksum(header, UINT64_MAX) == UINT64_MAX ? 64 : 32);
}

std::uint64_t compact_checksum(const Header& header, std::uint64_t checksum) {
  return header.original_bytes > kSegmentBytes ? checksum : std::uint32_t(checksum);
}

bool is_compact(std::span<const std::byte> file) { return is_compact(file.data(), file.size()); }

Header compact_header(std::span<const std::byte> file, std::string_view name) {
  CompactBits bits(file, name);
  Header header;
  pass_beginning(bits, header);
  return header;
}

}  // namespace fpsynth::codec
