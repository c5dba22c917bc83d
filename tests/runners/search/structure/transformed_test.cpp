#include "runners/search/structure/transformed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "tests/runners/search/structure/support.hpp"

namespace fpsynth::search {
namespace {

/// A whole input behind a prelude, by the definitions.
template <class W>
std::vector<W> whole(std::vector<W> words, const synth::Prelude& prelude) {
  for (const synth::PreludeStep& step : prelude.steps) {
    const std::string text = to_string(step), name = text.substr(0, 4);
    std::vector<W> out = words;
    if (name == "LAGs" || name == "LAGx") {
      for (std::size_t i = step.parameter; i < words.size(); ++i) {
        const W before = words[i - step.parameter];
        out[i] = name == "LAGs" ? W(words[i] - before) : W(words[i] ^ before);
      }
    } else if (name == "DICT") {
      std::map<W, W> ranks;
      for (const W word : words) ranks[preludes::Ord::forward(word)] = 0;
      W rank = 0;
      for (auto& entry : ranks) entry.second = rank++;
      for (W& word : out) word = ranks[preludes::Ord::forward(word)];
    } else if (name == "ORD") {
      for (W& word : out) word = preludes::Ord::forward(word);
    } else if (name == "RAT:") {
      for (std::size_t begin = 0; begin < words.size(); begin += step.parameter) {
        const std::size_t n = std::min<std::size_t>(step.parameter, words.size() - begin);
        const double scale = preludes::Rat::scale(
            step.divisors, preludes::Rat::choose(&words[begin], n, step.divisors));
        for (std::size_t i = begin; i < begin + n; ++i) {
          preludes::Rat::forward(words[i], scale, out[i]);
        }
      }
    } else if (name == "GCD:") {
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t begin = i / step.parameter * step.parameter;
        const W divisor = preludes::Gcd::divisor(
            &words[begin], std::min<std::size_t>(step.parameter, words.size() - begin));
        out[i] = W(std::make_signed_t<W>(words[i]) / std::make_signed_t<W>(divisor));
      }
    } else if (name == "LPC:") {
      for (std::size_t begin = 0; begin < words.size(); begin += step.parameter) {
        const std::size_t n = std::min<std::size_t>(step.parameter, words.size() - begin);
        struct Level {};
        using Fit = codec::LinearFit<Level, W, preludes::Lpc>;
        const auto* const bytes = reinterpret_cast<const std::byte*>(&words[begin]);
        const auto taps = Fit::taps(bytes, n);
        for (std::size_t i = 0; i < n; ++i)
          out[begin + i] -= preludes::Lpc::predict<W>(taps, bytes, i);
      }
    } else if (name == "DIM:") {
      std::size_t next = 0;
      for (std::size_t c = 0; c < step.parameter; ++c) {
        for (std::size_t i = c; i < words.size(); i += step.parameter) out[next++] = words[i];
      }
    } else {
      for (std::size_t i = 0; i < words.size(); ++i) {
        preludes::Dec::forward(words[i], preludes::Dec::scale(step.parameter), out[i]);
      }
    }
    words = out;
  }
  return words;
}

template <class W>
void expect_windows(const std::vector<W>& words, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(words));
  std::unordered_map<W, W> distinct;
  for (const W word : words) distinct.emplace(word, 0);
  const Dictionary<W> dictionary(std::move(distinct));
  const Words<W> input(bytes);
  const Transformed<W> transformed(input, &dictionary);
  const synth::Prelude prelude = synth::parse_prelude(text);
  const std::vector<W> expected = whole(words, prelude);
  std::vector<W> window;
  for (const std::size_t begin : {0u, 1u, 6u, 7u, 8u, 90u, 107u, 500u}) {
    for (const std::size_t length : {1u, 2u, 100u, 600u}) {
      if (begin + length > words.size()) continue;
      transformed.read(prelude, {begin, length}, window);
      EXPECT_TRUE(std::ranges::equal(window, std::span(expected).subspan(begin, length)))
          << text << " from " << begin << ", " << length << " words";
    }
  }
}

TEST(Transformed, WindowsAreThoseOfTheWholeInput) {
  for (const char* text : {"",
                           "ORD",
                           "DICT",
                           "DEC:2",
                           "LAGs:1",
                           "LAGs:7",
                           "LAGx:100",
                           "LAGx:999",
                           "LAGs:1 LAGs:7",
                           "LAGs:7 LAGx:100 LAGs:1",
                           "DICT LAGs:7",
                           "DEC:2 DICT LAGs:7",
                           "ORD LAGs:100",
                           "DEC:1 LAGs:1 LAGs:100",
                           "RAT:128:3:100",
                           "LAGs:1 RAT:256:100 LAGs:7",
                           "LAGs:1 LAGs:1 LAGs:1",
                           "LAGs:100000",
                           "DIM:3",
                           "RAT:128:100 GCD:128 LAGs:1 GCD:512",
                           "LAGs:2 DIM:306 LAGs:1 DIM:7",
                           "DEC:2 LPC:256 LAGs:7",
                           "RAT:128:3 DIM:1999",
                           "DIM:100000"}) {
    std::vector<std::uint64_t> doubles;
    std::vector<std::uint32_t> singles;
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < 1000; ++i) {
      const double value = double(int(random() % 4001) - 2000) / (i % 5 == 0 ? 7 : 100);
      doubles.push_back(std::bit_cast<std::uint64_t>(value));
      singles.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    }
    expect_windows(doubles, text);
    expect_windows(singles, text);
  }
}

TEST(Windows, CoverSmallInputsAndSampleLargeOnes) {
  for (const std::size_t size : {0u, 1u, 511u, 512u, 1000u, 4096u}) {
    std::size_t next = 0;
    for (const Window& window : windows_of(0, size, 512, 4096)) {
      EXPECT_EQ(window.begin, next);
      EXPECT_LE(window.words, 512u);
      next += window.words;
    }
    EXPECT_EQ(next, size);
  }
  std::vector<std::size_t> begins;
  for (const Window& window : windows_of(1000, 1000000, 512, 4096)) {
    EXPECT_EQ(window.words, 512u);
    EXPECT_GE(window.begin, 1000u);
    EXPECT_LE(window.begin + window.words, 1000000u);
    begins.push_back(window.begin);
  }
  ASSERT_EQ(begins.size(), 8u);
  std::ranges::sort(begins);
  EXPECT_LT(begins.front(), 200000u);
  EXPECT_GT(begins.back(), 800000u);
}

}  // namespace
}  // namespace fpsynth::search
