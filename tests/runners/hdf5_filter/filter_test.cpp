// The HDF5 filter for all methods, called as HDF5 calls it. This program is its HDF5: the functions
// that the filter looks for are those below.

#include "runners/hdf5_filter/filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/hdf5_filter/chunk.hpp"
#include "runners/hdf5_filter/options.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::hdf5 {
namespace {

/// A data set that is being created, its type and its chunk.
struct Creation {
  std::vector<unsigned> values;
  int before = 0;  ///< a filter in front of this one, if not 0
  unsigned flags = kOptional;
  std::size_t type_bytes = 8;
  int order = 0;
  std::int64_t elements = 0;
};
Creation creation;
std::string reason;  ///< on the stack of errors

}  // namespace
}  // namespace fpsynth::hdf5

extern "C" {

using fpsynth::hdf5::creation;

std::int64_t H5E_ERR_CLS_g = 1, H5E_PLINE_g = 2, H5E_CANTFILTER_g = 3;

int H5Epush2(std::int64_t, const char*, const char*, unsigned, std::int64_t, std::int64_t,
             std::int64_t, const char* format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fpsynth::hdf5::reason = text;
  return 0;
}
int H5Pget_filter2(std::int64_t, unsigned index, unsigned* flags, std::size_t* count,
                   unsigned* values, std::size_t, char*, unsigned*) {
  if (creation.before != 0 && index == 0) return creation.before;
  if (index > (creation.before != 0 ? 1u : 0u)) return -1;
  *flags = creation.flags;
  std::copy_n(creation.values.begin(), std::min(*count, creation.values.size()), values);
  *count = creation.values.size();
  return fpsynth::hdf5::kFilterId;
}
int H5Pmodify_filter(std::int64_t, int, unsigned flags, std::size_t count, const unsigned* values) {
  creation.flags = flags;
  creation.values.assign(values, values + count);
  return 0;
}
std::size_t H5Tget_size(std::int64_t) { return creation.type_bytes; }
int H5Tget_order(std::int64_t) { return creation.order; }
std::int64_t H5Sget_simple_extent_npoints(std::int64_t) { return creation.elements; }

}  // extern "C"

