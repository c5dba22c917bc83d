#include "runners/baselines/holt.hpp"

#include <fmt/core.h>
#include <omp.h>
#include <xxhash.h>

#include <atomic>

#include "runners/baselines/baselines.hpp"
#include "runners/baselines/holt_runs.hpp"
#include "runners/codec/parallel.hpp"
#include "synth/error.hpp"
#include "synth/version.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

constexpr char kMagic[] = {'H', 'O', 'L', 'T'};
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 52;

void check(const HoltParameters& parameters) {
  for (const auto& [name, value] :
       {std::pair{"alpha", parameters.alpha}, std::pair{"beta", parameters.beta}}) {
    if (!(value >= 0 && value <= 1)) {
      throw UsageError(fmt::format("Holt with {} {}; it is between 0 and 1", name, value));
    }
  }
  if (parameters.run < 1 || parameters.run > kMaxHoltRun) {
    throw UsageError(
        fmt::format("Holt with runs of {} values; they have 1 to {}", parameters.run, kMaxHoltRun));
  }
}

/// How an original is cut up.
struct Layout {
  HoltParameters parameters;
  std::size_t word_bytes, original_bytes;

  std::size_t values() const { return original_bytes / word_bytes; }
  std::size_t tail() const { return original_bytes % word_bytes; }
  std::size_t runs() const { return (values() + parameters.run - 1) / parameters.run; }
  /// Values of a run.
  std::size_t of(std::size_t run) const {
    return std::min<std::size_t>(parameters.run, values() - run * parameters.run);
  }
  std::size_t worst_run() const {
    return word_bytes == 4 ? holt_worst_bytes<float>(parameters.run)
                           : holt_worst_bytes<double>(parameters.run);
  }
  /// Bytes of a run's size in the metadata.
  std::size_t size_bytes() const { return worst_run() <= 0xffff ? 2 : 4; }
  std::size_t sizes_at() const { return kHeaderBytes + tail(); }
  std::size_t runs_at() const { return sizes_at() + runs() * size_bytes(); }
  /// Runs that are worked on at a time by one thread: a few times the lanes, some 128 KiB.
  std::size_t block_runs() const {
    const std::size_t runs = codec::kSliceBytes / (word_bytes * parameters.run);
    return std::max<std::size_t>(1, runs / kHoltLanes) * kHoltLanes;
  }
  std::size_t blocks() const { return (runs() + block_runs() - 1) / block_runs(); }
};

/// Calls body(first, lanes) for bundles of up to 16 runs of one length.
template <typename Body>
void for_bundles(const Layout& layout, std::size_t first, std::size_t end, Body body) {
  // The last run of all may be shorter than its neighbours.
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
void encode_runs(const Layout& layout, const std::byte* values, std::size_t first, std::size_t end,
                 Block& block) {
  const std::size_t run_bytes = sizeof(Real) * layout.parameters.run;
  block.sizes.clear();
  block.bytes.resize(end > first ? (end - first) * layout.worst_run() + sizeof(Real) : 0);
  std::vector<std::byte> lane_room(kHoltLanes * (layout.worst_run() + sizeof(Real)));
  std::byte* out = block.bytes.data();
  for_bundles(layout, first, end, [&](std::size_t run, std::size_t lanes) {
    const std::size_t length = layout.of(run);
    HoltSmoother<Real> smoother(layout.parameters.alpha, layout.parameters.beta);
    HoltTile<Real> tile{};
    std::byte* codes[kHoltLanes];
    std::byte* residuals[kHoltLanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      codes[l] = lane_room.data() + l * (layout.worst_run() + sizeof(Real));
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
      const std::byte* const from = lane_room.data() + l * (layout.worst_run() + sizeof(Real));
      out = std::copy(from, static_cast<const std::byte*>(residuals[l]), out);
      block.sizes.push_back(static_cast<std::uint32_t>(residuals[l] - from));
    }
  });
  block.bytes.resize(static_cast<std::size_t>(out - block.bytes.data()));
}

/// Decodes runs whose sizes have been checked against the file; false if their codes disagree.
template <typename Real>
bool decode_runs(const Layout& layout, std::span<const std::byte> file,
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
      const std::size_t size = offsets[run + l + 1] - offsets[run + l];
      good = good &&
             holt_code_bytes<Real>(length) + holt_residual_bytes<Real>(codes[l], length) == size;
    }
    if (!good) return;
    HoltSmoother<Real> smoother(layout.parameters.alpha, layout.parameters.beta);
    HoltTile<Real> tile{};
    for (std::size_t done = 0; done < length; done += kHoltRows) {
      const std::size_t rows = std::min(kHoltRows, length - done);
      for (std::size_t l = 0; l < lanes; ++l) {
        residuals[l] = unpack_lane<Real>(codes[l], residuals[l], file_end, l, rows, tile);
        codes[l] += kHoltCodeBits<Real> * (kHoltRows / 8);
      }
      smoother.template pass<true>(tile, rows);
      for (std::size_t l = 0; l < lanes; ++l) {
        std::byte* const to = values + (run + l) * run_bytes + sizeof(Real) * done;
        for (std::size_t row = 0; row < rows; ++row) store(to + sizeof(Real) * row, tile[row][l]);
      }
    }
  });
  return good;
}

