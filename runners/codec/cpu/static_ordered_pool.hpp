#pragma once
// The threads of the codec of a fixed pipeline.

#include <cstddef>
#include <memory>
#include <new>

#include "runners/codec/cpu/threads.hpp"

namespace fpsynth::codec {

/// Up to so many threads, each with a worker of its own, that make a Made of every slice of the
/// work. OpenMP, where it is compiled in, says how many; else it is one.
///
/// No thread waits for a certain other one, which may have lost its processor to another program
/// for longer than all the work takes: whoever comes by takes what is ready. Threads wait, asleep,
/// only where all rooms are in use, and the caller's for the end.
template <class Worker, class Made>
class StaticOrderedPool {
 public:
  /// A thread has to be started, which is not worth it for fewer slices than these.
  static constexpr std::size_t kSlicesPerThread = 16;
  /// Slices, per thread, that may be made and not yet taken and put.
  static constexpr std::size_t kRoomsPerThread = 32;

  /// For `slices` slices of work on `threads` threads; 0: as many as OpenMP would use.
  StaticOrderedPool(int threads, std::size_t slices) : slices_(slices) {
    const std::size_t most = slices / kSlicesPerThread, wanted = threads_for(threads);
    if (most > 1 && wanted > 1) size_ = wanted < most ? wanted : most;
  }
  std::size_t size() const { return size_; }

  /// Makes the workers and, for more than one of them, rooms of `room` bytes: of memory that is not
  /// touched before it is needed, what was used last first. False if there is no memory.
  bool hire(std::size_t room) {
    workers_.reset(new (std::nothrow) Worker[size_]);
    if (!workers_ || size_ == 1) return workers_ != nullptr;
    const std::size_t most = size_ * kRoomsPerThread;
    free_rooms_ = room > 0 && most < slices_ ? most : slices_;
    jobs_.reset(new (std::nothrow) Job[slices_]);
    rooms_.reset(new (std::nothrow) std::byte*[free_rooms_]);
    memory_.reset(new (std::nothrow) std::byte[free_rooms_ * room + 1]);
    if (!jobs_ || !rooms_ || !memory_) return false;
    for (std::size_t i = 0; i < free_rooms_; ++i) {
      rooms_[i] = memory_.get() + (free_rooms_ - 1 - i) * room;
    }
    return true;
  }

  /// For every slice made = make(slice, worker, room) in any order, then, in order and one at a
  /// time, take(slice, made), then put(made) in any order, after which its room is another's. The
  /// room of a crew of one is null. False if a take() returned false: none is called after it, and
  /// put() not for its slice and those behind it. To be called once, after hire().
  template <class Make, class Take, class Put>
  bool run(Make make, Take take, Put put) {
#if defined(_OPENMP)
    if (size_ > 1) {
      on_threads(size_, [&](std::size_t me) { work(workers_[me], make, take, put); });
      return good_;
    }
#endif
    for (std::size_t slice = 0; slice < slices_ && good_; ++slice) {
      Made made = make(slice, workers_[0], static_cast<std::byte*>(nullptr));
      good_ = take(slice, made);
      if (good_) put(made);
    }
    return good_;
  }

 private:
  /// A slice on its way.
  struct Job {
    Made made;
    std::byte* room;
    bool ready = false;
  };

#if defined(_OPENMP)
  /// Ends when nothing is left to begin. What others are still making they take themselves, or the
  /// one that is taking then.
  template <class Make, class Take, class Put>
  void work(Worker& worker, Make& make, Take& take, Put& put) {
    monitor_.lock();
    while (good_) {
      if (!taking_ && taken_ < begun_ && jobs_[taken_].ready) {
        take_one(take, put);
      } else if (begun_ == slices_) {
        break;
      } else if (free_rooms_ > 0) {
        make_one(worker, make);
      } else {
        monitor_.wait();
      }
    }
    monitor_.unlock();
  }

  template <class Make>
  void make_one(Worker& worker, Make& make) {
    const std::size_t slice = begun_++;
    Job& job = jobs_[slice];
    job.room = rooms_[--free_rooms_];
    monitor_.unlock();
    job.made = make(slice, worker, job.room);
    monitor_.lock();
    job.ready = true;
  }

  template <class Take, class Put>
  void take_one(Take& take, Put& put) {
    const std::size_t slice = taken_;
    Job& job = jobs_[slice];
    taking_ = true;
    monitor_.unlock();
    const bool good = take(slice, job.made);
    monitor_.lock();
    taking_ = false;
    ++taken_;
    good_ = good;
    if (good) {
      monitor_.unlock();
      put(job.made);
      monitor_.lock();
      rooms_[free_rooms_++] = job.room;
    }
    monitor_.change();
  }

  Monitor monitor_;
#endif

  std::size_t size_ = 1, slices_;
  std::unique_ptr<Worker[]> workers_;
  // While run() runs on several threads, the following are of the one that has the monitor locked.
  std::unique_ptr<Job[]> jobs_;
  std::unique_ptr<std::byte[]> memory_;
  std::unique_ptr<std::byte*[]> rooms_;  ///< the first free_rooms_ are free
  std::size_t free_rooms_ = 0, begun_ = 0, taken_ = 0;
  bool taking_ = false, good_ = true;
};

}  // namespace fpsynth::codec
