#pragma once
// A thread pool that makes the items of one piece of work in parallel and takes them in order.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

/// Threads that make items 0, 1, 2, ..., each into one of a limited number of buffers, whose memory
/// is the caller's: the pool deals in their numbers.
///
/// No thread waits for a certain other one, which may have lost its processor to another program
/// for longer than all the work takes: any thread takes what is ready. Threads sleep only while all
/// buffers are in use, and the caller's until all have ended.
///
/// Generated code compiles this once for every instruction set, so that it needs neither exceptions
/// nor inline functions of the standard library's threads.
class OrderedPool {
 public:
  /// For `items` items on `threads` threads. `buffers`: items that may be made and not yet put; one
  /// thread needs no more than one.
  OrderedPool(int threads, std::uint64_t items, std::uint64_t buffers)
      : threads_(threads > 1 ? static_cast<std::size_t>(threads) : 1), items_(items) {
    const std::uint64_t most = threads_ == 1 ? 1 : buffers;
    buffers_ = static_cast<std::size_t>(items < most ? items + (items == 0) : most);
  }
  std::size_t threads() const { return threads_; }
  std::size_t buffers() const { return buffers_; }

  /// Allocates the pool's own memory. False if there is none.
  bool allocate() {
    if (threads_ == 1) return true;
    pending_.reset(new (std::nothrow) Pending[buffers_]);
    free_.reset(new (std::nothrow) std::size_t[buffers_]);
    if (!pending_ || !free_) return false;
    // The buffer that was used last is used first: the others' memory is not touched before that is
    // needed.
    for (; free_count_ < buffers_; ++free_count_) free_[free_count_] = buffers_ - 1 - free_count_;
    return true;
  }

  /// Calls make(item, buffer, thread) for every item in any order, then, in order and one at a
  /// time, take(item, buffer), then put(item, buffer) in any order, after which the buffer is
  /// another item's. False if a take() returned false: none is called after it, and put() neither
  /// for its item nor for those behind it. None of the three may throw. To be called once, after
  /// allocate().
  template <class Make, class Take, class Put>
  bool run(Make make, Take take, Put put) {
#if defined(FPSYNTH_THREADS)
    if (threads_ > 1) {
      on_threads(threads_, [&](std::size_t thread) { work(thread, make, take, put); });
      return good_;
    }
#endif
    for (std::uint64_t item = 0; item < items_ && good_; ++item) {
      make(item, std::size_t{0}, std::size_t{0});
      good_ = take(item, std::size_t{0});
      if (good_) put(item, std::size_t{0});
    }
    return good_;
  }

 private:
  /// An item that has been begun and not yet taken. They are no more than the buffers.
  struct Pending {
    std::size_t buffer;
    bool made = false;
  };

#if defined(FPSYNTH_THREADS)
  Pending& pending(std::uint64_t item) { return pending_[item % buffers_]; }

  /// Ends when nothing is left to begin. What others are still making they take themselves, or the
  /// one that is taking then.
  template <class Make, class Take, class Put>
  void work(std::size_t thread, Make& make, Take& take, Put& put) {
    monitor_.lock();
    while (good_) {
      if (!taking_ && taken_ < begun_ && pending(taken_).made) {
        take_one(take, put);
      } else if (begun_ == items_) {
        break;
      } else if (free_count_ > 0) {
        make_one(thread, make);
      } else {
        monitor_.wait();
      }
    }
    monitor_.unlock();
  }

  template <class Make>
  void make_one(std::size_t thread, Make& make) {
    const std::uint64_t item = begun_++;
    const std::size_t buffer = free_[--free_count_];
    pending(item) = {buffer, false};
    monitor_.unlock();
    make(item, buffer, thread);
    monitor_.lock();
    pending(item).made = true;
  }

  template <class Take, class Put>
  void take_one(Take& take, Put& put) {
    const std::uint64_t item = taken_;
    const std::size_t buffer = pending(item).buffer;
    taking_ = true;
    monitor_.unlock();
    const bool good = take(item, buffer);
    monitor_.lock();
    taking_ = false;
    ++taken_;
    good_ = good;
    if (good) {
      monitor_.unlock();
      put(item, buffer);
      monitor_.lock();
      free_[free_count_++] = buffer;
    }
    monitor_.notify_all();
  }

  Monitor monitor_;
#endif

  std::size_t threads_;
  std::uint64_t items_;
  std::size_t buffers_;
  // While run() is on several threads, only the one that has locked the monitor uses these.
  std::unique_ptr<Pending[]> pending_;
  std::unique_ptr<std::size_t[]> free_;  ///< the first free_count_ are free buffers
  std::size_t free_count_ = 0;
  std::uint64_t begun_ = 0, taken_ = 0;
  bool taking_ = false, good_ = true;
};

}  // namespace fpsynth::codec