[[noreturn]] void fail(std::string_view name, std::string_view what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or no Holt file, make it again", name, what));
}

/// Reads the header and checks all that can be before the metadata.
Layout parse(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < kHeaderBytes) {
    fail(name, fmt::format("a header needs {} bytes, there are {}", kHeaderBytes, file.size()));
  }
  if (std::memcmp(file.data(), kMagic, sizeof kMagic) != 0)
    fail(name, "it does not begin with HOLT");
  const auto version = std::to_integer<unsigned>(file[4]);
  const auto word_bytes = std::to_integer<unsigned>(file[5]);
  if (version != kVersion) {
    throw Error(fmt::format("{}: version {} of the format; this program reads version {}", name,
                            version, kVersion));
  }
  if (word_bytes != 4 && word_bytes != 8) {
    fail(name, fmt::format("words of {} bytes, not 4 or 8", word_bytes));
  }
  if (load<std::uint16_t>(file.data() + 6) != 0) fail(name, "bytes 6 and 7 are not 0");
  const HoltParameters parameters{std::bit_cast<double>(load<std::uint64_t>(file.data() + 12)),
                                  std::bit_cast<double>(load<std::uint64_t>(file.data() + 20)),
                                  load<std::uint32_t>(file.data() + 8)};
  try {
    check(parameters);
  } catch (const Error& error) {
    fail(name, error.what());
  }
  const Layout layout{parameters, word_bytes, load<std::uint64_t>(file.data() + 28)};
  // Every value takes a byte, so that nothing below can overflow or ask for undue memory.
  if (layout.values() > file.size()) {
    fail(name, fmt::format("{} values cannot be in {} bytes", layout.values(), file.size()));
  }
  if (load<std::uint64_t>(file.data() + 44) != layout.runs()) {
    fail(name, fmt::format("{} runs, but its {} values make {}",
                           load<std::uint64_t>(file.data() + 44), layout.values(), layout.runs()));
  }
  if (layout.runs_at() > file.size()) {
    fail(name,
         fmt::format("{} bytes are too few for the sizes of {} runs", file.size(), layout.runs()));
  }
  return layout;
}

/// Where each run begins, and the end of the last one.
std::vector<std::size_t> offsets_of(std::span<const std::byte> file, const Layout& layout,
                                    std::string_view name) {
  std::vector<std::size_t> offsets;
  offsets.reserve(layout.runs() + 1);
  std::size_t offset = layout.runs_at();
  for (std::size_t run = 0; run < layout.runs(); ++run) {
    const std::byte* const at = file.data() + layout.sizes_at() + run * layout.size_bytes();
    const std::size_t size =
        layout.size_bytes() == 2 ? load<std::uint16_t>(at) : load<std::uint32_t>(at);
    const std::size_t values = layout.of(run);
    const std::size_t least = values + (layout.word_bytes == 4 ? holt_code_bytes<float>(values)
                                                               : holt_code_bytes<double>(values));
    if (size < least || size > least + (layout.word_bytes - 1) * values) {
      fail(name, fmt::format("run {} of {} values cannot take {} bytes", run, values, size));
    }
    if (size > file.size() - offset) {
      fail(name, fmt::format("run {} of {} bytes, {} are left", run, size, file.size() - offset));
    }
    offsets.push_back(offset);
    offset += size;
  }
  if (offset != file.size()) {
    fail(name, fmt::format("{} bytes behind the last run", file.size() - offset));
  }
  offsets.push_back(offset);
  return offsets;
}

}  // namespace

