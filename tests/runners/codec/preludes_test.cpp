#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

template <class W>
using FloatOf = std::conditional_t<sizeof(W) == 8, double, float>;

template <class W>
std::vector<W> words_of(const Bytes& bytes) {
  std::vector<W> words(bytes.size() / sizeof(W));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(W));
  return words;
}

// Obvious code for every step, from the page that defines them.

template <class W>
W ordered(W word) {
  const W sign = W{1} << (8 * sizeof(W) - 1);
  return word & sign ? ~word : word | sign;
}

template <class W>
struct Expected {
  std::vector<W> words, values;
  std::vector<std::uint64_t> positions;
  std::vector<std::uint8_t> selectors;
};

/// The integer for a word at a scale; false if it is an exception.
template <class W>
bool integer_of(W word, double scale, bool keep, W& integer) {
  const double most = sizeof(W) == 8 ? std::pow(2.0, 51) - 1 : std::pow(2.0, 31) - 1;
  const double nearest = std::nearbyint(double(std::bit_cast<FloatOf<W>>(word)) * scale);
  const bool inside = std::abs(nearest) <= most;
  const bool exact = inside && std::bit_cast<W>(FloatOf<W>((nearest + 0.0) / scale)) == word;
  integer = exact || (keep && inside) ? W(std::int64_t(nearest)) : W{0};
  return exact;
}

/// The selector of in[begin..end).
template <class W>
std::size_t selector_of(const std::vector<W>& in, std::size_t begin, std::size_t end,
                        const preludes::Divisors& divisors) {
  std::size_t selector = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 1; j <= divisors.count; ++j) {
    const double divisor = double(divisors.of[j - 1]);
    std::size_t exceptions = 0;
    for (std::size_t i = begin; i < end; ++i) {
      W integer;
      exceptions += integer_of(in[i], divisor, true, integer) ? 0 : 1;
    }
    const double cost = double(end - begin) * (std::floor(std::log2(divisor)) + 1) +
                        double(exceptions * (8 * sizeof(W) + 16));
    if (8 * exceptions > end - begin || cost >= least) continue;
    least = cost;
    selector = j;
  }
  return selector;
}

template <class W>
Expected<W> expected(const synth::PreludeStep& step, const std::vector<W>& in) {
  Expected<W> result;
  const std::string name(synth::prelude_traits(step.kind).name);
  if (name == "LAG") {
    const bool subtract = synth::prelude_traits(step.kind).suffix == "s";
    for (std::size_t i = 0; i < in.size(); ++i) {
      const W before = i >= step.parameter ? in[i - step.parameter] : W{0};
      result.words.push_back(subtract ? W(in[i] - before) : W(in[i] ^ before));
    }
  } else if (name == "ORD") {
    for (const W word : in) result.words.push_back(ordered(word));
  } else if (name == "DICT") {
    std::set<W> keys;
    for (const W word : in) keys.insert(ordered(word));
    result.values.assign(keys.begin(), keys.end());
    std::map<W, W> rank;
    for (const W key : keys) rank.emplace(key, W(rank.size()));
    for (const W word : in) result.words.push_back(rank.at(ordered(word)));
  } else {
    const bool rat = name == "RAT";
    double scale = std::pow(10.0, double(step.parameter));
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (rat && i % step.parameter == 0) {
        const std::size_t end = std::min<std::size_t>(i + step.parameter, in.size());
        result.selectors.push_back(std::uint8_t(selector_of(in, i, end, step.divisors)));
        const std::size_t selector = result.selectors.back();
        scale = selector == 0 ? 0 : double(step.divisors.of[selector - 1]);
      }
      if (scale == 0) {
        result.words.push_back(W(ordered(in[i]) ^ W{1} << (8 * sizeof(W) - 1)));
        continue;
      }
      result.words.emplace_back();
      if (integer_of(in[i], scale, rat, result.words.back())) continue;
      result.values.push_back(in[i]);
      result.positions.push_back(i);
    }
    while (result.selectors.size() % 4 != 0) result.selectors.push_back(0);
  }
  return result;
}

