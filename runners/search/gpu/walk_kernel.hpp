#pragma once
// The walk of chunks through a plan on a GPU: a thread block does what walker.hpp does on a core,
// on the parts of the plan that work_items.hpp gives it. It has one block of data for every depth,
// in shared memory; a block that does not fit there is in global memory, which costs time but does
// not change results.
//
// Its limits, by the estimate from its machine code (count_kernels --sass, results/measured/): a
// warp issues an instruction in about three cycles, and a multiprocessor holds eleven warps that
// verify doubles and twelve that count. It could issue four instructions in every cycle, so more
// warps are worth more than fewer instructions, and shared memory decides how many there are.
// Therefore, verified, it has the block of the last depth and the leaf's alone. All other blocks
// are in global memory, from which an edge's is copied to where the leaf's is otherwise; what was
// encoded is decoded in its place, and compared with its original in global memory. Of the scratch,
// one mask is there. RLE may expand a block by half, but rarely does: it is tried where there is
// less room, and done again in global memory if that did not suffice.

#include <cstddef>
#include <cstdint>

#include "components/count_block.hpp"
#include "components/dispatch.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"
#include "components/teams/strip.hpp"
#include "runners/device/block_memory.hpp"
#include "runners/search/gpu/walk_edges.hpp"
#include "runners/search/gpu/walk_memory.hpp"

