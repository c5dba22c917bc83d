#include "runners/baselines/gfc/compressor.hpp"

#include <gtest/gtest.h>

#include "runners/baselines/gfc/format.hpp"
#include "runners/data/input.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"

namespace fpsynth::baselines {
namespace {

std::string error_of_file(const Bytes& file) {
  return message_of([&] { decode_gfc(file, "x.gfc"); });
}

/// A simple GFC encoder that follows the format's description. Shares no code with the project's.
Bytes plain_encode(std::vector<std::uint64_t> words, std::size_t n, std::size_t d) {
  Bytes file;
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  put(words.size(), 4);
  put(d, 1);
  put(n, 2);
  std::size_t per = (words.size() + n - 1) / n;
  per = std::max<std::size_t>(32, (per + 31) / 32 * 32);
  Bytes chunks;
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t before = chunks.size();
    std::vector<std::uint64_t> previous(32);
    for (std::size_t at = c * per; at < (c + 1) * per && at < words.size(); at += 32) {
      std::vector<std::uint64_t> current(32);
      unsigned nibbles[32];
      Bytes differences;
      for (std::size_t l = 0; l < 32; ++l) {
        const std::uint64_t predicted = previous[32 - (d - l % d)];
        current[l] = at + l < words.size() ? words[at + l] : predicted;
        std::uint64_t difference = current[l] - predicted;
        const unsigned sign = difference >> 63 ? 1 : 0;
        if (sign) difference = 0 - difference;
        unsigned length = 0;
        while (length < 8 && difference >> (8 * length) != 0) ++length;
        if (length == 2) length = 3;
        nibbles[l] = sign * 8 + (length >= 3 ? length - 1 : length);
        for (unsigned b = 0; b < length; ++b) {
          differences.push_back(static_cast<std::byte>(difference >> (8 * b)));
        }
      }
      for (std::size_t i = 0; i < 16; ++i) {
        chunks.push_back(static_cast<std::byte>(nibbles[2 * i] | nibbles[2 * i + 1] << 4));
      }
      chunks.insert(chunks.end(), differences.begin(), differences.end());
      previous = current;
    }
    put(chunks.size() - before, 4);
  }
  file.insert(file.end(), chunks.begin(), chunks.end());
  return file;
}

TEST(Gfc, WorkedExample) {
  // Three doubles, d = 1, two chunks: all in the first one. 1 takes one byte, -1 one byte and the
  // sign, 0x123 three bytes; 29 padding lanes take their codes.
  Bytes file = raw({3, 0, 0, 0, 1, 2, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0x91, 0x02});
  file.resize(file.size() + 14);
  const Bytes differences = raw({1, 1, 0x23, 0x01, 0x00});
  file.insert(file.end(), differences.begin(), differences.end());
  const Bytes doubles = bytes_of<std::uint64_t>({1, ~std::uint64_t{0}, 0x123});
  EXPECT_EQ(encode_gfc(doubles, 2, 1), file);
  EXPECT_EQ(decode_gfc(file, "example"), doubles);
}

TEST(Gfc, LaneArithmetic) {
  using namespace gfc_lanes;
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t residual = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    const unsigned bytes = (bits + 7) / 8, code = length_code_of(residual);
    EXPECT_EQ(bytes_of(code), bytes == 2 ? 3 : bytes) << bits;
    EXPECT_EQ(residual & mask_of(code), residual) << bits;
  }
  for (const std::uint64_t value : mixed(200)) {
    for (const std::uint64_t predicted : mixed(100, 8)) {
      const Residual r = residual_of(value, predicted);
      ASSERT_EQ(value_of(r.bits, r.sign << 3, predicted), value);
    }
  }
  EXPECT_EQ(predicting_lane(0, 1), 31u);
  EXPECT_EQ(predicting_lane(31, 1), 31u);
  EXPECT_EQ(predicting_lane(7, 3), 30u);
  EXPECT_EQ(predicting_lane(5, 32), 5u);
}

TEST(Gfc, AgreesWithThePlainEncoderAndBack) {
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 4097}) {
    const auto words = mixed(count);
    for (const unsigned chunks : {1u, 2u, 3u, 7u, 32u, 100u, 65535u}) {
      for (const unsigned d : {1u, 2u, 3u, 5u, 8u, 16u, 17u, 31u, 32u}) {
        const Bytes file = encode_gfc(bytes_of(words), chunks, d);
        ASSERT_EQ(file, plain_encode(words, chunks, d)) << count << ", " << chunks << ", " << d;
        ASSERT_EQ(decode_gfc(file, "round trip"), bytes_of(words))
            << count << ", " << chunks << ", " << d;
      }
    }
  }
}

TEST(Gfc, EveryDimensionality) {
  const auto words = mixed(3333);
  for (unsigned d = 1; d <= 32; ++d) {
    const Bytes file = encode_gfc(bytes_of(words), 5, d);
    EXPECT_EQ(file, plain_encode(words, 5, d)) << d;
    EXPECT_EQ(decode_gfc(file, "dimensionality"), bytes_of(words)) << d;
  }
}