/// Inputs on which steps could go wrong, of `n` words.
template <class W>
std::vector<std::vector<W>> adversaries(std::size_t n) {
  using Float = FloatOf<W>;
  using Limits = std::numeric_limits<Float>;
  const auto bits = [](Float value) { return std::bit_cast<W>(value); };
  const std::vector<W> special = {bits(Float(0)),
                                  bits(-Float(0)),
                                  bits(Limits::infinity()),
                                  bits(-Limits::infinity()),
                                  bits(Limits::quiet_NaN()),
                                  W(bits(Limits::quiet_NaN()) | 12345),
                                  W(bits(Limits::infinity()) | 1),
                                  W(~W{0}),
                                  bits(Limits::denorm_min()),
                                  bits(-Limits::denorm_min()),
                                  bits(Limits::max()),
                                  bits(Limits::lowest()),
                                  bits(Limits::min()),
                                  bits(Float(1)),
                                  bits(Float(-1)),
                                  bits(Float(2147483647.0)),
                                  bits(Float(2147483648.0)),
                                  bits(Float(-2147483648.0)),
                                  bits(Float(2251799813685247.0)),
                                  bits(Float(2251799813685248.0)),
                                  bits(Float(0.1)),
                                  bits(Float(0.5)),
                                  bits(Float(1.5)),
                                  bits(Float(2.5)),
                                  bits(Float(-0.5))};
  std::mt19937_64 random(n + sizeof(W));
  std::vector<std::vector<W>> all;
  const auto add = [&](auto word) {
    std::vector<W> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = word(i);
    all.push_back(std::move(words));
  };
  add([](std::size_t) { return W(0x40490fdb); });                        // all equal
  add([](std::size_t i) { return W(i * W(0x9e3779b97f4a7c15u) + 1); });  // all distinct
  add([](std::size_t i) { return W(W(i) << (8 * sizeof(W) - 12)); });    // every exponent
  add([&](std::size_t i) { return special[i % special.size()]; });
  add([&](std::size_t) { return W(random()); });
  add([&](std::size_t i) {  // decimals, with what is none among them
    return i % 97 == 5 ? special[i % special.size()]
                       : bits(Float(double(int(random() % 20001) - 10000) / 100));
  });
  add([&](std::size_t i) {  // fractions with other denominators from block to block
    const double denominators[] = {24400, 7, 100, 32768, 1e5};
    const double value = double(int(random() % 4001) - 2000) / denominators[i / 300 % 5];
    return random() % 50 == 0 ? special[random() % special.size()] : bits(Float(value));
  });
  return all;
}

std::vector<std::uint64_t> parameters(const synth::PreludeTraits& traits, std::size_t word_bytes,
                                      std::size_t n) {
  if (!traits.parametric) return {0};
  const auto [least, most, powers_of_two] = traits.range(word_bytes);
  if (least == 0) return {0, 1, 2, most};
  if (traits.shape == preludes::Shape::Selected) return {least, most};
  std::set<std::uint64_t> lags = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 63, 64, 65, 1000, 2500, most};
  if (n > 1) lags.insert({n - 1, n, n + 1});
  return {lags.begin(), lags.end()};
}

/// Steps of a kind with all the numbers that could go wrong.
std::vector<synth::PreludeStep> steps_of(std::uint8_t kind, std::size_t word_bytes, std::size_t n) {
  std::vector<preludes::Divisors> divisors = {{}};
  if (synth::prelude_traits(kind).shape == preludes::Shape::Selected) {
    divisors = {preludes::Divisors(100), preludes::Divisors(7, 100, 24400, 32768, 100000),
                preludes::Divisors(1, preludes::Divisors::kGreatest)};
    divisors.emplace_back();
    while (divisors.back().count < preludes::kMostDivisors) {
      divisors.back().add(10 * divisors.back().count + 10);
    }
  }
  std::vector<synth::PreludeStep> steps;
  for (const std::uint64_t parameter : parameters(synth::prelude_traits(kind), word_bytes, n)) {
    for (const preludes::Divisors& each : divisors) steps.push_back({kind, parameter, each});
  }
  return steps;
}

std::vector<const PreludeTable*> tables() {
  std::vector<const PreludeTable*> result;
  for (const components::StageTable* stages : components::simd_stages()) {
    result.push_back(&preludes_beside(*stages));
  }
  return result;
}

template <class W>
class PreludeSteps : public testing::Test {};
using Words = testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(PreludeSteps, Words);