namespace fpsynth::search {

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
  /// Of an H100, whose shared memory allows eleven for doubles that are verified (19.6 KiB a block)
  /// and twelve for counted ones (18 KiB). Registers of a lane suffice for as many: up to twelve
  /// have 168, as three are on each of the four parts of a multiprocessor, up to sixteen 128.
  static constexpr std::uint32_t kBlocksPerMultiprocessor = sizeof(W) < 8 ? 16 : Verify ? 11 : 12;
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
  /// The team of one warp keeps no counts.
  FPSYNTH_INLINE static std::uint32_t scratch_at(const WalkBlocks& blocks, std::uint32_t lanes) {
    return team_at() + std::uint32_t(components::round_up_to_alignment(teams::block_team_bytes(
                           lanes == 32 ? 0 : blocks.spilled_items(), lanes)));
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
  using Strip = teams::Strip;
  using StripItem = teams::StripItem;

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
          edges_(hardware, args.edges),
          memory_{hardware.shared() + scratch_at(args.blocks, hardware.lanes()),
                  args.spilled + std::size_t(hardware.block()) * args.blocks.spilled_bytes,
                  args.blocks} {
      // The paper's components need no other guards.
      for (const auto& scratch : {memory_.shared_scratch(), memory_.spilled_scratch()}) {
        if (hardware.lane() == 0) scratch.mask[-1] = 0;
      }
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
          const std::uint32_t end = part.end;
          edges_.release();
          for (std::uint32_t s = part.begin; s < end;) {
            edges_.hold(s, end);
            const WalkEdge edge = edges_.at(s);
            if (!Verify && edge.is_leaf()) {
              s += measure(s, edge);
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

    /// Block k, for at most `bytes` bytes. Verified, every depth's block is in global memory, and
    /// those that are in shared memory are copies: decoders write over what was encoded.
    FPSYNTH_INLINE std::byte* block(InShared, std::uint32_t k, std::uint32_t) const {
      return memory_.shared_block(k);
    }
    FPSYNTH_INLINE std::byte* block(Spilled, std::uint32_t k, std::uint32_t bytes) const {
      return memory_.block(k, Verify ? ~0u : bytes);
    }
    /// The numbers of blocks: the decoded one, the leaf's, and that of the last depth.
    FPSYNTH_INLINE std::uint32_t decoded() const { return args_.blocks.count - 1; }
    FPSYNTH_INLINE std::uint32_t leaves() const { return args_.blocks.count - 2; }
    FPSYNTH_INLINE std::uint32_t last() const { return args_.blocks.count - 3; }
    /// For an edge that writes block `out`.
    FPSYNTH_INLINE components::Scratch scratch(InShared, std::uint32_t out) const {
      auto scratch = memory_.shared_scratch();
      scratch.room = memory_.layout.room(out);
      // RLE is through with it before it writes its output.
      scratch.starts = reinterpret_cast<std::uint64_t*>(memory_.shared_block(out));
      if (!Verify && out + 1 < args_.blocks.count) {  // the block of the next depth
        scratch.bytes = reinterpret_cast<std::uint8_t*>(memory_.shared_block(out + 1));
      } else {
        scratch.bytes = memory_.spilled_scratch().bytes;
      }
      return scratch;
    }
    FPSYNTH_INLINE components::Scratch scratch(Spilled, std::uint32_t) const {
      return memory_.spilled_scratch();
    }

    FPSYNTH_INLINE void load(std::uint32_t chunk) {
      const std::uint32_t bytes = args_.chunk_lengths[chunk];
      const std::byte* const from = args_.data + std::size_t(chunk) * args_.chunk_bytes;
      copy(from, bytes, block(Spilled{}, 0, bytes));
      if (Verify && memory_.fits(0, bytes)) copy(from, bytes, block(InShared{}, 0, bytes));
      if (hardware_.lane() == 0) remember_new(0, bytes, !memory_.fits(0, bytes));
      if (!Verify) row_ = args_.by_chunk ? chunk : hardware_.block();
      moved_ = false;
      hardware_.barrier();
    }
    /// Stores the length of a new block, and in the top bit whether it is in global memory alone.
    FPSYNTH_INLINE void remember_new(std::uint32_t depth, std::uint32_t bytes, bool spilled) {
      state_[kLengths + depth] = bytes | (spilled ? kSpilled : 0);
      if (!Verify) nonzero(depth) = {};
    }
    static constexpr std::uint32_t kWhole = kChunkWords * sizeof(W);
    static constexpr std::uint32_t kSpilled = std::uint32_t{1} << 31;

    /// Counts the block of the leaf `first`, number s of the edges, and adds the lengths of this
    /// leaf and of those after it that have the same input, if they are held: lane k takes leaf
    /// s + k. Returns how many they are. Ends with a barrier.
    FPSYNTH_INLINE std::uint32_t measure(std::uint32_t s, const WalkEdge& first) {
      const std::uint32_t width = hardware_.warp_lanes(), in_warp = hardware_.lane() % width;
      const WalkEdge leaf = edges_.at(s + in_warp);
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
        if (hardware_.lane() == 0) remember_new(depth, kWhole, false);
        return hardware_.barrier();
      }
      const std::uint32_t needed = Stages::needed(edge.step, bytes);
      const std::uint32_t out = leaf ? leaves() : depth;
      const bool spilled = length & kSpilled;
      // An input in global memory is copied into the leaf's block, and the output is made in that
      // of the last depth: neither holds anything then.
      const bool staged = Verify && spilled && bytes <= memory_.layout.shared_items() &&
                          memory_.fits(leaves(), bytes) && memory_.fits(last(), needed);
      if (staged) {
        copy(block(Spilled{}, depth - 1, ~0u), bytes, block(InShared{}, leaves(), 0));
        hardware_.barrier();
      }
      const bool walked =
          (staged || (!spilled && memory_.fits(out, needed))) &&
          walk(InShared{}, edge, again, block(InShared{}, staged ? leaves() : depth - 1, 0), bytes,
               staged ? last() : out, needed);
      if (!walked) {
        walk(Spilled{}, edge, again, block(Spilled{}, depth - 1, spilled ? ~0u : 0), bytes, out,
             Stages::bound(edge.step, bytes));
      }
      hardware_.barrier();
    }
    /// Returns false, having done nothing, if the output does not fit where it is in shared memory.
    template <class Where>
    FPSYNTH_INLINE bool walk(Where where, const WalkEdge& edge, bool again, std::byte* in,
                             std::uint32_t bytes, std::uint32_t out, std::uint32_t bound) {
      constexpr bool kShared = std::is_same_v<Where, InShared>;
      const bool leaf = edge.is_leaf();
      const std::uint32_t depth = edge.depth();
      std::uint32_t out_bytes = 0;
      const bool good = run_edge(where, edge, again, in, bytes, out, bound, out_bytes);
      if (kShared && !memory_.fits(out, out_bytes)) return false;
      if (kShared && Verify && !leaf) {
        copy(block(where, out, bound), out_bytes, block(Spilled{}, depth, bound));
      }
      if (hardware_.lane() != 0) return true;
      if (leaf) {
        hardware_.atomic_add(
            args_.leaf_bytes + std::size_t(hardware_.block()) * args_.leaves + edge.index,
            out_bytes);
      } else {
        remember_new(depth, out_bytes,
                     Verify ? !kShared || out != depth : !kShared && !memory_.fits(depth, bound));
      }
      if (!good) {
        state_[kLengths + depth - 1] |= kSpilled;  // what is in shared memory is not the block
        hardware_.atomic_add((leaf ? args_.failed_leaves : args_.failed_nodes) + edge.index, 1u);
      }
      return true;
    }

    /// Encodes and, if `Verify` and not `again`, decodes and compares.
    template <class Where>
    FPSYNTH_INLINE bool run_edge(Where where, const WalkEdge& edge, bool again, std::byte* in,
                                 std::uint32_t bytes, std::uint32_t to, std::uint32_t bound,
                                 std::uint32_t& out_bytes) {
      const components::Scratch working = scratch(where, to);
      std::byte* const out = block(where, to, bound);
      const auto extent = Stages::encode(team_, edge.step, in, bytes, out, working);
      out_bytes = extent.words * Stages::word_bytes(edge.step);
      constexpr bool kInPlace = std::is_same_v<Where, InShared>;
      if (!Verify || (kInPlace && !memory_.fits(to, out_bytes))) return true;
      hardware_.barrier();
      if (again) return true;
      // In shared memory, what was encoded is decoded in its place, which is set to its complement
      // first, so that a decoder which writes too little is detected whatever was there before.
      const std::byte* const original = block(Spilled{}, edge.depth() - 1, bytes);
      std::byte* const decoded = kInPlace ? in : block(Spilled{}, this->decoded(), bytes);
      complement(in, bytes, decoded);
      hardware_.barrier();
      const bool decodes = Stages::decode(team_, edge.step, out, extent, decoded, bytes, working);
      hardware_.barrier();
      return !hardware_.any(!decodes || differs(original, decoded, bytes));
    }
    FPSYNTH_INLINE void copy(const std::byte* in, std::uint32_t bytes, std::byte* out) {
      each_strip_onto(in, bytes, out, [](Strip strip) { return strip; });
    }
    FPSYNTH_INLINE void complement(const std::byte* in, std::uint32_t bytes, std::byte* out) {
      each_strip_onto(in, bytes, out, [](Strip strip) { return ~strip; });
    }
    template <class F>
    FPSYNTH_INLINE void each_strip_onto(const std::byte* in, std::uint32_t bytes, std::byte* out,
                                        F f) {
      each_strip(
          bytes, [=](StripItem item) { return f(item.load(in)); },
          [=](StripItem item, Strip strip) { item.store_aligned(out, strip); });
    }
    /// True if this lane finds a difference.
    FPSYNTH_INLINE bool differs(const std::byte* a, const std::byte* b, std::uint32_t bytes) {
      std::uint32_t difference = 0;
      struct Both {
        Strip x, y;
      };
      each_strip(
          bytes / 16 * 16,
          [=](StripItem item) {
            return Both{item.load(a), item.load(b)};
          },
          [&](StripItem, const Both& both) {
            FPSYNTH_UNROLL
            for (int k = 0; k < 4; ++k) {
              difference =
                  words::different_or(both.x.part[k].bytes, both.y.part[k].bytes, difference);
            }
          });
      for (std::uint32_t i = bytes / 16 * 16 + hardware_.lane(); i < bytes;
           i += hardware_.lanes()) {
        difference |= std::uint32_t(a[i] ^ b[i]);
      }
      return difference != 0;
    }
    /// put(item, get(item)) for this lane's strips, of which it reads eight before it writes them.
    template <class Get, class Put>
    FPSYNTH_INLINE void each_strip(std::uint32_t bytes, Get get, Put put) {
      teams::in_turns<8>(
          16 * hardware_.lane(), bytes, 16 * hardware_.lanes(),
          [&](std::uint32_t i) { return get(StripItem{i}); },
          [&](std::uint32_t i, const auto& value) { put(StripItem{i}, value); });
    }

    Hardware hardware_;
    const Args& args_;
    Team team_;
    std::uint32_t* state_;
    std::uint32_t row_ = 0;  ///< of leaf_bytes, where edges are counted
    bool moved_ = false;     ///< whether the last node's stage only moved words
    HeldEdges<Hardware> edges_;
    device::BlockMemory<const WalkBlocks&> memory_;
  };
};

}  // namespace fpsynth::search
