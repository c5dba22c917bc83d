#pragma once
// Ranks that are MPI's.

#include <cstddef>
#include <string>
#include <vector>

#include "runners/cluster/ranks.hpp"

namespace fpsynth::cluster {

/// One of them in a process, between start and end of main(), for which it initializes and
/// finalizes MPI. All ranks create and destroy it together; the thread that creates it is the only
/// one that may use it.
class MpiRanks final : public Ranks {
 public:
  /// Throws Error if MPI cannot be initialized.
  MpiRanks(int* argc, char*** argv);
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return count_; }
  const Place& place() const override { return place_; }

 private:
  std::vector<Bytes> gathered(const Bytes& own, bool on_all) override;
  void find_place();

  std::size_t rank_ = 0, count_ = 1;
  Place place_;
};

/// The name and version of the MPI library.
std::string mpi_library();

}  // namespace fpsynth::cluster
