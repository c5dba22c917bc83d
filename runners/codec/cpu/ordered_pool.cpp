#include "runners/codec/cpu/ordered_pool.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {
namespace {

class InOrder {
 public:
  InOrder(std::uint64_t first, std::uint64_t end, int threads,
          const std::function<void(std::uint64_t, std::size_t, std::size_t)>& make,
          const std::function<void(std::uint64_t, std::size_t)>& take)
      : end_(end),
        next_make_(first),
        next_take_(first),
        slots_(slot_count(threads)),
        make_(make),
        take_(take) {}

  void work(std::size_t thread) {
    std::unique_lock lock(mutex_);
    while (!failure_) {
      if (!taking_ && next_take_ < end_ && slot(next_take_).made) {
        take_one(lock);
      } else if (next_make_ == end_) {
        // What is still being made is taken by the thread that makes it, or by the one that is
        // taking now.
        return;
      } else if (next_make_ - next_take_ == slots_.size()) {
        room_.wait(lock);
      } else {
        make_one(lock, thread);
      }
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Slot {
    bool made = false;
    std::exception_ptr error;
  };
  Slot& slot(std::uint64_t slice) { return slots_[slice % slots_.size()]; }

  void make_one(std::unique_lock<std::mutex>& lock, std::size_t thread) {
    const std::uint64_t slice = next_make_++;
    lock.unlock();
    std::exception_ptr error;
    try {
      make_(slice, slice % slots_.size(), thread);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    slot(slice) = {true, error};
  }

  void take_one(std::unique_lock<std::mutex>& lock) {
    taking_ = true;
    std::exception_ptr error = std::exchange(slot(next_take_), {}).error;
    lock.unlock();
    if (!error) {
      try {
        take_(next_take_, next_take_ % slots_.size());
      } catch (...) {
        error = std::current_exception();
      }
    }
    lock.lock();
    taking_ = false;
    ++next_take_;
    failure_ = error;
    room_.notify_all();
  }

  const std::uint64_t end_;
  std::uint64_t next_make_, next_take_;
  bool taking_ = false;
  std::vector<Slot> slots_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable room_;
  const std::function<void(std::uint64_t, std::size_t, std::size_t)>& make_;
  const std::function<void(std::uint64_t, std::size_t)>& take_;
};

}  // namespace

void in_order(std::uint64_t first, std::uint64_t end, int threads,
              const std::function<void(std::uint64_t, std::size_t, std::size_t)>& make,
              const std::function<void(std::uint64_t, std::size_t)>& take) {
  InOrder work(first, end, threads, make, take);
  on_threads(static_cast<std::size_t>(threads), [&](std::size_t thread) { work.work(thread); });
  work.rethrow();
}

}  // namespace fpsynth::codec
