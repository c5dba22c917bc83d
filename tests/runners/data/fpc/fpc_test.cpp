#include "runners/data/fpc/fpc.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "runners/data/fpc/fcm_predictor.hpp"
#include "runners/data/synthetic/common.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/changing_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::vector<std::uint64_t>& words) {
  Bytes bytes(8 * words.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Bytes raw(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// A bit of everything: constant, a ramp, a walk, noise, special values.
std::vector<std::uint64_t> mixed(std::size_t count) {
  synthetic::Random random(7);
  std::vector<std::uint64_t> words(count);
  double walk = 1;
  for (std::size_t i = 0; i < count; ++i) {
    walk += 0.001 * (random.uniform() - 0.5);
    switch (i / 16 % 6) {
      case 0:
        words[i] = 0x3ff0'0000'0000'0000;
        break;
      case 1:
        words[i] = i * 1000;
        break;
      case 2:
        words[i] = std::bit_cast<std::uint64_t>(walk);
        break;
      case 3:
        words[i] = random.bits();
        break;
      case 4:
        words[i] = random.bits() >> random.below(64);
        break;
      default:
        words[i] = std::bit_cast<std::uint64_t>(i % 2 ? -0.0 : std::nan(""));
        break;
    }
  }
  return words;
}

/// FPC as its description reads, one step after the other; shares nothing with the project's.
Bytes plain_encode(const std::vector<std::uint64_t>& words, unsigned p) {
  const std::uint64_t m = (std::uint64_t{1} << p) - 1;
  std::vector<std::uint64_t> fcm(m + 1), dfcm(m + 1);
  std::uint64_t hash = 0, dhash = 0, last = 0, pred1 = 0, pred2 = 0;
  Bytes file = raw({p});
  for (std::size_t first = 0; first < words.size(); first += 32768) {
    const std::size_t n = std::min<std::size_t>(32768, words.size() - first);
    Bytes codes((n + 1) / 2), residuals;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t v = words[first + i];
      const std::uint64_t r1 = v ^ pred1, r2 = v ^ (last + pred2);
      fcm[hash] = v;
      hash = ((hash << 6) ^ (v >> 48)) & m;
      pred1 = fcm[hash];
      const std::uint64_t s = v - last;
      dfcm[dhash] = s;
      dhash = ((dhash << 2) ^ (s >> 40)) & m;
      pred2 = dfcm[dhash];
      last = v;
      const std::uint64_t residual = r1 > r2 ? r2 : r1;
      std::size_t length = 0;
      while (length < 8 && residual >> (8 * length) != 0) ++length;
      if (length == 4) length = 5;
      const std::size_t code = (r1 > r2 ? 8 : 0) + (length > 4 ? length - 1 : length);
      codes[i / 2] |= static_cast<std::byte>(i % 2 ? code : code << 4);
      for (std::size_t b = 0; b < length; ++b) {
        residuals.push_back(static_cast<std::byte>(residual >> (8 * b)));
      }
    }
    const std::size_t size = 6 + codes.size() + residuals.size();
    for (const std::size_t field : {n, size}) {
      for (int b = 0; b < 3; ++b) file.push_back(static_cast<std::byte>(field >> (8 * b)));
    }
    file.insert(file.end(), codes.begin(), codes.end());
    file.insert(file.end(), residuals.begin(), residuals.end());
  }
  return file;
}

std::string error_of(const Bytes& file) {
  return tests::message_of([&] { decode_fpc(file, "x.fpc"); });
}

TEST(Fpc, WorkedExample) {
  // 1: both predict 0, one residual byte. 2 and 3: the stride repeats, nothing is stored.
  const Bytes file = raw({4, 3, 0, 0, 9, 0, 0, 0x18, 0x80, 1});
  EXPECT_EQ(encode_fpc(bytes_of({1, 2, 3}), 4), file);
  EXPECT_EQ(decode_fpc(file, "example"), bytes_of({1, 2, 3}));
}

TEST(Fpc, NoValues) {
  EXPECT_EQ(encode_fpc({}, 22), raw({22}));
  EXPECT_TRUE(decode_fpc(raw({22}), "none").empty());
}

TEST(Fpc, AgreesWithThePlainEncoder) {
  for (const std::size_t count : {1, 2, 33, 32767, 32768, 32769, 70001}) {
    const auto words = mixed(count);
    for (const unsigned p : {1u, 6u, 13u}) {
      EXPECT_EQ(encode_fpc(bytes_of(words), p), plain_encode(words, p)) << count << ", p " << p;
    }
  }
}

TEST(Fpc, RoundTripForAllTableSizes) {
  const Bytes doubles = bytes_of(mixed(1001));
  for (unsigned p = kMinTableBits; p <= kMaxTableBits; ++p) {
    const Bytes file = encode_fpc(doubles, p);
    EXPECT_EQ(std::to_integer<unsigned>(file[0]), p);
    EXPECT_EQ(decode_fpc(file, "round trip"), doubles) << "p " << p;
  }
}

TEST(Fpc, RoundTripForAllResidualLengths) {
  std::vector<std::uint64_t> words;
  for (unsigned bits = 0; bits <= 64; ++bits) {
    words.push_back(bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits));
    words.push_back(0);
  }
  EXPECT_EQ(decode_fpc(encode_fpc(bytes_of(words), 8), "lengths"), bytes_of(words));
}

