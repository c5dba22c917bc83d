#pragma once
// A cluster on a virtual clock: ranks that ask for pieces, walk them and send sums, and a leader
// that deals with one message at a time. The pieces are dealt by the code that deals them on real
// clusters (Dealer), so that what is seen here of 10,000 ranks holds there.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runners/cluster/ranks/dealer.hpp"

namespace fpsynth::cluster {

/// A data set in one precision.
struct SimulatedTask {
  std::uint64_t chunks = 0;
  /// Measured seconds of chunks, each of one thread while the rank's others are busy too, or of a
  /// device that walks as many at once. Not empty, all above 0. A chunk takes one of them, by its
  /// number or, with a seed, at random.
  std::vector<double> chunk_seconds;
  double cost = 1;              ///< as the leader tells the Dealer
  std::uint64_t sum_bytes = 0;  ///< of a rank's sums: 8 for every pipeline
  /// In which rank 0 reads all of the data for the document and for checksums, beside its other
  /// work and one task after the other. No task is complete before.
  double describe_seconds = 0;
};

/// The way in which the sums of a task come together when all of it is walked.
enum class Reduction {
  Leader,  ///< every rank sends its sums to rank 0, which adds one after the other
  Tree,    ///< each sends its own to one of fewer ranks, together with those of four others
};

/// The costs of ranks, network and leader, in seconds unless the name says otherwise.
struct SimulatedCluster {
  std::size_t ranks = 1;
  std::uint64_t at_once = 1;   ///< chunks that a rank walks at once
  std::vector<double> speeds;  ///< of ranks, in turn; empty: all 1
  double open_seconds = 0;     ///< to open a data set, by each rank that begins with it
  double start_seconds = 0;    ///< of a rank, for each piece, beside its chunks
  double piece_seconds = 20;   ///< most that a piece is to take (Dealer)

  /// Of a message, until its receiver looks: it does so every 0.2 ms.
  double latency = 150e-6;
  double message_seconds = 5e-6;  ///< of the leader, to receive a message and answer it
  /// The leader answers ranks that ask for work before it adds sums; else in order of arrival.
  bool asks_first = true;
  double network_bytes_per_second = 1.25e9;  ///< into rank 0, or any rank
  double added_bytes_per_second = 0.6e9;     ///< of sums that a rank unpacks and adds to its own
  /// After so long, a rank sends the sums that it has to rank 0, which keeps them on disk.
  double flush_seconds = 60;
  /// Ranks do so at different times; else all at once.
  bool spread_flushes = true;
  Reduction reduction = Reduction::Tree;
  std::optional<std::uint64_t> seed;  ///< of the draw of chunk times
};

struct Simulation {
  double seconds = 0;         ///< until rank 0 has all sums
  double walked_seconds = 0;  ///< until the last chunk is walked
  double busy_seconds = 0;    ///< of chunks, of all threads
  double leader_seconds = 0;  ///< that the leader was busy with messages
  double efficiency = 0;      ///< busy time of what all threads had; 0 without chunks
  std::uint64_t pieces = 0;
  std::uint64_t messages = 0;         ///< that rank 0 received
  std::uint64_t bytes_to_leader = 0;  ///< of sums
  std::uint64_t largest_queue = 0;    ///< messages that waited for the leader
  std::vector<std::uint64_t> opened;  ///< by task: how often a rank opened the data
};

/// Called for each piece that a rank is given.
using Dealt = std::function<void(std::size_t rank, const Piece& piece)>;

/// Runs the tasks, in this order, to their end. Deterministic. Takes a microsecond per piece and
/// some nanoseconds per chunk.
Simulation simulate(const SimulatedCluster& cluster, const std::vector<SimulatedTask>& tasks,
                    const Dealt& dealt = {});

/// Seconds that `at_once` threads take for chunks of a task, each thread taking the next when it is
/// done with one: computed chunk by chunk, or for thousands from their mean and variation.
/// `busy_seconds` becomes the sum over the threads.
double walk_seconds(const SimulatedTask& task, std::size_t number, results::ChunkRange chunks,
                    std::uint64_t at_once, const std::optional<std::uint64_t>& seed,
                    double& busy_seconds);

}  // namespace fpsynth::cluster
