#pragma once
// Tables of records: inputs whose columns are words of different kinds.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runners/data/input.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// The columns of a table, those that are alike in groups of neighbours.
struct Columns {
  synth::Prelude turn;  ///< which makes them stand one behind the other; may be empty
  std::vector<std::uint64_t> lengths;  ///< of each group then, in words
};

/// The columns, where each group with a prelude of its own seems to make a table clearly smaller
/// than all of it with the best: of rows as long as the shape says or as estimates of columns do,
/// or columns one behind the other, as the shape says. None (no lengths) if the input seems no
/// table. Looks at 2^18 words at most. The answer does not depend on the machine.
Columns find_columns(const data::Input& input);

}  // namespace fpsynth::search