TEST(Fpc, LastLowNibbleIsMeaningless) {
  EXPECT_EQ(decode_fpc(raw({4, 1, 0, 0, 8, 0, 0, 0x1f, 5}), "odd"), bytes_of({5}));
}

TEST(Fpc, AcceptsResidualsOfMoreBytesThanNeeded) {
  EXPECT_EQ(decode_fpc(raw({4, 1, 0, 0, 9, 0, 0, 0x20, 5, 0}), "long"), bytes_of({5}));
}

TEST(Fpc, RefusesWhatIsNoDouble) {
  Bytes doubles = bytes_of({1, 2});
  doubles.pop_back();
  EXPECT_THROW(encode_fpc(doubles, 22), Error);
}

TEST(Fpc, RefusesTableSizes) {
  const Bytes doubles = bytes_of({1, 2});
  for (const unsigned p : {0u, 29u, 30u, 64u, 255u}) {
    EXPECT_THROW(encode_fpc(doubles, p), Error) << p;
    Bytes file = encode_fpc(doubles, 4);
    file[0] = static_cast<std::byte>(p);
    EXPECT_NE(error_of(file).find("byte 0"), std::string::npos) << p << ": " << error_of(file);
  }
}

TEST(Fpc, EveryTruncationIsAnError) {
  const Bytes whole = encode_fpc(bytes_of(mixed(99)), 10);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (size == 1) {
      EXPECT_TRUE(decode_fpc(cut, "header").empty());  // a whole file of no values
    } else {
      EXPECT_TRUE(tests::contains(error_of(cut), "x.fpc: byte ")) << size;
    }
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(tests::contains(error_of(longer), "1 are left"));
}

TEST(Fpc, ForgedHeadersAreErrors) {
  const struct {
    Bytes file;
    const char* message;
  } cases[] = {
      {raw({4, 0, 0, 0, 6, 0, 0}), "byte 1: a block of 0 values"},
      {raw({4, 1, 0x80, 0, 7, 0, 0, 0}), "byte 1: a block of 32769 values"},
      {raw({4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}), "byte 1: a block of 16777215 values"},
      {raw({4, 2, 0, 0, 6, 0, 0, 0}), "byte 4: a block of 2 values cannot take 6 bytes"},
      {raw({4, 2, 0, 0, 24, 0, 0, 0}), "byte 4: a block of 2 values cannot take 24 bytes"},
      {raw({4, 2, 0, 0, 0, 0, 0, 0}), "byte 4: a block of 2 values cannot take 0 bytes"},
      {raw({4, 2, 0, 0, 8, 0, 0, 0}), "byte 1: a block of 8 bytes, 7 are left"},
      {raw({4, 2, 0, 0, 8, 0, 0, 0x11, 1}),
       "byte 4: a block of 8 bytes, but its codes ask for another"},
      {raw({4, 2, 0, 0, 9, 0, 0, 0x10, 1, 1}), "byte 4: a block of 9 bytes"},
      {raw({4, 1, 0, 0, 7, 0, 0, 0, 1}), "byte 8: a block header needs 6 bytes, 1 are left"},
  };
  for (const auto& forged : cases) {
    EXPECT_NE(error_of(forged.file).find(forged.message), std::string::npos)
        << error_of(forged.file) << " instead of " << forged.message;
  }
}

