#pragma once
// The words of an input, which need not be aligned, and where samples of them are taken.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fpsynth::search {

/// Words of type W in memory of others.
template <class W>
class Words {
 public:
  /// The whole words of `bytes`.
  explicit Words(std::span<const std::byte> bytes)
      : first_(bytes.data()), size_(bytes.size() / sizeof(W)) {}

  std::size_t size() const { return size_; }
  W operator[](std::size_t i) const {
    W word;
    std::memcpy(&word, first_ + i * sizeof(W), sizeof word);
    return word;
  }
  /// Copies the words that begin at `begin`.
  void copy(std::size_t begin, std::span<W> to) const {
    std::memcpy(to.data(), first_ + begin * sizeof(W), to.size_bytes());
  }

 private:
  const std::byte* first_;
  std::size_t size_;
};

/// The significant bits of a word as a signed number, without the sign.
template <class W>
unsigned significant_bits(W word) {
  const W magnitude = W(word ^ W(W{0} - (word >> (8 * sizeof(W) - 1))));
  return static_cast<unsigned>(std::bit_width(magnitude));
}

/// Words that follow one another in an input.
struct Window {
  std::size_t begin = 0, words = 0;
};

/// Windows of up to `window` words, together about `most` words, of the words from..size. They
/// cover them without gaps if these are no more. Their distances are irregular, so that they do not
/// all meet the same place of what repeats.
inline std::vector<Window> windows_of(std::size_t from, std::size_t size, std::size_t window,
                                      std::size_t most) {
  std::vector<Window> windows;
  const std::size_t words = size - from;
  if (words <= most) {
    for (std::size_t begin = from; begin < size; begin += window) {
      windows.push_back({begin, begin + window < size ? window : size - begin});
    }
    return windows;
  }
  constexpr double kGolden = 0.618033988749894848;
  const auto places = static_cast<double>(words - window + 1);
  for (std::size_t i = 0; i < most / window; ++i) {
    const double turns = (static_cast<double>(i) + 0.5) * kGolden;
    windows.push_back(
        {from + static_cast<std::size_t>((turns - std::floor(turns)) * places), window});
  }
  return windows;
}

/// Adds up the estimated sizes of windows of words. Each window is differenced in the ways that LNV
/// has (not at all, from the word 1, 2 or 3 before, by XOR, twice), and each of these is counted as
/// three kinds of reducers would store it: bit planes of which equal ones are left out (BIT RLE),
/// bytes of bit planes (BIT | ZE) and bytes of words (| ZE). The best way for all windows together
/// is the estimate.
template <class W>
class Estimate {
 public:
  void add(std::span<const W> window);
  /// Bits per word, at least those of the chunks' frames.
  double bits() const;

 private:
  static constexpr std::size_t kWays = 6, kReducers = 3;
  void count(std::array<double, kReducers>& sizes, std::span<const W> words);

  std::array<std::array<double, kReducers>, kWays> sizes_{};
  std::vector<W> differences_, second_;
  std::size_t words_ = 0;
};

}  // namespace fpsynth::search