TYPED_TEST(PreludeSteps, GiveWhatThePageDefinesAndComeBack) {
  using W = TypeParam;
  for (const std::size_t n : {0, 1, 2, 31, 1023, 1025, 4099, 70001}) {
    for (const std::vector<W>& in : adversaries<W>(n)) {
      for (std::uint8_t kind = 0; kind < synth::prelude_kinds(); ++kind) {
        for (const synth::PreludeStep& step : steps_of(kind, sizeof(W), n)) {
          const std::uint64_t parameter = step.parameter;
          const Expected<W> right = expected(step, in);
          for (const PreludeTable* table : tables()) {
            for (const int threads : {1, 3}) {
              if (n < 70001 && threads > 1) continue;  // would be one thread
              SCOPED_TRACE(synth::to_string(step) + " on " + std::to_string(n) + " words");
              std::vector<W> words(n);
              SideMemory<W> side;
              side.data.divisors = step.divisors;
              const auto* const from = reinterpret_cast<const std::byte*>(in.data());
              auto* const to = reinterpret_cast<std::byte*>(words.data());
              ASSERT_EQ(table->of<W>().forward(kind, from, to, n, parameter, threads, side.data),
                        Status::Ok);
              ASSERT_EQ(words, right.words);
              ASSERT_EQ(std::vector<W>(side.data.values, side.data.values + side.data.count),
                        right.values);
              const auto* const selectors =
                  reinterpret_cast<const std::uint8_t*>(side.data.selectors);
              ASSERT_EQ(
                  std::vector<std::uint8_t>(selectors, selectors + 4 * side.data.selector_words),
                  right.selectors);
              if (!right.positions.empty()) {
                ASSERT_EQ(std::vector<std::uint64_t>(side.data.positions,
                                                     side.data.positions + side.data.count),
                          right.positions);
              }
              ASSERT_EQ(table->of<W>().backward(kind, to, n, parameter, threads, side.data),
                        Status::Ok);
              ASSERT_EQ(words, in);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(PreludeSteps, RefuseForgedSideData) {
  using W = TypeParam;
  const PreludeTable& table = preludes_beside(components::default_stages());
  const auto backward = [&](const char* text, std::vector<W> words, std::vector<W> values,
                            std::vector<std::uint64_t> positions,
                            std::vector<std::uint32_t> selectors = {}) {
    const synth::PreludeStep step = synth::parse_prelude(text).steps[0];
    const SideData<W> side{values.data(), positions.data(), values.size(),
                           step.divisors, selectors.data(), selectors.size()};
    return table.of<W>().backward(step.kind, reinterpret_cast<std::byte*>(words.data()),
                                  words.size(), step.parameter, 1, side);
  };
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {5, 6}, {}), Status::Ok);
  EXPECT_EQ(backward("DICT", {0, 2, 1}, {5, 6}, {}), Status::Damaged);  // no such rank
  EXPECT_EQ(backward("DICT", {0, W(-1), 1}, {5, 6}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {6, 5}, {}), Status::Damaged);  // not ascending
  EXPECT_EQ(backward("DICT", {0, 1, 1}, {5, 5}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {0}, {}, {}), Status::Damaged);
  EXPECT_EQ(backward("DICT", {}, {1}, {}), Status::Damaged);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {0, 2}), Status::Ok);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {0, 3}), Status::Damaged);  // behind the end
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {1, 1}), Status::Damaged);
  EXPECT_EQ(backward("DEC:1", {0, 1, 1}, {5, 6}, {2, 1}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {5, 6}, {0, 2}, {2}), Status::Ok);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {5, 6}, {0, 3}, {2}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {}), Status::Damaged);   // no selector
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {3}), Status::Damaged);  // no divisor
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {0x3000000}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {0, 1, 1}, {}, {}, {0, 0}), Status::Damaged);  // two
  EXPECT_EQ(backward("RAT:128:3:5", {}, {}, {}, {0}), Status::Damaged);
  EXPECT_EQ(backward("RAT:128:3:5", {}, {}, {}), Status::Ok);
}

std::vector<synth::Method> sample_methods() {
  std::vector<synth::Method> methods;
  for (const char* text :
       {"LAGs:1 / LNV1s | ZE", "LAGx:700 / ZE", "ORD / LNV1s | RLE", "DICT / BIT ZE",
        "DEC:2 / LNV1s BIT | RLE", "LAGs:3 LAGs:90 / | ZE", "DICT LAGs:5 / LNV1x ZE",
        "DEC:2 DICT LAGx:9 / | DIM8 RLE", "ORD DEC:1 LAGs:1 / RLE", "DICT DICT DICT / ZE",
        "RAT:128:7:100 / LNV1s | ZE", "ORD RAT:1024:24400 LAGs:1 DEC:0 RAT:256:3 / ZE"}) {
    methods.push_back(synth::parse_method(text));
  }
  return methods;
}

