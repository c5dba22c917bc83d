#include "tests/ptx/interpreter/launch.hpp"

#include <cstring>

#include "tests/ptx/interpreter/block.hpp"

namespace fpsynth::ptx {

void launch(const Kernel& kernel, const Shape& shape, const Checks& checks, Memory& memory,
            std::span<const std::byte> arguments, Statistics& statistics) {
  if (arguments.size() != kernel.parameter_bytes) {
    throw Fault(kernel.name + " takes " + std::to_string(kernel.parameter_bytes) +
                " bytes of arguments, not " + std::to_string(arguments.size()));
  }
  std::vector<Runs>& runs = statistics.kernels[kernel.name];
  runs.resize(kernel.code.size());
  Context context{kernel, shape, checks, memory, statistics, runs, arguments, {}, {}};
  context.constants.resize((kernel.constants.size() + 7) / 8);
  if (!kernel.constants.empty()) {
    std::memcpy(context.constants.data(), kernel.constants.data(), kernel.constants.size());
  }
  for (const Barrier& barrier : checks.dropped) {
    if (barrier.kernel != kernel.name) continue;
    context.dropped.resize(kernel.code.size());
    context.dropped[barrier.pc] = true;
  }

  const std::uint64_t most = statistics.instructions + checks.most_instructions;
  std::minstd_rand random(shape.seed);
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Warp*> ready;
  for (std::uint32_t next = 0; next < shape.blocks || !blocks.empty();) {
    while (next < shape.blocks && blocks.size() < shape.resident) {
      blocks.push_back(std::make_unique<Block>(context, next++));
    }
    const auto chosen = blocks.begin() + std::ptrdiff_t(random() % blocks.size());
    Block& block = **chosen;
    ready.clear();
    for (Warp& warp : block.warps()) {
      if (!warp.ended() && !warp.at_barrier()) ready.push_back(&warp);
    }
    if (ready.empty()) {  // ended: warps at a barrier would have passed it
      blocks.erase(chosen);
      continue;
    }
    Warp& warp = *ready[random() % ready.size()];
    warp.run(1 + std::uint32_t(random() % 256));
    if (statistics.instructions > most) warp.fail(warp.ended() ? 0 : warp.pc(), "does not end");
    block.meet();
  }
}

}  // namespace fpsynth::ptx
