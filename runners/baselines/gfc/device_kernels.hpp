#pragma once
// GFC's kernels (gfc_2011, section 2.2). A warp processes a chunk, subchunk by subchunk, with one
// value per lane. Warps do not communicate; a thread block is just two of them.
//
// Compression reads the doubles twice: once to compute the chunks' sizes, whose prefix sums are the
// chunks' offsets, and once to write each chunk to its offset. The paper leaves gaps for the worst
// case; closing them would read and write the whole file once more than here. With c = compressed /
// original bytes, the lower bound is (2 + c) / r times the original's size, where r is the rate of
// a device copy counted in both directions; for decompression it is (1 + c) / r.
//
// All global accesses are coalesced: 256 bytes of doubles per warp; 512 bytes of a file, in units
// of 16 through shared memory. Only the first and last unit of a chunk, which its neighbours share,
// are moved byte by byte. Offsets in a subchunk come from ballots of the length codes' three bits,
// which are independent of each other, unlike the steps of a scan.
//
// According to the PTX, a warp issues about 45 instructions per subchunk of 256 bytes for the
// sizes, 170 to encode and 140 to decode. On an H100 (132 multiprocessors at 1.75 GHz, 4 warp
// instructions a cycle each, some 2.9 TB/s of memory) that would allow 1.1 and 1.7 TB/s, and
// memory, with c = 0.9, 1.0 and 1.5: about balanced, if there are enough chunks. With fewer chunks
// than warps, the latency of a subchunk is the limit, so doubles are loaded four subchunks ahead
// and files 512 bytes ahead. These are estimates; nothing here has been measured on a device.
//
// Shuffles and ballots synchronize the lanes of a warp but do not order their memory accesses; the
// barriers do that.

#include "runners/baselines/device_common.hpp"
#include "runners/baselines/gfc/format.hpp"

namespace fpsynth::baselines::gfc_lanes {

/// Chunks of doubles; the last one may have fewer.
struct Chunks {
  std::uint64_t count;  ///< doubles in all of them
  std::uint64_t each;   ///< doubles in a chunk, a multiple of 32
  std::uint32_t chunks, dimensionality;
};

/// The values that the lanes of one chunk hold.
struct ChunkShape {
  std::uint64_t first;  ///< its first double
  std::uint32_t last;   ///< its last subchunk
  std::uint32_t tail;   ///< doubles in the last subchunk: 1 to 32