std::vector<std::byte> encode_holt(std::span<const std::byte> input, Precision precision,
                                   const HoltParameters& parameters, int threads) {
  check(parameters);
  const Layout layout{parameters, synth::word_bytes(precision), input.size()};
  std::vector<std::byte> out(layout.runs_at());
  out.reserve(out.size() + input.size());
  std::memcpy(out.data(), kMagic, sizeof kMagic);
  out[4] = static_cast<std::byte>(kVersion);
  out[5] = static_cast<std::byte>(layout.word_bytes);
  store(out.data() + 8, parameters.run);
  store(out.data() + 12, std::bit_cast<std::uint64_t>(parameters.alpha));
  store(out.data() + 20, std::bit_cast<std::uint64_t>(parameters.beta));
  store(out.data() + 28, static_cast<std::uint64_t>(input.size()));
  store(out.data() + 36, static_cast<std::uint64_t>(XXH3_64bits(input.data(), input.size())));
  store(out.data() + 44, static_cast<std::uint64_t>(layout.runs()));
  const auto tail = input.last(layout.tail());
  std::copy(tail.begin(), tail.end(), out.begin() + kHeaderBytes);

  const int team = codec::team_size(threads, layout.blocks());
  std::vector<Block> slots(codec::slot_count(team));
  std::size_t sizes_at = layout.sizes_at();
  codec::in_order(
      0, layout.blocks(), team,
      [&](std::uint64_t block, std::size_t slot, std::size_t) {
        const std::size_t first = block * layout.block_runs();
        const std::size_t end = std::min(layout.runs(), first + layout.block_runs());
        layout.word_bytes == 4 ? encode_runs<float>(layout, input.data(), first, end, slots[slot])
                               : encode_runs<double>(layout, input.data(), first, end, slots[slot]);
      },
      [&](std::uint64_t, std::size_t slot) {
        for (const std::uint32_t size : slots[slot].sizes) {
          std::memcpy(out.data() + sizes_at, &size, layout.size_bytes());
          sizes_at += layout.size_bytes();
        }
        out.insert(out.end(), slots[slot].bytes.begin(), slots[slot].bytes.end());
      });
  return out;
}

Precision holt_precision(std::span<const std::byte> file, std::string_view name) {
  return parse(file, name).word_bytes == 4 ? Precision::Single : Precision::Double;
}

std::vector<std::byte> decode_holt(std::span<const std::byte> file, std::string_view name,
                                   int threads) {
  const Layout layout = parse(file, name);
  const std::vector<std::size_t> offsets = offsets_of(file, layout, name);
  std::vector<std::byte> out(layout.original_bytes);
  std::atomic<std::size_t> damaged = layout.blocks();
#pragma omp parallel for num_threads(codec::team_size(threads, layout.blocks())) \
    schedule(dynamic, 1)
  for (std::size_t block = 0; block < layout.blocks(); ++block) {
    const std::size_t first = block * layout.block_runs();
    const std::size_t end = std::min(layout.runs(), first + layout.block_runs());
    const bool good = layout.word_bytes == 4
                          ? decode_runs<float>(layout, file, offsets, first, end, out.data())
                          : decode_runs<double>(layout, file, offsets, first, end, out.data());
    if (!good) damaged = block;
  }
  if (damaged != layout.blocks()) {
    fail(name, fmt::format("the codes of a run from {} on do not ask for the bytes that it has",
                           damaged * layout.block_runs()));
  }
  std::copy_n(file.begin() + kHeaderBytes, layout.tail(),
              out.end() - static_cast<std::ptrdiff_t>(layout.tail()));
  if (XXH3_64bits(out.data(), out.size()) != load<std::uint64_t>(file.data() + 36)) {
    fail(name, "its contents do not have the checksum that it states");
  }
  return out;
}

Compressor holt(double alpha, double beta, std::uint32_t run) {
  const HoltParameters parameters{alpha, beta, run};
  check(parameters);
  Compressor compressor;
  compressor.name = "Holt";
  compressor.version = synth::kVersion;
  compressor.threads = omp_get_max_threads();
  compressor.precisions = {Precision::Single, Precision::Double};
  compressor.compress = [parameters](std::span<const std::byte> input, Precision precision) {
    return encode_holt(input, precision, parameters);
  };
  compressor.decompress = [](std::span<const std::byte> file, Precision precision, std::size_t) {
    if (holt_precision(file, "Holt file") != precision) {
      throw Error(
          fmt::format("Holt file: it does not hold values of {} precision; ask for the "
                      "other",
                      synth::to_string(precision)));
    }
    return decode_holt(file, "Holt file");
  };
  return compressor;
}

}  // namespace fpsynth::baselines
