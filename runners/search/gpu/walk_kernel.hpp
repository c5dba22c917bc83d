#pragma once
// The walk of chunks through a plan on a GPU: a thread block does what walker.hpp does on a core,
// on the parts of the plan that work_items.hpp gives it. It has one block of data for every depth,
// in shared memory; a block that does not fit there is in global memory, which costs time but does
// not change results.
//
// Performance limits. Shared memory: verifying an edge moves, for a chunk of n bytes, at least
//     encode   read n, write n        complement   read n, write n
//     decode   read n, write n        compare      read 2n
// through it, 8n or 64 KiB for doubles, which at 128 bytes a cycle is 512 cycles of a
// multiprocessor; times 176,345 edges, 90 M cycles a chunk. Counting makes 50,301 blocks, reading
// one and writing one, and reads each once more for all its leaves: 1.2 GB, or 10 M cycles. On an
// H100 (132 multiprocessors, 1.7 GHz) that is 2.8 T pipeline-bytes/s verified and 26 T counted.
//
// Instructions, a tighter limit. Counted in the PTX while a chunk of num_plasma was walked through
// the whole plan, an edge needs about 4,230 instructions of its warp verified, 746 M a chunk;
// counted, 561, 99 M a chunk. At four in every cycle that is 1.4 T and 10 T. Where words were only
// moved, those that are zero are not counted again. Shared memory is not far behind: verified,
// 171 M wavefronts were counted, at one a cycle 1.5 T. Verified, six thread blocks of doubles share
// a multiprocessor, for which only the blocks of the last depth, of its leaves and of decoders are
// in shared memory; counted, about ten, with the blocks of the last two depths.

#include <cstddef>
#include <cstdint>

#include "components/count_block.hpp"
#include "components/dispatch.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"
#include "runners/device/block_memory.hpp"
#include "runners/search/gpu/walk_memory.hpp"

namespace fpsynth::search {

/// An edge of a plan. Edges are stored in the order in which they are walked: each node's, then its
/// leaves', then its children's.
struct alignas(8) WalkEdge {
  static constexpr std::uint8_t kLeaf = 0x80;

  components::Step step;    ///< its tag: the depth of its output; leaves have kLeaf set
  std::uint32_t index = 0;  ///< of the node or leaf in the plan

  FPSYNTH_INLINE bool is_leaf() const { return step.tag & kLeaf; }
  FPSYNTH_INLINE std::uint32_t depth() const { return step.tag & ~kLeaf; }
};

/// A part of a plan's walk: consecutive edges, and the path of nodes to them from the chunk. The
/// block that an edge reads is made by the part itself or by its path.
struct WalkPart {
  static constexpr std::uint32_t kLongestPath = 7;

  std::uint32_t begin = 0, end = 0;  ///< its edges, by index
  std::uint32_t path_length = 0;
  std::uint32_t path[kLongestPath] = {};  ///< edges of nodes, by index, at depths 1, 2, ...
};

/// Each thread block takes work item after work item until none is left. An item is a part of the
/// plan on a group of chunks: item i is part i / groups on group i % groups, so that thread blocks
/// which run at the same time walk the same edges. For every chunk of the group, the stages of the
/// part's path are run again, to make the blocks that the part reads; only the part's own edges are
/// counted, verified and reported. So every edge of the plan is walked once for every chunk if the
/// parts hold every edge once and the launches every item once.
template <class W, bool Verify>
struct WalkBody {
  /// One warp has no others to wait for, and collectives over one warp take fewer instructions.
  static constexpr std::uint32_t kLanes = 32;
  /// Shared memory allows six for doubles that are verified (37 KiB a block) and eleven for
  /// singles. Counted, a thread block needs 21 KiB or more.
  static constexpr std::uint32_t kBlocksPerMultiprocessor = Verify ? (sizeof(W) == 8 ? 6 : 11) : 10;
  /// Words of a chunk, unless it is the last one. Other blocks of that length are walked as fast.
  static constexpr std::uint32_t kChunkWords = 1024;

