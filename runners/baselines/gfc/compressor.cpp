#include "runners/baselines/gfc/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "runners/baselines/compressor.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::baselines {

using namespace gfc_lanes;

void refuse_gfc(std::string_view name, std::size_t offset, std::string_view what) {
  raise("{}: byte {}: {}; the file is damaged or not a GFC file; create it again", name, offset,
        what);
}

void check_gfc(unsigned chunks, unsigned dimensionality) {
  expect_allowed("GFC with {} chunks", chunks, 1, kMaxGfcChunks);
  expect_allowed("GFC with dimensionality {}", dimensionality, 1, kMaxGfcDimensionality);
}

GfcLayout gfc_layout(std::size_t bytes, unsigned chunks, unsigned dimensionality) {
  check_gfc(chunks, dimensionality);
  expect_whole_doubles(bytes, "GFC");
  if (bytes > kMostGfcBytes) {
    raise("{} doubles are more than the 2^32 - 1 that a GFC file holds; split them", bytes / 8);
  }
  return {bytes / 8, chunks, dimensionality};
}

void put_gfc_header(const GfcLayout& layout, std::span<const std::size_t> sizes, std::byte* out) {
  store(out, static_cast<std::uint32_t>(layout.doubles));
  out[4] = static_cast<std::byte>(layout.dimensionality);
  store(out + 5, static_cast<std::uint16_t>(layout.chunks));
  for (std::size_t i = 0; i < layout.chunks; ++i) {
    const std::size_t size = i < sizes.size() ? sizes[i] : 0;
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      raise(
          "chunk {} takes {} bytes, but a chunk of a GFC file has at most 2^32 - 1; use more than "
          "{} chunks",
          i, size, layout.chunks);
    }
    store(out + gfc_header_bytes(i), static_cast<std::uint32_t>(size));
  }
}

GfcFile parse_gfc(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < gfc_header_bytes(0)) {
    refuse_gfc(name, 0, fmt::format("a header needs 7 bytes, the file has {}", file.size()));
  }
  const std::size_t count = load<std::uint32_t>(file.data());
  const unsigned dimensionality = std::to_integer<unsigned>(file[4]);
  const unsigned chunks = load<std::uint16_t>(file.data() + 5);
  if (dimensionality < 1 || dimensionality > kMaxGfcDimensionality) {
    refuse_gfc(name, 4,
               fmt::format("dimensionality {}; 1 to {} are allowed", dimensionality,
                           kMaxGfcDimensionality));
  }
  if (chunks == 0) refuse_gfc(name, 5, "a file of 0 chunks");
  if (file.size() < gfc_header_bytes(chunks)) {
    refuse_gfc(name, 7,
               fmt::format("{} chunks, but only {} bytes for their sizes", chunks,
                           file.size() - gfc_header_bytes(0)));
  }
  // All sizes are checked to be possible before anything is allocated for the chunks' contents.
  const std::size_t per_chunk = gfc_chunk_doubles(count, chunks);
  std::vector<std::size_t> offsets{gfc_header_bytes(chunks)};
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t bytes = load<std::uint32_t>(file.data() + gfc_header_bytes(i));
    const std::size_t from = std::min(count, i * per_chunk);
    const std::size_t held = std::min(per_chunk, count - from);
    const std::size_t subchunks = (held + kLanes - 1) / kLanes;
    if (bytes < subchunks * kCodeBytes || bytes > subchunks * kWorstSubchunk) {
      refuse_gfc(name, gfc_header_bytes(i),
                 fmt::format("chunk {} of {} doubles cannot take {} bytes", i, held, bytes));
    }
    if (bytes > file.size() - offsets.back()) {
      refuse_gfc(
          name, offsets.back(),
          fmt::format("chunk {} of {} bytes, {} are left", i, bytes, file.size() - offsets.back()));
    }
    offsets.push_back(offsets.back() + bytes);
  }
  if (offsets.back() != file.size()) {
    refuse_gfc(name, offsets.back(),
               fmt::format("{} bytes follow the last chunk", file.size() - offsets.back()));
  }
  return {{count, chunks, dimensionality}, std::move(offsets)};
}
namespace {

using namespace gfc_lanes;

/// Residuals are always moved as eight bytes, whatever their length.
constexpr std::size_t kSlack = 8;
/// Chunks are encoded in waves of about this many bytes, so that memory use does not grow with the
/// data.
constexpr std::size_t kWaveBytes = std::size_t{8} << 20;

/// Number of threads for `doubles` doubles in `chunks` chunks: only as many as are worth starting.
int thread_count(int threads, std::size_t chunks, std::size_t doubles) {
  constexpr std::size_t kWorthAThread = 1 << 15;
  return codec::threads_for(threads, std::min(chunks, doubles / kWorthAThread));
}

using Subchunk = std::array<std::uint64_t, kLanes>;

/// Computes the prediction of each lane of the subchunk after `previous`.
void predict(const Subchunk& previous, std::size_t dimensionality, Subchunk& predicted) {
  const std::uint64_t* const last = previous.data() + kLanes - dimensionality;
  std::size_t done = 0;
  for (; done + dimensionality <= kLanes; done += dimensionality) {
    for (std::size_t i = 0; i < dimensionality; ++i) predicted[done + i] = last[i];
  }
  for (std::size_t i = 0; done < kLanes; ++i, ++done) predicted[done] = last[i];
}

/// Encodes doubles to `out`, which has a capacity of all subchunks' worst case and kSlack more.
/// Returns the end of the output.
std::byte* encode_chunk(std::span<const std::byte> doubles, std::size_t dimensionality,
                        std::byte* out) {
  Subchunk values{}, predicted;
  for (std::size_t at = 0; at < doubles.size(); at += 8 * kLanes) {
    predict(values, dimensionality, predicted);
    const std::size_t bytes = std::min(8 * kLanes, doubles.size() - at);
    values = predicted;  // lanes that no double overwrites are padding
    std::memcpy(values.data(), doubles.data() + at, bytes);
    Subchunk bits;
    std::array<std::uint8_t, kLanes> codes;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Residual residual = residual_of(values[l], predicted[l]);
      bits[l] = residual.bits;
      codes[l] = static_cast<std::uint8_t>(residual.sign << 3 | length_code_of(residual.bits));
    }
    for (std::size_t i = 0; i < kCodeBytes; ++i) {
      out[i] = static_cast<std::byte>(codes[2 * i] | codes[2 * i + 1] << 4);
    }
    out += kCodeBytes;
    for (std::size_t l = 0; l < kLanes; ++l) {
      store(out, bits[l]);
      out += bytes_of(codes[l]);
    }
  }
  return out;
}

