#pragma once
// The distances at which words are alike, the most promising first.

#include <cstdint>
#include <vector>

#include "runners/data/structure/structure.hpp"
#include "runners/data/structure/words.hpp"

namespace fpsynth::data {

/// The strides of a shape, slowest extent first, in words, ascending; those that so many words
/// have.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& shape, std::size_t words);

/// At most ten lags that are worth being combined with other steps: strides, distances of
/// repetitions and of correlations, without those near multiples of better ones. Behind them, at
/// most two at which the differences at the first are alike.
template <class W>
std::vector<LagFinding> find_lags(const Words<W>& words, const std::vector<std::uint64_t>& strides);

}  // namespace fpsynth::data