TEST(Preludes, FilesComeBackWithAnyThreadsAndTails) {
  for (const std::size_t word_bytes : {8, 4}) {
    for (const synth::Method& method : sample_methods()) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, word_bytes, word_bytes + 3,
                                     1024 * word_bytes, 70000 * word_bytes + 2}) {
        SCOPED_TRACE(synth::to_string(method) + ", " + std::to_string(size));
        const Bytes original = signal(size, word_bytes);
        const Bytes file = compress(original, method, word_bytes, {.threads = 1});
        EXPECT_EQ(file, compress(original, method, word_bytes, {.threads = 3}));
        EXPECT_EQ(decompress(file, {.threads = 1}), original);
        EXPECT_EQ(decompress(file, {.threads = 3}), original);
        Bytes out(size);
        decompress_into(file, out);
        EXPECT_EQ(out, original);
        MemorySink sink;
        EXPECT_EQ(decompress(file, "file", sink), size);
        EXPECT_EQ(sink.bytes(), original);
      }
    }
  }
}

TEST(Preludes, AFileIsItsOverheadAndTheContainerOfTheTransformedWords) {
  const Bytes original = signal(5000 * 8 + 3, 8);
  const synth::Method method = synth::parse_method("DEC:2 DICT / LNV1s | ZE");
  const Transformed transformed = transform(original, method.prelude, 8);
  ASSERT_EQ(transformed.bytes.size(), original.size());
  const Bytes file = compress(original, method, 8);
  const Bytes container = compress(transformed.bytes, method.pipeline, 8);
  ASSERT_EQ(file.size(), transformed.overhead_bytes() + container.size());
  EXPECT_TRUE(std::ranges::equal(container, std::span(file).last(container.size())));
  const Inspection found = inspect(file, "file");
  EXPECT_EQ(found.version, 3);
  EXPECT_EQ(found.prelude.prelude, method.prelude);
  EXPECT_EQ(found.prelude.bytes, transformed.overhead_bytes());
  EXPECT_EQ(found.overhead_bytes + found.payload_bytes, file.size());
  EXPECT_EQ(found.header.pipeline, method.pipeline);
  EXPECT_NO_THROW(verify(file, "file"));
}

TEST(Preludes, WithoutAPreludeNothingChanges) {
  const Bytes original = signal(5003, 8);
  const synth::Method method = synth::parse_method("LNV1s | ZE");
  EXPECT_EQ(compress(original, method, 8), compress(original, method.pipeline, 8));
  EXPECT_EQ(transform(original, {}, 8).bytes, original);
  EXPECT_EQ(transform(original, {}, 8).overhead_bytes(), 0u);
}

/// Five doubles and a tail, as in FORMAT.md's example, with a prelude: every byte of the header.
TEST(Preludes, TheHeaderIsWhatTheFormatSays) {
  Bytes original = bytes_of_words<std::uint64_t>({0x3ff0000000000000, 0x4000000000000000});
  original.push_back(std::byte{0x65});
  const Bytes file = compress(original, synth::parse_method("DICT LAGx:513 / LNV1s | RLE"), 8);
  const Transformed transformed = transform(original, synth::parse_prelude("DICT LAGx:513"), 8);
  const std::uint8_t side = std::uint8_t(transformed.side[0].size());
  const std::vector<std::uint8_t> header = {'F',  'P', 'S', 'Y', 3, 8, 2, 0,     //
                                            3,    0,   0,   0,   0, 0, 0, 0, 0,  // DICT
                                            side, 0,   0,   0,   0, 0, 0, 0,     //
                                            1,    1,   2,   0,   0, 0, 0, 0, 0,  // LAGx:513
                                            0,    0,   0,   0,   0, 0, 0, 0,     //
                                            17,   0,   0,   0,   0, 0, 0, 0};
  ASSERT_GT(file.size(), header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(file[i]), header[i]) << i;
  }
}

std::string message(std::span<const std::byte> file, const CodecOptions& options = {}) {
  try {
    decompress(file, options, "some.fps");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Preludes, EveryTruncationAndBitFlipIsAnErrorOrHarmless) {
  for (const std::size_t word_bytes : {8, 4}) {
    for (const char* text : {"DICT LAGs:5 / LNV1s | ZE", "DEC:2 / BIT RLE", "LAGx:2 / ZE",
                             "RAT:128:7:100 / BIT RLE"}) {
      const Bytes original = signal(60 * word_bytes + 1, word_bytes);
      const Bytes file = compress(original, synth::parse_method(text), word_bytes, {.threads = 1});
      const CodecOptions options{.threads = 1, .limit = 1 << 20};
      for (std::size_t size = 0; size < file.size(); ++size) {
        EXPECT_NE(message(std::span(file).first(size), options), "no error") << size;
      }
      for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
        Bytes flipped = file;
        flipped[bit / 8] ^= std::byte(1 << bit % 8);
        try {
          EXPECT_EQ(decompress(flipped, options), original) << text << ", bit " << bit;
        } catch (const Error&) {
          // As it should be.
        }
      }
    }
  }
}

