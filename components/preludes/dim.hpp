#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/shape.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::preludes {

/// DIM:n: the words 0, n, 2n and so on, then 1, n + 1, 2n + 1 and so on, up to those that begin
/// with n - 1. In rows of n words that are the columns, one behind the other: the values of a
/// channel, or of a coordinate. A row that is not full is the last one.
struct Dim {
  static constexpr std::string_view name = "DIM", suffix = "", type = "Dim";
  static constexpr std::uint8_t wire = 6;
  static constexpr Shape shape = Shape::Permuted;
  /// A number of columns that is not less than that of words changes nothing.
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{2, std::uint64_t{1} << 48};

  /// The columns of `words` words: the first `longer` have `rows` + 1 words, the others `rows`.
  struct Columns {
    std::uint64_t count, rows, longer;

    FPSYNTH_INLINE constexpr Columns(std::uint64_t words, std::uint64_t columns)
        : count(columns), rows(words / columns), longer(words % columns) {}
    /// The place of a column's first word behind the step.
    FPSYNTH_INLINE constexpr std::uint64_t begin(std::uint64_t column) const {
      return column * rows + (column < longer ? column : longer);
    }
    /// The column of a place behind the step.
    constexpr std::uint64_t column_of(std::uint64_t place) const {
      const std::uint64_t behind = begin(longer);
      return place < behind ? place / (rows + 1) : longer + (place - behind) / rows;
    }
    /// The length of a column.
    FPSYNTH_INLINE constexpr std::uint64_t words_of(std::uint64_t column) const {
      return rows + (column < longer ? 1 : 0);
    }
  };
};

}  // namespace fpsynth::preludes
