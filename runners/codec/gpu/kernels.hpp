#pragma once
// Compression and decompression of a run of chunks on a GPU, each in a single pass over the data:
// persistent thread blocks take chunk after chunk by ticket, run all stages in shared memory and
// find the offset of the chunk's block by looking back at the chunks before.
//
// Lower bound of the time: every byte that is read and written once, divided by the device's copy
// rate. For doubles at ratio r that is 8 KiB (1 + 1/r) per chunk, on an H100 (some 3 TB/s) 1.6 TB/s
// of original at r = 1.2. The state words add 8 bytes per chunk, frames 2 to 64. Shared memory and
// instructions limit the kernels earlier: every stage reads and writes the block once (16 KiB, 128
// cycles of a multiprocessor), and scans and compactions read and write parts of it twice more.
// With four stages that is at least 0.7 k cycles per chunk with load and store, which is 2.6 TB/s
// on 132 multiprocessors at 1.7 GHz if no cycle is lost. Barriers (about ten per stage) lose the
// most cycles, so several thread blocks per multiprocessor are wanted, and a block uses no more
// shared memory than most chunks need.

#include <cstddef>
#include <cstdint>

#include "components/teams/block.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/layout.hpp"
#include "runners/codec/format/status.hpp"
#include "runners/codec/gpu/copy.hpp"
#include "runners/codec/gpu/program.hpp"

namespace fpsynth::codec {

/// A fault as a 64-bit word. The largest word is the fault that the CPU would report first; 0 is
/// none.
struct FaultWord {
  FPSYNTH_INLINE static std::uint64_t of(FaultKind kind, std::uint64_t chunk) {
    // Frames and ends are checked together, chunk by chunk, before the other kinds.
    const std::uint64_t group = kind < FaultKind::Trailing ? 0 : std::uint64_t(kind) - 1;
    return ~(group << 62 | chunk << 1 | std::uint64_t(kind == FaultKind::End));
  }
  static FaultKind kind(std::uint64_t word) {
    const std::uint64_t group = ~word >> 62;
    if (group == 0) return ~word & 1 ? FaultKind::End : FaultKind::Frame;
    return group == 1 ? FaultKind::Trailing : FaultKind::Block;
  }
  static std::uint64_t chunk(std::uint64_t word) { return ~word << 2 >> 3; }
};

/// Words of device memory that the thread blocks of a launch share. All are 0 at its start.
struct LaunchWords {
  static constexpr std::size_t kCount = 3;  ///< without the chunks' state words

  std::uint64_t* words;

  FPSYNTH_INLINE std::uint64_t* next() const { return words; }  ///< the next chunk to take
  /// Bytes of all blocks together; set when the last block's offset is known.
  FPSYNTH_INLINE std::uint64_t* bytes() const { return words + 1; }
  FPSYNTH_INLINE std::uint64_t* fault() const { return words + 2; }  ///< FaultWord
  /// One for each chunk: ChunkState.
  FPSYNTH_INLINE std::uint64_t* states() const { return words + kCount; }
};

/// The part of a container that a launch writes or reads: `chunks` chunks of a program. The first
/// `chunks` - 1 are full; all together have `words` words.
template <ProgramSizes Program>
struct ChunkArgs {
  Program program;
  std::uint64_t words, chunks;
  LaunchWords shared;
  std::byte* overflow;  ///< memory for program.blocks.spilled of every thread block, or null
  std::uint64_t overflow_bytes;  ///< of one thread block

  FPSYNTH_INLINE std::uint32_t words_of(std::uint64_t chunk) const {
    return words_in_chunk(words, program.chunk_words, chunk);
  }
};

/// A chunk's state word is 0 at first and is written twice: with the length of its block, and with
/// the sum of all lengths up to and including it. It is all that passes between the thread blocks
/// of a launch, which read nothing else that others write, so that relaxed accesses are enough.
struct ChunkState {
  static constexpr std::uint64_t kLength = std::uint64_t{1} << 62, kSum = std::uint64_t{2} << 62;
  static constexpr std::uint64_t kValue = kLength - 1;