  struct Args {
    const std::byte* data;  ///< the batch's chunks at multiples of chunk_bytes, padded to 16 bytes
    const std::uint32_t* chunk_lengths;  ///< in bytes
    std::uint32_t chunk_bytes, chunks;
    std::uint32_t group;              ///< chunks of an item; the last group may have fewer
    std::uint32_t groups;             ///< of the batch: chunks / group, rounded up
    std::uint32_t first_item, items;  ///< the launch's items: first_item .. first_item + items
    std::uint32_t* next;              ///< items taken so far; 0 at the start of a launch
    const WalkPart* parts;
    const WalkEdge* edges;  ///< all of the plan
    std::uint32_t leaves;
    WalkBlocks blocks;
    std::byte* spilled;  ///< blocks.spilled_bytes for every thread block
    /// `leaves` for every thread block or, if by_chunk, for every chunk; 0 at the start.
    std::uint32_t* leaf_bytes;
    std::uint32_t *failed_nodes, *failed_leaves;
    std::uint32_t by_chunk;  ///< not 0: leaf_bytes are told apart by chunk (counted walks alone)
  };

  /// Layout of a thread block's shared memory: state words, the team's memory, scratch and blocks.
  FPSYNTH_INLINE static std::uint32_t team_at() { return Verify ? 64 : 128; }
  FPSYNTH_INLINE static std::uint32_t scratch_at(const WalkBlocks& blocks, std::uint32_t lanes) {
    return team_at() + std::uint32_t(components::round_up_to_alignment(
                           teams::block_team_bytes(blocks.spilled_items(), lanes)));
  }
  static std::uint32_t shared_bytes(const WalkBlocks& blocks, std::uint32_t lanes) {
    return scratch_at(blocks, lanes) + blocks.shared_bytes;
  }

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    Walk<Hardware> walk(hardware, args);
    walk.all();
  }

 private:
  struct alignas(16) Vector {
    std::uint64_t low, high;
  };

  template <teams::Hardware Hardware>
  class Walk {
    using Team = teams::BlockTeam<Hardware>;
    using Stages = components::Interpreter<Team, W, components::WalkedFamilies>;

   public:
    FPSYNTH_INLINE Walk(Hardware hardware, const Args& args)
        : hardware_(hardware),
          args_(args),
          team_(hardware, hardware.shared() + team_at()),
          state_(reinterpret_cast<std::uint32_t*>(hardware.shared())),
          memory_{hardware.shared() + scratch_at(args.blocks, hardware.lanes()),
                  args.spilled + std::size_t(hardware.block()) * args.blocks.spilled_bytes,
                  args.blocks} {
      if (hardware.lane() == 0) memory_.clear_guards();
    }

    FPSYNTH_INLINE void all() {
      for (;;) {
        if (hardware_.lane() == 0) state_[kTicket] = hardware_.atomic_add(args_.next, 1u);
        hardware_.barrier();
        const std::uint32_t ticket = state_[kTicket];
        if (ticket >= args_.items) return;
        const std::uint32_t item = args_.first_item + ticket;
        const WalkPart& part = args_.parts[item / args_.groups];
        const std::uint32_t first = item % args_.groups * args_.group;
        for (std::uint32_t k = 0; k < args_.group && first + k < args_.chunks; ++k) {
          load(first + k);
          for (std::uint32_t s = 0; s < part.path_length; ++s) {
            walk(args_.edges[part.path[s]], true);
          }
          for (std::uint32_t s = part.begin; s < part.end;) {
            const WalkEdge edge = args_.edges[s];
            if (!Verify && edge.is_leaf()) {
              s += measure(s, part.end, edge);
            } else {
              walk(edge, false);
              moved_ = Stages::keeps_zeros(edge.step);
              ++s;
            }
          }
        }
      }
    }

   private:
    /// State words in shared memory: the item's number in the launch, and every block's length.
    static constexpr std::uint32_t kTicket = 0, kLengths = 1;
    /// Counting, there follow the words and the bytes of the block at each depth that are not zero.
    /// They are known once the block has been counted.
    static constexpr std::uint32_t kNonzero = 12, kUnknown = ~0u;
    struct alignas(8) Nonzero {
      std::uint32_t words = kUnknown, bytes = kUnknown;
    };
    FPSYNTH_INLINE Nonzero& nonzero(std::uint32_t depth) const {
      return reinterpret_cast<Nonzero*>(state_ + kNonzero)[depth];
    }

