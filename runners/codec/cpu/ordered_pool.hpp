#pragma once
// A thread pool that produces items in parallel and consumes them in order.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

/// Threads that produce items 0, 1, 2, ... into a limited number of buffers. The caller owns the
/// buffers' memory; the pool only hands out their numbers.
///
/// No thread waits for one particular other thread, because another program may keep that one from
/// its processor for longer than the whole work takes: any thread consumes whatever is ready.
/// Threads sleep only while all buffers are in use; the caller's thread also waits until all have
/// ended.
///
/// Generated code compiles this once for every instruction set, so it uses neither exceptions nor
/// inline functions of the standard library's threads.
class OrderedPool {
 public:
  /// For `items` items on `threads` threads. `buffers`: how many items may be produced and not yet
  /// finished; one thread needs no more than one.
  OrderedPool(int threads, std::uint64_t items, std::uint64_t buffers)
      : threads_(threads > 1 ? static_cast<std::size_t>(threads) : 1), items_(items) {
    const std::uint64_t most = threads_ == 1 ? 1 : buffers;
    buffers_ = static_cast<std::size_t>(items < most ? items + (items == 0) : most);
  }
  std::size_t threads() const { return threads_; }
  std::size_t buffers() const { return buffers_; }

  /// Allocates the pool's own memory. Returns false if there is not enough.
  bool allocate() {
    if (threads_ == 1) return true;
    pending_.reset(new (std::nothrow) Pending[buffers_]);
    free_.reset(new (std::nothrow) std::size_t[buffers_]);
    if (!pending_ || !free_) return false;
    // Buffers are reused last in, first out, so that memory is not touched before it is needed.
    for (; free_count_ < buffers_; ++free_count_) free_[free_count_] = buffers_ - 1 - free_count_;
    return true;
  }

  /// Calls produce(item, buffer, thread) for every item in any order; then consume(item, buffer) in
  /// order, one item at a time; then finish(item, buffer) in any order, after which another item
  /// may use the buffer. Returns false if a consume() returned false: consume() is then not called
  /// again, and finish() is called neither for that item nor for later ones. None of the three may
  /// throw. Call it once, after allocate().
  template <class Produce, class Consume, class Finish>
  bool run(Produce produce, Consume consume, Finish finish) {
#if defined(FPSYNTH_THREADS)
    if (threads_ > 1) {
      on_threads(threads_, [&](std::size_t thread) { work(thread, produce, consume, finish); });
      return good_;
    }
#endif
    for (std::uint64_t item = 0; item < items_ && good_; ++item) {
      produce(item, std::size_t{0}, std::size_t{0});
      good_ = consume(item, std::size_t{0});
      if (good_) finish(item, std::size_t{0});
    }
    return good_;
  }

 private:
  /// An item that has been begun and not yet consumed. There are never more of them than buffers.
  struct Pending {
    std::size_t buffer;
    bool ready = false;
  };

#if defined(FPSYNTH_THREADS)
  Pending& pending(std::uint64_t item) { return pending_[item % buffers_]; }

  /// Returns when no item is left to begin. Other threads consume the items that they are still
  /// producing, or the thread that is consuming at that moment does.
  template <class Produce, class Consume, class Finish>
  void work(std::size_t thread, Produce& produce, Consume& consume, Finish& finish) {
    monitor_.lock();
    while (good_) {
      if (!consuming_ && consumed_ < begun_ && pending(consumed_).ready) {
        consume_one(consume, finish);
      } else if (begun_ == items_) {
        break;
      } else if (free_count_ > 0) {
        produce_one(thread, produce);
      } else {
        monitor_.wait();
      }
    }
    monitor_.unlock();
  }

  template <class Produce>
  void produce_one(std::size_t thread, Produce& produce) {
    const std::uint64_t item = begun_++;
    const std::size_t buffer = free_[--free_count_];
    pending(item) = {buffer, false};
    monitor_.unlock();
    produce(item, buffer, thread);
    monitor_.lock();
    pending(item).ready = true;
  }

  template <class Consume, class Finish>
  void consume_one(Consume& consume, Finish& finish) {
    const std::uint64_t item = consumed_;
    const std::size_t buffer = pending(item).buffer;
    consuming_ = true;
    monitor_.unlock();
    const bool good = consume(item, buffer);
    monitor_.lock();
    consuming_ = false;
    ++consumed_;
    good_ = good;
    if (good) {
      monitor_.unlock();
      finish(item, buffer);
      monitor_.lock();
      free_[free_count_++] = buffer;
    }
    monitor_.notify_all();
  }

  // Only the thread that has locked the monitor uses these.
  Monitor monitor_;
  std::uint64_t begun_ = 0, consumed_ = 0;
  bool consuming_ = false;
#endif

  std::size_t threads_;
  std::uint64_t items_;
  std::size_t buffers_;
  // While run() uses several threads, only the thread that has locked the monitor uses these.
  std::unique_ptr<Pending[]> pending_;
  std::unique_ptr<std::size_t[]> free_;  ///< the first free_count_ are free buffers
  std::size_t free_count_ = 0;
  bool good_ = true;
};

}  // namespace fpsynth::codec