  FPSYNTH_INLINE ChunkShape(const Chunks& chunks, std::uint32_t chunk)
      : first(chunk * chunks.each) {
    const std::uint64_t left = chunks.count - first;
    const std::uint32_t held = std::uint32_t(left < chunks.each ? left : chunks.each);
    last = (held - 1) / 32;
    tail = held - 32 * last;
  }
  FPSYNTH_INLINE bool has(std::uint32_t subchunk, std::uint32_t lane) const {
    return subchunk < last || (subchunk == last && lane < tail);
  }
};

/// Calls f(difference without sign, code) for every subchunk of a chunk, in order.
template <teams::Hardware Hardware, class F>
FPSYNTH_INLINE void for_residuals(Hardware hw, const std::uint64_t* values, const Chunks& chunks,
                                  std::uint32_t chunk, F f) {
  constexpr std::uint32_t kAhead = 4;
  const ChunkShape shape(chunks, chunk);
  const std::uint32_t lane = hw.lane() % 32;
  const std::uint32_t from = std::uint32_t(predicting_lane(lane, chunks.dimensionality));
  const std::uint64_t* const mine = values + shape.first + lane;
  auto at = [&](std::uint32_t subchunk) {
    return shape.has(subchunk, lane) ? mine[std::uint64_t{subchunk} * 32] : 0;
  };
  std::uint64_t ahead[kAhead], previous = 0;
  for (std::uint32_t k = 0; k < kAhead; ++k) ahead[k] = at(k);
  for (std::uint32_t first = 0; first <= shape.last; first += kAhead) {
    std::uint64_t now[kAhead];
    for (std::uint32_t k = 0; k < kAhead; ++k) now[k] = ahead[k];
    for (std::uint32_t k = 0; k < kAhead; ++k) ahead[k] = at(first + kAhead + k);
    for (std::uint32_t k = 0; k < kAhead; ++k) {
      if (first + k > shape.last) break;
      const std::uint64_t predicted = hw.shuffle(previous, from);
      // Padding equals its prediction.
      previous = shape.has(first + k, lane) ? now[k] : predicted;
      const Residual residual = residual_of(previous, predicted);
      f(residual.bits, residual.sign << 3 | length_code_of(residual.bits));
    }
  }
}

/// Position of a lane's bytes in its subchunk: the bytes before them, and the bytes of all lanes.
struct Position {
  std::uint32_t before, all;
};
template <teams::Hardware Hardware>
FPSYNTH_INLINE Position position_of(Hardware hw, std::uint32_t code) {
  const std::uint32_t below = (1u << hw.lane() % 32) - 1;
  const std::uint32_t ones = hw.ballot(code & 1), twos = hw.ballot(code & 2);
  const std::uint32_t fours = hw.ballot(code & 4);
  // Sums of bytes_of(), computed from the codes' bits.
  auto sum = [&](std::uint32_t lanes) {
    using words::count_bits32;
    return count_bits32(ones & lanes) + 2 * count_bits32(twos & lanes) +
           4 * count_bits32(fours & lanes) + count_bits32((twos | fours) & lanes);
  };
  return {sum(below), sum(~0u)};
}

/// Computes the sizes of chunks.
struct SizesBody {
  static constexpr std::uint32_t kLanes = 64;
  static constexpr std::size_t kSharedBytes = 0;
  struct Args {
    const std::uint64_t* values;
    std::uint64_t* sizes;
    Chunks chunks;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    for_warp_items(hw, args.chunks.chunks, [&](std::uint32_t chunk) {
      std::uint32_t bytes = 0;  // of this lane: less than 8 x 2^27
      for_residuals(hw, args.values, args.chunks, chunk,
                    [&](std::uint64_t, std::uint32_t code) { bytes += bytes_of(code); });
      const std::uint64_t all = warp_sum(hw, std::uint64_t{bytes});
      const std::uint64_t subchunks = ChunkShape(args.chunks, chunk).last + std::uint64_t{1};
      if (hw.lane() % 32 == 0) args.sizes[chunk] = all + kCodeBytes * subchunks;
    });
  }
};

/// Bytes of shared memory per warp. Compression: the bytes that it writes at a time and one more
/// subchunk. Decompression: two halves of a ring buffer.
inline constexpr std::uint32_t kFlush = 512;
inline constexpr std::uint32_t kStage = kFlush + kWorstSubchunk;
inline constexpr std::uint32_t kHalf = 512, kRing = 2 * kHalf;
static_assert(kStage % 16 == 0 && kHalf >= kWorstSubchunk);

/// Collects a warp's bytes and writes them to global memory: 512 at a time, aligned.
template <teams::Hardware Hardware>
class Packer {
 public:
  FPSYNTH_INLINE Packer(Hardware hw, std::byte* stage, Aligned16* file, std::uint64_t offset)
      : hw_(hw),
        lane_(hw.lane() % 32),
        stage_(stage),
        out_(file + offset / 16),
        foreign_(std::uint32_t(offset % 16)),
        fill_(foreign_) {}

  /// The place where the lanes put the next bytes.
  FPSYNTH_INLINE std::byte* free_bytes() const { return stage_ + fill_; }
  /// Adds the `bytes` bytes that were put there, at most a subchunk's.
  FPSYNTH_INLINE void append(std::uint32_t bytes) {
    fill_ += bytes;
    if (fill_ >= kFlush) flush();
  }
  /// Writes the remaining bytes.
  FPSYNTH_INLINE void finish() {
    hw_.warp_barrier();
    if (16 * (lane_ + 1) <= fill_) put(units()[lane_]);
    const std::uint32_t at = fill_ / 16 * 16 + lane_;
    if (at >= foreign_ && at < fill_) reinterpret_cast<std::byte*>(out_)[at] = stage_[at];
    hw_.warp_barrier();
  }

