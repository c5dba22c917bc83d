#pragma once
// The walk of chunks through a plan on a GPU: what walker.hpp does on a core, a thread block does
// here. Its blocks are in shared memory, one for every depth; a block that grows past its place
// there is in device memory, which costs time but changes nothing.
//
// What bounds it. Shared memory: verifying an edge moves, for a chunk of n bytes, at least
//     encode   read n, write n        complement   read n, write n
//     decode   read n, write n        compare      read 2n
// through it, 8n or 64 KiB for doubles, which at 128 bytes a cycle is 512 cycles of a
// multiprocessor; times 195,312 edges, 100 M cycles a chunk. Counting has 50,301 edges that read
// and write and 126,044 that only read: 1.9 GB, or 14 M cycles. On an H100 (132 multiprocessors,
// 1.7 GHz) that is 2.5 T pipeline-bytes/s verified and 18 T counted.
//
// Instructions, which are nearer. Counted by hand in the machine code for sm_90, verifying a leaf
// on 8 KiB takes, of each of 8 warps, some 950 (ZE) to 1,900 (RLE) on bytes and 600 to 1,200 on
// doubles; at four a cycle 1,200 to 3,800 cycles. Over all edges that is some 0.6 T verified
// and 2.5 T counted, if every cycle issued four. Three blocks share a multiprocessor, so that one
// works while another is at a barrier.

#include <cstddef>
#include <cstdint>

#include "components/dispatch.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/block.hpp"

namespace fpsynth::search {

/// An edge of a plan. The edges stand in the order in which they are walked: each node's, then its
/// leaves', then its children's.
struct WalkStep {
  static constexpr std::uint8_t kLeaf = 0x80;

  components::Step step;    ///< `spare`: the depth of its output, with kLeaf for a leaf
  std::uint32_t index = 0;  ///< of the node or leaf in the plan
};

/// Where a thread block's blocks are. Sizes in bytes; places are multiples of kBlockAlignment.
struct WalkMemory {
  static constexpr std::uint32_t kMostPlaces = 10;  ///< depths 0..7, the leaf's, the decoded one

  struct Place {
    std::uint32_t room;    ///< in shared memory; longer blocks are in the overflow
    std::uint32_t shared;  ///< where it is there, from the first place on
    std::uint32_t overflow;
  };
  Place place[kMostPlaces] = {};  ///< one for each depth, then the leaf's and the decoded one
  std::uint32_t places = 0;
  std::uint32_t shared_bytes = 0;  ///< of all places
  std::uint32_t shared_room = 0;   ///< the scratch's in shared memory
  std::uint32_t longest = 0;       ///< block of all
  std::uint32_t overflow_scratch = 0, overflow_bytes = 0;

  /// `lengths`: the longest block at each depth and the leaves' (Plan::worst_case_bytes), the first
  /// of which is a chunk's. Places in shared memory have room for `room` bytes, or for a longest
  /// block where that is less. Without verification there are no places for the leaf's block and
  /// the decoded one.
  template <class Lengths>
  static WalkMemory of(const Lengths& lengths, std::uint32_t room, bool verify) {
    WalkMemory memory;
    memory.shared_room = room;
    memory.overflow_bytes = std::uint32_t(components::kBlockSlack);
    for (std::size_t depth = 0; depth + !verify < lengths.size(); ++depth) {
      memory.add(std::uint32_t(lengths[depth]), room);
    }
    if (verify) {
      // What an edge is walked from: few of these have grown by more than ZE's bitmap for bytes.
      const std::uint32_t chunk = std::uint32_t(lengths[0]), grown = chunk + chunk / 8;
      memory.add(memory.longest, grown < room ? grown : room);
    }
    memory.overflow_scratch = memory.overflow_bytes;
    memory.overflow_bytes += std::uint32_t(components::scratch_bytes(memory.longest));
    return memory;
  }

 private:
  void add(std::uint32_t longest_here, std::uint32_t room) {
    Place& added = place[places++];
    added = {longest_here < room ? longest_here : room, shared_bytes, overflow_bytes};
    shared_bytes += with_slack(added.room);
    overflow_bytes += with_slack(longest_here);
    if (longest_here > longest) longest = longest_here;
  }
  static std::uint32_t with_slack(std::uint32_t bytes) {
    return std::uint32_t(components::round_up_to_alignment(bytes) + components::kBlockSlack);
  }
};

/// One thread block walks chunk after chunk of a batch, as long as there are any.
template <class W, bool Verify>
struct WalkBody {
  static constexpr std::uint32_t kLanes = 256;
  /// As shared memory allows for doubles (73 KiB a block where verified, 64 where counted); for
  /// singles it would allow more, which registers do not.
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 3;

  struct Args {
    const std::byte* data;  ///< the batch's chunks at multiples of chunk_bytes, padded to 16 bytes
    const std::uint32_t* chunk_lengths;  ///< in bytes
    std::uint32_t chunk_bytes, chunks;
    std::uint32_t* next;  ///< the next chunk to be taken; 0 at the start
    const WalkStep* steps;
    std::uint32_t step_count, leaves;
    WalkMemory memory;
    std::byte* overflow;        ///< memory.overflow_bytes for every thread block
    std::uint32_t* leaf_bytes;  ///< `leaves` for every thread block, 0 at the start
    std::uint32_t *failed_nodes, *failed_leaves;
  };

