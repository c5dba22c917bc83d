#include "runners/baselines/holt/compressor.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cmath>
#include <limits>

#include "runners/data/input.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/changing_file.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

std::string error_of_file(const Bytes& file) {
  return message_of([&] { decode_holt(file, "x.holt"); });
}

template <typename Real, typename Word>
std::vector<Word> float_forecasts(const std::vector<Word>& words, Real alpha, Real beta) {
  std::vector<Word> forecasts;
  Real level = 0, slope = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Real y = std::bit_cast<Real>(words[i]);
    const Real forecast = i == 0 ? Real{0} : i == 1 ? level : level + slope;
    if (i == 0) level = y;
    if (i == 1) slope = y - level;
    if (i > 0) {
      const Real next = alpha * y + (1 - alpha) * (level + slope);
      slope = beta * (next - level) + (1 - beta) * slope;
      level = next;
    }
    forecasts.push_back(std::isnan(forecast) ? 0 : std::bit_cast<Word>(forecast));
  }
  return forecasts;
}

/// floor(factor / 65536 * difference), bit by bit of the factor.
template <typename Word>
Word part(std::uint32_t factor, Word difference) {
  __extension__ using Wide = __int128;
  const Wide product = Wide{factor} * static_cast<std::make_signed_t<Word>>(difference);
  return static_cast<Word>(product >> 16);
}

template <typename Word>
std::vector<Word> integer_forecasts(const std::vector<Word>& words, double alpha, double beta) {
  const auto a = static_cast<std::uint32_t>(std::lround(65536 * alpha));
  const auto b = static_cast<std::uint32_t>(std::lround(65536 * beta));
  std::vector<Word> forecasts;
  Word level = 0, slope = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word y = words[i], forecast = level + slope;
    forecasts.push_back(forecast);
    if (i == 0) {
      level = y;
      continue;
    }
    if (i == 1) slope = y - level;
    const Word next = level + slope + part<Word>(a, y - level - slope);
    slope += part<Word>(b, next - level - slope);
    level = next;
  }
  return forecasts;
}

template <typename Real, typename Word>
Bytes plain_run(const std::vector<Word>& words, const HoltParameters& p) {
  const unsigned bits = sizeof(Real) == 4 ? 2 : 3;
  Bytes codes((bits * words.size() + 7) / 8), residuals;
  const std::vector<Word> forecasts =
      p.floats ? float_forecasts<Real>(words, static_cast<Real>(p.alpha), static_cast<Real>(p.beta))
               : integer_forecasts(words, p.alpha, p.beta);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word residual = words[i] ^ forecasts[i];
    unsigned length = 1;
    while (length < sizeof(Real) && residual >> (8 * length) != 0) ++length;
    for (unsigned b = 0; b < bits; ++b) {
      const std::size_t at = bits * i + b;
      codes[at / 8] |= static_cast<std::byte>(((length - 1) >> b & 1) << (at % 8));
    }
    for (unsigned b = 0; b < length; ++b) {
      residuals.push_back(static_cast<std::byte>(residual >> (8 * b)));
    }
  }
  codes.insert(codes.end(), residuals.begin(), residuals.end());
  return codes;
}

/// A simple encoder that follows the format's description. Shares no code with the project's.
template <typename Real, typename Word>
Bytes plain_encode(const std::vector<Word>& words, const HoltParameters& p) {
  Bytes file;
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  for (const char c : {'H', 'O', 'L', 'T'}) put(static_cast<unsigned char>(c), 1);
  put(1, 1);
  put(sizeof(Real), 1);
  put(p.floats ? 0 : 1, 2);
  put(p.run, 4);
  put(std::bit_cast<std::uint64_t>(p.alpha), 8);
  put(std::bit_cast<std::uint64_t>(p.beta), 8);
  put(sizeof(Real) * words.size(), 8);
  put(XXH3_64bits(words.data(), sizeof(Real) * words.size()), 8);
  put((words.size() + p.run - 1) / p.run, 8);
  const std::size_t worst = p.run * sizeof(Real) + (p.run * (sizeof(Real) == 4 ? 2 : 3) + 7) / 8;
  Bytes runs;
  for (std::size_t first = 0; first < words.size(); first += p.run) {
    const std::vector<Word> run(
        words.begin() + static_cast<std::ptrdiff_t>(first),
        words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), first + p.run)));
    const Bytes bytes = plain_run<Real>(run, p);
    put(bytes.size(), worst > 65535 ? 4 : 2);
    runs.insert(runs.end(), bytes.begin(), bytes.end());
  }
  file.insert(file.end(), runs.begin(), runs.end());
  return file;
}