/// A block of one value, after others.
Bytes with_last_block(Bytes file) {
  const Bytes last = raw({1, 0, 0, 15, 0, 0, 0x70, 1, 2, 3, 4, 5, 6, 7, 8});
  file.insert(file.end(), last.begin(), last.end());
  return file;
}

TEST(Fpc, WritesNoMoreThanWasCountedIfHeadersChange) {
  // The first two values become the second block's header: 18 values of no residual bytes.
  const std::vector<std::uint64_t> header = {0x0f00'0012, 0};
  const Bytes first = encode_fpc(bytes_of(header), 4);
  tests::ChangingFile changing(with_last_block(first));
  const auto written = changing.written(first.size());
  std::ranges::fill(written.subspan(24), std::byte{0x5a});
  const std::string message =
      tests::message_of([&] { decode_fpc_into(changing.file(), "x.fpc", written.first(24)); });
  EXPECT_TRUE(tests::contains(message, "a block of 15 bytes, but its codes ask for another"));
  for (const std::byte byte : written.subspan(24)) ASSERT_EQ(byte, std::byte{0x5a});
}

TEST(Fpc, ReadsNothingBehindTheFileIfCodesChange) {
  // The first 64 values become the codes of the others.
  std::vector<std::uint64_t> words(64, ~std::uint64_t{0});
  words.resize(128);
  tests::ChangingFile changing(with_last_block(encode_fpc(bytes_of(words), 4)));
  const auto out = changing.written(1 + 6 + 32).first(8 * 129);
  const std::string message =
      tests::message_of([&] { decode_fpc_into(changing.file(), "x.fpc", out); });
  EXPECT_TRUE(tests::contains(message, "x.fpc: byte 4: a block of"));
}

TEST(Fpc, FlippedBitsNeverPassUnchecked) {
  const Bytes doubles = bytes_of(mixed(64));
  const Bytes whole = encode_fpc(doubles, 10);
  std::size_t errors = 0, other_values = 0;
  for (std::size_t bit = 8; bit < 8 * whole.size(); ++bit) {
    Bytes file = whole;
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    try {
      if (decode_fpc(file, "flipped") != doubles) ++other_values;
    } catch (const Error&) {
      ++errors;
    }
  }
  // Residuals and selectors decode to other values, lengths and headers cannot.
  EXPECT_GT(other_values, 0u);
  EXPECT_GE(errors, std::size_t{8 * 6});
}

TEST(Fpc, BigTablesCostNoMemoryUntilEarned) {
  const auto resident = [] {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0, pages = 0;
    statm >> total >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  };
  if (resident() == 0) GTEST_SKIP() << "no /proc/self/statm here";
  const std::size_t before = resident();
  const FcmTables tables(kMaxTableBits, 3);
  FcmPredictor predictor(tables);
  for (const std::uint64_t value : mixed(100)) predictor.encode(value);
  EXPECT_LT(resident(), before + (std::size_t{8} << 20));
}

TEST(Fpc, LONG_RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const std::string text = tests::read_bytes(path);
  const auto file = std::as_bytes(std::span(text));
  const Bytes doubles = decode_fpc(file, "num_plasma");
  ASSERT_EQ(doubles.size(), 35'089'600u);
  // Of the bytes whose SHA-256 is f422dd08...22431523.
  EXPECT_EQ(XXH3_64bits(doubles.data(), doubles.size()), 0x5f2bda010b0bf34b);
  const Bytes again = encode_fpc(doubles, kFpcTableBits);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), file.begin(), file.end()));
}

}  // namespace
}  // namespace fpsynth::data
