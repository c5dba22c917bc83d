#pragma once
// What a rank does between two looks for messages.

#include <algorithm>
#include <chrono>
#include <thread>

namespace fpsynth::cluster {

/// Messages are looked for less and less often while there are none: a thread of the walk has the
/// same processor, and waiting inside MPI would take all of it.
class Pause {
 public:
  /// Called after each look; `idle`: nothing had arrived, and nothing was done.
  void after(bool idle) {
    if (idle) std::this_thread::sleep_for(length_);
    length_ = idle ? std::min(2 * length_, kLongest) : kShortest;
  }

 private:
  static constexpr std::chrono::microseconds kShortest{50}, kLongest{1600};
  std::chrono::microseconds length_ = kShortest;
};

}  // namespace fpsynth::cluster
