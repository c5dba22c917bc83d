#include "tests/support/emulated/hardware.hpp"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define FPSYNTH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FPSYNTH_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(FPSYNTH_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

namespace fpsynth::teams {
namespace {

namespace context = boost::context;
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

/// Tells AddressSanitizer which stack is in use. For each, it keeps a fake stack of variables, to
/// find uses of those that no longer exist.
class StackSwitch {
 public:
#if defined(FPSYNTH_ADDRESS_SANITIZER)
  /// Before a switch from this stack to another, whose bounds these are.
  void leave(const void* bottom, std::size_t size) {
    __sanitizer_start_switch_fiber(&fake_, bottom, size);
  }
  /// After a switch to this stack. Gives the bounds of the one that was left.
  void arrive(const void** from_bottom = nullptr, std::size_t* from_size = nullptr) {
    __sanitizer_finish_switch_fiber(fake_, from_bottom, from_size);
  }
  /// Frees the fake stack of a fiber that has ended. Only a fiber that leaves for good frees its
  /// fake stack, so the caller passes for that fiber for a moment.
  void discard() {
    StackSwitch here;
    const void* bottom = nullptr;
    std::size_t size = 0;
    here.leave(nullptr, 0);
    arrive(&bottom, &size);
    __sanitizer_start_switch_fiber(nullptr, bottom, size);
    here.arrive();
  }

 private:
  void* fake_ = nullptr;
#else
  void leave(const void*, std::size_t) {}
  void arrive(const void** = nullptr, std::size_t* = nullptr) {}
  void discard() {}
#endif
};

/// Runs lanes, one after the other, on a stack of its own. Making one takes longer than most lanes
/// run, above all under AddressSanitizer, which keeps a second stack for it.
class LaneFiber {
 public:
  LaneFiber() : stack_(StackAllocator(kStackBytes).allocate()) {
    // Boost enters the fiber's first function here. Its variables must be on the fiber's fake
    // stack: on the caller's, they would be freed when the caller catches an exception.
    StackSwitch here;
    here.leave(bottom(), stack_.size);
    switches_.arrive(&scheduler_bottom_, &scheduler_size_);
    self_ = context::fiber(
        std::allocator_arg, context::preallocated(stack_.sp, stack_.size, stack_),
        StackAllocator(kStackBytes),
        [this](context::fiber&& scheduler) { return run_lanes(std::move(scheduler)); });
    switches_.leave(scheduler_bottom_, scheduler_size_);
    here.arrive();
  }
  LaneFiber(const LaneFiber&) = delete;
  LaneFiber& operator=(const LaneFiber&) = delete;
  ~LaneFiber() {  // no lane may be running
    lane_ = nullptr;
    resume();
    switches_.discard();
  }

  /// Sets the next lane, which resume() begins to run.
  void assign(std::function<void()> lane) { lane_ = std::move(lane); }
  /// Called by the scheduler: runs the lane until it calls suspend() or ends.
  void resume() {
    StackSwitch here;
    here.leave(bottom(), stack_.size);
    self_ = std::move(self_).resume();
    here.arrive();
  }
  /// Called by the lane: lets the scheduler go on.
  void suspend() {
    switches_.leave(scheduler_bottom_, scheduler_size_);
    scheduler_ = std::move(scheduler_).resume();
    switches_.arrive(&scheduler_bottom_, &scheduler_size_);
  }

 private:
  using StackAllocator = context::fixedsize_stack;

  const void* bottom() const { return static_cast<const std::byte*>(stack_.sp) - stack_.size; }
  context::fiber run_lanes(context::fiber&& scheduler) {
    scheduler_ = std::move(scheduler);
    switches_.arrive(&scheduler_bottom_, &scheduler_size_);
    while (lane_) {
      lane_();
      suspend();
    }
    switches_.leave(scheduler_bottom_, scheduler_size_);
    return std::move(scheduler_);
  }

  context::stack_context stack_;
  context::fiber self_, scheduler_;
  std::function<void()> lane_;
  const void* scheduler_bottom_ = nullptr;
  std::size_t scheduler_size_ = 0;
  StackSwitch switches_;
};

/// A thread's fibers, kept for its next launch.
thread_local std::vector<std::unique_ptr<LaneFiber>> free_fibers;

std::unique_ptr<LaneFiber> take_fiber() {
  if (free_fibers.empty()) return std::make_unique<LaneFiber>();
  std::unique_ptr<LaneFiber> fiber = std::move(free_fibers.back());
  free_fibers.pop_back();
  return fiber;
}

struct Block {
  std::vector<std::max_align_t> shared;
  std::uint32_t at_barrier = 0, running = 0, barriers = 0;
  bool any[2] = {};  ///< by parity of the barrier: a slow lane can still read the previous result
};

enum class State : std::uint8_t { Ready, AtBarrier, InWarp, Done };

/// Thrown in waiting lanes if a launch ends with an error, so that their stacks unwind.
struct Cancelled {};

}  // namespace

struct EmulatedHardware::Lane {
  const EmulatedShape* shape;
  const bool* cancelled;
  Block* block;
  Lane* warp;  ///< its first lane
  std::uint32_t block_index, lane, exchanges = 0;
  State state = State::Ready;
  Operation operation{};
  std::uint64_t values[2] = {};  ///< by parity of the exchange, as with `any`
  std::unique_ptr<LaneFiber> fiber;
  std::exception_ptr error;

