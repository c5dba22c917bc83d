#include "runners/search/structure/words.hpp"

#include <algorithm>
#include <limits>

namespace fpsynth::search {
namespace {

/// A one in each byte.
template <class W>
constexpr W kOnes = static_cast<W>(0x0101'0101'0101'0101u);

/// Bits of a word that differ from the next higher one: those of the sign alone are not among them.
template <class W>
W changes(W word) {
  return W(word ^ W(word << 1));
}

/// A one for each byte of a word that is not zero.
template <class W>
W bytes_used(W word) {
  constexpr W kLow = static_cast<W>(0x7f7f'7f7f'7f7f'7f7fu);
  return W(W(W((word & kLow) + kLow) | word) >> 7 & kOnes<W>);
}

/// The sum of a word's bytes, if that is less than 256.
template <class W>
std::size_t sum_of_bytes(W word) {
  return static_cast<std::size_t>(W(word * kOnes<W>) >> (8 * sizeof(W) - 8));
}

/// The ones of a word; std::popcount() calls a function where not all processors have it.
template <class W>
std::size_t count_ones(W word) {
  constexpr W kOdd = static_cast<W>(0x5555'5555'5555'5555u);
  constexpr W kPairs = static_cast<W>(0x3333'3333'3333'3333u);
  constexpr W kNibbles = static_cast<W>(0x0f0f'0f0f'0f0f'0f0fu);
  word = W(word - (word >> 1 & kOdd));
  word = W((word & kPairs) + (word >> 2 & kPairs));
  return sum_of_bytes(W((word + (word >> 4)) & kNibbles));
}

template <class W>
void subtract(std::span<const W> words, std::size_t lag, std::vector<W>& to) {
  to.resize(words.size());
  const std::size_t first = std::min(lag, words.size());
  std::copy_n(words.begin(), first, to.begin());
  for (std::size_t i = first; i < words.size(); ++i) to[i] = W(words[i] - words[i - lag]);
}

}  // namespace

template <class W>
void Estimate<W>::count(std::array<double, kReducers>& sizes, std::span<const W> words) {
  constexpr std::size_t kBits = 8 * sizeof(W), kGroup = 8;
  std::size_t planes = 0, plane_bytes = 0, plane_maps = 0, bytes = 0, byte_maps = 0;
  W group_before = 0, used_before = 0;
  for (std::size_t tile = 0; tile < words.size(); tile += kBits) {
    const std::size_t tile_end = std::min(tile + kBits, words.size());
    W in_tile = 0;
    for (std::size_t group = tile; group < tile_end; group += kGroup) {
      const std::size_t end = std::min(group + kGroup, tile_end);
      W in_group = 0, used_in_group = 0;
      std::size_t unlike = 0;
      for (std::size_t i = group; i < end; ++i) {
        in_group = W(in_group | changes(words[i]));
        const W used = bytes_used(words[i]);
        used_in_group = W(used_in_group + used);
        unlike += used == used_before ? 0 : 1;
        used_before = used;
      }
      in_tile = W(in_tile | in_group);
      bytes += sum_of_bytes(used_in_group);
      plane_bytes += count_ones(in_group);
      // A bitmap whose bytes mostly repeat is itself reduced.
      plane_maps += std::min(kBits, 1 + 3 * count_ones(W(in_group ^ group_before)));
      byte_maps += std::min(kBits, 1 + 10 * unlike);
      group_before = in_group;
    }
    planes += count_ones(in_tile) * kBits + kBits / 2;
  }
  sizes[0] += static_cast<double>(planes);
  sizes[1] += static_cast<double>(8 * plane_bytes + plane_maps);
  sizes[2] += static_cast<double>(8 * bytes + byte_maps);
}

template <class W>
void Estimate<W>::add(std::span<const W> window) {
  words_ += window.size();
  count(sizes_[0], window);
  for (std::size_t lag = 1; lag <= 3; ++lag) {
    subtract(window, lag, differences_);
    count(sizes_[lag], std::span<const W>(differences_));
    if (lag > 1) continue;
    subtract(std::span<const W>(differences_), 1, second_);
    count(sizes_[4], std::span<const W>(second_));
  }
  for (std::size_t i = window.size(); i-- > 1;) differences_[i] = W(window[i] ^ window[i - 1]);
  if (!window.empty()) differences_[0] = window[0];
  count(sizes_[5], std::span<const W>(differences_));
}

template <class W>
double Estimate<W>::bits() const {
  if (words_ == 0) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& sizes : sizes_) least = std::min(least, *std::ranges::min_element(sizes));
  constexpr double kFrame = 64, kChunk = 1024;
  return least / static_cast<double>(words_) + kFrame / kChunk;
}

template class Estimate<std::uint8_t>;
template class Estimate<std::uint16_t>;
template class Estimate<std::uint32_t>;
template class Estimate<std::uint64_t>;

}  // namespace fpsynth::search