    /// The memory of an edge's blocks. The walk is compiled for both kinds, because accesses to
    /// memory that the compiler knows to be shared take fewer instructions.
    struct InShared {};  ///< all in shared memory
    struct Spilled {};   ///< some in global memory

    /// Block k, for at most `bytes` bytes.
    FPSYNTH_INLINE std::byte* block(InShared, std::uint32_t k, std::uint32_t) const {
      return memory_.shared_block(k);
    }
    FPSYNTH_INLINE std::byte* block(Spilled, std::uint32_t k, std::uint32_t bytes) const {
      return memory_.block(k, bytes);
    }
    FPSYNTH_INLINE std::uint32_t decoded() const { return args_.blocks.count - 1; }
    /// For an edge that writes block `out`.
    FPSYNTH_INLINE components::Scratch scratch(InShared, std::uint32_t out) const {
      auto scratch = memory_.shared_scratch();
      // The decoded block's, or that of the block of the next depth.
      if (Verify || out + 1 < args_.blocks.count) {
        scratch.bytes = reinterpret_cast<std::uint8_t*>(
            memory_.shared_block(Verify ? args_.blocks.count - 1 : out + 1));
      } else {
        scratch.bytes = memory_.spilled_scratch().bytes;
      }
      return scratch;
    }
    FPSYNTH_INLINE components::Scratch scratch(Spilled, std::uint32_t) const {
      return memory_.spilled_scratch();
    }

    FPSYNTH_INLINE void load(std::uint32_t chunk) {
      const auto* const from =
          reinterpret_cast<const Vector*>(args_.data + std::size_t(chunk) * args_.chunk_bytes);
      const std::uint32_t bytes = args_.chunk_lengths[chunk];
      auto* const to = reinterpret_cast<Vector*>(memory_.block(0, bytes));
      for (std::uint32_t i = hardware_.lane(); i < (bytes + 15) / 16; i += hardware_.lanes()) {
        to[i] = from[i];
      }
      if (hardware_.lane() == 0) remember_new(0, bytes, bytes);
      if (!Verify) row_ = args_.by_chunk ? chunk : hardware_.block();
      moved_ = false;
      hardware_.barrier();
    }
    /// Stores a block's length, and in the top bit whether it is in global memory.
    FPSYNTH_INLINE void remember(std::uint32_t number, std::uint32_t bytes, std::uint32_t bound) {
      state_[kLengths + number] = bytes | (memory_.fits(number, bound) ? 0 : kSpilled);
    }
    /// The same of a new block at `depth`.
    FPSYNTH_INLINE void remember_new(std::uint32_t depth, std::uint32_t bytes,
                                     std::uint32_t bound) {
      remember(depth, bytes, bound);
      if (!Verify) nonzero(depth) = {};
    }
    static constexpr std::uint32_t kWhole = kChunkWords * sizeof(W);
    static constexpr std::uint32_t kSpilled = std::uint32_t{1} << 31;

