#pragma once
// ZIP archives whose members are stored as they are, as those of NumPy's .npz are: what unzip and
// every other program reads, and what is found in place in a mapped file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/streams.hpp"

namespace fpsynth::codec {

/// CRC-32 as ZIP has it, of bytes that follow those of which `before` is the sum.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The reason why a name cannot be that of a member, whose path is below any folder; empty if it
/// can. Such names are relative, and no part of theirs is empty, "." or "..".
std::string bad_member_name(std::string_view name);

/// A member of an archive.
struct ZipMember {
  std::string name;
  std::uint64_t begin = 0, bytes = 0;  ///< where its bytes are in the archive
  std::uint32_t crc = 0;
};

/// Writes an archive, with 64-bit sizes where they are needed. The bytes depend on names and
/// contents alone: no times, no owners.
class ZipWriter {
 public:
  /// `target`, at whose beginning the archive begins, must outlive it. The caller finishes it.
  explicit ZipWriter(Sink& target) : target_(target) {}

  /// Throws Error for a name that bad_member_name() refuses, or that another member has.
  void add(const std::string& name, std::span<const std::byte> content);
  /// Writes the list of all members. No other call may follow.
  void finish();
  std::uint64_t bytes() const { return at_; }

 private:
  void write(std::span<const std::byte> bytes);

  Sink& target_;
  std::vector<ZipMember> members_;  ///< each begins with its record
  std::uint64_t at_ = 0;
};

/// The members of an archive, whose bytes may be anything, in its order; folders are left out. They
/// are stored as they are, do not overlap, and each name occurs once and can be that of a file
/// below any folder. Throws Error, which starts with `name`, for all else.
std::vector<ZipMember> zip_members(std::span<const std::byte> archive, std::string_view name);

/// The bytes of a member of this archive. Throws Error, which starts with `name`, if they are not
/// those of which the archive has the sum.
std::span<const std::byte> zip_content(std::span<const std::byte> archive, const ZipMember& member,
                                       std::string_view name);

}  // namespace fpsynth::codec
