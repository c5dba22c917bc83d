#pragma once
// The words of an input, which need not be aligned, and where samples of them are taken.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fpsynth::data {

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

/// Of a word as a signed number, without the sign.
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

}  // namespace fpsynth::data
