#pragma once
// The threads of the codec of a fixed pipeline.

#include <cstddef>
#include <memory>
#include <new>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace fpsynth::codec {

/// Up to so many threads, each with a worker and some memory of its own. OpenMP, where it is
/// compiled in, else one thread.
template <class Worker>
class FixedCrew {
 public:
  /// For `slices` slices of work on `threads` threads; 0: as many as OpenMP would use.
  FixedCrew(int threads, std::size_t slices) {
#if defined(_OPENMP)
    if (threads <= 0) threads = omp_get_max_threads();
    const std::size_t most = slices < 1 ? 1 : slices;
    size_ = static_cast<std::size_t>(threads) < most ? static_cast<std::size_t>(threads) : most;
#else
    static_cast<void>(threads);
    static_cast<void>(slices);
#endif
  }
  std::size_t size() const { return size_; }

  /// Makes the workers, and `room` bytes for each. False if there is no memory.
  bool hire(std::size_t room) {
    room_ = room;
    workers_.reset(new (std::nothrow) Worker[size_]);
    rooms_.reset(new (std::nothrow) std::byte[size_ * room + 1]);
    return workers_ && rooms_;
  }

  /// For every slice made = make(slice, worker, room) in any order, then, in order and one at a
  /// time, take(slice, made), then put(made) in any order. False if a take() returned false: none
  /// is called after it, and put() not for its slice and those behind it.
  template <class Make, class Take, class Put>
  bool run(std::size_t slices, Make make, Take take, Put put) {
    bool good = true;
    if (size_ == 1) {
      for (std::size_t slice = 0; slice < slices && good; ++slice) {
        auto made = make(slice, workers_[0], rooms_.get());
        good = take(slice, made);
        if (good) put(made);
      }
      return good;
    }
#if defined(_OPENMP)
#pragma omp parallel for ordered schedule(static, 1) num_threads(int(size_))
    for (std::size_t slice = 0; slice < slices; ++slice) {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      auto made = make(slice, workers_[me], rooms_.get() + me * room_);
      bool taken = false;
#pragma omp ordered
      taken = good = good && take(slice, made);
      if (taken) put(made);
    }
#endif
    return good;
  }

 private:
  std::size_t size_ = 1, room_ = 0;
  std::unique_ptr<Worker[]> workers_;
  std::unique_ptr<std::byte[]> rooms_;
};

}  // namespace fpsynth::codec