 private:
  FPSYNTH_INLINE Aligned16* units() const { return reinterpret_cast<Aligned16*>(stage_); }
  FPSYNTH_INLINE void flush() {
    hw_.warp_barrier();
    put(units()[lane_]);
    fill_ -= kFlush;
    // No other lane has read the unit that this lane overwrites.
    if (16 * lane_ < fill_) units()[lane_] = units()[kFlush / 16 + lane_];
    hw_.warp_barrier();
    out_ += kFlush / 16;
    foreign_ = 0;
  }
  /// Writes a lane's unit, except the bytes of the first unit that belong to the previous chunk.
  FPSYNTH_INLINE void put(const Aligned16& unit) {
    if (lane_ == 0 && foreign_ != 0) {
      for (std::uint32_t at = foreign_; at < 16; ++at) {
        reinterpret_cast<std::byte*>(out_)[at] = stage_[at];
      }
    } else {
      out_[lane_] = unit;
    }
  }

  Hardware hw_;
  std::uint32_t lane_;
  std::byte* stage_;
  Aligned16* out_;
  std::uint32_t foreign_, fill_;
};

struct EncodeKernel {
  static constexpr std::uint32_t kLanes = 64;
  static constexpr std::size_t kSharedBytes = kLanes / 32 * kStage;
  struct Args {
    const std::uint64_t* values;
    const std::uint64_t* offsets;  ///< of the chunks in `file`
    Aligned16* file;
    Chunks chunks;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    const std::uint32_t lane = hw.lane() % 32;
    std::byte* const stage = hw.shared() + hw.lane() / 32 * kStage;
    for_warp_items(hw, args.chunks.chunks, [&](std::uint32_t chunk) {
      Packer<Hardware> packer(hw, stage, args.file, args.offsets[chunk]);
      for_residuals(hw, args.values, args.chunks, chunk,
                    [&](std::uint64_t bits, std::uint32_t code) {
                      const Position position = position_of(hw, code);
                      const std::uint32_t above = hw.shuffle_xor(code, 1);
                      std::byte* const out = packer.free_bytes();
                      if (lane % 2 == 0) out[lane / 2] = std::byte(code | above << 4);
                      std::byte* const to = out + kCodeBytes + position.before;
                      const std::uint32_t bytes = bytes_of(code);
                      for (std::uint32_t b = 0; b < 8; ++b) {
                        if (b < bytes) to[b] = std::byte(bits >> 8 * b);
                      }
                      packer.append(std::uint32_t(kCodeBytes) + position.all);
                    });
      packer.finish();
    });
  }
};

/// A warp's window into its chunk of a file: a ring buffer of two halves, and the next half in
/// registers.
template <teams::Hardware Hardware>
class Reader {
 public:
  FPSYNTH_INLINE Reader(Hardware hw, std::byte* ring, const Aligned16* file, std::uint64_t begin,
                        std::uint64_t end)
      : hw_(hw),
        lane_(hw.lane() % 32),
        ring_(reinterpret_cast<std::uint32_t*>(ring)),
        source_(file + begin / 16),
        units_(std::uint32_t((end + 15) / 16 - begin / 16)),
        at_(std::uint32_t(begin % 16)),
        left_(std::uint32_t(end - begin)) {
    hw_.warp_barrier();
    half(0)[lane_] = next();
    half(kHalf)[lane_] = next();
    ahead_ = next();
    hw_.warp_barrier();
  }

