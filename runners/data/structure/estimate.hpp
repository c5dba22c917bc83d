#pragma once
// What pipelines would make of words, estimated in bits, without running any.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fpsynth::data {

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

}  // namespace fpsynth::data
