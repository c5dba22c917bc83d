#include "runners/codec/zip.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "runners/codec/format/header.hpp"
#include "synth/common/error.hpp"
#include "synth/common/printable.hpp"

namespace fpsynth::codec {
namespace {

// The records of the format (APPNOTE.TXT of PKWARE): signatures, and the bytes of what has a fixed
// length in front of names.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocatorBytes = 20, kMostComment = 65535;
constexpr std::uint16_t kExtra64 = 1;         ///< the extra field with sizes of 64 bits
constexpr std::uint32_t kIn64 = 0xffff'ffff;  ///< in place of a size that is in that field
constexpr std::uint16_t kCountIn64 = 0xffff;
constexpr std::uint16_t kVersion64 = 45, kVersionStored = 20;
constexpr std::uint16_t kEncrypted = 1, kUtf8 = 1 << 11;
constexpr std::uint16_t kNoDate = 1 << 5 | 1;  ///< 1980-01-01, the first that there is

/// Tables by which eight bytes are added to a sum at a time.
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t i = 1; i < 8; ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = tables[i - 1][byte];
      tables[i][byte] = sum >> 8 ^ tables[0][sum & 0xff];
    }
  }
  return tables;
}();

/// A record that is written.
class Record {
 public:
  template <std::unsigned_integral... Numbers>
  explicit Record(Numbers... numbers) {
    (add(numbers), ...);
  }
  template <std::unsigned_integral Number>
  Record& add(Number number) {
    bytes_.resize(bytes_.size() + sizeof number);
    store(&bytes_[bytes_.size() - sizeof number], number);
    return *this;
  }
  Record& add(const Record& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  Record& add(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads a record's numbers one after the other.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class Number>
  Number take() {
    const Number number = load<Number>(left_.data());
    left_ = left_.subspan(sizeof number);
    return number;
  }
  void skip(std::size_t bytes) { left_ = left_.subspan(bytes); }

 private:
  std::span<const std::byte> left_;
};

std::uint32_t in_32(std::uint64_t size) {
  return size < kIn64 ? static_cast<std::uint32_t>(size) : kIn64;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The sizes of a member that need 64 bits.
class Sizes64 : public Record {
 public:
  std::size_t field_bytes() const { return bytes().empty() ? 0 : 4 + bytes().size(); }
  /// The extra field with them; nothing if there are none.
  Record field() const {
    if (bytes().empty()) return Record();
    return Record(kExtra64, static_cast<std::uint16_t>(bytes().size())).add(*this);
  }
};

/// The fields that a member's own record and its entry in the list have in common, up to the extra
/// field's length.
Record common_fields(const ZipMember& member, const Sizes64& sizes) {
  const std::uint16_t version = sizes.bytes().empty() ? kVersionStored : kVersion64;
  const std::uint16_t flags = is_ascii(member.name) ? 0 : kUtf8;
  constexpr std::uint16_t kStored = 0, kNoTime = 0;
  return Record(version, flags, kStored, kNoTime, kNoDate, member.crc, in_32(member.bytes),
                in_32(member.bytes), static_cast<std::uint16_t>(member.name.size()),
                static_cast<std::uint16_t>(sizes.field_bytes()));
}

/// An archive that is read. All numbers of it may be wrong.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> archive, std::string_view name)
      : archive_(archive), name_(name) {}

  std::vector<ZipMember> members() {
    find_list();
    std::vector<ZipMember> members;
    std::set<std::string> names;
    while (at_ < list_end_) {
      std::optional<ZipMember> member = next();
      if (!member) continue;
      if (!names.insert(member->name).second) refuse_member(*member, "it occurs twice");
      members.push_back(std::move(*member));
    }
    if (read_ != count_) refuse(fmt::format("its list has {} members, not {}", read_, count_));
    refuse_overlaps(members);
    return members;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(fmt::format("{}: {}; the archive is damaged, or no ZIP archive", name_, why));
  }
  [[noreturn]] void refuse_member(const ZipMember& member, std::string_view why) const {
    throw Error(
        fmt::format("{}: the member '{}' cannot be taken: {}", name_, printable(member.name), why));
  }

  std::span<const std::byte> record(std::uint64_t at, std::size_t bytes, std::string_view what) {
    if (at > archive_.size() || bytes > archive_.size() - at) {
      refuse(fmt::format("it ends within {}", what));
    }
    return archive_.subspan(at, bytes);
  }

  /// Finds the list of the members from the end of the archive.
  void find_list() {
    if (archive_.size() < kEndBytes) refuse("it is too short");
    const std::size_t last = archive_.size() - kEndBytes;
    const std::size_t first = last - std::min(last, kMostComment);
    std::size_t end = last;
    for (;; --end) {
      const std::size_t comment = archive_.size() - end - kEndBytes;
      if (load<std::uint32_t>(&archive_[end]) == kEnd &&
          load<std::uint16_t>(&archive_[end + kEndBytes - 2]) == comment) {
        break;
      }
      if (end == first) refuse("it has no list of members at its end: it is cut off");
    }
    RecordReader fields(archive_.subspan(end + 4, kEndBytes - 4));
    const auto disk = fields.take<std::uint16_t>(), list_disk = fields.take<std::uint16_t>();
    fields.skip(2);
    count_ = fields.take<std::uint16_t>();
    std::uint64_t bytes = fields.take<std::uint32_t>(), begin = fields.take<std::uint32_t>();
    if (disk != list_disk) refuse("it is a part of an archive in several");
    if (count_ == kCountIn64 || bytes == kIn64 || begin == kIn64) {
      if (end < kLocatorBytes) refuse("it lacks the record with sizes of 64 bits");
      RecordReader locator(archive_.subspan(end - kLocatorBytes, kLocatorBytes));
      if (locator.take<std::uint32_t>() != kLocator) {
        refuse("it lacks the record with sizes of 64 bits");
      }
      locator.skip(4);
      const auto at = locator.take<std::uint64_t>();
      RecordReader end64(record(at, kEnd64Bytes, "the record with sizes of 64 bits"));
      if (end64.take<std::uint32_t>() != kEnd64) {
        refuse("it lacks the record with sizes of 64 bits");
      }
      end64.skip(8 + 2 + 2 + 4 + 4 + 8);
      count_ = end64.take<std::uint64_t>();
      bytes = end64.take<std::uint64_t>();
      begin = end64.take<std::uint64_t>();
      end = at;
    }
    if (begin > end || bytes != end - begin) {
      refuse(fmt::format("its list of members is not the {} bytes in front of its end", bytes));
    }
    at_ = begin;
    list_ = begin;
    list_end_ = end;
  }

  /// The next member of the list; nothing for a folder.
  std::optional<ZipMember> next() {
    if (list_end_ - at_ < kCentralBytes) refuse("its list of members ends early");
    RecordReader fields(archive_.subspan(at_, kCentralBytes));
    if (fields.take<std::uint32_t>() != kCentral) refuse("its list of members is none");
    fields.skip(2 + 2);
    const auto flags = fields.take<std::uint16_t>(), method = fields.take<std::uint16_t>();
    fields.skip(4);
    ZipMember member;
    member.crc = fields.take<std::uint32_t>();
    std::uint64_t packed = fields.take<std::uint32_t>();
    member.bytes = fields.take<std::uint32_t>();
    const auto name_bytes = fields.take<std::uint16_t>(), extra = fields.take<std::uint16_t>(),
               comment = fields.take<std::uint16_t>();
    fields.skip(2 + 2 + 4);
    std::uint64_t local = fields.take<std::uint32_t>();
    at_ += kCentralBytes;
    if (list_end_ - at_ < std::uint64_t{name_bytes} + extra + comment) {
      refuse("its list of members ends early");
    }
    member.name.assign(reinterpret_cast<const char*>(&archive_[0]) + at_, name_bytes);
    ++read_;
    read_sizes(archive_.subspan(at_ + name_bytes, extra), member, packed, local);
    at_ += std::uint64_t{name_bytes} + extra + comment;
    if (member.name.ends_with('/') && member.bytes == 0) return std::nullopt;
    if (const std::string why = bad_member_name(member.name); !why.empty()) {
      refuse_member(member, why);
    }
    if (flags & kEncrypted) refuse_member(member, "it is encrypted");
    if (method != 0) {
      refuse_member(member, "it is packed once more, not stored; unpack the archive with unzip");
    }
    if (packed != member.bytes) refuse_member(member, "it has two sizes; the archive is damaged");
    find_bytes(member, local);
    return member;
  }

  /// Takes what the list has in sizes of 64 bits.
  void read_sizes(std::span<const std::byte> extra, ZipMember& member, std::uint64_t& packed,
                  std::uint64_t& local) {
    while (extra.size() >= 4) {
      const auto kind = load<std::uint16_t>(&extra[0]), bytes = load<std::uint16_t>(&extra[2]);
      extra = extra.subspan(4);
      if (bytes > extra.size()) refuse("its list of members ends early");
      std::span<const std::byte> field = extra.first(bytes);
      extra = extra.subspan(bytes);
      if (kind != kExtra64) continue;
      for (std::uint64_t* const size : {&member.bytes, &packed, &local}) {
        if (*size != kIn64) continue;
        if (field.size() < 8) refuse("its list of members lacks a size");
        *size = load<std::uint64_t>(field.data());
        field = field.subspan(8);
      }
    }
  }

  /// Sets where a member's bytes begin, behind its own record at `local`.
  void find_bytes(ZipMember& member, std::uint64_t local) {
    RecordReader fields(record(local, kLocalBytes, "a member"));
    if (fields.take<std::uint32_t>() != kLocal) {
      refuse_member(member, "it is not where the list says; the archive is damaged");
    }
    fields.skip(2 + 2 + 2 + 4 + 4 + 4 + 4);
    const auto name_bytes = fields.take<std::uint16_t>(), extra = fields.take<std::uint16_t>();
    const auto own = record(local + kLocalBytes, name_bytes, "a member");
    if (!std::ranges::equal(own, std::as_bytes(std::span(member.name)))) {
      refuse_member(member, "it has another name than in the list; the archive is damaged");
    }
    member.begin = local + kLocalBytes + name_bytes + extra;
    if (member.begin > list_ || member.bytes > list_ - member.begin) {
      refuse_member(member, "it does not end before the list; the archive is damaged");
    }
    places_.push_back({local, member.begin + member.bytes});
  }

  /// Members that share bytes make an archive much larger than it is when it is unpacked.
  void refuse_overlaps(const std::vector<ZipMember>& members) {
    std::ranges::sort(places_);
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (places_[i].first < places_[i - 1].second) refuse("two of its members overlap");
    }
  }

  std::span<const std::byte> archive_;
  std::string_view name_;
  std::uint64_t at_ = 0, list_ = 0, list_end_ = 0, count_ = 0, read_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places_;  ///< of members with their records
};

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t sum = ~before;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    sum ^= load<std::uint32_t>(bytes.data());
    sum = kTables[7][sum & 0xff] ^ kTables[6][sum >> 8 & 0xff] ^ kTables[5][sum >> 16 & 0xff] ^
          kTables[4][sum >> 24] ^ kTables[3][at(4)] ^ kTables[2][at(5)] ^ kTables[1][at(6)] ^
          kTables[0][at(7)];
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) sum = sum >> 8 ^ kTables[0][(sum ^ at(i)) & 0xff];
  return ~sum;
}

