#pragma once
// The value predictor of FPC and pFPC: a hash table of values (fcm) and one of strides (dfcm),
// and the 4-bit codes of the residuals. Shared by both formats, which differ only in framing.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fpsynth::data {

/// Table size exponents that are read and written. 2^28 entries are 4 GiB for the two tables.
inline constexpr unsigned kMinTableBits = 1;
inline constexpr unsigned kMaxTableBits = 28;

/// Bytes of a residual by its 3-bit length code; 4 bytes are stored as 5.
inline constexpr std::uint8_t kResidualBytes[8] = {0, 1, 2, 3, 5, 6, 7, 8};
/// Bits of a residual by its 3-bit length code.
inline constexpr std::uint64_t kResidualMask[8] = {0,
                                                   0xff,
                                                   0xffff,
                                                   0xffffff,
                                                   0xff'ffff'ffff,
                                                   0xffff'ffff'ffff,
                                                   0xff'ffff'ffff'ffff,
                                                   ~std::uint64_t{0}};

/// The two tables, all zero at the start, each of 2^table_bits 64-bit entries. They are zero pages
/// of the operating system, so that memory is used by entries that values reach and not by what a
/// file's header claims: at most two pages (8 KiB) per value, 2^(table_bits + 4) bytes in
/// all.
class FcmTables {
 public:
  /// `values`: the approximate number of values to come; only decides the page size. Throws Error
  /// if table_bits is out of kMinTableBits..kMaxTableBits or there is no memory.
  FcmTables(unsigned table_bits, std::size_t values);
  ~FcmTables();
  FcmTables(FcmTables&& other) noexcept;
  FcmTables& operator=(FcmTables&&) = delete;

  std::uint64_t* fcm() const { return entries_; }
  std::uint64_t* dfcm() const { return entries_ + mask_ + 1; }
  std::uint64_t mask() const { return mask_; }

 private:
  std::uint64_t* entries_ = nullptr;
  std::uint64_t mask_;
};

/// Stored bytes of a residual with a 3-bit length code: kResidualBytes without a table.
constexpr unsigned residual_bytes_of(unsigned length_code) {
  return length_code + (length_code >> 2);
}

/// 3-bit length code of a residual other than 0 by the number of its highest bit that is set.
inline constexpr std::uint8_t kLengthCodeOfTop[64] = {
    1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7};

/// 3-bit length code of a residual. Free of branches: whether a prediction is exact is noise to a
/// branch predictor.
constexpr unsigned length_code_of(std::uint64_t residual) {
  // 63 ^ n and not 63 - n: it cancels against what x86 compilers make of countl_zero().
  const int top = 63 ^ std::countl_zero(residual | 1);
  return kLengthCodeOfTop[top] - (residual == 0 ? 1u : 0u);
}

/// The predictor's state. A new one over the same tables restarts hashes and predictions and keeps
/// what was learnt, except the entries that the next value overwrites. Small and copyable on
/// purpose: a loop that holds one as a local variable keeps it in registers.
class FcmPredictor {
 public:
  explicit FcmPredictor(const FcmTables& tables)
      : fcm_(tables.fcm()), dfcm_(tables.dfcm()), mask_(tables.mask()) {
    // The first predictions are 0 whatever the tables hold, and the first update hits these.
    fcm_[0] = 0;
    dfcm_[0] = 0;
  }

  struct Residual {
    std::uint64_t bits;  ///< kResidualBytes[code & 7] low-order bytes of it are stored
    unsigned code;       ///< 4 bits: selector * 8 + length code
  };

  /// Returns the residual of the next value and learns the value.
  Residual encode(std::uint64_t value) {
    const std::uint64_t by_value = value ^ fcm_[hash_];
    const std::uint64_t by_stride = value ^ (last_ + dfcm_[stride_hash_]);
    const std::uint64_t bits = by_value > by_stride ? by_stride : by_value;
    const unsigned code = (by_value > by_stride ? 8u : 0u) + length_code_of(bits);
    update(value);
    return {bits, code};
  }

  /// Returns the next value, from its 4-bit code and its residual, and learns it.
  std::uint64_t decode(unsigned code, std::uint64_t bits) {
    // Selected by a mask: which predictor wins is noise to a branch predictor.
    const std::uint64_t by_value = fcm_[hash_];
    const std::uint64_t by_stride = last_ + dfcm_[stride_hash_];
    const std::uint64_t select = std::uint64_t{0} - (code >> 3);
    const std::uint64_t value = bits ^ by_value ^ ((by_value ^ by_stride) & select);
    update(value);
    return value;
  }

  /// True if the tables are too big for a cache close to the processor.
  bool far() const { return mask_ >> kNearTableBits != 0; }

