#pragma once
// The value predictor of FPC and pFPC: a hash table of values (fcm) and one of strides (dfcm),
// and the 4-bit codes of the residuals. Shared by both formats, which differ in framing alone.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace fpsynth::data {

/// Table size exponents that are read and written. 2^28 entries are 4 GiB for the two tables.
inline constexpr unsigned kMinTableBits = 1;
inline constexpr unsigned kMaxTableBits = 28;

/// Bytes of a residual by its 3-bit length code; 4 bytes are stored as 5.
inline constexpr std::uint8_t kResidualBytes[8] = {0, 1, 2, 3, 5, 6, 7, 8};
/// Length code of a residual by the number of bytes that hold it.
inline constexpr std::uint8_t kLengthCode[9] = {0, 1, 2, 3, 4, 4, 5, 6, 7};
/// Bits of a residual by its 3-bit length code.
inline constexpr std::uint64_t kResidualMask[8] = {0,
                                                   0xff,
                                                   0xffff,
                                                   0xffffff,
                                                   0xff'ffff'ffff,
                                                   0xffff'ffff'ffff,
                                                   0xff'ffff'ffff'ffff,
                                                   ~std::uint64_t{0}};

/// The two tables, all zero at the start, each of 2^table_bits 64-bit entries. Zero pages of the
/// operating system back them, so that memory is spent on entries that values reach and not on
/// what a file's header claims: at most two pages (8 KiB) per value, 2^(table_bits + 4) bytes in
/// all.
class FcmTables {
 public:
  /// `values`: how many values will go through, at least roughly; decides the page size, nothing
  /// else. Throws Error if table_bits is out of kMinTableBits..kMaxTableBits or there is no memory.
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

/// The state that runs over the tables. A new one over the same tables restarts the hashes and
/// keeps what was learnt. Small and copyable on purpose: a loop that holds one as a local variable
/// keeps it in registers.
class FcmPredictor {
 public:
  explicit FcmPredictor(const FcmTables& tables)
      : fcm_(tables.fcm()), dfcm_(tables.dfcm()), mask_(tables.mask()) {}

  struct Residual {
    std::uint64_t bits;  ///< kResidualBytes[code & 7] low-order bytes of it are stored
    unsigned code;       ///< 4 bits: selector * 8 + length code
  };

  /// The residual of the next value; the predictor has then learnt it.
  Residual encode(std::uint64_t value) {
    const std::uint64_t by_value = value ^ prediction_;
    const std::uint64_t by_stride = value ^ (last_ + stride_);
    const bool stride_wins = by_value > by_stride;
    const std::uint64_t bits = stride_wins ? by_stride : by_value;
    const unsigned bytes = (static_cast<unsigned>(std::bit_width(bits)) + 7) / 8;
    update(value);
    return {bits, (stride_wins ? 8u : 0u) + kLengthCode[bytes]};
  }

  /// The next value, from its 4-bit code and its residual; the predictor has then learnt it.
  std::uint64_t decode(unsigned code, std::uint64_t bits) {
    // Selected by a mask: which predictor wins is noise to a branch predictor.
    const std::uint64_t by_stride = last_ + stride_;
    const std::uint64_t select = std::uint64_t{0} - (code >> 3);
    const std::uint64_t value = bits ^ prediction_ ^ ((prediction_ ^ by_stride) & select);
    update(value);
    return value;
  }

 private:
  void update(std::uint64_t value) {
    fcm_[hash_] = value;
    hash_ = ((hash_ << 6) ^ (value >> 48)) & mask_;
    prediction_ = fcm_[hash_];
    const std::uint64_t stride = value - last_;
    dfcm_[stride_hash_] = stride;
    stride_hash_ = ((stride_hash_ << 2) ^ (stride >> 40)) & mask_;
    stride_ = dfcm_[stride_hash_];
    last_ = value;
  }

  std::uint64_t* fcm_;
  std::uint64_t* dfcm_;
  std::uint64_t mask_;
  std::uint64_t hash_ = 0, stride_hash_ = 0;
  std::uint64_t prediction_ = 0, stride_ = 0, last_ = 0;
};

}  // namespace fpsynth::data