  FPSYNTH_INLINE static bool is_published(std::uint64_t state) { return state >> 62 != 0; }
  FPSYNTH_INLINE static bool is_sum(std::uint64_t state) { return state >= kSum; }
};

/// Finds the offset of a chunk's block in a single pass, by the decoupled look-back of D. Merrill
/// and M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA 2016.
///
/// Publishes `length` to the chunks after this one and returns the sum of the lengths of all chunks
/// before it. Called by all lanes of a thread block's first warp. Chunks must be started in
/// ascending order, by tickets, so that the chunks it waits for are in progress. A warp inspects as
/// many predecessors at once as it has lanes, in one coalesced read.
template <teams::Hardware Hardware>
FPSYNTH_INLINE std::uint64_t sum_before(Hardware hardware, std::uint64_t* states,
                                        std::uint64_t chunk, std::uint64_t length) {
  const std::uint32_t lane = hardware.lane(), width = hardware.warp_lanes();
  if (lane == 0) {
    hardware.atomic_store(states + chunk,
                          (chunk == 0 ? ChunkState::kSum : ChunkState::kLength) | length);
  }
  std::uint64_t sum = 0;
  for (std::uint64_t end = chunk; end > 0;) {
    std::uint64_t state;
    std::uint32_t sums, nearest;
    for (;;) {
      // Before the first chunk, the sum is 0.
      state = end > lane ? hardware.atomic_load(states + (end - 1 - lane)) : ChunkState::kSum;
      sums = hardware.ballot(ChunkState::is_sum(state));
      nearest = sums ? std::uint32_t(words::count_bits(~sums & (sums - 1))) : width - 1;
      const std::uint32_t published =
          hardware.ballot(lane > nearest || ChunkState::is_published(state));
      if (published == std::uint32_t(words::low_mask(width))) break;
      hardware.pause();
    }
    std::uint64_t value = lane <= nearest ? state & ChunkState::kValue : 0;
    for (std::uint32_t distance = 1; distance < width; distance *= 2) {
      value += hardware.shuffle_xor(value, distance);
    }
    sum += value;
    if (sums) break;
    end -= width;
  }
  if (lane == 0 && chunk > 0)
    hardware.atomic_store(states + chunk, ChunkState::kSum | (sum + length));
  return sum;
}

/// A thread block's view of its memory and of its current chunk.
template <Program P, device::BlockLayout Layout, teams::Hardware Hardware>
class ChunkWorker {
 public:
  FPSYNTH_INLINE ChunkWorker(Hardware hardware, const ChunkArgs<P>& args)
      : hardware_(hardware), args_(args) {
    memory_.shared = hardware.shared() + components::round_up_to_alignment(sizeof(CurrentChunk));
    memory_.spilled =
        args.overflow ? args.overflow + hardware.block() * args.overflow_bytes : nullptr;
    memory_.layout = Layout{args.program.blocks};
    if (hardware.lane() == 0) memory_.clear_guards();
  }

  /// Takes the next chunk. Returns false if none is left. Contains a barrier; no thread reads the
  /// previous chunk's state after it. The caller's next barrier must come before the next take(),
  /// because all lanes read the ticket.
  FPSYNTH_INLINE bool take() {
    if (hardware_.lane() == 0) {
      current().chunk = hardware_.atomic_add(args_.shared.next(), std::uint64_t{1});
    }
    hardware_.barrier();
    chunk_ = current().chunk;
    if (chunk_ >= args_.chunks) return false;
    words_ = args_.words_of(chunk_);
    return true;
  }

  /// Finds the offset of the chunk's block of `length` bytes. The first warp calls it. If the block
  /// ends after `capacity`, that is a fault. After a barrier, all lanes find the offset and the
  /// fault in current().
  FPSYNTH_INLINE void find_offset(std::uint32_t length, std::uint64_t capacity, bool exactly) {
    const std::uint64_t begin =
        sum_before(hardware_, args_.shared.states(), chunk_, std::uint64_t{length});
    if (hardware_.lane() != 0) return;
    current().offset = begin;
    const std::uint64_t end = begin + length;
    if (end > capacity) fail(FaultKind::End);
    if (chunk_ + 1 == args_.chunks) {
      *args_.shared.bytes() = end;
      if (exactly && end < capacity) fail(FaultKind::Trailing);
    }
  }

  /// Called by one lane.
  FPSYNTH_INLINE void fail(FaultKind kind) {
    hardware_.atomic_max(args_.shared.fault(), FaultWord::of(kind, chunk_));
    if (kind != FaultKind::Trailing) current().fault = 1;
  }

  FPSYNTH_INLINE CurrentChunk& current() const {
    return *reinterpret_cast<CurrentChunk*>(hardware_.shared());
  }
  FPSYNTH_INLINE bool in_first_warp() const { return hardware_.lane() < hardware_.warp_lanes(); }
  FPSYNTH_INLINE const ProgramMemory<Layout>& memory() const { return memory_; }
  FPSYNTH_INLINE std::uint64_t chunk() const { return chunk_; }
  FPSYNTH_INLINE std::uint32_t words() const { return words_; }
  FPSYNTH_INLINE std::uint32_t bytes() const {
    return words_ * std::uint32_t(sizeof(typename P::Word));
  }
  FPSYNTH_INLINE std::uint64_t chunk_bytes() const {
    return std::uint64_t{args_.program.chunk_words} * sizeof(typename P::Word);
  }

