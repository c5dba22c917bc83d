#pragma once
// Estimates of the side data of preludes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/preludes/key_integers.hpp"
#include "runners/data/structure/transformed.hpp"
#include "runners/data/structure/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::data {

/// The bits of a value of side data, estimated on up to `most` of them, so many next to each other.
template <class Value>
double bits_of_side(const std::vector<Value>& values, std::size_t window, std::size_t most) {
  Estimate<Value> estimate;
  for (const Window& each : windows_of(0, values.size(), window, most)) {
    estimate.add(std::span(values).subspan(each.begin, each.words));
  }
  return estimate.bits();
}

/// The bits of a key of DICT: as they are, or as ranks of differences between integers, with the
/// distinct differences, whichever is less.
template <class W>
double bits_of_keys(const std::vector<W>& keys, std::size_t window, std::size_t most) {
  using Integers = preludes::KeyIntegers<W>;
  std::vector<W> words(keys.size());
  std::vector<std::uint8_t> selectors(Integers::blocks(keys.size()));
  Integers::forward(keys.data(), keys.size(), words.data(), selectors.data());
  for (std::size_t i = words.size(); i-- > 1;) words[i] -= words[i - 1];
  std::vector<W> distinct = words;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (W& word : words) word = W(std::ranges::lower_bound(distinct, word) - distinct.begin());
  const double share = double(distinct.size()) / double(std::max<std::size_t>(1, keys.size()));
  return std::min(bits_of_side(keys, window, most),
                  bits_of_side(words, window, most) + share * bits_of_side(distinct, window, most));
}

/// The exceptions of a first step, in bits per word, with their positions.
template <class Step, class W>
double exception_bits(const Words<W>& words, const Transformed<W>& transformed,
                      std::span<const Window> sample, const synth::PreludeStep& first) {
  const auto scale = transformed.template scales<Step>(first);
  std::vector<W> exceptions;
  std::vector<std::uint64_t> positions;
  std::size_t count = 0;
  for (const Window& window : sample) {
    count += window.words;
    for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
      W integer;
      if (Step::forward(words[i], scale(i), integer)) continue;
      exceptions.push_back(words[i]);
      positions.push_back(i);
    }
  }
  const std::size_t window = sample.front().words;
  const double bits =
      bits_of_side(exceptions, window, count) + bits_of_side(positions, window, count);
  return bits * double(exceptions.size()) / double(count);
}

}  // namespace fpsynth::data
