#pragma once
// What the leader and the workers of a cluster, and the ranks of a race, send each other, as CBOR.
// All are of the same version of the program, or else the leader refuses the worker by its Hello.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/cluster/ranks/dealer.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cluster {

// From a worker to the leader.

/// The first message: what the rank is.
struct Hello {
  std::string version, commit, compiler, identity, node, backend, device;
  std::uint64_t threads = 1, at_once = 1;
};
/// So many chunks more are walked of the piece that the rank has.
struct Progress {
  std::uint64_t chunks = 0;
};
/// A piece is walked, and the rank waits for work. The leader has not got its sums yet.
struct Walked {
  Piece piece;
  double seconds = 0;
};
/// The sums of all that ranks have walked of a task since they last sent them: the sender, and
/// those that sent it theirs.
struct Sums {
  /// What one of them has walked of one version of the data.
  struct Part {
    std::size_t rank = 0;
    double seconds = 0;
    /// Of the data that were searched, by piece.
    std::vector<results::ChunkRange> pieces;
    std::vector<std::uint64_t> checksums;
    std::string version;  ///< data::Input::version() of them
  };
  std::size_t task = 0;
  results::Document document;  ///< of it, only what PartSearch::search() sets
  std::vector<Part> parts;     ///< none if there was nothing to send, and nothing in `document`

  void add(const Sums& other);
};
/// The answer to Choose: a document of no chunks, with the preludes to search, if the rank was not
/// stopped. The rank waits for work.
struct Chosen {
  std::size_t task = 0;
  std::string document;
};
/// The answer to Finish, likewise.
struct Finished {
  std::size_t task = 0;
  std::string document;
};
/// The rank cannot go on; what it has walked follows.
struct Failed {
  std::string what;
};
/// The answer to Stop, after all sums.
struct Drained {};
/// A signal asked the rank to end.
struct Interrupt {};

// From the leader to a worker.

struct Walk {
  Piece piece;
  std::vector<std::string> preludes;  ///< in front of the pipelines, as text; none without
};
/// Choose the preludes of a task.
struct Choose {
  std::size_t task = 0;
};
/// Verify what is verified at the end, of a document that has all chunks.
struct Finish {
  std::size_t task = 0;
  std::string document;
};
/// Send the sums of a task, all of which is walked, to a rank, with those of so many other ranks
/// that send theirs. They are sent even if there are none.
struct Flush {
  std::size_t task = 0, to = 0, others = 0;
};
/// End the walk after the chunks in progress and send all sums.
struct Stop {};
/// Nothing of this work is left to do.
struct End {};
/// Rank 0 shares no more work at all.
struct Shutdown {};
/// What a rank throws that gets Shutdown before End.
class ShutDownEarly {};

// Between the ranks of a race (race_peers.cpp), which also use Hello, Failed, Interrupt and
// Drained, to rank 0, and Stop, End and Shutdown, from there.

/// From rank 0 to all: they have all said Hello.
struct Begin {};
/// What a rank gives to all others for a step of the race.
struct Given {
  std::string step;
  std::vector<std::uint8_t> bytes;
};
/// What a rank leaves to rank 0 at its end.
struct Left {
  std::vector<std::uint8_t> bytes;
};

using ToLeader =
    std::variant<Hello, Progress, Walked, Sums, Chosen, Finished, Failed, Drained, Interrupt>;
using ToWorker = std::variant<Walk, Choose, Finish, Flush, Stop, End, Shutdown>;
using ToPeer = std::variant<Begin, Given, Left>;
using AnyMessage = std::variant<ToLeader, ToWorker, ToPeer>;

std::vector<std::uint8_t> packed(const ToLeader& message);
std::vector<std::uint8_t> packed(const ToWorker& message);
std::vector<std::uint8_t> packed(const ToPeer& message);
/// Throws Error if the bytes are no message of this version.
AnyMessage unpacked(const std::vector<std::uint8_t>& bytes);

/// Throws Error if the rank at `place` ("rank 3 on node b") is of another version than this
/// program, or was started for another search than `identity`.
void refuse_others(const Hello& hello, const std::string& place, const std::string& identity);

}  // namespace fpsynth::cluster
