#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/ptx/interpreter/block.hpp"

namespace fpsynth::ptx {

Warp::Warp(Context& context, Block& block, std::uint32_t index)
    : context_(context),
      block_(block),
      index_(index),
      registers_(context.kernel.register_bytes / sizeof(std::uint64_t), 0xdeadbeefcafef00d),
      files_{reinterpret_cast<std::byte*>(registers_.data()),
             reinterpret_cast<std::byte*>(context.constants.data())},
      groups_{{0, kAllLanes, false}} {
  const std::uint32_t values[] = {0, block.index(), context.shape.blocks, context.shape.lanes};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    std::fill_n(files_.lanes<std::uint32_t>(context.kernel.specials[i]), kWarpLanes, values[i]);
  }
  std::uint32_t* const numbers = files_.lanes<std::uint32_t>(context.kernel.specials[0]);
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    numbers[lane] = index * kWarpLanes + lane;
  }
}

void Warp::run(std::uint32_t instructions) {
  paused_ = false;
  while (instructions > 0 && !at_barrier_ && !paused_) {
    std::uint32_t limit = 0;
    Group* const group = choose(limit);
    if (!group) return;
    const std::uint32_t before = instructions;
    do {
      --instructions;
    } while (step(*group) && instructions > 0 && group->pc < limit);
    context_.statistics.instructions += before - instructions;
  }
}

Warp::Group* Warp::choose(std::uint32_t& limit) {
  if (groups_.empty()) return nullptr;
  // The group with the lowest instruction comes first; groups at the same instruction join it.
  std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
    return a.waiting != b.waiting ? b.waiting : a.pc < b.pc;
  });
  Group& first = groups_.front();
  if (first.waiting) {
    std::string others;
    for (const Group& group : groups_)
      others.append("; ").append(context_.kernel.describe(group.pc));
    fail(first.pc,
         "lanes wait for others of their warp, which have ended or wait elsewhere" + others);
  }
  while (groups_.size() > 1 && !groups_[1].waiting && groups_[1].pc == first.pc) {
    first.mask |= groups_[1].mask;
    groups_.erase(groups_.begin() + 1);
  }
  limit = groups_.size() > 1 && !groups_[1].waiting ? groups_[1].pc : ~std::uint32_t{0};
  return &first;
}

bool Warp::step(Group& group) {
  const std::uint32_t pc = group.pc;
  const Instruction& instruction = context_.kernel.code[pc];
  ++context_.runs[pc].warps;
  std::uint32_t mask = group.mask;
  if (instruction.guard != Instruction::Guard::None) {
    const std::uint32_t predicate = files_.predicate(instruction.predicate);
    mask &= instruction.guard == Instruction::Guard::If ? predicate : ~predicate;
  }
  switch (instruction.kind) {
    case Kind::Compute:
      instruction.compute(files_, instruction, mask);
      break;
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
      if (mask) block_.access(*this, pc, instruction, mask);
      break;
    case Kind::Branch:
      return branch(group, instruction, mask);
    case Kind::Return:
      group.mask &= ~mask;
      ++group.pc;
      if (group.mask == 0) groups_.erase(groups_.begin());
      return false;
    case Kind::Pause:
      paused_ = true;
      ++group.pc;
      return false;
    default:
      if (context_.dropped.empty() || !context_.dropped[pc]) {
        return meet(group, instruction, mask);
      }
  }
  ++group.pc;
  return true;
}

bool Warp::branch(Group& group, const Instruction& instruction, std::uint32_t mask) {
  ++context_.statistics.branches;
  if (mask == 0) {
    ++group.pc;
    return true;
  }
  if (mask == group.mask) {
    group.pc = instruction.target;
    return groups_.size() == 1;  // after a jump backwards, another group may have to run
  }
  ++context_.statistics.divergent_branches;
  group.mask &= ~mask;
  ++group.pc;
  groups_.push_back({instruction.target, mask, false});
  return false;
}

bool Warp::meet(Group& group, const Instruction& instruction, std::uint32_t mask) {
  const std::uint32_t pc = group.pc;
  if (mask != group.mask) fail(pc, "only some lanes run it, by a predicate");
  for (std::size_t i = groups_.size(); i-- > 1;) {
    if (!groups_[i].waiting || groups_[i].pc != pc) continue;
    group.mask |= groups_[i].mask;
    groups_.erase(groups_.begin() + std::ptrdiff_t(i));
  }
  const bool of_block = instruction.kind >= Kind::Barrier;
  for (std::uint32_t lane = 0; !of_block && lane < kWarpLanes; ++lane) {
    const Operand& members = instruction.operands[instruction.count - 1u];
    if ((group.mask >> lane & 1) && files_.lanes<std::uint32_t>(members)[lane] != kAllLanes) {
      fail(pc, "for a part of a warp, which is not known");
    }
  }
  if (group.mask != kAllLanes) {
    group.waiting = true;
    return false;
  }
  if (of_block) {
    ++context_.statistics.block_barriers;
    at_barrier_ = true;
    vote_ = instruction.kind == Kind::BarrierOr && files_.predicate(instruction.operands[1]) != 0;
  } else {
    ++context_.statistics.warp_collectives;
    run_collective(pc, instruction);
    ++group.pc;
  }
  return false;
}

void Warp::run_collective(std::uint32_t pc, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::uint32_t* const out = files_.lanes<std::uint32_t>(operands[0]);
  switch (instruction.kind) {
    case Kind::WarpBarrier:
      context_.statistics.barriers.insert({context_.kernel.name, pc});
      ++epoch_;
      break;
    case Kind::Ballot:
      std::fill_n(out, kWarpLanes, files_.predicate(operands[1]));
      break;
    case Kind::Reduce: {
      const std::uint32_t* const in = files_.lanes<std::uint32_t>(operands[1]);
      std::uint64_t all = in[0];
      for (std::uint32_t lane = 1; lane < kWarpLanes; ++lane) {
        all = instruction.combine(all, in[lane]);
      }
      std::fill_n(out, kWarpLanes, std::uint32_t(all));
      break;
    }
    default:
      shuffle(instruction);
  }
}

void Warp::shuffle(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const std::uint32_t* const in = files_.lanes<std::uint32_t>(operands[2]);
  const std::uint32_t* const distances = files_.lanes<std::uint32_t>(operands[3]);
  const std::uint32_t* const clamps = files_.lanes<std::uint32_t>(operands[4]);
  std::uint32_t values[kWarpLanes], found = 0;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    const std::uint32_t from = instruction.source(lane, distances[lane] & 31, clamps[lane]);
    found |= std::uint32_t{from < kWarpLanes} << lane;
    values[lane] = in[from < kWarpLanes ? from : lane];
  }
  std::memcpy(files_.lanes<std::uint32_t>(operands[0]), values, sizeof(values));
  *files_.lanes<std::uint32_t>(operands[1]) = found;
}

void Warp::pass(bool answer) {
  const std::uint32_t at = pc();
  const Instruction& instruction = context_.kernel.code[at];
  if (instruction.kind == Kind::BarrierOr) {
    *files_.lanes<std::uint32_t>(instruction.operands[0]) = answer ? kAllLanes : 0;
  } else {
    context_.statistics.barriers.insert({context_.kernel.name, at});
  }
  ++groups_.front().pc;
  at_barrier_ = false;
}

void Warp::fail(std::uint32_t pc, const std::string& what) const {
  throw Fault(context_.kernel.name + ", block " + std::to_string(block_.index()) + ", warp " +
              std::to_string(index_) + ", " + context_.kernel.describe(pc) + ": " + what);
}

}  // namespace fpsynth::ptx