TEST(Gfc, BytesDoNotDependOnThreads) {
  const Bytes doubles = bytes_of(mixed(300'001));
  const Bytes file = encode_gfc(doubles, 777, 2, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(encode_gfc(doubles, 777, 2, threads), file) << threads;
    EXPECT_EQ(decode_gfc(file, "threads", threads), doubles) << threads;
  }
}

TEST(Gfc, RefusesParameters) {
  const Bytes doubles = bytes_of<std::uint64_t>({1, 2});
  EXPECT_THROW(encode_gfc(doubles, 0, 1), UsageError);
  EXPECT_THROW(encode_gfc(doubles, 65536, 1), UsageError);
  EXPECT_THROW(encode_gfc(doubles, 1, 0), UsageError);
  EXPECT_THROW(encode_gfc(doubles, 1, 33), UsageError);
  EXPECT_THROW(gfc(1, 33), UsageError);
  const Bytes tail(9);
  EXPECT_TRUE(contains(message_of([&] { encode_gfc(tail, 1, 1); }), "9 bytes are not"));
}

TEST(Gfc, DimensionalityIsItsOwn) {
  // Points of 6 values.
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < 20'000; ++i) words.push_back((i % 6) << 50 | i / 6);
  Bytes input = bytes_of(words);
  const auto gfc_of = gfc_baseline();
  const auto of = [&](unsigned known) {
    return gfc_of->dimensionality({known}, input, synth::Precision::Double);
  };
  EXPECT_EQ(of(2).from, data::DimensionalityFrom::Data);
  EXPECT_EQ(of(2).value, 2u);
  for (const unsigned known : {0, 33, 64}) {
    EXPECT_EQ(of(known).from, data::DimensionalityFrom::Tried) << known;
    const std::size_t least = encode_gfc(input, 1000, of(known).value).size();
    for (unsigned d = 1; d <= kMaxGfcDimensionality; ++d) {
      EXPECT_LE(least, encode_gfc(input, 1000, d).size()) << d;
    }
  }
  const unsigned best = of(0).value;
  input.resize(input.size() + 3);  // no whole number of doubles, which compressing refuses
  EXPECT_EQ(of(0).value, best);
}

TEST(Gfc, EveryTruncationIsAnError) {
  const Bytes whole = encode_gfc(bytes_of(mixed(99)), 3, 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(contains(error_of_file(cut), "x.gfc: byte ")) << size;
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(contains(error_of_file(longer), "1 bytes follow the last chunk"));
}

TEST(Gfc, ForgedFilesAreErrors) {
  const struct {
    Bytes file;
    const char* message;
  } cases[] = {
      {raw({1, 0, 0, 0, 1, 1}), "byte 0: a header needs 7 bytes, the file has 6"},
      {raw({1, 0, 0, 0, 0, 1, 0}), "byte 4: dimensionality 0"},
      {raw({1, 0, 0, 0, 33, 1, 0}), "byte 4: dimensionality 33"},
      {raw({1, 0, 0, 0, 1, 0, 0}), "byte 5: a file of 0 chunks"},
      {raw({1, 0, 0, 0, 1, 2, 0, 16, 0, 0, 0}), "byte 7: 2 chunks, but only 4 bytes"},
      {raw({1, 0, 0, 0, 1, 1, 0, 15, 0, 0, 0}), "chunk 0 of 1 doubles cannot take 15 bytes"},
      {raw({1, 0, 0, 0, 1, 1, 0, 17, 1, 0, 0}), "chunk 0 of 1 doubles cannot take 273 bytes"},
      {raw({1, 0, 0, 0, 1, 1, 0, 16, 0, 0, 0, 0}), "chunk 0 of 16 bytes, 1 are left"},
      {raw({0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0}), "chunk 0 of 0 doubles cannot take 1 bytes"},
      // 32 GiB of doubles claimed by 15 bytes.
      {raw({255, 255, 255, 255, 1, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0}), "cannot take 4 bytes"},
      {raw({255, 255, 255, 255, 1, 1, 0, 0, 0, 0, 128}), "of 2147483648 bytes, 0 are left"},
  };
  for (const auto& forged : cases) {
    const std::string error = error_of_file(forged.file);
    EXPECT_TRUE(contains(error, forged.message)) << error << " instead of " << forged.message;
  }
  // Codes that need more bytes, or fewer, than the chunk has.
  Bytes file = encode_gfc(bytes_of(mixed(64)), 1, 1);
  file[11 + 8] = std::byte{0x77};
  EXPECT_TRUE(contains(error_of_file(file), "byte 11: chunk 0: its codes"));
  file[11 + 8] = std::byte{0};
  EXPECT_TRUE(contains(error_of_file(file), "byte 11: chunk 0: its codes"));
}

TEST(Gfc, FlippedBitsAreErrorsOrOtherValues) {
  const Bytes whole = encode_gfc(bytes_of(mixed(64)), 2, 3);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes file = whole;
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    try {
      decode_gfc(file, "flipped");
    } catch (const Error&) {
    }
  }
}

TEST(Gfc, LONG_TableTwoOfThePaper) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  const struct {
    unsigned chunks;
    double ratio;
  } published[] = {{1, 1.12984}, {10, 1.12982}, {100, 1.12966}, {1000, 1.12805}};
  for (const auto& [chunks, ratio] : published) {
    const Bytes file = encode_gfc(input.bytes(), chunks, 2);
    EXPECT_NEAR(static_cast<double>(input.bytes().size()) / static_cast<double>(file.size()), ratio,
                1e-4);
    EXPECT_TRUE(std::ranges::equal(decode_gfc(file, "real"), input.bytes()));
  }
}

}  // namespace
}  // namespace fpsynth::baselines
