// ZIP archives of stored members: what is written is read, and what is damaged or forged is
// refused.

#include "runners/codec/zip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;
using tests::message_of;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

const std::pair<std::string, Bytes> kContents[] = {
    {"temp.fps", bytes_of("123456789")},
    {"step7/velocity.fps", Bytes(1000, std::byte{7})},
    {"Gr\xc3\xb6\xc3\x9f"
     "e.fps",
     {}},
};

Bytes archive() {
  MemorySink sink;
  ZipWriter writer(sink);
  for (const auto& [name, content] : kContents) writer.add(name, content);
  writer.finish();
  EXPECT_EQ(writer.bytes(), sink.bytes().size());
  return sink.bytes();
}

/// The archive with a text replaced by one of the same length, everywhere.
Bytes replaced(Bytes bytes, std::string_view text, std::string_view by) {
  EXPECT_EQ(text.size(), by.size());
  const Bytes from = bytes_of(text), to = bytes_of(by);
  for (auto at = bytes.begin();
       (at = std::search(at, bytes.end(), from.begin(), from.end())) != bytes.end();) {
    at = std::ranges::copy(to, at).out;
  }
  return bytes;
}

std::string refusal_of(const Bytes& bytes) {
  return message_of([&] { zip_members(bytes, "a.fpsz"); });
}

template <class Number>
void append(Bytes& bytes, Number number) {
  bytes.resize(bytes.size() + sizeof number);
  std::memcpy(&bytes[bytes.size() - sizeof number], &number, sizeof number);
}

TEST(Zip, SumsAreThoseOfTheFormat) {
  const Bytes nine = bytes_of("123456789");
  EXPECT_EQ(crc32(nine), 0xcbf43926u);
  EXPECT_EQ(crc32({}), 0u);
  for (std::size_t cut = 0; cut <= nine.size(); ++cut) {
    EXPECT_EQ(crc32(std::span(nine).subspan(cut), crc32(std::span(nine).first(cut))), 0xcbf43926u);
  }
}

TEST(Zip, MembersComeBack) {
  const Bytes bytes = archive();
  const std::vector<ZipMember> members = zip_members(bytes, "a.fpsz");
  ASSERT_EQ(members.size(), std::size(kContents));
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(members[i].name, kContents[i].first);
    EXPECT_TRUE(std::ranges::equal(zip_content(bytes, members[i], "a.fpsz"), kContents[i].second));
  }
  MemorySink nothing;
  ZipWriter empty(nothing);
  empty.finish();
  EXPECT_EQ(nothing.bytes().size(), 22u);
  EXPECT_TRUE(zip_members(nothing.bytes(), "a.fpsz").empty());
}

TEST(Zip, NamesStayBelowTheFolder) {
  for (const char* const bad :
       {"", "/a", "a/", "a//b", "..", "../a", "a/../b", "a/..", ".", "./a"}) {
    EXPECT_NE(bad_member_name(bad), "") << bad;
  }
  EXPECT_NE(bad_member_name(std::string_view("a\0b", 3)), "");
  EXPECT_NE(bad_member_name(std::string(65536, 'a')), "");
  for (const char* const good : {"a", "a/b", "...", ".a", "a..b/c", "a\\b", "a b"}) {
    EXPECT_EQ(bad_member_name(good), "") << good;
  }
  MemorySink sink;
  ZipWriter writer(sink);
  writer.add("a", {});
  EXPECT_THROW(writer.add("../a", {}), Error);
  EXPECT_THROW(writer.add("a", {}), Error);
}

TEST(Zip, ForgedNamesAreRefused) {
  const Bytes bytes = archive();
  EXPECT_TRUE(contains(refusal_of(replaced(bytes, "step7/vel", "../../vel")), "no path below"));
  EXPECT_TRUE(contains(refusal_of(replaced(bytes, "step7", "/etc/")), "no path below"));
  EXPECT_TRUE(
      contains(refusal_of(replaced(bytes, "step7/velocity", "step7/../../ab")), "no path below"));
  // Twice the same name, in both records.
  MemorySink sink;
  ZipWriter writer(sink);
  writer.add("a.fps", {});
  writer.add("b.fps", {});
  writer.finish();
  EXPECT_TRUE(contains(refusal_of(replaced(sink.bytes(), "b.fps", "a.fps")), "it occurs twice"));
  // The member itself has another name than the list.
  Bytes other = bytes;
  other[30] = std::byte{'T'};
  EXPECT_TRUE(contains(refusal_of(other), "another name than in the list"));
}

TEST(Zip, EveryTruncationIsRefused) {
  const Bytes bytes = archive();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(zip_members(std::span(bytes).first(length), "a.fpsz"), Error) << length;
  }
  Bytes longer = bytes;
  longer.push_back({});
  EXPECT_THROW(zip_members(longer, "a.fpsz"), Error);
}

