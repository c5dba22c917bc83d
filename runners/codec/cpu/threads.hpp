#pragma once
// Threads for one piece of work. Without OpenMP there is the caller's alone.
//
// OpenMP says how many, but they are not its own: those wait for each other by spinning, at the end
// of every parallel section and for milliseconds, on the very processor that the others need where
// other programs have the rest. POSIX's and not the standard library's, of which inline functions
// would be shared by objects for different instruction sets.

#if defined(FPSYNTH_SYSTEM_THREADS)
#include "runners/codec/cpu/system_threads.hpp"
#else

#include <cstddef>
#include <memory>
#include <new>

#if defined(_OPENMP)
#include <omp.h>
#include <pthread.h>
#endif

namespace fpsynth::codec {

/// How many threads to use where `wanted` were asked for. 0: as many as OpenMP would, which is one
/// where its own are at work.
inline std::size_t threads_for(int wanted) {
#if defined(_OPENMP)
  if (wanted <= 0) wanted = omp_in_parallel() ? 1 : omp_get_max_threads();
  return static_cast<std::size_t>(wanted);
#else
  static_cast<void>(wanted);
  return 1;
#endif
}

#if defined(_OPENMP)

/// Calls work(0) to work(threads - 1), each on a thread of its own, work(0) on the caller's, and
/// returns when all have returned. Leaves out some, never 0, where the system gives no more
/// threads. `work` must not throw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
  // Where OpenMP binds threads to processors, only it knows those that are not the caller's.
  if (threads > 1 && omp_get_proc_bind() != omp_proc_bind_false) {
#pragma omp parallel num_threads(int(threads))
    work(static_cast<std::size_t>(omp_get_thread_num()));
    return;
  }
  struct Other {
    const Work* work;
    std::size_t me;
    pthread_t thread;
  };
  const std::unique_ptr<Other[]> others(new (std::nothrow) Other[threads]);
  std::size_t started = 0;
  for (; others && started + 1 < threads; ++started) {
    Other& other = others[started];
    other.work = &work;
    other.me = started + 1;
    const auto run = [](void* self) -> void* {
      const Other& me = *static_cast<const Other*>(self);
      (*me.work)(me.me);
      return nullptr;
    };
    if (pthread_create(&other.thread, nullptr, run, &other) != 0) break;
  }
  work(0);
  for (std::size_t i = 0; i < started; ++i) pthread_join(others[i].thread, nullptr);
}

/// A mutex with a condition: threads that wait for it sleep.
class Monitor {
 public:
  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor() {
    pthread_cond_destroy(&changed_);
    pthread_mutex_destroy(&mutex_);
  }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  /// Unlocks it until the next change().
  void wait() { pthread_cond_wait(&changed_, &mutex_); }
  void change() { pthread_cond_broadcast(&changed_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

#endif

}  // namespace fpsynth::codec

#endif