  /// Shared memory of a thread block, in this order: control words, the team's, scratch, places.
  FPSYNTH_INLINE static std::uint32_t team_at() { return 64; }
  FPSYNTH_INLINE static std::uint32_t scratch_at(const WalkMemory& memory, std::uint32_t lanes) {
    return team_at() + std::uint32_t(components::round_up_to_alignment(
                           teams::block_team_bytes(memory.longest, lanes)));
  }
  FPSYNTH_INLINE static std::uint32_t places_at(const WalkMemory& memory, std::uint32_t lanes) {
    // Where there is a decoded block, a stage that encodes has its place for bytes of scratch.
    const std::size_t scratch = Verify ? components::masks_bytes(memory.shared_room)
                                       : components::scratch_bytes(memory.shared_room);
    return scratch_at(memory, lanes) + std::uint32_t(scratch + components::kBlockSlack);
  }
  static std::uint32_t shared_bytes(const WalkMemory& memory, std::uint32_t lanes) {
    return places_at(memory, lanes) + memory.shared_bytes;
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
    using Stages = components::Interpreter<Team, W>;

   public:
    FPSYNTH_INLINE Walk(Hardware hardware, const Args& args)
        : hardware_(hardware),
          args_(args),
          team_(hardware, hardware.shared() + team_at()),
          control_(reinterpret_cast<std::uint32_t*>(hardware.shared())),
          overflow_(args.overflow + std::size_t(hardware.block()) * args.memory.overflow_bytes) {
      fast_scratch_ = hardware.shared() + scratch_at(args.memory, hardware.lanes());
      places_ = hardware.shared() + places_at(args.memory, hardware.lanes());
      clear_guards(scratch(Fast{}));
      clear_guards(scratch(Away{}));
    }

    FPSYNTH_INLINE void all() {
      for (;;) {
        if (hardware_.lane() == 0) control_[kTicket] = hardware_.atomic_add(args_.next, 1u);
        hardware_.barrier();
        const std::uint32_t chunk = control_[kTicket];
        if (chunk >= args_.chunks) return;
        load(chunk);
        for (std::uint32_t s = 0; s < args_.step_count; ++s) walk(args_.steps[s]);
      }
    }

   private:
    /// Control words in shared memory: the ticket, and the length of every place's block.
    static constexpr std::uint32_t kTicket = 0, kLengths = 1;

    FPSYNTH_INLINE void clear_guards(const components::Scratch& scratch) {
      if (hardware_.lane() == 0) scratch.mask[-1] = scratch.starts[-1] = scratch.runs[-1] = 0;
    }
    /// Where an edge's blocks are. Two kinds of code are made, since accesses to what the compiler
    /// knows to be shared memory take fewer instructions.
    struct Fast {};  ///< all in shared memory
    struct Away {};  ///< some in device memory

    FPSYNTH_INLINE bool fits(std::uint32_t number, std::uint32_t bytes) const {
      return bytes <= args_.memory.place[number].room;
    }
    /// The place of a block of at most `bytes` bytes.
    FPSYNTH_INLINE std::byte* place(Fast, std::uint32_t number, std::uint32_t) const {
      return places_ + args_.memory.place[number].shared;
    }
    FPSYNTH_INLINE std::byte* place(Away, std::uint32_t number, std::uint32_t bytes) const {
      return fits(number, bytes) ? place(Fast{}, number, bytes)
                                 : overflow_ + args_.memory.place[number].overflow;
    }
    FPSYNTH_INLINE std::uint32_t decoded() const { return args_.memory.places - 1; }
    FPSYNTH_INLINE components::Scratch scratch(Fast) const {
      auto scratch = components::scratch_in(fast_scratch_, args_.memory.shared_room);
      if (Verify) scratch.bytes = reinterpret_cast<std::uint8_t*>(place(Fast{}, decoded(), 0));
      return scratch;
    }
    FPSYNTH_INLINE components::Scratch scratch(Away) const {
      return components::scratch_in(overflow_ + args_.memory.overflow_scratch,
                                    args_.memory.longest);
    }

    FPSYNTH_INLINE void load(std::uint32_t chunk) {
      const auto* const from =
          reinterpret_cast<const Vector*>(args_.data + std::size_t(chunk) * args_.chunk_bytes);
      const std::uint32_t bytes = args_.chunk_lengths[chunk];
      auto* const to = reinterpret_cast<Vector*>(place(Fast{}, 0, bytes));
      for (std::uint32_t i = hardware_.lane(); i < (bytes + 15) / 16; i += hardware_.lanes()) {
        to[i] = from[i];
      }
      if (hardware_.lane() == 0) remember(0, bytes, bytes);
      hardware_.barrier();
    }
    /// A block's length, and in the top bit whether it lies in device memory.
    FPSYNTH_INLINE void remember(std::uint32_t number, std::uint32_t bytes, std::uint32_t bound) {
      control_[kLengths + number] = bytes | (fits(number, bound) ? 0 : kAway);
    }
    static constexpr std::uint32_t kAway = std::uint32_t{1} << 31;

    /// Walks one edge. Ends with a barrier.
    FPSYNTH_INLINE void walk(const WalkStep& edge) {
      const bool leaf = edge.step.spare & WalkStep::kLeaf;
      const std::uint32_t depth = edge.step.spare & ~WalkStep::kLeaf;
      const std::uint32_t length = control_[kLengths + depth - 1], bytes = length & ~kAway;
      // What is only measured makes no block.
      const std::uint32_t bound = Verify || !leaf ? Stages::bound(edge.step, bytes) : 0;
      const std::uint32_t out = leaf ? args_.memory.places - 2 : depth;
      const bool fast = !(length & kAway) && (bound == 0 || fits(out, bound)) &&
                        (!Verify || fits(decoded(), bytes));
      if (fast) {
        walk(Fast{}, edge, place(Fast{}, depth - 1, 0), bytes, out, bound);
      } else {
        walk(Away{}, edge, place(Away{}, depth - 1, length & kAway ? ~0u : 0), bytes, out, bound);
      }
      hardware_.barrier();
    }
    template <class Where>
    FPSYNTH_INLINE void walk(Where where, const WalkStep& edge, const std::byte* in,
                             std::uint32_t bytes, std::uint32_t out, std::uint32_t bound) {
      const bool leaf = edge.step.spare & WalkStep::kLeaf;
      const std::uint32_t depth = edge.step.spare & ~WalkStep::kLeaf;
      std::uint32_t out_bytes = 0;
      bool good = true;
      if (Verify || !leaf) {
        good = run_edge(where, edge.step, in, bytes, place(where, out, bound), out_bytes);
      } else {
        const auto extent = Stages::measure(team_, edge.step, in, bytes, scratch(where));
        out_bytes = extent.words * Stages::word_bytes(edge.step);
      }
      if (hardware_.lane() != 0) return;
      if (leaf) {
        hardware_.atomic_add(
            args_.leaf_bytes + std::size_t(hardware_.block()) * args_.leaves + edge.index,
            out_bytes);
      } else {
        remember(depth, out_bytes, bound);
      }
      if (!good) {
        hardware_.atomic_add((leaf ? args_.failed_leaves : args_.failed_nodes) + edge.index, 1u);
      }
    }

    /// Encodes and, where that is asked for, decodes and compares.
    template <class Where>
    FPSYNTH_INLINE bool run_edge(Where where, components::Step step, const std::byte* in,
                                 std::uint32_t bytes, std::byte* out, std::uint32_t& out_bytes) {
      const components::Scratch working = scratch(where);
      const auto extent = Stages::encode(team_, step, in, bytes, out, working);
      out_bytes = extent.words * Stages::word_bytes(step);
      if (!Verify) return true;
      hardware_.barrier();
      // Else a decoder that writes too little could pass on what another one left there.
      std::byte* const decoded = place(where, this->decoded(), bytes);
      complement(in, bytes, decoded);
      hardware_.barrier();
      const bool decodes = Stages::decode(team_, step, out, extent, decoded, bytes, working);
      hardware_.barrier();
      return !hardware_.any(!decodes || differs(in, decoded, bytes));
    }
    FPSYNTH_INLINE void complement(const std::byte* in, std::uint32_t bytes, std::byte* out) {
      const auto* const from = reinterpret_cast<const Vector*>(in);
      auto* const to = reinterpret_cast<Vector*>(out);
      for (std::uint32_t i = hardware_.lane(); i < (bytes + 15) / 16; i += hardware_.lanes()) {
        const Vector vector = from[i];
        to[i] = {~vector.low, ~vector.high};
      }
    }
    /// Whether this lane sees a difference.
    FPSYNTH_INLINE bool differs(const std::byte* a, const std::byte* b, std::uint32_t bytes) {
      const auto* const left = reinterpret_cast<const Vector*>(a);
      const auto* const right = reinterpret_cast<const Vector*>(b);
      std::uint64_t difference = 0;
      for (std::uint32_t i = hardware_.lane(); i < bytes / 16; i += hardware_.lanes()) {
        const Vector x = left[i], y = right[i];
        difference |= (x.low ^ y.low) | (x.high ^ y.high);
      }
      const std::uint32_t rest = bytes / 16 * 16 + hardware_.lane();
      for (std::uint32_t i = rest; i < bytes; i += hardware_.lanes()) {
        difference |= std::uint64_t(a[i] ^ b[i]);
      }
      return difference != 0;
    }

    Hardware hardware_;
    const Args& args_;
    Team team_;
    std::uint32_t* control_;
    std::byte *overflow_, *places_, *fast_scratch_;
  };
};

/// Adds up, for every leaf, the counters of all thread blocks of a walk.
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
