#pragma once
// Words with structure, for the tests of the code that finds it.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runners/data/input.hpp"

namespace fpsynth::search {

template <class W>
using ValueOf = std::conditional_t<sizeof(W) == 8, double, float>;

template <class W>
inline constexpr synth::Precision kPrecisionOf = sizeof(W) == 8 ? synth::Precision::Double
                                                                : synth::Precision::Single;

/// Words without structure.
template <class W>
std::vector<W> noise(std::size_t words, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<W> result(words);
  for (W& word : result) word = static_cast<W>(random());
  return result;
}

/// A smooth field with noise in its lowest bits: `rows` rows of `columns` values.
template <class W>
std::vector<W> grid(std::size_t planes, std::size_t rows, std::size_t columns) {
  std::mt19937_64 random(2);
  std::vector<W> words;
  for (std::size_t z = 0; z < planes; ++z) {
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) {
        const double fx = double(x) / double(columns), fy = double(y) / double(rows);
        const double noise = double(random() % 1024) / 1024 * 1e-4;
        const double value = 100 + 40 * std::sin(9 * fx + 3 * fy) * std::cos(23 * fx - 7 * fy) +
                             8 * std::sin(61 * fx * fy) + 0.2 * double(z) + noise;
        words.push_back(std::bit_cast<W>(static_cast<ValueOf<W>>(value)));
      }
    }
  }
  return words;
}

template <class W>
data::Input input_of(const std::vector<W>& words, synth::ValueKind kind = synth::ValueKind::Float) {
  std::vector<std::byte> bytes(words.size() * sizeof(W));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return data::Input("test", std::move(bytes), {kPrecisionOf<W>, kind});
}

}  // namespace fpsynth::search