TEST(Preludes, ErrorsSayWhatIsWrong) {
  const Bytes original = signal(800, 8);
  const Bytes file = compress(original, synth::parse_method("LAGs:9 / ZE"), 8);
  const auto with = [&](std::size_t at, int value) {
    Bytes changed = file;
    changed[at] = std::byte(value);
    return message(changed);
  };
  EXPECT_NE(with(6, 0).find("some.fps: the header of its prelude"), std::string::npos);
  EXPECT_NE(with(6, 6).find("header of its prelude"), std::string::npos);
  EXPECT_NE(with(8, 6).find("header of its prelude"), std::string::npos);
  EXPECT_NE(with(9, 0).find("header of its prelude"), std::string::npos);   // LAGs:0
  EXPECT_NE(with(17, 1).find("header of its prelude"), std::string::npos);  // side data of LAG
  EXPECT_NE(with(25, 7).find("its container of 800"), std::string::npos);
  const Bytes ranks = compress(original, synth::parse_method("ORD DICT / ZE"), 8);
  for (std::size_t size = 58; size < 100; size += 7) {
    EXPECT_NE(message(std::span(ranks).first(size)).find("of side data of step 2"),
              std::string::npos)
        << size;
  }
  EXPECT_NE(with(33, 0).find("checksum"), std::string::npos);
  Bytes nested(file.begin(), file.begin() + 41);
  nested.insert(nested.end(), file.begin(), file.end());
  EXPECT_NE(message(nested).find("a prelude within a prelude"), std::string::npos);
  EXPECT_NE(message(file, {.limit = 799}).find("more than the limit of 799"), std::string::npos);
  EXPECT_THROW(parse_header(file, "x"), Error);
  EXPECT_NO_THROW(check_beginning(std::span(file).first(60), "x"));
  EXPECT_THROW(check_beginning(std::span(file).first(30), "x"), Error);
  EXPECT_THROW(compress(original, synth::parse_method("DEC:12 / ZE"), 4), Error);
}

/// Side data are checked, and named, before anything is decoded: no block of the container within
/// can be decoded here either.
TEST(Preludes, DamagedSideDataAreFoundFirst) {
  struct Case {
    const char *method, *step, *garbage;
    std::ptrdiff_t container_at;  ///< in the side data
  };
  for (const Case& each :
       {Case{"DICT / ZE", "DICT", "DICT: not what its prelude writes", 0},
        Case{"LAGs:9 DEC:2 / ZE", "DEC:2", "DEC:2: cut off", 8},
        // Its divisors are among the side data.
        Case{"LAGs:9 RAT:128:2:3 / ZE", "RAT:128:2:3", "RAT:128: too many divisors", 32}}) {
    Bytes file = compress(signal(80000, 8), synth::parse_method(each.method), 8);
    const Inspection found = inspect(file, "some.fps");
    const auto side = std::ptrdiff_t(found.prelude.header_bytes);
    const std::uint64_t side_bytes = found.prelude.side_bytes.back();
    std::fill(file.end() - std::ptrdiff_t(found.blocks_bytes), file.end(), std::byte{0xff});
    ASSERT_NE(message(file).find("some.fps: chunk 0: its block"), std::string::npos)
        << message(file);
    const auto expect = [&](const Bytes& damaged, const std::string& what) {
      const std::string text = "some.fps: side data of " + what;
      EXPECT_TRUE(message(damaged).starts_with(text)) << message(damaged);
      try {
        inspect(damaged, "some.fps");
        ADD_FAILURE() << "inspect() accepts it";
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), message(damaged));
      }
    };
    Bytes garbage = file;
    std::fill_n(garbage.begin() + side, side_bytes, std::byte{'x'});
    expect(garbage, each.garbage);
    const auto frame = side + each.container_at + std::ptrdiff_t(header_bytes(4));
    std::fill_n(file.begin() + frame, 4, std::byte{0xff});
    expect(file, std::string(each.step) + ": chunk 0: stage ");
  }
}

}  // namespace
}  // namespace fpsynth::codec
