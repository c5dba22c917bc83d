#pragma once
// Threads for one piece of work. Without OpenMP there is the caller's alone, but in the installed
// library, which has no OpenMP and asks the system (FPSYNTH_SYSTEM_THREADS).
//
// OpenMP says how many threads to use, but its own are not used: they spin at the end of every
// parallel section, for milliseconds, on the very processors that other threads need on a busy
// machine. POSIX threads are used instead of the standard library's, whose inline functions would
// be shared by objects that are compiled for different instruction sets.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(_OPENMP) || defined(FPSYNTH_SYSTEM_THREADS)
#define FPSYNTH_THREADS
#include <pthread.h>
#include <sched.h>
#endif

namespace fpsynth::codec {

/// How many threads to use for `items` items of work where `wanted` were asked for. 0: as many as
/// OpenMP would, which is one where its own are at work, or one for each processor that the caller
/// may run on. Never more than one for every `each` items.
inline int threads_for(int wanted, std::uint64_t items, std::uint64_t each = 1) {
#if defined(_OPENMP)
  if (wanted <= 0) wanted = omp_in_parallel() ? 1 : omp_get_max_threads();
#elif defined(FPSYNTH_THREADS)
  if (wanted <= 0) {
    cpu_set_t allowed;  // a machine of more than CPU_SETSIZE processors does not fill it in
    wanted = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  }
#else
  wanted = 1;
#endif
  const std::uint64_t most = items / each;
  if (most < static_cast<std::uint64_t>(wanted)) wanted = most > 1 ? static_cast<int>(most) : 1;
  return wanted;
}

#if defined(FPSYNTH_THREADS)

/// Calls work(0) to work(threads - 1), each on a thread of its own, work(0) on the caller's, and
/// returns when all have returned. Leaves out some, never 0, where the system gives no more
/// threads. `work` must not throw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
#if defined(_OPENMP)
  // Where OpenMP binds threads to processors, only it knows those that are not the caller's.
  if (threads > 1 && omp_get_proc_bind() != omp_proc_bind_false) {
#pragma omp parallel num_threads(int(threads))
    work(static_cast<std::size_t>(omp_get_thread_num()));
    return;
  }
#endif
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
  /// Unlocks it until the next notify_all().
  void wait() { pthread_cond_wait(&changed_, &mutex_); }
  void notify_all() { pthread_cond_broadcast(&changed_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

#endif

}  // namespace fpsynth::codec