/// Content of a damaged archive is refused, or is what it was.
TEST(Zip, NoDamageGivesOtherContent) {
  const Bytes good = archive();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x80u, 0xffu}) {
      Bytes bytes = good;
      bytes[at] ^= std::byte(flip);
      try {
        for (const ZipMember& member : zip_members(bytes, "a.fpsz")) {
          const auto content = zip_content(bytes, member, "a.fpsz");
          const auto known =
              std::ranges::find(kContents, member.name, &std::pair<std::string, Bytes>::first);
          ASSERT_NE(known, std::end(kContents)) << at;
          EXPECT_TRUE(std::ranges::equal(content, known->second)) << at;
        }
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 2 * good.size());
}

TEST(Zip, OtherKindsOfMembersAreRefusedByName) {
  const Bytes good = archive();
  const auto list =
      std::search(good.begin(), good.end(), std::begin("PK\1\2"), std::begin("PK\1\2") + 4,
                  [](std::byte a, char b) { return a == std::byte(b); }) -
      good.begin();
  const auto with = [&](std::size_t at, std::byte value) {
    Bytes bytes = good;
    bytes[std::size_t(list) + at] = value;
    return refusal_of(bytes);
  };
  EXPECT_TRUE(contains(with(10, std::byte{8}), "packed once more, not stored"));
  EXPECT_TRUE(contains(with(8, std::byte{1}), "it is encrypted"));
  EXPECT_TRUE(contains(with(20, std::byte{1}), "it has two sizes"));
  EXPECT_TRUE(contains(with(42, std::byte{1}), "it is not where the list says"));
  EXPECT_TRUE(
      contains(refusal_of(bytes_of("PK\3\4 and so on, but no list of members")), "cut off"));
}

/// Sizes of 64 bits where those of 32 would do, as other programs write them.
TEST(Zip, SizesOf64BitsAreRead) {
  MemorySink sink;
  ZipWriter writer(sink);
  writer.add("a.fps", bytes_of("some words"));
  Bytes bytes = sink.bytes();
  const std::uint64_t list = bytes.size();
  const auto write = [&](std::uint64_t size, std::uint64_t count) {
    Bytes all = bytes;
    append(all, 0x02014b50u);
    for (const std::uint16_t field : {45, 45, 0, 0, 0, 33}) append(all, field);
    append(all, crc32(bytes_of("some words")));
    append(all, ~0u), append(all, ~0u);
    for (const std::uint16_t field : {5, 28, 0, 0, 0}) append(all, field);
    append(all, 0u), append(all, ~0u);
    const Bytes name = bytes_of("a.fps");
    all.insert(all.end(), name.begin(), name.end());
    append(all, std::uint16_t{1}), append(all, std::uint16_t{24});
    append(all, size), append(all, size), append(all, std::uint64_t{0});
    const std::uint64_t end = all.size();
    append(all, 0x06064b50u), append(all, std::uint64_t{44});
    append(all, std::uint16_t{45}), append(all, std::uint16_t{45});
    append(all, 0u), append(all, 0u);
    append(all, count), append(all, count);
    append(all, end - list), append(all, list);
    append(all, 0x07064b50u), append(all, 0u), append(all, end), append(all, 1u);
    append(all, 0x06054b50u), append(all, 0u);
    append(all, ~0u), append(all, ~0u), append(all, ~0u), append(all, std::uint16_t{0});
    return all;
  };
  const Bytes good = write(10, 1);
  const std::vector<ZipMember> members = zip_members(good, "a.fpsz");
  ASSERT_EQ(members.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(zip_content(good, members[0], "a.fpsz"), bytes_of("some words")));
  EXPECT_TRUE(contains(refusal_of(write(11, 1)), "does not end before the list"));
  EXPECT_TRUE(
      contains(refusal_of(write(~std::uint64_t{0} - 3, 1)), "does not end before the list"));
  EXPECT_TRUE(contains(refusal_of(write(10, 2)), "its list has 1 members, not 2"));
}

/// Two entries of the list that share a member's bytes.
TEST(Zip, OverlapsAreRefused) {
  MemorySink inner_sink;
  ZipWriter inner(inner_sink);
  inner.add("b.fps", bytes_of("words"));
  // The second member is a whole record within the first one's bytes.
  MemorySink sink;
  ZipWriter writer(sink);
  Bytes content = inner_sink.bytes();
  writer.add("a.fps", content);
  writer.add("b.fps", bytes_of("words"));
  writer.finish();
  Bytes bytes = sink.bytes();
  const std::vector<ZipMember> members = zip_members(bytes, "a.fpsz");
  // The offset in the last entry of the list, which stands in front of its name.
  const std::size_t offset = bytes.size() - 22 - 5 - 4;
  const auto within = std::uint32_t(members[0].begin);
  std::memcpy(&bytes[offset], &within, sizeof within);
  EXPECT_TRUE(contains(refusal_of(bytes), "two of its members overlap"));
}

}  // namespace
}  // namespace fpsynth::codec
