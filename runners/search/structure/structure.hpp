#pragma once
// The structure that an input's words show, and the preludes that this suggests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runners/data/input.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// A prelude that the data suggest.
struct PreludeCandidate {
  synth::Prelude prelude;
  std::string reason;  ///< for people, one line
  double bits = 0;     ///< a word's estimated compressed size behind it, side data included
  double score = 0;    ///< how many times smaller that is than without a prelude
};

struct StructureOptions {
  std::size_t candidates = 32;  ///< the most that are wanted
  /// On so many words, taken from all of the input, sizes are estimated. The lags are found on
  /// more.
  std::uint64_t sample_words = 1 << 14;
  /// The extents of the values, slowest first; empty for those that the input knows.
  std::vector<std::uint64_t> shape = {};
  /// LPC, REV and DICT behind other steps may be among the candidates. They take long to find, and
  /// say little of how alike parts of an input are.
  bool slow_steps = true;
};

/// The number of different words.
struct DistinctValues {
  std::uint64_t count = 0;
  std::uint64_t of = 0;  ///< among so many words, the first ones
  bool all = false;      ///< they are all words; otherwise counting stopped, and there are more
};

/// The words that are decimals of so many digits behind the point.
struct DecimalDigits {
  unsigned digits = 0;
  double share = 0;  ///< of the sampled words
  double bits = 0;   ///< significant bits of their integers, on average
};

/// A distance at which words are alike.
struct LagFinding {
  std::uint64_t lag = 0;
  bool from_shape = false;   ///< a stride of the shape
  std::uint64_t behind = 0;  ///< the lag whose differences correlate at this one; 0: words do
  double repeat_share = 0;   ///< of sequences of four words: those that last stood there
  double correlation = 0;    ///< 1 if words at this distance rank alike, 0 if they are unrelated
  double equal_share = 0;    ///< of the sampled words: those that are equal to the one there
  double bits_less = 0;      ///< than at distance 1, the difference has on average
};

struct Structure {
  synth::ValueType type;
  std::uint64_t words = 0;
  std::vector<std::uint64_t> shape;  ///< slowest first; empty if unknown
  DistinctValues distinct;
  std::vector<DecimalDigits> decimals;  ///< of floats, ascending, up to where more digits add next
                                        ///< to nothing
  std::vector<LagFinding> lags;         ///< the most promising first
  double sign_changes = 0;  ///< share of neighbouring floats in the sample with unlike signs
  double bits = 0;          ///< a word's estimated compressed size without a prelude
  /// The best first, each once; never the empty prelude.
  std::vector<PreludeCandidate> candidates;
};

/// Looks for structure in the words of `input`, in the type that it is in: preludes that interpret
/// floats are not suggested for integers. The answer does not depend on the machine. The time is
/// that of reading the words a few times; the memory, beside the input's, is less than 128 MB
/// whatever its size.
Structure find_structure(const data::Input& input, const StructureOptions& options = {});

}  // namespace fpsynth::search