    /// Counts the block of the leaf `first`, number s of the edges before `end`, and adds the
    /// lengths of this leaf and of those after it that have the same input: lane k takes leaf s +
    /// k. Returns how many they are. Ends with a barrier.
    FPSYNTH_INLINE std::uint32_t measure(std::uint32_t s, std::uint32_t end,
                                         const WalkEdge& first) {
      const std::uint32_t width = hardware_.warp_lanes(), in_warp = hardware_.lane() % width;
      WalkEdge leaf{};
      if (s + in_warp < end) leaf = args_.edges[s + in_warp];
      const std::uint32_t same = hardware_.ballot(leaf.step.tag == first.step.tag);
      const std::uint32_t leaves = same == ~0u ? 32 : words::lowest_bit32(~same);
      const bool mine = in_warp < leaves;
      const bool on_words = hardware_.ballot(mine && !leaf.step.on_bytes) != 0;

      const std::uint32_t depth = first.depth();
      const std::uint32_t length = state_[kLengths + depth - 1], bytes = length & ~kSpilled;
      const std::byte* const in =
          length & kSpilled ? block(Spilled{}, depth - 1, ~0u) : block(InShared{}, depth - 1, 0);
      // A stage that only moved words has left as many of them zero.
      const Nonzero known = moved_ ? nonzero(depth - 2) : Nonzero();
      teams::BlockCounts counts;
      if (known.bytes != kUnknown && (!on_words || known.words != kUnknown)) {
        counts = count<false>(in, bytes, on_words);
        counts.words.nonzero = known.words;
        counts.bytes.nonzero = known.bytes;
      } else {
        counts = count<true>(in, bytes, on_words);
      }
      if (hardware_.lane() == 0) {
        nonzero(depth - 1) = {on_words ? counts.words.nonzero : kUnknown, counts.bytes.nonzero};
      }
      if (mine && hardware_.lane() == in_warp) {
        hardware_.atomic_add(args_.leaf_bytes + std::size_t(row_) * args_.leaves + leaf.index,
                             Stages::measured_bytes(leaf.step, counts, bytes));
      }
      hardware_.barrier();
      return leaves;
    }
    template <bool Nonzero>
    FPSYNTH_INLINE teams::BlockCounts count(const std::byte* in, std::uint32_t bytes,
                                            bool on_words) {
      const components::Scratch none;
      if (on_words) {
        return components::count_block<W, Nonzero>(team_, reinterpret_cast<const W*>(in),
                                                   bytes / sizeof(W), none);
      }
      return components::count_block<std::uint8_t, Nonzero>(
          team_, reinterpret_cast<const std::uint8_t*>(in), bytes, none);
    }

    /// Walks one edge. `again`: it belongs to a path, so it is encoded and nothing else. Ends with
    /// a barrier.
    FPSYNTH_INLINE void walk(const WalkEdge& edge, bool again) {
      const bool leaf = edge.is_leaf();
      const std::uint32_t depth = edge.depth();
      const std::uint32_t length = state_[kLengths + depth - 1], bytes = length & ~kSpilled;
      // The common case: a whole chunk, as the stages leave it that keep lengths.
      if (!Verify && length == kWhole && memory_.fits(depth, kWhole) &&
          Stages::template encode_whole<kWhole>(team_, edge.step, block(InShared{}, depth - 1, 0),
                                                block(InShared{}, depth, 0))) {
        if (hardware_.lane() == 0) remember_new(depth, kWhole, kWhole);
        return hardware_.barrier();
      }
      const std::uint32_t bound = Stages::bound(edge.step, bytes);
      const std::uint32_t out = leaf ? args_.blocks.count - 2 : depth;
      const bool all_shared = !(length & kSpilled) && memory_.fits(out, bound) &&
                              (!Verify || memory_.fits(decoded(), bytes));
      if (all_shared) {
        walk(InShared{}, edge, again, block(InShared{}, depth - 1, 0), bytes, out, bound);
      } else {
        walk(Spilled{}, edge, again, block(Spilled{}, depth - 1, length & kSpilled ? ~0u : 0),
             bytes, out, bound);
      }
      hardware_.barrier();
    }
    template <class Where>
    FPSYNTH_INLINE void walk(Where where, const WalkEdge& edge, bool again, const std::byte* in,
                             std::uint32_t bytes, std::uint32_t out, std::uint32_t bound) {
      const bool leaf = edge.is_leaf();
      const std::uint32_t depth = edge.depth();
      std::uint32_t out_bytes = 0;
      const bool good = run_edge(where, edge.step, again, in, bytes, out, bound, out_bytes);
      if (hardware_.lane() != 0) return;
      if (leaf) {
        hardware_.atomic_add(
            args_.leaf_bytes + std::size_t(hardware_.block()) * args_.leaves + edge.index,
            out_bytes);
      } else {
        remember_new(depth, out_bytes, bound);
      }
      if (!good) {
        hardware_.atomic_add((leaf ? args_.failed_leaves : args_.failed_nodes) + edge.index, 1u);
      }
    }

