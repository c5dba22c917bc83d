#pragma once
// The runs of Holt's method. Each run is one long chain of dependent floating-point operations, so
// sixteen are processed side by side, in tiles of 64 values.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runners/baselines/compressor.hpp"
#include "runners/baselines/holt/lanes.hpp"

namespace fpsynth::baselines {

inline constexpr std::size_t kHoltLanes = 16;
inline constexpr std::size_t kHoltRows = 64;  ///< their codes fill whole bytes

/// Values or residuals of a tile: rows of values, one column per lane.
template <typename Real>
using HoltTile = std::array<std::array<HoltWord<Real>, kHoltLanes>, kHoltRows>;

/// Level and slope of sixteen runs.
template <typename Real>
class HoltSmoother {
 public:
  using Word = HoltWord<Real>;

  HoltSmoother(double alpha, double beta) : factors_(alpha, beta) {}

  /// Converts the next `rows` rows of a tile from values to residuals or, with `decode`, back.
  template <bool decode>
  void pass(HoltTile<Real>& tile, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row, ++seen_) {
      if (seen_ == 0) {
        level_ = std::bit_cast<Lanes>(tile[row]);
      } else if (seen_ == 1) {
        first_slope<decode>(tile[row]);
      } else {
        step<decode>(tile[row]);
      }
    }
  }

 private:
  using Lanes = std::array<Real, kHoltLanes>;

  template <bool decode>
  void first_slope(std::array<Word, kHoltLanes>& row) {
    for (std::size_t l = 0; l < kHoltLanes; ++l) {
      const Word residual = row[l] ^ holt_forecast_bits(level_[l]);
      const Real value = std::bit_cast<Real>(decode ? residual : row[l]);
      slope_[l] = value - level_[l];
      holt_update(factors_, value, level_[l], slope_[l]);
      row[l] = residual;
    }
  }
  template <bool decode>
  void step(std::array<Word, kHoltLanes>& row) {
    for (std::size_t l = 0; l < kHoltLanes; ++l) {
      const Word residual = row[l] ^ holt_forecast_bits(level_[l] + slope_[l]);
      holt_update(factors_, std::bit_cast<Real>(decode ? residual : row[l]), level_[l], slope_[l]);
      row[l] = residual;
    }
  }

  HoltFactors<Real> factors_;
  std::size_t seen_ = 0;
  Lanes level_{}, slope_{};
};

/// Packs one lane of a tile: codes to `codes`, residuals to `residuals`. Returns the end of the
/// residuals. Overwrites up to a word after that.
template <typename Real>
std::byte* pack_lane(const HoltTile<Real>& tile, std::size_t lane, std::size_t rows,
                     std::byte* codes, std::byte* residuals) {
  for (std::size_t row = 0; row < rows; row += 8) {
    std::uint32_t packed = 0;
    const std::size_t group = std::min<std::size_t>(8, rows - row);
    for (std::size_t i = 0; i < group; ++i) {
      const HoltWord<Real> bits = tile[row + i][lane];
      const std::uint32_t code = holt_code_of(bits);
      store(residuals, bits);
      residuals += code + 1;
      packed |= code << (kHoltCodeBits<Real> * i);
    }
    std::memcpy(codes, &packed, holt_code_bytes<Real>(group));
    codes += kHoltCodeBits<Real>;
  }
  return residuals;
}

/// The codes of up to eight values.
template <typename Real>
std::uint32_t packed_codes(const std::byte* codes, std::size_t group) {
  std::uint32_t packed = 0;
  if (group == 8) {
    std::memcpy(&packed, codes, holt_code_bytes<Real>(8));
  } else {
    std::memcpy(&packed, codes, holt_code_bytes<Real>(group));
  }
  return packed;
}

/// Unpacks what pack_lane() packed. Returns the end of the residuals, or null if that is after
/// `end`. Nothing at or after `end` is read, and each code only once: the file may be one that
/// another program writes to.
template <typename Real>
const std::byte* unpack_lane(const std::byte* codes, const std::byte* residuals,
                             const std::byte* end, std::size_t lane, std::size_t rows,
                             HoltTile<Real>& tile) {
  using Word = HoltWord<Real>;
  for (std::size_t row = 0; row < rows; row += 8, codes += kHoltCodeBits<Real>) {
    const std::size_t group = std::min<std::size_t>(8, rows - row);
    const std::uint32_t packed = packed_codes<Real>(codes, group);
    for (std::size_t i = 0; i < group; ++i) {
      const std::size_t bytes = (packed >> (kHoltCodeBits<Real> * i) & (sizeof(Real) - 1)) + 1;
      Word bits = 0;
      const auto left = static_cast<std::size_t>(end - residuals);
      if (left >= sizeof(Word)) {
        bits = load<Word>(residuals) & (~Word{0} >> (8 * (sizeof(Word) - bytes)));
      } else {
        if (bytes > left) return nullptr;
        std::memcpy(&bits, residuals, bytes);
      }
      tile[row + i][lane] = bits;
      residuals += bytes;
    }
  }
  return residuals;
}

}  // namespace fpsynth::baselines