  /// Suspends this lane and lets the others run.
  void wait(State why) {
    state = why;
    fiber->suspend();
    if (*cancelled) throw Cancelled();
  }
};

std::uint32_t EmulatedHardware::lanes() const { return self_->shape->lanes; }
std::uint32_t EmulatedHardware::lane() const { return self_->lane; }
std::uint32_t EmulatedHardware::block() const { return self_->block_index; }
std::uint32_t EmulatedHardware::blocks() const { return self_->shape->blocks; }
std::byte* EmulatedHardware::shared() const {
  return reinterpret_cast<std::byte*>(self_->block->shared.data());
}
void EmulatedHardware::pause() { self_->wait(State::Ready); }

bool EmulatedHardware::any(bool value) {
  Block& block = *self_->block;
  const std::uint32_t parity = block.barriers % 2;
  block.any[parity] = block.any[parity] || value;
  if (++block.at_barrier < lanes()) {
    self_->wait(State::AtBarrier);
  } else {
    Lane* const first = self_ - self_->lane;
    for (Lane* other = first; other < first + lanes(); ++other) {
      if (other != self_) other->state = State::Ready;
    }
    block.at_barrier = 0;
    ++block.barriers;
    block.any[block.barriers % 2] = false;
    pause();  // the last lane to arrive must not always continue first
  }
  return block.any[parity];
}

std::uint64_t EmulatedHardware::exchange(Operation operation, std::uint64_t value,
                                         std::uint32_t from) {
  Lane* const warp = self_->warp;
  const std::uint32_t width = warp_lanes(), parity = self_->exchanges++ % 2;
  if (from >= width) throw std::logic_error("a lane that the warp does not have is read");
  self_->values[parity] = value;
  self_->operation = operation;
  std::uint32_t arrived = 1;
  for (Lane* other = warp; other < warp + width; ++other) {
    if (other == self_) continue;
    if (other->exchanges == self_->exchanges && other->operation != operation) {
      throw std::logic_error("lanes of a warp call different operations");
    }
    arrived += other->exchanges == self_->exchanges;
  }
  if (arrived < width) {
    self_->wait(State::InWarp);
  } else {
    for (Lane* other = warp; other < warp + width; ++other) other->state = State::Ready;
    pause();
  }
  const bool loses_a_bit = operation == Operation::ShuffleXor && self_->shape->faulty_shuffles;
  return warp[from].values[parity] & ~std::uint64_t{loses_a_bit};
}

std::uint32_t EmulatedHardware::ballot(bool value) {
  exchange(Operation::Ballot, value, lane_in_warp());
  std::uint32_t votes = 0;
  for (std::uint32_t k = 0; k < warp_lanes(); ++k) votes |= std::uint32_t(exchanged(k)) << k;
  return votes;
}

std::uint64_t EmulatedHardware::exchanged(std::uint32_t k) const {
  return self_->warp[k].values[(self_->exchanges - 1) % 2];
}

namespace {

using Lane = EmulatedHardware::Lane;
using Kernel = std::function<void(EmulatedHardware)>;

void start(Lane& lane, const Kernel& kernel) {
  lane.fiber = take_fiber();
  lane.fiber->assign([&lane, &kernel] {
    try {
      kernel(EmulatedHardware(&lane));
    } catch (const Cancelled&) {
    } catch (...) {
      lane.error = std::current_exception();
    }
    lane.state = State::Done;
  });
}

}  // namespace

void emulate(const EmulatedShape& shape, const Kernel& kernel) {
  if (shape.lanes != 1 && (shape.lanes % 32 != 0 || shape.lanes > 1024 || shape.lanes == 0)) {
    throw std::logic_error("a block has 1 lane or a multiple of 32 up to 1024");
  }
  bool cancelled = false;
  std::vector<Block> blocks(shape.blocks);
  std::vector<Lane> lanes(std::size_t{shape.blocks} * shape.lanes);
  for (std::uint32_t b = 0; b < shape.blocks; ++b) {
    Block& block = blocks[b];
    block.shared.resize(shape.shared_bytes / sizeof(std::max_align_t) + 1);
    std::memset(block.shared.data(), 0xa5, shape.shared_bytes);
    for (std::uint32_t l = 0; l < shape.lanes; ++l) {
      Lane& lane = lanes[std::size_t{b} * shape.lanes + l];
      lane.shape = &shape;
      lane.cancelled = &cancelled;
      lane.block = &block;
      lane.block_index = b;
      lane.lane = l;
      lane.warp = &lane - l % std::min<std::uint32_t>(shape.lanes, 32);
      start(lane, kernel);
    }
  }
  std::minstd_rand random(shape.seed);
  std::vector<std::uint32_t> order(lanes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::exception_ptr error;
  while (!order.empty() && !error) {
    std::ranges::shuffle(order, random);
    bool progress = false;
    for (const std::uint32_t index : order) {
      Lane& lane = lanes[index];
      if (lane.state != State::Ready) continue;
      lane.fiber->resume();
      progress = true;
      if ((error = lane.error)) break;
    }
    if (!progress) {
      error = std::make_exception_ptr(
          std::logic_error("deadlock: not all lanes of a thread block reached the same barrier"));
    }
    std::erase_if(order, [&](std::uint32_t index) { return lanes[index].state == State::Done; });
  }
  cancelled = true;
  for (const std::uint32_t index : order) lanes[index].fiber->resume();
  for (Lane& lane : lanes) free_fibers.push_back(std::move(lane.fiber));
  if (error) std::rethrow_exception(error);
}

}  // namespace fpsynth::teams