/// Decodes `in` to `out`. Returns false if the codes do not match the length of `in`. Reads nothing
/// else, even if another program changes the codes.
bool decode_chunk(std::span<const std::byte> in, std::size_t dimensionality,
                  std::span<std::byte> out) {
  static constexpr auto kMasks = [] {
    std::array<std::uint64_t, 8> masks{};
    for (std::uint32_t code = 0; code < 8; ++code) masks[code] = mask_of(code);
    return masks;
  }();
  Subchunk values{}, predicted;
  while (!out.empty()) {
    if (in.size() < kCodeBytes) return false;
    // Each code is read once, so that what follows agrees with this.
    std::size_t size = kCodeBytes;
    std::array<std::uint8_t, kLanes> lane_codes;
    for (std::size_t i = 0; i < kCodeBytes; ++i) {
      const auto pair = std::to_integer<std::uint8_t>(in[i]);
      lane_codes[2 * i] = pair & 15;
      lane_codes[2 * i + 1] = pair >> 4;
      size += bytes_of(pair & 15) + bytes_of(pair >> 4);
    }
    if (in.size() < size) return false;
    const std::byte* residual = in.data() + kCodeBytes;
    std::byte copy[8 * kLanes + kSlack];
    if (in.size() < size + kSlack) {
      const std::size_t residuals = size - kCodeBytes;
      std::memcpy(copy, residual, residuals);
      std::memset(copy + residuals, 0, kSlack);
      residual = copy;
    }
    predict(values, dimensionality, predicted);
    Subchunk bits;
    for (std::size_t l = 0; l < kLanes; ++l) {
      bits[l] = load<std::uint64_t>(residual) & kMasks[lane_codes[l] & 7];
      residual += bytes_of(lane_codes[l]);
    }
    for (std::size_t l = 0; l < kLanes; ++l) {
      values[l] = value_of(bits[l], lane_codes[l], predicted[l]);
    }
    const std::size_t bytes = std::min(8 * kLanes, out.size());
    std::memcpy(out.data(), values.data(), bytes);
    out = out.subspan(bytes);
    in = in.subspan(size);
  }
  return in.empty();
}

