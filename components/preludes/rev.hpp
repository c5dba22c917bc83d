#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "components/preludes/match.hpp"
#include "components/preludes/shape.hpp"

namespace fpsynth::preludes {

/// REV:r: copies of earlier records of r words, in the opposite order, leave the words: a border
/// that two areas share runs forwards in one outline and backwards in the other. The rest is as in
/// MATCH.
struct Rev {
  static constexpr std::string_view name = "REV", suffix = "", type = "Rev";
  static constexpr std::uint8_t wire = 12;
  static constexpr Shape shape = Shape::Matched;
  static constexpr bool parametric = true;
  template <class W>
  static constexpr ParameterRange range{1, 16};
  static constexpr std::uint64_t kMost = Match::kMost;
  static constexpr bool kTurned = true;
  /// Words of the shortest copy.
  static constexpr std::size_t kShortest = kShortestCopy;
  FPSYNTH_INLINE static constexpr std::uint64_t record_words(std::uint64_t parameter) {
    return parameter;
  }

  /// Records in a table of slots: more than there are records, up to 2^20.
  class Slots {
   public:
    FPSYNTH_INLINE explicit Slots(std::size_t records) {
      while (bits_ < 20 && records >> bits_ != 0) ++bits_;
    }
    FPSYNTH_INLINE static std::uint64_t hash(std::uint64_t before, std::uint64_t word) {
      const std::uint64_t product = (before ^ word) * 0x9e3779b97f4a7c15u;
      return product ^ product >> 32;
    }
    FPSYNTH_INLINE std::size_t slot(std::uint64_t hash) const {
      return std::size_t(hash * 0xd6e8feb86659fd93u >> (64 - bits_));
    }
    FPSYNTH_INLINE std::size_t count() const { return std::size_t{1} << bits_; }

   private:
    unsigned bits_ = 10;
  };
};

}  // namespace fpsynth::preludes
