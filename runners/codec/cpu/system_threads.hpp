#pragma once
// threads.hpp for code that is compiled without OpenMP and runs on several threads all the same:
// the installed library (FPSYNTH_SYSTEM_THREADS).

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace fpsynth::codec {

/// How many threads to use where `wanted` were asked for. 0: one for each processor that this
/// thread may run on.
inline std::size_t threads_for(int wanted) {
  if (wanted > 0) return static_cast<std::size_t>(wanted);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&allowed));
  }
  return std::max(1u, std::thread::hardware_concurrency());  // more than CPU_SETSIZE processors
}

/// Calls work(0) to work(threads - 1), each on a thread of its own, work(0) on the caller's, and
/// returns when all have returned. Leaves out some, never 0, where the system gives no more
/// threads. `work` must not throw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {
    // The others do the work.
  }
  work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace fpsynth::codec