  /// Number of the chunk's bytes that have not been read.
  FPSYNTH_INLINE std::uint32_t left() const { return left_; }
  /// The byte at `distance` from the current position, at most a subchunk's length.
  FPSYNTH_INLINE std::uint32_t byte(std::uint32_t distance) const {
    const std::uint32_t at = at_ + distance;
    return word(at / 4) >> 8 * (at % 4) & 255;
  }
  /// The eight bytes that begin there; bytes after the chunk are unspecified.
  FPSYNTH_INLINE std::uint64_t eight(std::uint32_t distance) const {
    const std::uint32_t at = at_ + distance, shift = 8 * (at % 4);
    const std::uint64_t low = word(at / 4) | std::uint64_t{word(at / 4 + 1)} << 32;
    return low >> shift | std::uint64_t{word(at / 4 + 2)} << 1 << (63 - shift);
  }
  /// Advances by at most a subchunk. Called by all lanes, after their reads.
  FPSYNTH_INLINE void take(std::uint32_t bytes) {
    const std::uint32_t old = at_ & kHalf;
    at_ = (at_ + bytes) % kRing;
    left_ -= bytes;
    if ((at_ & kHalf) == old) return;
    hw_.warp_barrier();
    half(old)[lane_] = ahead_;
    ahead_ = next();
    hw_.warp_barrier();
  }

 private:
  FPSYNTH_INLINE Aligned16* half(std::uint32_t at) const {
    return reinterpret_cast<Aligned16*>(ring_ + at / 4);
  }
  FPSYNTH_INLINE std::uint32_t word(std::uint32_t at) const { return ring_[at % (kRing / 4)]; }
  FPSYNTH_INLINE Aligned16 next() {
    const std::uint32_t unit = next_ + lane_;
    next_ += 32;
    return unit < units_ ? source_[unit] : Aligned16{};
  }

  Hardware hw_;
  std::uint32_t lane_;
  std::uint32_t* ring_;
  const Aligned16* source_;
  std::uint32_t units_, next_ = 0, at_, left_;
  Aligned16 ahead_;
};

struct DecodeKernel {
  static constexpr std::uint32_t kLanes = 64;
  static constexpr std::size_t kSharedBytes = kLanes / 32 * kRing;
  struct Args {
    const Aligned16* file;         ///< whole units, up to the last chunk's end
    const std::uint64_t* offsets;  ///< of the chunks, and the last one's end; each less than 4 GiB
    std::uint64_t* values;
    std::uint32_t* damaged;  ///< becomes 1 if a chunk's codes do not match its size
    Chunks chunks;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hw, const Args& args) {
    std::byte* const ring = hw.shared() + hw.lane() / 32 * kRing;
    for_warp_items(hw, args.chunks.chunks, [&](std::uint32_t chunk) {
      Reader<Hardware> reader(hw, ring, args.file, args.offsets[chunk], args.offsets[chunk + 1]);
      if (!decode(hw, reader, args, chunk) && hw.lane() % 32 == 0) {
        hw.atomic_or(args.damaged, 1);
      }
    });
  }

 private:
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE bool decode(Hardware hw, Reader<Hardware>& reader, const Args& args,
                                    std::uint32_t chunk) {
    const ChunkShape shape(args.chunks, chunk);
    const std::uint32_t lane = hw.lane() % 32;
    const std::uint32_t from = std::uint32_t(predicting_lane(lane, args.chunks.dimensionality));
    std::uint64_t* out = args.values + shape.first + lane;
    std::uint64_t value = 0;
    for (std::uint32_t subchunk = 0; subchunk <= shape.last; ++subchunk, out += 32) {
      if (reader.left() < kCodeBytes) return false;
      const std::uint32_t code = reader.byte(lane / 2) >> 4 * (lane % 2) & 15;
      const Position position = position_of(hw, code);
      if (reader.left() < kCodeBytes + position.all) return false;
      const std::uint64_t bits = reader.eight(std::uint32_t(kCodeBytes) + position.before);
      value = value_of(bits & mask_of(code), code, hw.shuffle(value, from));
      if (shape.has(subchunk, lane)) *out = value;
      reader.take(std::uint32_t(kCodeBytes) + position.all);
    }
    return reader.left() == 0;
  }
};

}  // namespace fpsynth::baselines::gfc_lanes
