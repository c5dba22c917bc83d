#pragma once
// How ranks send each other messages. Over MPI it is mpi/mpi_transport.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace fpsynth::cluster
