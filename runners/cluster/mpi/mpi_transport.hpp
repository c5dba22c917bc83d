#pragma once
// Messages between ranks over MPI.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <vector>

#include "runners/cluster/transport.hpp"

namespace fpsynth::cluster {

/// One of them in a process, between start and end of main(), which it initializes and finalizes
/// MPI for. All ranks create and destroy it together; the thread that creates it is the only one
/// that may use it.
class MpiTransport final : public Transport {
 public:
  /// Throws Error if MPI cannot be initialized.
  MpiTransport(int* argc, char*** argv);
  /// Waits until all ranks destroy theirs, and discards what still arrives.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t ranks() const override { return ranks_; }
  const Place& place() const override { return place_; }
  void send(std::size_t to, std::vector<std::uint8_t> bytes) override;
  std::optional<Message> receive() override;

 private:
  struct Sending;

  void find_place();

  std::size_t rank_ = 0, ranks_ = 1;
  Place place_;
  std::list<Sending> sending_;  ///< MPI reads their bytes
  std::deque<Message> own_;     ///< from this rank to itself
};

/// The name and version of the MPI library.
std::string mpi_library();

}  // namespace fpsynth::cluster
