#pragma once
// Copies in an input, and the preludes that take them out first.

#include "runners/data/structure/structure.hpp"
#include "runners/data/structure/words.hpp"

namespace fpsynth::data {

/// The structure of words without a look at copies; in structure.cpp.
template <class W>
Structure find_unmatched(const Words<W>& words, ValueType type, const StructureOptions& options);

/// Adds candidates that begin with MATCH to those of `found`, if it takes out a 32nd of the words
/// or more: MATCH alone, and in front of what suits the words that are left. At most a fourth of
/// all candidates begin so: estimates of what is left do not know how well the copies would have
/// been predicted. Of long inputs, only the first 2^22 words are looked at.
template <class W>
void add_matches(const Words<W>& words, const StructureOptions& options, Structure& found);

}  // namespace fpsynth::data
