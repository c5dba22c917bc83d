#pragma once
// The bits of compact files (version 6), in both directions, and the beginning of such files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/container.hpp"

namespace fpsynth::codec {

/// Originals of more bytes have no compact form: their headers are a small share of their files.
inline constexpr std::uint64_t kMostCompact = std::uint64_t{1} << 20;

/// Numbers of a few bits each, and behind them bytes verbatim, those that came last first. Writes
/// or reads, by the same calls. Throws Error, which starts with the name, if what it reads is
/// damaged.
class CompactBits {
 public:
  /// Writes.
  explicit CompactBits(std::string_view name) : name_(name) {}
  /// Reads a file, whose bytes may be anything.
  CompactBits(std::span<const std::byte> file, std::string_view name)
      : name_(name), file_(file), end_(file.size()), reads_(true) {}

  bool reads() const { return reads_; }
  [[noreturn]] void refuse() const;

  /// The lower `width` bits of a number, the lowest first; reading sets the others to 0.
  template <class T>
  void bits(T& value, unsigned width) {
    std::uint64_t number = reads_ ? 0 : std::uint64_t(value);
    for (unsigned i = 0; i < width; ++i) number |= std::uint64_t{bit(number >> i & 1)} << i;
    if (reads_) value = T(number);
  }
  /// A number less than 2^64 - 1: Elias' delta code of the next one.
  void number(std::uint64_t& value);
  /// bytes[at..at + count), which reading adds if they are missing.
  void verbatim(std::vector<std::byte>& bytes, std::size_t at, std::size_t count);
  /// Bytes between what was read from both ends.
  std::size_t left() const { return end_ - (at_ + 7) / 8; }

  /// All that was written.
  std::vector<std::byte> written() const;
  /// Throws Error unless all was read.
  void finish();

 private:
  bool bit(bool value);

  std::string name_;
  std::span<const std::byte> file_;
  std::size_t at_ = 0;   ///< bits read or written
  std::size_t end_ = 0;  ///< of what is left to read
  bool reads_ = false;
  std::vector<std::byte> front_, back_;  ///< written; the latter backwards
};

/// Writes or reads what a compact file begins with: word size, original size and checksum of a
/// header without a pipeline.
void pass_beginning(CompactBits& bits, Header& header);
/// The bits of the checksum that a compact file has: 32 for an original of one segment, of which a
/// wrong one then passes once in 2^32 times; else 64.
std::uint64_t compact_checksum(const Header& header, std::uint64_t checksum);

/// True if a file, whose bytes may be anything, begins as a compact one does.
bool is_compact(std::span<const std::byte> file);
/// The header of a compact file, without a pipeline. Throws Error, which starts with `name`.
Header compact_header(std::span<const std::byte> file, std::string_view name);

}  // namespace fpsynth::codec