TEST(Holt, WorkedExample) {
  // 1, 2, 3, 4.5 with alpha = beta = 0: the predictions are 0; 1; 2 + 1 = 3; 4, a straight line of
  // values.
  // Residuals: 3f800000 (4 bytes), 40000000 ^ 3f800000 = 7f800000 (4), 0 (1), 40900000 ^ 40800000 =
  // 00100000 (3). Codes 3, 3, 0, 2.
  const Bytes input = bytes_of<float>({1, 2, 3, 4.5});
  const Bytes file = encode_holt(input, Precision::Single, {.floats = true});
  ASSERT_EQ(file.size(), 52u + 2 + 13);
  const Bytes front = raw({'H', 'O', 'L', 'T', 1, 4, 0, 0, 115, 0, 0, 0});
  EXPECT_TRUE(std::equal(front.begin(), front.end(), file.begin()));
  const Bytes run = raw({13, 0, 0x8f, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x7f, 0, 0, 0, 0x10});
  EXPECT_EQ(Bytes(file.begin() + 52, file.end()), run);
  EXPECT_EQ(decode_holt(file, "example"), input);

  // As integers: 3f800000, 40000000, 40400000, 40900000 are predicted by 0; 3f800000;
  // 40000000 + 00800000; 40800000 + 00800000. Residuals: 3f800000 (4 bytes), 7f800000 (4), 00c00000
  // (3), 41000000 ^ 40900000 = 01900000 (4).
  const Bytes integers = encode_holt(input, Precision::Single, {});
  const Bytes head = raw({'H', 'O', 'L', 'T', 1, 4, 1, 0, 115, 0, 0, 0});
  EXPECT_TRUE(std::equal(head.begin(), head.end(), integers.begin()));
  EXPECT_EQ(Bytes(integers.begin() + 52, integers.end()),
            raw({16, 0, 0xef, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0, 0, 0x90, 0x01}));
  EXPECT_EQ(decode_holt(integers, "integers"), input);
}

TEST(Holt, AgreesWithThePlainEncoderAndBack) {
  const HoltParameters settings[] = {
      {0, 0, 115},   {1, 1, 115},    {0.5, 0.25, 115}, {0.1, 0, 1},  {0, 0.3, 2},
      {0.7, 0.7, 3}, {0.5, 0.5, 64}, {0.2, 0.9, 65},   {0, 0, 1000}, {0.9, 0.1, 65536}};
  for (HoltParameters p : settings) {
    for (const std::size_t count : {0, 1, 2, 3, 7, 8, 9, 63, 115, 116, 1840, 1841, 5000}) {
      p.floats = !p.floats;
      const auto words4 = singles(count);
      const auto words8 = mixed(count);
      const Bytes file4 = encode_holt(bytes_of(words4), Precision::Single, p);
      const Bytes file8 = encode_holt(bytes_of(words8), Precision::Double, p);
      ASSERT_EQ(file4, plain_encode<float>(words4, p)) << count << " values, run " << p.run;
      ASSERT_EQ(file8, plain_encode<double>(words8, p)) << count << " values, run " << p.run;
      ASSERT_EQ(decode_holt(file4, "singles"), bytes_of(words4)) << count << ", run " << p.run;
      ASSERT_EQ(decode_holt(file8, "doubles"), bytes_of(words8)) << count << ", run " << p.run;
    }
  }
}

TEST(Holt, SpecialValuesSurvive) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values;
  for (int i = 0; i < 500; ++i) {
    const float kinds[] = {inf,
                           -inf,
                           std::numeric_limits<float>::quiet_NaN(),
                           -0.0f,
                           1e-45f,
                           3.4e38f,
                           static_cast<float>(i)};
    values.push_back(kinds[i * i % 7]);
  }
  for (const double alpha : {0.0, 0.5, 1.0}) {
    for (const bool floats : {false, true}) {
      const Bytes file =
          encode_holt(bytes_of(values), Precision::Single, {alpha, alpha, 50, floats});
      EXPECT_EQ(decode_holt(file, "specials"), bytes_of(values)) << alpha;
    }
  }
}

TEST(Holt, TailsAreKept) {
  Bytes input = bytes_of(mixed(100));
  for (int cut = 0; cut < 8; ++cut, input.pop_back()) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      EXPECT_EQ(decode_holt(encode_holt(input, precision), "tail"), input) << cut;
    }
  }
}