/// Decodes all chunks of a parsed file.
void decode(std::span<const std::byte> file, std::string_view name, const GfcFile& parsed,
            std::span<std::byte> out, int threads) {
  const GfcLayout& layout = parsed.layout;
  const std::vector<std::size_t>& offsets = parsed.offsets;
  const std::size_t used = layout.used(), per_chunk = layout.chunk_doubles();
  std::atomic<std::size_t> damaged = used;
  codec::in_any_order(used, thread_count(threads, used, layout.doubles), [&](std::size_t i) {
    const auto from = file.subspan(offsets[i], offsets[i + 1] - offsets[i]);
    const std::span<std::byte> to(out.data() + 8 * i * per_chunk, 8 * layout.of(i));
    if (!decode_chunk(from, layout.dimensionality, to)) damaged = i;
  });
  if (damaged != used) {
    refuse_gfc(name, offsets[damaged],
               fmt::format("chunk {}: its codes do not match its {} bytes", damaged.load(),
                           offsets[damaged + 1] - offsets[damaged]));
  }
}

}  // namespace

std::vector<std::byte> encode_gfc(std::span<const std::byte> doubles, unsigned chunks,
                                  unsigned dimensionality, int threads,
                                  std::vector<std::byte> buffer) {
  const GfcLayout layout = gfc_layout(doubles.size(), chunks, dimensionality);
  const std::size_t per_chunk = 8 * layout.chunk_doubles(), used = layout.used();
  const std::size_t worst = per_chunk / (8 * kLanes) * kWorstSubchunk + kSlack;

  const int workers = thread_count(threads, used, layout.doubles);
  const std::size_t wave =
      std::min(used, std::max(static_cast<std::size_t>(workers), kWaveBytes / worst));
  const std::unique_ptr<std::byte[]> records(new std::byte[wave * worst]);
  std::vector<std::size_t> sizes(used);
  const std::size_t header = gfc_header_bytes(chunks);
  buffer.reserve(header + doubles.size());
  buffer.resize(header);
  for (std::size_t first = 0; first < used; first += wave) {
    const std::size_t end = std::min(used, first + wave);
    codec::in_any_order(end - first, workers, [&](std::size_t i) {
      std::byte* const to = records.get() + i * worst;
      const auto chunk = doubles.subspan((first + i) * per_chunk, 8 * layout.of(first + i));
      const std::byte* const stop = encode_chunk(chunk, dimensionality, to);
      sizes[first + i] = static_cast<std::size_t>(stop - to);
    });
    for (std::size_t i = first; i < end; ++i) {
      const std::byte* const from = records.get() + (i - first) * worst;
      buffer.insert(buffer.end(), from, from + sizes[i]);
    }
  }
  put_gfc_header(layout, sizes, buffer.data());
  return buffer;
}

std::vector<std::byte> decode_gfc(std::span<const std::byte> file, std::string_view name,
                                  int threads) {
  const GfcFile parsed = parse_gfc(file, name);
  std::vector<std::byte> out(8 * parsed.layout.doubles);
  decode(file, name, parsed, out, threads);
  return out;
}

void decode_gfc_into(std::span<const std::byte> file, std::string_view name,
                     std::span<std::byte> out, int threads) {
  const GfcFile parsed = parse_gfc(file, name);
  expect_original_bytes(name, 8 * parsed.layout.doubles, out.size());
  decode(file, name, parsed, out, threads);
}

Compressor gfc(unsigned chunks, unsigned dimensionality) {
  check_gfc(chunks, dimensionality);
  return compressor_of_doubles(
      "GFC", "GFC", std::min(codec::default_threads(), static_cast<int>(chunks)),
      [=](std::span<const std::byte> input, std::vector<std::byte> buffer) {
        return encode_gfc(input, chunks, dimensionality, 0, std::move(buffer));
      },
      [](std::span<const std::byte> file, std::string_view name, std::span<std::byte> original) {
        decode_gfc_into(file, name, original);
      });
}

}  // namespace fpsynth::baselines
