#include "runners/baselines/holt/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "runners/baselines/compressor.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/layout.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {

// The runs of Holt's method. Each run is one long chain of dependent floating-point operations, so
// sixteen are processed side by side, in tiles of 64 values.

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
namespace {

using synth::Precision;

/// Number of runs that a thread processes at a time: a multiple of the lanes, some 128 KiB.
std::size_t block_runs(const HoltLayout& layout) {
  const std::size_t runs = codec::kSliceBytes / (layout.word_bytes * layout.parameters.run);
  return std::max<std::size_t>(1, runs / kHoltLanes) * kHoltLanes;
}
std::size_t blocks_of(const HoltLayout& layout) {
  return (layout.runs() + block_runs(layout) - 1) / block_runs(layout);
}

/// Calls body(first, lanes) for bundles of up to 16 runs of equal length.
template <typename Body>
void for_bundles(const HoltLayout& layout, std::size_t first, std::size_t end, Body body) {
  // The last of all runs may be shorter than the others.
  const std::size_t whole = layout.values() / layout.parameters.run;
  while (first < end) {
    const std::size_t lanes =
        first < whole ? std::min({kHoltLanes, end - first, whole - first}) : 1;
    body(first, lanes);
    first += lanes;
  }
}

/// The encoded runs of a block.
struct Block {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> sizes;
};

template <typename Real>
void encode_runs(const HoltLayout& layout, const std::byte* values, std::size_t first,
                 std::size_t end, Block& block) {
  const std::size_t run_bytes = sizeof(Real) * layout.parameters.run;
  block.sizes.clear();
  block.bytes.resize(end > first ? (end - first) * layout.worst_run() + sizeof(Real) : 0);
  std::vector<std::byte> lane_bytes(kHoltLanes * (layout.worst_run() + sizeof(Real)));
  std::byte* out = block.bytes.data();
  for_bundles(layout, first, end, [&](std::size_t run, std::size_t lanes) {
    const std::size_t length = layout.of(run);
    HoltSmoother<Real> smoother(layout.parameters.alpha, layout.parameters.beta);
    HoltTile<Real> tile{};
    std::byte* codes[kHoltLanes];
    std::byte* residuals[kHoltLanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      codes[l] = lane_bytes.data() + l * (layout.worst_run() + sizeof(Real));
      residuals[l] = codes[l] + holt_code_bytes<Real>(length);
    }
    for (std::size_t done = 0; done < length; done += kHoltRows) {
      const std::size_t rows = std::min(kHoltRows, length - done);
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::byte* const from = values + (run + l) * run_bytes + sizeof(Real) * done;
        for (std::size_t row = 0; row < rows; ++row) {
          tile[row][l] = load<HoltWord<Real>>(from + sizeof(Real) * row);
        }
      }
      smoother.template pass<false>(tile, rows);
      for (std::size_t l = 0; l < lanes; ++l) {
        residuals[l] = pack_lane<Real>(tile, l, rows, codes[l], residuals[l]);
        codes[l] += kHoltCodeBits<Real> * (kHoltRows / 8);
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::byte* const from = lane_bytes.data() + l * (layout.worst_run() + sizeof(Real));
      out = std::copy(from, static_cast<const std::byte*>(residuals[l]), out);
      block.sizes.push_back(static_cast<std::uint32_t>(residuals[l] - from));
    }
  });
  block.bytes.resize(static_cast<std::size_t>(out - block.bytes.data()));
}

/// Decodes runs whose sizes have been checked against the file. Returns false if their codes do not
/// match the sizes.
template <typename Real>
bool decode_runs(const HoltLayout& layout, std::span<const std::byte> file,
                 std::span<const std::size_t> offsets, std::size_t first, std::size_t end,
                 std::byte* values) {
  const std::size_t run_bytes = sizeof(Real) * layout.parameters.run;
  const std::byte* const file_end = file.data() + file.size();
  bool good = true;
  for_bundles(layout, first, end, [&](std::size_t run, std::size_t lanes) {
    const std::size_t length = layout.of(run);
    const std::byte* codes[kHoltLanes];
    const std::byte* residuals[kHoltLanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      codes[l] = file.data() + offsets[run + l];
      residuals[l] = codes[l] + holt_code_bytes<Real>(length);
    }
    HoltSmoother<Real> smoother(layout.parameters.alpha, layout.parameters.beta);
    HoltTile<Real> tile{};
    for (std::size_t done = 0; done < length; done += kHoltRows) {
      const std::size_t rows = std::min(kHoltRows, length - done);
      for (std::size_t l = 0; l < lanes; ++l) {
        residuals[l] = unpack_lane<Real>(codes[l], residuals[l], file_end, l, rows, tile);
        if (!residuals[l]) {
          good = false;
          return;
        }
        codes[l] += kHoltCodeBits<Real> * (kHoltRows / 8);
      }
      smoother.template pass<true>(tile, rows);
      for (std::size_t l = 0; l < lanes; ++l) {
        std::byte* const to = values + (run + l) * run_bytes + sizeof(Real) * done;
        for (std::size_t row = 0; row < rows; ++row) store(to + sizeof(Real) * row, tile[row][l]);
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      good = good && residuals[l] == file.data() + offsets[run + l + 1];
    }
  });
  return good;
}

/// Decodes a whole file whose run sizes have been checked.
void decode(const HoltLayout& layout, std::span<const std::byte> file,
            std::span<const std::size_t> offsets, std::string_view name, std::span<std::byte> out,
            int threads) {
  const std::size_t blocks = blocks_of(layout);
  std::atomic<std::size_t> damaged = blocks;
  codec::in_any_order(blocks, codec::threads_for(threads, blocks), [&](std::size_t block) {
    const std::size_t first = block * block_runs(layout);
    const std::size_t end = std::min(layout.runs(), first + block_runs(layout));
    const bool good = layout.in_precision([&](auto real) {
      return decode_runs<decltype(real)>(layout, file, offsets, first, end, out.data());
    });
    if (!good) damaged = block;
  });
  if (damaged != blocks) {
    refuse_holt(name, fmt::format("the codes of a run, run {} or later, do not match its size",
                                  damaged * block_runs(layout)));
  }
  finish_holt(file, layout, name, out);
}

}  // namespace

std::vector<std::byte> encode_holt(std::span<const std::byte> input, Precision precision,
                                   const HoltParameters& parameters, int threads,
                                   std::vector<std::byte> buffer) {
  check_holt(parameters);
  const HoltLayout layout{parameters, synth::word_bytes(precision), input.size()};
  buffer.reserve(layout.runs_at() + input.size());
  put_holt_frame(layout, input, buffer);

  const int workers = codec::threads_for(threads, blocks_of(layout));
  std::vector<Block> slots(codec::buffer_count(workers));
  std::size_t sized = 0;
  codec::in_order(
      0, blocks_of(layout), workers,
      [&](std::uint64_t block, std::size_t slot, std::size_t) {
        const std::size_t first = block * block_runs(layout);
        const std::size_t end = std::min(layout.runs(), first + block_runs(layout));
        layout.in_precision([&](auto real) {
          encode_runs<decltype(real)>(layout, input.data(), first, end, slots[slot]);
        });
      },
      [&](std::uint64_t, std::size_t slot) {
        put_holt_sizes(layout, sized, slots[slot].sizes, buffer.data());
        sized += slots[slot].sizes.size();
        buffer.insert(buffer.end(), slots[slot].bytes.begin(), slots[slot].bytes.end());
      });
  return buffer;
}

Precision holt_precision(std::span<const std::byte> file, std::string_view name) {
  return parse_holt(file, name).word_bytes == 4 ? Precision::Single : Precision::Double;
}

std::vector<std::byte> decode_holt(std::span<const std::byte> file, std::string_view name,
                                   int threads) {
  const HoltLayout layout = parse_holt(file, name);
  const std::vector<std::size_t> offsets = holt_offsets(file, layout, name);
  std::vector<std::byte> out(layout.original_bytes);
  decode(layout, file, offsets, name, out, threads);
  return out;
}

void decode_holt_into(std::span<const std::byte> file, std::string_view name,
                      std::span<std::byte> out, int threads) {
  const HoltLayout layout = parse_holt(file, name);
  const std::vector<std::size_t> offsets = holt_offsets(file, layout, name);
  expect_original_bytes(name, layout.original_bytes, out.size());
  decode(layout, file, offsets, name, out, threads);
}

Compressor holt(const HoltParameters& parameters) {
  check_holt(parameters);
  return {
      .name = "Holt",
      .version = synth::kVersion,
      .threads = codec::default_threads(),
      .precisions = {Precision::Double, Precision::Single},
      .compress =
          [parameters](std::span<const std::byte> input, Precision precision,
                       std::vector<std::byte>& file) {
            file = encode_holt(input, precision, parameters, 0, std::move(file));
          },
      .decompress =
          [](std::span<const std::byte> file, Precision precision, std::span<std::byte> original) {
            if (holt_precision(file, "Holt file") != precision) {
              raise("Holt file: its values are not of {} precision; use the other",
                    synth::to_string(precision));
            }
            decode_holt_into(file, "Holt file", original);
          }};
}

}  // namespace fpsynth::baselines
