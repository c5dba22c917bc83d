#pragma once
// A thread block of a launch and its warps.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx/interpreter/launch.hpp"

namespace fpsynth::ptx {

class Block;

/// 32 lanes. Lanes at the same instruction form a group and run together. If there are several
/// groups, the one with the lowest instruction runs until it meets the next one.
class Warp {
 public:
  Warp(Context& context, Block& block, std::uint32_t index);

  /// Runs up to so many instructions. Stops earlier if the warp ends, comes to a barrier of its
  /// block, or waits for another block.
  void run(std::uint32_t instructions);
  bool ended() const { return groups_.empty(); }
  /// True while the warp waits for the others of its block.
  bool at_barrier() const { return at_barrier_; }
  std::uint32_t pc() const { return groups_.front().pc; }
  /// The warp's vote at a barrier that reduces votes. pass() continues with the result of all
  /// warps.
  bool vote() const { return vote_; }
  void pass(bool answer);

  std::uint32_t index() const { return index_; }
  std::uint32_t epoch() const { return epoch_; }
  const Files& files() const { return files_; }
  [[noreturn]] void fail(std::uint32_t pc, const std::string& what) const;

 private:
  struct Group {
    std::uint32_t pc, mask;
    bool waiting;  ///< waits at a collective for other lanes
  };
  /// The group to run and the instruction at which it must stop; null if the warp has ended.
  Group* choose(std::uint32_t& limit);
  /// Runs one instruction. Returns false if run() must choose a group again.
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
  /// If all warps are at a barrier, lets them pass.
  void meet();

  /// Runs a load, store or atomic access for the lanes of a mask.
  void access(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
              std::uint32_t mask);

 private:
  /// The checked address of one lane: its bytes and, if they are in shared memory, their offset
  /// there.
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
