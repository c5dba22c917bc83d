#pragma once
// Threads for one piece of work. Without OpenMP, only the caller's thread is used. The installed
// library is an exception: it has no OpenMP and asks the system (FPSYNTH_SYSTEM_THREADS).
//
// OpenMP tells how many threads to use, but its own threads are not used: at the end of every
// parallel section they spin for milliseconds, on processors that other threads of a busy machine
// need. POSIX threads are used instead of the standard library's, because objects compiled for
// different instruction sets would share the latter's inline functions.

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
#include <unistd.h>
#endif

namespace fpsynth::codec {

/// Processors that the caller may run on: 1 at least.
inline int processors() {
#if defined(_OPENMP)
  return omp_get_num_procs();
#elif defined(FPSYNTH_THREADS)
  cpu_set_t allowed;  // a machine of more than CPU_SETSIZE processors does not fill it in
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 1 ? static_cast<int>(online) : 1;
#else
  return 1;
#endif
}

/// The most threads that one piece of work gets on this machine, whoever asks for more: each has
/// memory of its own, and beyond four for a processor nothing is gained. It is never below 64, so
/// that a small machine can try what a large one does.
inline int most_threads() {
  constexpr int kAnywhere = 64;
  const int most = 4 * processors();
  return most > kAnywhere ? most : kAnywhere;
}

/// The number of threads to use for `items` items of work if the caller wants `wanted`. 0: as many
/// as OpenMP would use, which is one inside its parallel sections; without OpenMP, one for each
/// processor that the caller may run on. Never more than one thread for every `each` items,
/// nor than most_threads().
inline int threads_for(int wanted, std::uint64_t items, std::uint64_t each = 1) {
#if defined(_OPENMP)
  if (wanted <= 0) wanted = omp_in_parallel() ? 1 : omp_get_max_threads();
#elif defined(FPSYNTH_THREADS)
  if (wanted <= 0) wanted = processors();
#else
  wanted = 1;
#endif
  if (const int bound = most_threads(); wanted > bound) wanted = bound;
  const std::uint64_t most = items / each;
  if (most < static_cast<std::uint64_t>(wanted)) wanted = most > 1 ? static_cast<int>(most) : 1;
  return wanted;
}

/// The number of threads for any amount of work where nobody gives one.
inline int default_threads() { return threads_for(0, UINT64_MAX); }

#if defined(FPSYNTH_THREADS)

/// Calls work(0) to work(threads - 1), each on its own thread and work(0) on the caller's, and
/// returns when all have returned. If the system gives fewer threads, some calls are left out,
/// never work(0). `work` must not throw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
#if defined(_OPENMP)
  // If OpenMP binds threads to processors, only OpenMP knows which processors the other threads may
  // use.
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

/// A mutex with a condition variable: threads that wait for it sleep.
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
  /// Unlocks the mutex until the next notify_all().
  void wait() { pthread_cond_wait(&changed_, &mutex_); }
  void notify_all() { pthread_cond_broadcast(&changed_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

#endif

/// Calls do_one(0) to do_one(count - 1) in any order on `threads` threads, if the system gives as
/// many; do_one() must not throw.
template <class Work>
void in_any_order(std::size_t count, [[maybe_unused]] int threads, const Work& do_one) {
  std::size_t next = 0;
  const auto take = [&](std::size_t) {
    for (std::size_t i;
         (i = __atomic_fetch_add(&next, std::size_t{1}, __ATOMIC_RELAXED)) < count;) {
      do_one(i);
    }
  };
#if defined(FPSYNTH_THREADS)
  if (threads > 1) return on_threads(static_cast<std::size_t>(threads), take);
#endif
  take(0);
}

}  // namespace fpsynth::codec
