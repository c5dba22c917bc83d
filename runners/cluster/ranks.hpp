#pragma once
// The ranks of a cluster, which search together and end together. Over MPI they are
// mpi/mpi_ranks.hpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runners/search/options.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cluster {

/// The error of a rank, thrown on all ranks.
class RankFailed : public Error {
 public:
  explicit RankFailed(const std::string& message) : Error(message) {}
};

/// The place where a rank runs.
struct Place {
  std::string node;                             ///< the name of the machine
  std::size_t local_rank = 0, local_ranks = 1;  ///< its number among those of its node
  /// Processors that the rank has for itself: its share of those that it is bound to.
  int processors = 1;
};

/// All ranks take the same steps, each of which is a collective operation. A rank that fails or
/// ends says so in place of its next step, so that the others do not wait for it.
class Ranks : public search::Peers {
 public:
  virtual const Place& place() const = 0;

  /// Throws RankFailed, on all ranks, if one has failed or ended or is at another step.
  std::vector<Bytes> exchange(std::string_view step, Bytes own) final;
  std::vector<Bytes> gather(std::string_view step, Bytes own) final;

  /// In place of a step: this rank was asked to end. The others' exchange() throws PeersStopped;
  /// all ranks may then take further steps.
  void stop();
  /// In place of a step: this rank cannot go on. Nothing may follow but end(). Returns false if all
  /// ranks know of an earlier error.
  bool fail(const std::string& error);
  /// The last call of every rank. Returns the error of a rank that failed meanwhile, or an empty
  /// text.
  std::string end();

 protected:
  /// The bytes of every rank, by rank: on all ranks, or on rank 0 and none on others. Called by
  /// all.
  virtual std::vector<Bytes> gathered(const Bytes& own, bool on_all) = 0;

 private:
  enum class Kind : std::uint8_t { Step, Stopped, Failed, Ended };

  std::vector<Bytes> take(Kind kind, std::string_view text, Bytes own);

  bool over_ = false;
};

}  // namespace fpsynth::cluster
