#pragma once
// Distances at which the words of an input are alike.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runners/data/structure/words.hpp"

namespace fpsynth::data {

struct LagShare {
  std::uint64_t lag = 0;
  double share = 0;
};

/// The distances from sequences of four words to where they last stood before, over the whole
/// input, with the share of the sequences looked at, greatest first. Sequences are chosen by a hash
/// of their words, so that one that is looked at is so wherever it stands. Of long inputs, fewer
/// are: memory is at most 16 MB.
template <class W>
std::vector<LagShare> repeated_lags(const Words<W>& words);

/// Distances at which the average magnitude difference of the words' ranks has a narrow minimum,
/// with the correlation there: 1 if the ranks are equal, 0 if they are as far apart as on average.
/// The most pronounced first. Up to 65,536 words, and multiples of the best of these up to the
/// input's length.
template <class W>
std::vector<LagShare> correlated_lags(const Words<W>& words);

/// What is measured at one distance.
struct Likeness {
  double equal_share = 0;  ///< of the words that have one so far before them: those equal to it
  double bits = 0;         ///< significant bits of the difference, mapped by ORD, on average
};
template <class W>
Likeness likeness_at(const Words<W>& words, std::uint64_t lag);

}  // namespace fpsynth::data