std::string bad_member_name(std::string_view name) {
  if (name.empty() || name.size() > std::numeric_limits<std::uint16_t>::max()) {
    return "its name is empty, or longer than 65535 bytes";
  }
  if (name.find('\0') != name.npos) return "its name has a zero byte";
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return "its name is no path below a folder";
    }
    begin = end + 1;
  }
  return {};
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  target_.write(bytes);
  at_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> content) {
  if (const std::string why = bad_member_name(name); !why.empty()) {
    throw Error(fmt::format("'{}' cannot be a member of an archive: {}", printable(name), why));
  }
  if (std::ranges::find(members_, name, &ZipMember::name) != members_.end()) {
    throw Error(fmt::format("an archive cannot have two members '{}'", printable(name)));
  }
  members_.push_back({name, at_, content.size(), crc32(content)});
  const ZipMember& member = members_.back();
  // A member's own record has both sizes in 64 bits, or none.
  Sizes64 sizes;
  if (member.bytes >= kIn64) sizes.add(member.bytes).add(member.bytes);
  write(Record(kLocal).add(common_fields(member, sizes)).add(name).add(sizes.field()).bytes());
  write(content);
}

void ZipWriter::finish() {
  const std::uint64_t begin = at_;
  for (const ZipMember& member : members_) {
    Sizes64 sizes;
    if (member.bytes >= kIn64) sizes.add(member.bytes).add(member.bytes);
    if (member.begin >= kIn64) sizes.add(member.begin);
    write(Record(kCentral, kVersion64)
              .add(common_fields(member, sizes))
              .add(Record(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
                          in_32(member.begin)))
              .add(member.name)
              .add(sizes.field())
              .bytes());
  }
  const std::uint64_t end = at_, count = members_.size();
  if (begin >= kIn64 || end - begin >= kIn64 || count >= kCountIn64) {
    write(Record(kEnd64, std::uint64_t{kEnd64Bytes - 12}, kVersion64, kVersion64, std::uint32_t{0},
                 std::uint32_t{0}, count, count, end - begin, begin)
              .bytes());
    write(Record(kLocator, std::uint32_t{0}, end, std::uint32_t{1}).bytes());
  }
  const auto count_16 = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, kCountIn64));
  write(Record(kEnd, std::uint16_t{0}, std::uint16_t{0}, count_16, count_16, in_32(end - begin),
               in_32(begin), std::uint16_t{0})
            .bytes());
}

std::vector<ZipMember> zip_members(std::span<const std::byte> archive, std::string_view name) {
  return ZipReader(archive, name).members();
}

std::span<const std::byte> zip_content(std::span<const std::byte> archive, const ZipMember& member,
                                       std::string_view name) {
  const auto bytes = archive.subspan(member.begin, member.bytes);
  if (crc32(bytes) == member.crc) return bytes;
  throw Error(fmt::format("{}: the CRC-32 of the member '{}' is wrong; the archive is damaged",
                          name, printable(member.name)));
}

}  // namespace fpsynth::codec
