// Registers share a place if their live ranges do not overlap. A live range is the range of
// instructions, in the order of the text, outside of which the register is not live.

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>

#include "tests/ptx/interpreter/program.hpp"

namespace fpsynth::ptx {
namespace {

using Bits = std::vector<std::uint64_t>;

/// A basic block: instructions begin to end - 1.
struct Block {
  std::uint32_t begin, end;
  std::vector<std::uint32_t> next;
  /// A bit for each register that is live in several blocks; used: read before it is set.
  Bits used, set, live_in, live_out;
};

struct Life {
  std::uint32_t begin = ~0u, end = 0;
  void add(std::uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};

/// Calls f(register, is_set) for each operand, first for those that are read. A register that only
/// some lanes set keeps the values of the others, so it also counts as read.
template <class F>
void for_registers(const Instruction& instruction, F f) {
  const bool guarded = instruction.guard != Instruction::Guard::None;
  if (guarded) f(instruction.predicate.at, false);
  for (unsigned i = 0; i < instruction.count; ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.constant && (i >= instruction.outputs || guarded)) f(operand.at, false);
  }
  for (unsigned i = 0; i < instruction.outputs; ++i) f(instruction.operands[i].at, true);
}

std::vector<Block> blocks_of(const std::vector<Instruction>& code) {
  std::vector<bool> begins(code.size() + 1);
  begins[0] = true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].kind == Kind::Branch) begins[code[i].target] = true;
    if (code[i].kind == Kind::Branch || code[i].kind == Kind::Return) begins[i + 1] = true;
  }
  std::vector<Block> blocks;
  std::vector<std::uint32_t> block_at(code.size() + 1);
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (begins[i]) blocks.push_back({i, i, {}, {}, {}, {}, {}});
    block_at[i] = std::uint32_t(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Instruction& last = code[blocks[b].end - 1];
    if (last.kind == Kind::Branch) blocks[b].next.push_back(block_at[last.target]);
    const bool leaves = last.kind == Kind::Branch || last.kind == Kind::Return;
    if (b + 1 < blocks.size() && (!leaves || last.guard != Instruction::Guard::None)) {
      blocks[b].next.push_back(std::uint32_t(b + 1));
    }
  }
  return blocks;
}

/// The live range of each register. Most are live in one block; only the others need control flow.
std::vector<Life> lives_of(const std::vector<Instruction>& code, std::size_t registers) {
  std::vector<Block> blocks = blocks_of(code);
  std::vector<Life> lives(registers);
  constexpr std::uint32_t kNone = ~0u, kSeveral = ~0u - 1;
  std::vector<std::uint32_t> home(registers, kNone), crossing(registers, kNone);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    for (std::uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      for_registers(code[i], [&](std::uint32_t r, bool is_set) {
        lives[r].add(i);
        // Read in its only block before it is set there: a value of the previous iteration of a
        // loop.
        if (home[r] == kNone && is_set) home[r] = b;
        if (home[r] != b) home[r] = kSeveral;
      });
    }
  }
  std::uint32_t crossings = 0;
  std::vector<std::uint32_t> crossing_register;
  for (std::uint32_t r = 0; r < registers; ++r) {
    if (home[r] != kSeveral) continue;
    crossing[r] = crossings++;
    crossing_register.push_back(r);
  }
  const std::size_t words = (crossings + 63) / 64;
  for (Block& block : blocks) {
    for (Bits* bits : {&block.used, &block.set, &block.live_in, &block.live_out}) {
      bits->assign(words, 0);
    }
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      for_registers(code[i], [&](std::uint32_t r, bool is_set) {
        const std::uint32_t c = crossing[r];
        if (c == kNone) return;
        const std::uint64_t bit = std::uint64_t{1} << c % 64;
        if (is_set) {
          block.set[c / 64] |= bit;
        } else {
          block.used[c / 64] |= bit & ~block.set[c / 64];
        }
      });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      Block& block = blocks[b];
      for (std::size_t w = 0; w < words; ++w) {
        for (const std::uint32_t next : block.next) block.live_out[w] |= blocks[next].live_in[w];
        const std::uint64_t live = block.used[w] | (block.live_out[w] & ~block.set[w]);
        changed = changed || live != block.live_in[w];
        block.live_in[w] = live;
      }
    }
  }
  const auto add = [&](const Bits& bits, std::uint32_t at) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
        lives[crossing_register[64 * w + std::size_t(std::countr_zero(rest))]].add(at);
      }
    }
  };
  for (const Block& block : blocks) {
    add(block.live_in, block.begin);
    add(block.live_out, block.end - 1);
  }
  return lives;
}

}  // namespace

void allocate_registers(Kernel& kernel, const std::vector<Width>& widths) {
  std::vector<Life> lives = lives_of(kernel.code, widths.size());
  // These are set before the first instruction.
  for (const Operand& special : kernel.specials) lives[special.at].add(0);
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < widths.size(); ++r) {
    if (lives[r].begin != ~0u) order.push_back(r);
  }
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return lives[a].begin < lives[b].begin; });

  std::vector<std::uint32_t> place(widths.size());
  std::map<Width, std::vector<std::uint32_t>> free;
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // end and register
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living;
  kernel.register_bytes = 0;
  for (const std::uint32_t r : order) {
    for (; !living.empty() && living.top().first < lives[r].begin; living.pop()) {
      const std::uint32_t ended = living.top().second;
      free[widths[ended]].push_back(place[ended]);
    }
    auto& places = free[widths[r]];
    if (places.empty()) {
      places.push_back(std::uint32_t(kernel.register_bytes));
      kernel.register_bytes += std::max<std::size_t>(row_bytes(widths[r]), 8);
    }
    place[r] = places.back();
    places.pop_back();
    living.emplace(lives[r].end, r);
  }
  const auto settle = [&](Operand& operand) {
    if (!operand.constant && operand.width != Width::None) operand.at = place[operand.at];
  };
  for (Instruction& instruction : kernel.code) {
    settle(instruction.predicate);
    for (Operand& operand : instruction.operands) settle(operand);
  }
  for (Operand& special : kernel.specials) settle(special);
}

}  // namespace fpsynth::ptx