TEST(Holt, BytesDoNotDependOnThreads) {
  const Bytes input = bytes_of(singles(200'003));
  const Bytes file = encode_holt(input, Precision::Single, {0.5, 0.5, 115}, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(encode_holt(input, Precision::Single, {0.5, 0.5, 115}, threads), file);
    EXPECT_EQ(decode_holt(file, "threads", threads), input);
  }
}

TEST(Holt, RefusesParameters) {
  const Bytes input(8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const HoltParameters& bad :
       {HoltParameters{-0.1, 0, 115}, HoltParameters{1.1, 0, 115}, HoltParameters{nan, 0, 115},
        HoltParameters{0, nan, 115}, HoltParameters{0, 2, 115}, HoltParameters{0, 0, 0},
        HoltParameters{0, 0, 65537}}) {
    EXPECT_THROW(encode_holt(input, Precision::Single, bad), UsageError);
  }
  const Bytes file = encode_holt(input, Precision::Single);
  EXPECT_THROW(decompressed(holt(), file, Precision::Double, 8), Error);
  EXPECT_EQ(decompressed(holt(), file, Precision::Single, 8), input);
}

TEST(Holt, EveryTruncationIsAnError) {
  const Bytes whole = encode_holt(bytes_of(singles(99)), Precision::Single, {0, 0, 10});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(contains(error_of_file(cut), "x.holt: ")) << size;
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(contains(error_of_file(longer), "1 bytes follow the last run"));
}

TEST(Holt, ForgedFilesAreErrors) {
  const Bytes whole = encode_holt(bytes_of(singles(99)), Precision::Single, {0, 0, 10});
  const auto forged = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
    Bytes file = whole;
    for (const unsigned byte : bytes) file[at++] = static_cast<std::byte>(byte);
    return error_of_file(file);
  };
  EXPECT_TRUE(contains(forged(0, {'h'}), "does not begin with HOLT"));
  EXPECT_TRUE(contains(forged(4, {2}), "with the program that wrote it"));
  EXPECT_TRUE(contains(forged(5, {2}), "words of 2 bytes"));
  EXPECT_TRUE(contains(forged(6, {2}), "bytes 6 and 7"));
  EXPECT_TRUE(contains(forged(8, {0}), "runs of 0 values"));
  EXPECT_TRUE(contains(forged(8, {1, 0, 1}), "runs of 65537 values"));
  EXPECT_TRUE(contains(forged(8, {11}), "10 runs, but its 99 values need 9"));
  EXPECT_TRUE(contains(forged(18, {0xf8, 0x7f}), "alpha nan"));
  EXPECT_TRUE(contains(forged(26, {0x00, 0x40}), "beta 2"));
  EXPECT_TRUE(contains(forged(28, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
                       "4611686018427387903 values cannot fit into"));
  EXPECT_TRUE(contains(forged(36, {0}), "checksum"));
  EXPECT_TRUE(contains(forged(44, {9}), "9 runs, but its 99 values need 10"));
  EXPECT_TRUE(contains(forged(52, {12, 0}), "run 0 of 10 values cannot take 12 bytes"));
  EXPECT_TRUE(contains(forged(52, {44, 0}), "run 0 of 10 values cannot take 44 bytes"));
  EXPECT_TRUE(contains(forged(72, {0}), "codes of a run"));
}

TEST(Holt, ReadsNothingBehindTheFileIfCodesChange) {
  // The first 64 values become the codes of the others.
  const auto decode_changing = [](const auto& words, Precision precision) {
    tests::ChangingFile changing(encode_holt(bytes_of(words), precision, {0, 0, 128, true}));
    const std::size_t codes = precision == Precision::Single ? 16 : 24;
    const auto out = changing.written(52 + 2 + codes).first(words.size() * sizeof(words[0]));
    return message_of([&] { decode_holt_into(changing.file(), "x.holt", out, 1); });
  };
  std::vector<std::uint32_t> singles(64, ~std::uint32_t{0});
  singles.resize(128);
  std::vector<std::uint64_t> doubles(64, ~std::uint64_t{0});
  doubles.resize(128);
  for (const std::string& message :
       {decode_changing(singles, Precision::Single), decode_changing(doubles, Precision::Double)}) {
    EXPECT_TRUE(contains(message, "x.holt: the codes of a run"));
  }
}

TEST(Holt, FlippedBitsNeverPass) {
  const Bytes input = bytes_of(singles(64));
  const Bytes whole = encode_holt(input, Precision::Single, {0.5, 0.5, 10});
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes file = whole;
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    try {
      EXPECT_EQ(decode_holt(file, "flipped"), input) << bit;  // bits of parameters without effect
    } catch (const Error&) {
    }
  }
}

TEST(Holt, LONG_RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  for (const Precision precision : {Precision::Single, Precision::Double}) {
    const data::Input values = input.in(precision);
    const Bytes file = encode_holt(values.bytes(), precision);
    EXPECT_TRUE(std::ranges::equal(decode_holt(file, "real"), values.bytes()));
  }
}

}  // namespace
}  // namespace fpsynth::baselines