    /// Encodes and, if `Verify` and not `again`, decodes and compares.
    template <class Where>
    FPSYNTH_INLINE bool run_edge(Where where, components::Step step, bool again,
                                 const std::byte* in, std::uint32_t bytes, std::uint32_t to,
                                 std::uint32_t bound, std::uint32_t& out_bytes) {
      const components::Scratch working = scratch(where, to);
      std::byte* const out = block(where, to, bound);
      const auto extent = Stages::encode(team_, step, in, bytes, out, working);
      out_bytes = extent.words * Stages::word_bytes(step);
      if (!Verify || again) return true;
      hardware_.barrier();
      // The decoded block is set to the input's complement, so that a decoder which writes too
      // little is detected whatever was there before.
      std::byte* const decoded = block(where, this->decoded(), bytes);
      complement(in, bytes, decoded);
      hardware_.barrier();
      const bool decodes = Stages::decode(team_, step, out, extent, decoded, bytes, working);
      hardware_.barrier();
      return !hardware_.any(!decodes || differs(in, decoded, bytes));
    }
    FPSYNTH_INLINE void complement(const std::byte* in, std::uint32_t bytes, std::byte* out) {
      const auto* const from = reinterpret_cast<const Vector*>(in);
      auto* const to = reinterpret_cast<Vector*>(out);
      each_vector((bytes + 15) / 16, [=](std::uint32_t i) {
        const Vector vector = from[i];
        to[i] = {~vector.low, ~vector.high};
      });
    }
    /// True if this lane finds a difference.
    FPSYNTH_INLINE bool differs(const std::byte* a, const std::byte* b, std::uint32_t bytes) {
      const auto* const left = reinterpret_cast<const Vector*>(a);
      const auto* const right = reinterpret_cast<const Vector*>(b);
      std::uint64_t difference = 0;
      each_vector(bytes / 16, [&](std::uint32_t i) {
        const Vector x = left[i], y = right[i];
        difference |= (x.low ^ y.low) | (x.high ^ y.high);
      });
      for (std::uint32_t i = bytes / 16 * 16 + hardware_.lane(); i < bytes;
           i += hardware_.lanes()) {
        difference |= std::uint64_t(a[i] ^ b[i]);
      }
      return difference != 0;
    }
    /// f(i) for numbers 0..count - 1, each by one lane. For a whole chunk, the compiler unrolls it.
    template <class F>
    FPSYNTH_INLINE void each_vector(std::uint32_t count, F f) {
      constexpr std::uint32_t kVectors = kWhole / sizeof(Vector);
      if (count == kVectors) {
        for (std::uint32_t i = 0; i < kVectors; i += hardware_.lanes()) f(i + hardware_.lane());
      } else {
        for (std::uint32_t i = hardware_.lane(); i < count; i += hardware_.lanes()) f(i);
      }
    }

    Hardware hardware_;
    const Args& args_;
    Team team_;
    std::uint32_t* state_;
    std::uint32_t row_ = 0;  ///< of leaf_bytes, where edges are counted
    bool moved_ = false;     ///< whether the last node's stage only moved words
    device::BlockMemory<const WalkBlocks&> memory_;
  };
};

/// Sums, for every leaf, the counters of all thread blocks of a walk.
struct SumBody {
  static constexpr std::uint32_t kLanes = 256;
  struct Args {
    const std::uint32_t* leaf_bytes;  ///< `leaves` for each of `blocks` blocks
    std::uint32_t leaves, blocks;
    std::uint64_t* sums;  ///< one for every leaf
  };
  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const std::uint32_t lanes = hardware.lanes() * hardware.blocks();
    for (std::uint32_t leaf = hardware.block() * hardware.lanes() + hardware.lane();
         leaf < args.leaves; leaf += lanes) {
      std::uint64_t sum = 0;
      for (std::uint32_t block = 0; block < args.blocks; ++block) {
        sum += args.leaf_bytes[std::size_t(block) * args.leaves + leaf];
      }
      args.sums[leaf] = sum;
    }
  }
};

}  // namespace fpsynth::search
