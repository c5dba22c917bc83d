#pragma once
// Denominators that many values of an input have in common, for RAT.

#include "components/preludes/shape.hpp"
#include "runners/data/structure/words.hpp"

namespace fpsynth::data {

/// Divisors m for which values of the input are k / m, rounded, with integers k of clearly fewer
/// bits than the values have: those with which, each word at its best one, a sample of short blocks
/// has the fewest bits. All numbers up to 65,536 and the powers of ten above them are tried. None
/// if they would save little. `Divisors` are ascending.
template <class W>
preludes::Divisors find_divisors(const Words<W>& words);

}  // namespace fpsynth::data
