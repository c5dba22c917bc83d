#include "runners/data/fpc/fcm_predictor.hpp"

#include <sys/mman.h>

#include <utility>

#include "synth/common/raise.hpp"

namespace fpsynth::data {
namespace {

std::size_t bytes_of(std::uint64_t mask) { return 2 * sizeof(std::uint64_t) * (mask + 1); }

}  // namespace

FcmTables::FcmTables(unsigned table_bits, std::size_t values)
    : mask_((std::uint64_t{1} << (table_bits & 63)) - 1) {
  if (table_bits < kMinTableBits || table_bits > kMaxTableBits) {
    raise("predictor tables of 2^{} entries: the exponent must be {} to {}", table_bits,
          kMinTableBits, kMaxTableBits);
  }
  const std::size_t bytes = bytes_of(mask_);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    raise(
        "no memory for two predictor tables of 2^{} entries ({} MiB); free some memory or use "
        "smaller tables",
        table_bits, bytes >> 20);
  }
#ifdef MADV_HUGEPAGE
  // Random accesses to big tables are limited by the TLB, so they get huge pages if there are
  // enough values. A few values in big tables must not cost 2 MiB each.
  madvise(memory, bytes, values >= mask_ / 8 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  entries_ = static_cast<std::uint64_t*>(memory);
}

FcmTables::~FcmTables() {
  if (entries_) munmap(entries_, bytes_of(mask_));
}

FcmTables::FcmTables(FcmTables&& other) noexcept
    : entries_(std::exchange(other.entries_, nullptr)), mask_(other.mask_) {}

namespace {

/// For tables beyond the near caches: prefetches all entries first, and packs in a separate loop.
/// Otherwise a processor that has seen an entry read soon after it was written would delay every
/// look-up until the address of the previous residual is known.
std::byte* encode_far(FcmPredictor& predictor, const std::byte* values, std::size_t count,
                      std::byte* codes, std::byte* residuals) {
  predictor.prefetch(values, count);
  FcmTile tile;
  FcmPredictor local = predictor;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value;
    std::memcpy(&value, values + 8 * i, sizeof value);
    const auto [bits, code] = local.encode(value);
    tile.bits[i] = bits;
    tile.codes[i] = static_cast<std::uint8_t>(code);
  }
  predictor = local;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(residuals, &tile.bits[i], sizeof tile.bits[i]);
    residuals += residual_bytes_of(tile.codes[i] & 7);
  }
  for (std::size_t i = 0; i < count / 2; ++i) {
    codes[i] = static_cast<std::byte>(tile.codes[2 * i] << 4 | tile.codes[2 * i + 1]);
  }
  if (count % 2) codes[count / 2] = static_cast<std::byte>(tile.codes[count - 1] << 4);
  return residuals;
}

}  // namespace

std::byte* encode_tile(FcmPredictor& predictor, const std::byte* values, std::size_t count,
                       std::byte* codes, std::byte* residuals) {
  if (predictor.far()) return encode_far(predictor, values, count, codes, residuals);
  FcmPredictor local = predictor;
  const auto one = [&] {
    std::uint64_t value;
    std::memcpy(&value, values, sizeof value);
    values += sizeof value;
    const auto [bits, code] = local.encode(value);
    std::memcpy(residuals, &bits, sizeof bits);
    residuals += kResidualBytes[code & 7];
    return code;
  };
  for (std::size_t i = 0; i < count / 2; ++i) {
    const unsigned first = one();
    *codes++ = static_cast<std::byte>(first << 4 | one());
  }
  if (count % 2) *codes = static_cast<std::byte>(one() << 4);
  predictor = local;
  return residuals;
}

const std::byte* decode_tile(FcmPredictor& predictor, const std::byte* codes,
                             const std::byte* residuals, std::size_t count, std::byte* out) {
  FcmPredictor local = predictor;
  const auto one = [&](unsigned code) {
    std::uint64_t bits;
    std::memcpy(&bits, residuals, sizeof bits);
    residuals += kResidualBytes[code & 7];
    const std::uint64_t value = local.decode(code, bits & kResidualMask[code & 7]);
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  };
  for (std::size_t i = 0; i < count / 2; ++i) {
    const auto pair = std::to_integer<unsigned>(codes[i]);
    one(pair >> 4);
    one(pair & 15);
  }
  if (count % 2) one(std::to_integer<unsigned>(codes[count / 2]) >> 4);
  predictor = local;
  return residuals;
}

const std::byte* unpack_tile(const std::byte* codes, const std::byte* residuals, std::size_t count,
                             FcmTile& tile) {
  const auto one = [&](std::size_t i, unsigned code) {
    std::uint64_t bits;
    std::memcpy(&bits, residuals, sizeof bits);
    tile.bits[i] = bits & kResidualMask[code & 7];
    tile.codes[i] = static_cast<std::uint8_t>(code);
    residuals += residual_bytes_of(code & 7);
  };
  for (std::size_t i = 0; i < count / 2; ++i) {
    const auto pair = std::to_integer<unsigned>(codes[i]);
    one(2 * i, pair >> 4);
    one(2 * i + 1, pair & 15);
  }
  if (count % 2) one(count - 1, std::to_integer<unsigned>(codes[count / 2]) >> 4);
  return residuals;
}

namespace {

template <std::size_t... L>
void decode_in_turn(FcmPredictor* predictors, const FcmTile* tiles, std::size_t count,
                    std::byte* const* out, std::index_sequence<L...>) {
  // Local copies, indexed by constants, so that the compiler keeps them in registers.
  FcmPredictor local[] = {predictors[L]...};
  std::byte* const to[] = {out[L]...};
  const auto one = [&](FcmPredictor & predictor, const FcmTile& tile, std::byte* at, std::size_t i)
      __attribute__((always_inline)) {
    const std::uint64_t value = predictor.decode(tile.codes[i], tile.bits[i]);
    std::memcpy(at + 8 * i, &value, sizeof value);
  };
  for (std::size_t i = 0; i < count; ++i) (one(local[L], tiles[L], to[L], i), ...);
  ((predictors[L] = local[L]), ...);
}

}  // namespace

void decode_tiles(FcmPredictor* predictors, const FcmTile* tiles, std::size_t number,
                  std::size_t count, std::byte* const* out) {
  static_assert(kTilesInTurn == 4);
  switch (number) {
    case 2:
      return decode_in_turn(predictors, tiles, count, out, std::make_index_sequence<2>());
    case 3:
      return decode_in_turn(predictors, tiles, count, out, std::make_index_sequence<3>());
    default:
      return decode_in_turn(predictors, tiles, count, out, std::make_index_sequence<4>());
  }
}

}  // namespace fpsynth::data