 private:
  Hardware hardware_;
  const ChunkArgs<P>& args_;
  ProgramMemory<Layout> memory_;
  std::uint64_t chunk_ = 0;
  std::uint32_t words_ = 0;
};

/// Blocks in working memory have slack on both sides, which a copy may read.
FPSYNTH_INLINE Readable slack_around(const std::byte* block, std::uint32_t bytes) {
  return {block - components::kBlockSlack, block + bytes + components::kBlockSlack};
}

template <ProgramSizes Program>
struct EncodeArgs {
  ChunkArgs<Program> chunks;
  const std::byte* in;  ///< the chunks, whole words
  std::byte *frames, *blocks;
  std::uint64_t capacity;  ///< of `blocks`, in bytes
};

/// Layout: Program::Fitting if nothing is spilled, else EqualBlocks.
template <ProgramSizes Program, device::BlockLayout Layout = typename Program::Fitting>
struct EncodeKernel {
  static constexpr std::uint32_t kLanes = 256;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = Program::kBlocksPerMultiprocessor;

  using Args = EncodeArgs<Program>;

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const Program& program = args.chunks.program;
    const Readable source{args.in, args.in + args.chunks.words * sizeof(typename Program::Word)};
    ChunkWorker<Program, Layout, Hardware> worker(hardware, args.chunks);
    while (worker.take()) {
      std::byte* const in = program.input(worker.memory(), worker.bytes());
      copy_block(hardware, in, args.in + worker.chunk() * worker.chunk_bytes(), worker.bytes(),
                 source);
      if (hardware.lane() == 0) worker.current().fault = 0;
      hardware.barrier();
      const EncodedBlock encoded =
          program.encode(hardware, worker.memory(), in, worker.words(),
                         args.frames + worker.chunk() * program.frame_bytes);
      if (worker.in_first_warp()) worker.find_offset(encoded.bytes, args.capacity, false);
      hardware.barrier();
      if (worker.current().fault) continue;
      copy_block(hardware, args.blocks + worker.current().offset, encoded.block, encoded.bytes,
                 slack_around(encoded.block, encoded.bytes));
    }
  }
};

template <ProgramSizes Program>
struct DecodeArgs {
  ChunkArgs<Program> chunks;
  const std::byte *frames, *blocks;
  std::uint64_t block_bytes;  ///< of all blocks
  std::byte* out;
};

/// Layout: as of EncodeKernel.
template <ProgramSizes Program, device::BlockLayout Layout = typename Program::Fitting>
struct DecodeKernel {
  static constexpr std::uint32_t kLanes = 256;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = Program::kBlocksPerMultiprocessor;

  using Args = DecodeArgs<Program>;

  /// Frames and blocks may hold anything; still nothing outside the arguments is read or written:
  /// lengths are checked against their stages' bounds before they are used, and a block's offset
  /// against the end of the blocks.
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const Program& program = args.chunks.program;
    const Readable source{args.blocks, args.blocks + args.block_bytes};
    ChunkWorker<Program, Layout, Hardware> worker(hardware, args.chunks);
    while (worker.take()) {
      CurrentChunk& current = worker.current();
      if (worker.in_first_warp()) find(hardware, args, worker);
      hardware.barrier();
      if (current.fault) continue;
      const std::uint32_t length = program.length(current.extents);
      std::byte* const in = program.input(worker.memory(), length);
      copy_block(hardware, in, args.blocks + current.offset, length, source);
      hardware.barrier();
      const std::byte* const decoded =
          program.decode(hardware, worker.memory(), in, current.extents, worker.words());
      if (decoded) {
        copy_block(hardware, args.out + worker.chunk() * worker.chunk_bytes(), decoded,
                   worker.bytes(), slack_around(decoded, worker.bytes()));
      } else if (hardware.lane() == 0) {
        worker.fail(FaultKind::Block);
      }
    }
  }

 private:
  /// Reads and checks the chunk's frame and finds its block. Called by a warp.
  template <teams::Hardware Hardware, class Worker>
  static FPSYNTH_INLINE void find(Hardware hardware, const Args& args, Worker& worker) {
    const Program& program = args.chunks.program;
    CurrentChunk& current = worker.current();
    std::uint32_t length = 0;
    if (hardware.lane() == 0) {
      current.fault = 0;
      const std::uint32_t bad = program.read_frame(
          args.frames + worker.chunk() * program.frame_bytes, worker.words(), current.extents);
      if (bad == kGoodFrame) {
        length = program.length(current.extents);
      } else {
        worker.fail(FaultKind::Frame);
      }
    }
    worker.find_offset(hardware.shuffle(length, 0), args.block_bytes, true);
  }
};

}  // namespace fpsynth::codec