namespace fpsynth::hdf5 {
namespace {

const char* const kMethods[] = {
    "ZE",
    "DICT LAGs:1 / BIT LNV1s | ZE",
    "DEC:2 LAGs:60 ORD / LNV2s | RLE",
    "LNV1s BIT LNV2x DIM8 NUL INV | DIM64 RRE",
    "LAGs:281474976710656 LAGx:1 DICT / BIT LNV1s DIM2 | RLE ZE REC CLOG BINS",
    "RAT:512:10:24400 RAT:128:3:57.25 / BIT ZE",
    "MATCH LAGs:1 GCD:256 DIM:281474976710656 / BIT ZE",
    "REV:4 / BIT ZE"};

std::vector<unsigned> values_of(const char* method, std::size_t word_bytes = 0) {
  return pack(Options{synth::parse_method(method), word_bytes, 1024});
}

/// Calls what HDF5 calls at a data set's creation: 1, 0 if the filter does not suit, or -1.
int create(std::vector<unsigned> values, std::size_t type_bytes, std::int64_t elements,
           bool big_endian = false) {
  creation = {};
  creation.values = std::move(values);
  creation.type_bytes = type_bytes;
  creation.elements = elements;
  creation.order = big_endian ? 1 : 0;
  reason.clear();
  const int suits = filter_class().can_apply(1, 2, 3);
  return suits < 1 ? suits : filter_class().set_local(1, 2, 3) < 0 ? -1 : 1;
}

/// A chunk in memory as HDF5 has it.
struct Chunk {
  explicit Chunk(std::span<const std::byte> bytes)
      : memory(std::malloc(bytes.size() + 1)), length(bytes.size()), capacity(bytes.size() + 1) {
    std::memcpy(memory, bytes.data(), bytes.size());
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { std::free(memory); }
  /// Runs the filter with the data set's values. Returns what it returns.
  std::size_t run(unsigned flags) {
    reason.clear();
    const std::size_t result = filter_class().filter(
        flags, creation.values.size(), creation.values.data(), length, &capacity, &memory);
    if (result != 0) length = result;
    return result;
  }
  std::vector<std::byte> bytes() const {
    const auto* const begin = static_cast<const std::byte*>(memory);
    return {begin, begin + length};
  }

  void* memory;
  std::size_t length, capacity;
};

/// A slowly changing signal of two decimals, in words of 8 or 4 bytes.
std::vector<std::byte> signal(std::size_t words, std::size_t word_bytes, bool big_endian) {
  std::vector<std::byte> bytes(words * word_bytes);
  for (std::size_t i = 0; i < words; ++i) {
    const double value = std::round(1e5 * std::sin(double(i) / 50)) / 100;
    const float single = float(value);
    std::byte* const at = &bytes[i * word_bytes];
    std::memcpy(at, word_bytes == 8 ? static_cast<const void*>(&value) : &single, word_bytes);
    if (big_endian) std::reverse(at, at + word_bytes);
  }
  return bytes;
}

TEST(Hdf5Options, HoldAnyMethod) {
  for (const char* text : kMethods) {
    for (const std::size_t word_bytes : {0u, 4u, 8u}) {
      const Options options{synth::parse_method(text), word_bytes, 4096};
      std::vector<unsigned> values = pack(options);
      EXPECT_LE(values.size(), 14u) << text;
      values.push_back(77);
      std::span<const unsigned> behind;
      const Options found = unpack(values, behind);
      EXPECT_EQ(found.method, options.method);
      EXPECT_EQ(found.word_bytes, word_bytes);
      EXPECT_EQ(found.chunk_words, 4096u);
      ASSERT_EQ(behind.size(), 1u) << text;
      EXPECT_EQ(behind[0], 77u);
    }
  }
  EXPECT_THROW(pack(Options{synth::parse_method("DEC:12 / ZE"), 4, 1024}), Error);
}

TEST(Hdf5Options, RefuseOtherDivisors) {
  const std::vector<unsigned> good = values_of("RAT:512:10:24400 LAGs:1 / ZE");
  std::span<const unsigned> behind;
  ASSERT_NO_THROW(unpack(good, behind));
  for (std::size_t count = 0; count < good.size(); ++count) {
    EXPECT_THROW(unpack(std::span(good).first(count), behind), Error) << count;
  }
  // A pipeline of one stage takes 14 bytes, RAT nine, the number of its divisors one.
  std::vector<unsigned> bad = good;
  bad[5] = (bad[5] & 0x00ffffff) | 0x10000000;
  EXPECT_THROW(unpack(bad, behind), Error);
  bad[5] &= 0x00ffffff;
  EXPECT_THROW(unpack(bad, behind), Error);
}

// The example of FORMAT.md, to the bit.
TEST(Hdf5Options, AreFrozen) {
  std::vector<unsigned> values = values_of("DICT LAGs:1 / BIT LNV1s | ZE");
  EXPECT_EQ(values, (std::vector<unsigned>{0x01485046, 0x02020300, 0x01040002, 0x04000006,
                                           0x00030000, 0, 0, 1, 0}));
  append(values, {.word_bytes = 8, .turned = 8, .bytes = 4096});
  values.erase(values.begin(), values.begin() + 9);
  EXPECT_EQ(values, (std::vector<unsigned>{2056, 4096, 0, 1441517355}));
}

TEST(Hdf5Options, RefuseOthers) {
  const std::vector<unsigned> good = values_of("DICT LAGs:1 / BIT LNV1s | ZE");
  std::span<const unsigned> behind;
  for (std::size_t count = 0; count < good.size(); ++count) {
    EXPECT_THROW(unpack(std::span(good).first(count), behind), Error) << count;
  }
  const auto with = [&](std::size_t at, unsigned value) {
    std::vector<unsigned> values = good;
    values[at] = value;
    return values;
  };
  for (const auto& bad : {with(0, 0x02485046),  // a later version
                          with(1, 0x02020305),  // words of 5 bytes
                          with(1, 0x02020000),  // no stage
                          with(1, 0x02020900),  // nine stages
                          with(1, 0x02040300),  // the cut behind the end
                          with(1, 0x06020300),  // six steps
                          with(2, 0x010400ff),  // an unknown component
                          with(2, 0x41040002),  // LNV65s
                          with(3, 0x00000006),  // chunks of no words
                          with(5, 1)}) {        // DICT with a number
    EXPECT_THROW(unpack(bad, behind), Error);
  }
}

TEST(Hdf5Filter, RefusesAtCreation) {
  EXPECT_EQ(create({}, 8, 100), -1);
  EXPECT_NE(reason.find("fpsynth hdf5 options METHOD prints right ones"), reason.npos) << reason;
  EXPECT_EQ(create({1, 2, 3}, 8, 100), -1);
  EXPECT_NE(reason.find("the first number is 1"), reason.npos) << reason;
  // Ten decimals do not suit singles.
  EXPECT_EQ(create(values_of("DEC:10 / ZE"), 8, 100), 1);
  EXPECT_EQ(create(values_of("DEC:10 / ZE"), 4, 100), -1);
  EXPECT_NE(reason.find("parameter 10 of DEC"), reason.npos) << reason;
  // Links of groups are no words.
  creation.values = values_of("ZE");
  EXPECT_EQ(filter_class().can_apply(1, -1, -1), 0);
  // Without what is added at creation, a chunk is not touched.
  Chunk chunk(std::vector<std::byte>(400));
  EXPECT_EQ(chunk.run(0), 0u);
  EXPECT_NE(reason.find("four numbers are missing"), reason.npos) << reason;
  EXPECT_EQ(chunk.bytes(), std::vector<std::byte>(400));
}

/// The chunks of the data set that was created last.
Chunks noted_chunks() {
  std::span<const unsigned> behind;
  unpack(creation.values, behind);
  return unpack_chunks(creation.values, behind);
}

TEST(Hdf5Filter, KnowsTheElements) {
  const auto chunks_of = [](std::size_t word_bytes, std::size_t type_bytes, bool big_endian) {
    EXPECT_EQ(create(values_of("LNV1s ZE", word_bytes), type_bytes, 1000, big_endian), 1);
    return noted_chunks();
  };
  struct {
    std::size_t type_bytes, word_bytes, turned;
  } const expected[] = {{1, 1, 1}, {2, 2, 2},  {4, 4, 4}, {6, 2, 2},
                        {8, 8, 8}, {12, 4, 4}, {16, 8, 8}};
  for (const auto& [type_bytes, word_bytes, turned] : expected) {
    const Chunks little = chunks_of(0, type_bytes, false), big = chunks_of(0, type_bytes, true);
    EXPECT_EQ(little.word_bytes, word_bytes);
    EXPECT_EQ(little.turned, 0u);
    EXPECT_EQ(big.word_bytes, word_bytes);
    EXPECT_EQ(big.turned, turned > 1 ? turned : 0) << type_bytes;
    EXPECT_EQ(big.bytes, 1000 * type_bytes);
  }
  EXPECT_EQ(chunks_of(8, 4, true).word_bytes, 8u);
  EXPECT_EQ(chunks_of(8, 4, true).turned, 4u);
  // Repacking creates a data set with the values of another, whose chunks differ.
  const std::vector<unsigned> earlier = creation.values;
  EXPECT_EQ(create(earlier, 4, 7), 1);
  EXPECT_EQ(creation.values.size(), earlier.size());
  EXPECT_EQ(noted_chunks().bytes, 28u);
  for (const int before : {1, kShuffle}) {  // gzip gives other numbers of bytes
    creation.before = before;
    ASSERT_EQ(filter_class().set_local(1, 2, 3), 0);
    EXPECT_EQ(noted_chunks().resized, before != kShuffle);
    EXPECT_EQ(noted_chunks().bytes, 28u);
  }
}

// A damaged byte order would turn the values of a chunk whose own checksum is right.
TEST(Hdf5Filter, NoticesEveryDamagedOption) {
  const auto original = signal(600, 8, true);
  ASSERT_EQ(create(values_of("LNV1s BIT | ZE"), 8, 600, true), 1);
  Chunk stored(original);
  ASSERT_NE(stored.run(0), 0u) << reason;
  const std::vector<unsigned> good = creation.values;
  for (std::size_t bit = 0; bit < 32 * good.size(); ++bit) {
    creation.values = good;
    creation.values[bit / 32] ^= 1u << bit % 32;
    EXPECT_EQ(Chunk(stored.bytes()).run(kReverse), 0u) << bit;
    EXPECT_FALSE(reason.empty());
  }
  creation.values = good;
  EXPECT_EQ(stored.run(kReverse), original.size()) << reason;
}

// Kilobytes that claim gigabytes would take as much memory.
TEST(Hdf5Filter, BoundsChunksBehindOtherFilters) {
  const auto zeros = [](std::size_t bytes) {
    return codec::compress(std::vector<std::byte>(bytes), synth::parse_method("BINS"), 8);
  };
  ASSERT_EQ(create(values_of("BINS"), 8, 300), 1);
  creation.before = 1;
  ASSERT_EQ(filter_class().set_local(1, 2, 3), 0);
  const std::size_t most = most_resized(2400);
  EXPECT_EQ(Chunk(zeros(most)).run(kReverse), most) << reason;
  EXPECT_EQ(Chunk(zeros(most + 1)).run(kReverse), 0u);
  EXPECT_NE(reason.find(std::to_string(most + 1) + " bytes"), reason.npos) << reason;
  // Nothing is written that could not be read.
  EXPECT_NE(Chunk(std::vector<std::byte>(most)).run(0), 0u) << reason;
  EXPECT_EQ(Chunk(std::vector<std::byte>(most + 1)).run(0), 0u);
  EXPECT_NE(reason.find("of a chunk of 2400"), reason.npos) << reason;
  // Development versions noted no size, and no checksum.
  creation.values.pop_back();
  creation.values.end()[-2] = 0;
  EXPECT_EQ(Chunk(zeros(most + 1)).run(kReverse), most + 1) << reason;
  std::vector<std::byte> claims = zeros(8);
  codec::store(&claims[codec::original_bytes_at(1)], most_unnoted(claims.size()) + 8);
  EXPECT_EQ(Chunk(claims).run(kReverse), 0u);
  EXPECT_NE(reason.find("67108872 bytes, more than 67108864"), reason.npos) << reason;
}

TEST(Hdf5Filter, RestoresEveryChunk) {
  for (const char* method : kMethods) {
    for (const std::size_t word_bytes : {4u, 8u}) {
      std::size_t packed[2] = {};
      for (const bool big : {false, true}) {
        for (const std::size_t words : {1u, 2u, 1023u, 1025u, 5000u}) {
          ASSERT_EQ(create(values_of(method), word_bytes, std::int64_t(words), big), 1) << reason;
          const auto original = signal(words, word_bytes, big);
          Chunk chunk(original);
          packed[big] = chunk.run(0);
          ASSERT_NE(packed[big], 0u) << reason;
          // A stored chunk is a file of `compress`.
          EXPECT_EQ(codec::decompress(chunk.bytes()), signal(words, word_bytes, false));
          ASSERT_EQ(chunk.run(kReverse), original.size()) << reason;
          EXPECT_EQ(chunk.bytes(), original);
          // Without a known size, too, and without the checksum, as development versions wrote.
          creation.values.pop_back();
          for (unsigned& value : std::span(creation.values).last(2)) value = 0;
          ASSERT_NE(chunk.run(0), 0u) << reason;
          ASSERT_EQ(chunk.run(kReverse), original.size()) << reason;
          EXPECT_EQ(chunk.bytes(), original);
        }
      }
      EXPECT_EQ(packed[0], packed[1]) << "big-endian elements have another ratio";
    }
  }
}

TEST(Hdf5Filter, LeavesChunksThatWouldGrow) {
  std::mt19937_64 random(7);
  std::vector<std::byte> noise(8000);
  for (std::byte& byte : noise) byte = std::byte(random());
  ASSERT_EQ(create(values_of("LNV1s ZE"), 8, 1000), 1);
  Chunk chunk(noise);
  EXPECT_EQ(chunk.run(kOptional), 0u);
  EXPECT_EQ(chunk.bytes(), noise);
  EXPECT_GT(chunk.run(0), noise.size());
  EXPECT_EQ(chunk.run(kReverse | kOptional), noise.size());
  EXPECT_EQ(chunk.bytes(), noise);
}

TEST(Hdf5Filter, RefusesHostileChunks) {
  std::mt19937_64 random(3);
  for (const char* method : {"DEC:2 LAGs:60 / LNV1s BIT | RLE", "DICT LAGs:1 / BIT LNV1s | ZE"}) {
    const auto original = signal(3000, 8, false);
    ASSERT_EQ(create(values_of(method), 8, 3000), 1);
    Chunk good(original);
    ASSERT_NE(good.run(0), 0u);
    const std::vector<std::byte> stored = good.bytes();
    const auto refused = [&](std::span<const std::byte> bytes) {
      Chunk chunk(bytes);
      const std::size_t result = chunk.run(kReverse);
      EXPECT_EQ(result == 0, !reason.empty());
      return result == 0;
    };
    for (std::size_t at = 0; at < stored.size(); at += 1 + random() % 16) {
      auto flipped = stored;
      flipped[at] ^= std::byte(1 << random() % 8);
      EXPECT_TRUE(refused(flipped)) << at;
      EXPECT_TRUE(refused(std::span(stored).first(at))) << at;
    }
    EXPECT_TRUE(refused(std::vector<std::byte>(100)));
    // A right container of another number of bytes.
    const auto shorter =
        codec::compress(std::span(original).first(16), synth::parse_method("ZE"), 8);
    EXPECT_TRUE(refused(shorter));
    // Chunks of more memory than there is, in both places that tell.
    auto forged = shorter;
    forged[17] = forged[16] = std::byte(0x7f);
    creation.values.pop_back();  // the checksum
    creation.values.end()[-1] = 0x7f000000;
    EXPECT_TRUE(refused(forged));
    creation.values.end()[-1] = creation.values.end()[-2] = 0;
    EXPECT_TRUE(refused(forged));
  }
}

}  // namespace
}  // namespace fpsynth::hdf5
