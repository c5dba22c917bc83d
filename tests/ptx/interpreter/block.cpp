#include "tests/ptx/interpreter/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fpsynth::ptx {
namespace {

std::uint64_t address_in(const Files& files, const Operand& base, std::int64_t offset,
                         std::uint32_t lane) {
  // An address of 32 bits wraps around at 32 bits.
  if (base.width == Width::B32) {
    return std::uint32_t(files.lanes<std::uint32_t>(base)[lane] + std::uint32_t(offset));
  }
  return files.lanes<std::uint64_t>(base)[lane] + std::uint64_t(offset);
}

}  // namespace

Block::Block(Context& context, std::uint32_t index)
    : context_(context),
      index_(index),
      shared_(context.shape.shared_bytes / 8 + 1, 0xa5a5a5a5a5a5a5a5),
      epoch_(context.memory.new_epoch()) {
  const std::uint32_t count = context.shape.lanes / kWarpLanes;
  warps_.reserve(count);  // not moved later, because each holds pointers to its registers
  for (std::uint32_t w = 0; w < count; ++w) warps_.emplace_back(context, *this, w);
}

void Block::meet() {
  bool answer = false;
  const Warp* waiting = nullptr;
  for (const Warp& warp : warps_) {
    if (!warp.ended() && !warp.at_barrier()) return;
    if (warp.at_barrier()) waiting = &warp;
    answer = answer || warp.vote();
  }
  if (!waiting) return;
  for (Warp& warp : warps_) {
    if (warp.ended()) {
      waiting->fail(waiting->pc(), "warp " + std::to_string(warp.index()) + " has ended");
    }
    if (warp.pc() != waiting->pc()) {
      waiting->fail(waiting->pc(), "warp " + std::to_string(warp.index()) + " is at " +
                                       context_.kernel.describe(warp.pc()));
    }
  }
  for (Warp& warp : warps_) warp.pass(answer);
  epoch_ = context_.memory.new_epoch();
}

void Block::access(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
                   std::uint32_t mask) {
  const Files& files = warp.files();
  const Operand& base = instruction.operands[instruction.count - 1u];
  std::byte* addresses[kWarpLanes];
  std::uint32_t offsets[kWarpLanes], in_shared = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = std::uint32_t(std::countr_zero(rest));
    const Resolved at =
        resolve(warp, pc, instruction, address_in(files, base, instruction.offset, lane), lane);
    addresses[lane] = at.data;
    offsets[lane] = at.offset;
    in_shared |= std::uint32_t{at.shared} << lane;
  }
  if (instruction.space != Space::Parameter) {
    context_.statistics.shared_accesses += in_shared != 0;
    context_.statistics.global_accesses += in_shared != mask;
    context_.runs[pc].global += in_shared != mask;
  }
  if (in_shared && context_.checks.wavefronts) {
    count_wavefronts(offsets, in_shared, instruction.access_bytes());
  }
  if (instruction.kind == Kind::Atomic) return combine(warp, instruction, addresses, mask);
  for (unsigned i = 0; i < instruction.elements; ++i) {
    instruction.transfer(files.lanes<std::byte>(instruction.operands[i]), addresses,
                         std::size_t{i} * instruction.bytes, mask);
  }
}

Block::Resolved Block::resolve(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
                               std::uint64_t address, std::uint32_t lane) {
  const std::uint32_t bytes = instruction.access_bytes();
  const auto fail = [&](const std::string& what) {
    warp.fail(pc, "lane " + std::to_string(lane) + " " + what);
  };
  if (address % bytes != 0) fail("is not aligned to " + std::to_string(bytes) + " bytes");
  if (instruction.space == Space::Shared) address += kSharedWindow;
  switch (address & (kSharedWindow | kParameterWindow)) {
    case kSharedWindow: {
      if (instruction.space == Space::Global) fail("takes shared memory for global");
      const std::uint64_t offset = address - kSharedWindow - kSharedBase;
      const std::size_t room = context_.shape.shared_bytes;
      if (offset > room || room - offset < bytes) {
        fail("is out of shared memory: byte " + std::to_string(std::int64_t(offset)) + " of " +
             std::to_string(room));
      }
      if (context_.checks.races) {
        check_race(warp, pc, instruction, lane, shadows_.of(room) + offset);
      }
      return {reinterpret_cast<std::byte*>(shared_.data()) + offset, true, std::uint32_t(offset)};
    }
    case kParameterWindow: {
      const std::uint64_t offset = address - kParameterWindow;
      const std::size_t room = context_.arguments.size();
      if (instruction.kind != Kind::Load || offset > room || room - offset < bytes) {
        fail("is out of the kernel's arguments");
      }
      return {const_cast<std::byte*>(context_.arguments.data()) + offset, false, 0};
    }
    default: {
      Memory::Allocation* const found = context_.memory.find(address, bytes);
      if (!found) fail("is out of all memory of the device");
      auto* const data = reinterpret_cast<std::byte*>(address);
      if (context_.checks.races) {
        check_race(warp, pc, instruction, lane,
                   found->shadows.of(found->bytes) + (data - found->data.get()));
      }
      return {data, false, 0};
    }
  }
}

void Block::check_race(const Warp& warp, std::uint32_t pc, const Instruction& instruction,
                       std::uint32_t lane, Shadow* shadows) const {
  const Moment now{epoch_, warp.epoch(), warp.index(), lane, pc};
  const Access access = instruction.ordered              ? Access::Atomic
                        : instruction.kind == Kind::Load ? Access::Read
                                                         : Access::Write;
  for (std::uint32_t i = 0; i < instruction.access_bytes(); ++i) {
    if (const Accesses* const race = shadows[i].add(access, now)) {
      warp.fail(
          pc, "lane " + std::to_string(lane) + " races with " + context_.kernel.describe(race->pc));
    }
  }
}

void Block::combine(const Warp& warp, const Instruction& instruction, std::byte* const* addresses,
                    std::uint32_t mask) {
  const std::size_t bytes = instruction.bytes;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = std::uint32_t(std::countr_zero(rest));
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, addresses[lane], bytes);
    std::memcpy(&value, warp.files().lanes<std::byte>(instruction.operands[1]) + lane * bytes,
                bytes);
    value = instruction.combine(old, value);
    std::memcpy(addresses[lane], &value, bytes);
    std::memcpy(warp.files().lanes<std::byte>(instruction.operands[0]) + lane * bytes, &old, bytes);
  }
}

void Block::count_wavefronts(const std::uint32_t* offsets, std::uint32_t mask,
                             std::uint32_t bytes) {
  // 128 bytes at a time: with 8 or 16 bytes per lane, half or a quarter of a warp.
  const std::uint32_t at_once = bytes <= 4 ? 32 : 128 / bytes;
  for (std::uint32_t first = 0; first < kWarpLanes; first += at_once) {
    std::vector<std::uint32_t> banks[32];
    std::size_t most = 0;
    for (std::uint32_t lane = first; lane < first + at_once; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (std::uint32_t word = offsets[lane] / 4; word <= (offsets[lane] + bytes - 1) / 4;
           ++word) {
        auto& words = banks[word % 32];
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
        most = std::max(most, words.size());
      }
    }
    context_.statistics.shared_wavefronts += most;
    context_.statistics.ideal_wavefronts += most > 0;
  }
}

}  // namespace fpsynth::ptx