  /// Prefetches the entries that the next `count` values, 8 bytes each, will use. An encoder knows
  /// them early: hashes depend on values and not on predictions.
  [[gnu::always_inline]] void prefetch(const std::byte* values, std::size_t count) const {
    std::uint64_t hash = hash_, stride_hash = stride_hash_, last = last_;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t value;
      std::memcpy(&value, values + 8 * i, sizeof value);
      hash = next_hash(hash, value);
      stride_hash = next_stride_hash(stride_hash, value - last);
      last = value;
      __builtin_prefetch(fcm_ + hash, 1);
      __builtin_prefetch(dfcm_ + stride_hash, 1);
    }
  }

 private:
  /// Measured (runners/baselines/fpc/README.md): up to this size prefetching costs more than it
  /// saves.
  static constexpr unsigned kNearTableBits = 18;

  std::uint64_t next_hash(std::uint64_t hash, std::uint64_t value) const {
    return ((hash << 6) ^ (value >> 48)) & mask_;
  }
  std::uint64_t next_stride_hash(std::uint64_t hash, std::uint64_t stride) const {
    return ((hash << 2) ^ (stride >> 40)) & mask_;
  }
  void update(std::uint64_t value) {
    const std::uint64_t stride = value - last_;
    fcm_[hash_] = value;
    dfcm_[stride_hash_] = stride;
    hash_ = next_hash(hash_, value);
    stride_hash_ = next_stride_hash(stride_hash_, stride);
    last_ = value;
  }

  std::uint64_t* fcm_;
  std::uint64_t* dfcm_;
  std::uint64_t mask_;
  std::uint64_t hash_ = 0, stride_hash_ = 0, last_ = 0;
};

/// Number of values of a tile.
inline constexpr std::size_t kTileValues = 64;

/// Residual bytes are always moved eight at a time: encoders overwrite up to this many bytes after
/// the last one. Decoders of n values read at most 8 n bytes, the most that the residuals can have.
inline constexpr std::size_t kResidualSlack = 8;

/// Codes `count` values (1..kTileValues, 8 bytes each): (count + 1) / 2 bytes to `codes`, the first
/// value of two in the high half, and the residual bytes to `residuals`. Returns the end of the
/// residuals.
std::byte* encode_tile(FcmPredictor& predictor, const std::byte* values, std::size_t count,
                       std::byte* codes, std::byte* residuals);

/// Decodes the output of encode_tile() to out[0..8 * count); returns the end of its residuals.
const std::byte* decode_tile(FcmPredictor& predictor, const std::byte* codes,
                             const std::byte* residuals, std::size_t count, std::byte* out);

/// The codes of a block of values and the residuals after them, which are read a tile at a time.
/// Codes are believed only where they are used, and nothing at or after the block's end is read:
/// the block may be in a file that another program writes to.
class FcmBlock {
 public:
  /// Codes of `values` values begin the block, which has at least that many bytes.
  FcmBlock(const std::byte* codes, std::size_t values, const std::byte* end)
      : codes_(codes), residuals_(codes + (values + 1) / 2), end_(end), left_(values) {}

  /// The number of values that have not been read.
  std::size_t left() const { return left_; }
  /// True if the values that have been read have all of the residuals.
  bool at_end() const { return residuals_ == end_; }

  /// Calls read(codes, residuals) for the next `count` values: a tile, or what is left of a shorter
  /// one. It reads 8 * count bytes of residuals at most, and returns the end of the residuals.
  /// Returns false if that is after the block's end.
  template <class Read>
  bool next(std::size_t count, Read read) {
    const auto bytes = static_cast<std::size_t>(end_ - residuals_);
    if (bytes >= 8 * count) {
      residuals_ = read(codes_, residuals_);
    } else {
      std::byte copy[8 * kTileValues] = {};
      std::copy(residuals_, end_, copy);
      const std::byte* const from = copy;
      const auto used = static_cast<std::size_t>(read(codes_, from) - from);
      if (used > bytes) return false;
      residuals_ += used;
    }
    codes_ += count / 2;
    left_ -= count;
    return true;
  }

 private:
  const std::byte* codes_;
  const std::byte* residuals_;
  const std::byte* end_;
  std::size_t left_;
};

/// A tile's residuals and codes, unpacked.
struct FcmTile {
  std::uint64_t bits[kTileValues];
  std::uint8_t codes[kTileValues];
};

/// Unpacks the output of encode_tile(); returns the end of its residuals.
const std::byte* unpack_tile(const std::byte* codes, const std::byte* residuals, std::size_t count,
                             FcmTile& tile);

/// Decodes `count` values of each of `number` (2..kTilesInTurn) predictors, those of tile l to
/// out[l]. A value waits for two look-ups that the value before it decides; several predictors in
/// turn wait at the same time.
inline constexpr std::size_t kTilesInTurn = 4;
void decode_tiles(FcmPredictor* predictors, const FcmTile* tiles, std::size_t number,
                  std::size_t count, std::byte* const* out);

}  // namespace fpsynth::data
