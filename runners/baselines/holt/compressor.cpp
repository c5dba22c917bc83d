#include "runners/baselines/holt/compressor.hpp"

#include <fmt/core.h>

#include <atomic>

#include "runners/baselines/holt/runs.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/layout.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {
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
      .compress =
          [parameters](std::span<const std::byte> input, Precision precision,
                       std::vector<std::byte>& file) {
            file = encode_holt(input, precision, parameters, 0, std::move(file));
          },
      .decompress =
          [](std::span<const std::byte> file, Precision precision, std::span<std::byte> original) {
            if (holt_precision(file, "Holt file") != precision) {
              throw Error(
                  fmt::format("Holt file: its values are not of {} precision; "
                              "use the other",
                              synth::to_string(precision)));
            }
            decode_holt_into(file, "Holt file", original);
          }};
}

}  // namespace fpsynth::baselines
