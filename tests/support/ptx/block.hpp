#pragma once
// A thread block of a launch and its warps.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/ptx/launch.hpp"

namespace fpsynth::ptx {

class Block;

/// 32 lanes. Those that are at the same place run together; of several groups, the one that is
/// furthest behind, until it meets the next one.
class Warp {
 public:
  Warp(Context& context, Block& block, std::uint32_t index);

  /// Up to so many instructions. Less, where the warp ends, comes to a barrier of its block, or
  /// waits for another block.
  void run(std::uint32_t instructions);
  bool ended() const { return groups_.empty(); }
  /// Where the warp waits for the others of its block.
  bool at_barrier() const { return at_barrier_; }
  std::uint32_t pc() const { return groups_.front().pc; }
  /// What it has to say to a barrier that asks; then it passes with the answer of all.
  bool vote() const { return vote_; }
  void pass(bool answer);

  std::uint32_t index() const { return index_; }
  std::uint32_t epoch() const { return epoch_; }
  const Files& files() const { return files_; }
  [[noreturn]] void fail(std::uint32_t pc, const std::string& what) const;

 private:
  struct Group {
    std::uint32_t pc, mask;
    bool waiting;  ///< at a collective, for other lanes
  };
  /// The group to run, and how far; null where the warp has ended.
  Group* choose(std::uint32_t& limit);
  /// False where the group is not to go on as it was.
  bool step(Group& group);
  bool branch(Group& group, const Instruction& instruction, std::uint32_t mask);
  bool meet(Group& group, const Instruction& instruction, std::uint32_t mask);
  void run_collective(std::uint32_t pc, const Instruction& instruction);
  void shuffle(const Instruction& instruction);

  Context& context_;
  Block& block_;
  std::uint32_t index_;
  std::vector<std::uint64_t> registers_;
  Files files_;
  std::vector<Group> groups_;
  std::uint32_t epoch_ = 0;
  bool at_barrier_ = false, vote_ = false, paused_ = false;
};

class Block {
 public:
  Block(Context& context, std::uint32_t index);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::uint32_t index() const { return index_; }
  std::vector<Warp>& warps() { return warps_; }
  /// Where all warps are at a barrier, lets them pass.
  void meet();

  /// Runs a load, store or atomic access for the lanes of a mask.
  void access(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
              std::uint32_t mask);

 private:
  /// Of one lane, after all checks: where the bytes are and, if they are shared memory's, at which
  /// offset there.
  struct Resolved {
    std::byte* data;
    bool shared;
    std::uint32_t offset;
  };
  Resolved resolve(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
                   std::uint64_t address, std::uint32_t lane);
  void check_race(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
                  std::uint32_t lane, Shadow* shadows) const;
  void combine(const Warp& warp, const Instruction& instruction, std::byte* const* addresses,
               std::uint32_t mask);
  void count_wavefronts(const std::uint32_t* offsets, std::uint32_t mask, std::uint32_t bytes);

  Context& context_;
  std::uint32_t index_;
  std::vector<std::uint64_t> shared_;
  Shadows shadows_;
  std::uint32_t epoch_;
  std::vector<Warp> warps_;
};

}  // namespace fpsynth::ptx
