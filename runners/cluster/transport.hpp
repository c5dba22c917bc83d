#pragma once
// Messages between ranks, and waiting for them. Over MPI it is mpi/mpi_transport.hpp.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "synth/common/words.hpp"

namespace fpsynth::cluster {

struct Message {
  std::size_t from = 0;
  std::vector<std::uint8_t> bytes;
};

/// Where a rank runs.
struct Place {
  std::string node;                             ///< the name of the machine
  std::size_t local_rank = 0, local_ranks = 1;  ///< its number among those of its node
  /// Processors that the rank has for itself: its share of those that it is bound to.
  int processors = 1;
};

/// Called by one thread of each rank. Messages between two ranks arrive in the order in which they
/// were sent.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t ranks() const = 0;
  virtual const Place& place() const = 0;
  /// Sends to a rank, which may be the caller's own. Returns at once.
  virtual void send(std::size_t to, std::vector<std::uint8_t> bytes) = 0;
  /// A message that has arrived. Returns at once.
  virtual std::optional<Message> receive() = 0;
};

/// The pause of a rank between two looks for messages. They are looked for less and less often
/// while there are none: a thread of the walk has the same processor, and waiting inside MPI would
/// take all of it.
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

/// The message of the exception in flight, for the other ranks.
inline std::string current_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory_message();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace fpsynth::cluster
