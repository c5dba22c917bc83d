#pragma once
// The messages of the leader and the workers of a cluster, and of the ranks of a race, as CBOR. All
// ranks run the same version of the program, or else the leader refuses the worker by its Hello.
// Each kind of message has a name and the list of its fields.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/cluster/ranks/dealer.hpp"
#include "runners/cluster/transport.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cluster {

// From a worker to the leader.

/// The first message: what the rank is.
struct Hello {
  static constexpr const char* kKind = "hello";
  std::string version, commit, compiler, identity, node, backend, device;
  std::uint64_t threads = 1, at_once = 1;

  static void list(auto& fields, auto& hello) {
    fields("version", hello.version, "commit", hello.commit, "compiler", hello.compiler, "identity",
           hello.identity, "node", hello.node, "backend", hello.backend, "device", hello.device,
           "threads", hello.threads, "at_once", hello.at_once);
  }
};
/// So many chunks more are walked of the piece that the rank has.
struct Progress {
  static constexpr const char* kKind = "progress";
  std::uint64_t chunks = 0;

  static void list(auto& fields, auto& progress) { fields("chunks", progress.chunks); }
};
/// A piece is walked, and the rank waits for work. The leader has not got its sums yet.
struct Walked {
  static constexpr const char* kKind = "walked";
  Piece piece;
  double seconds = 0;

  static void list(auto& fields, auto& walked) {
    fields("piece", walked.piece, "seconds", walked.seconds);
  }
};
/// The sums of all that ranks have walked of a task since they last sent them: the sender, and
/// those that sent it theirs.
struct Sums {
  static constexpr const char* kKind = "sums";
  /// The part that one of them has walked, of one version of the data.
  struct Part {
    std::size_t rank = 0;
    double seconds = 0;
    /// Those of the data that were searched, by piece.
    std::vector<results::ChunkRange> pieces;
    std::vector<std::uint64_t> checksums;
    std::string version;  ///< data::Input::version() of them

    static void list(auto& fields, auto& part) {
      fields("rank", part.rank, "seconds", part.seconds, "pieces", part.pieces, "checksums",
             part.checksums, "version", part.version);
    }
  };
  std::size_t task = 0;
  results::Document document;  ///< of it, only what PartSearch::search() sets
  std::vector<Part> parts;     ///< none if there was nothing to send, and nothing in `document`

  void add(const Sums& other);

  static void list(auto& fields, auto& sums) {
    auto& document = sums.document;
    fields("task", sums.task, "ranges", document.chunk_ranges, "sampled_bytes",
           document.sampled_bytes, "payload_bytes", document.payload_bytes, "failed",
           document.failed, "edges_verified", document.run.edges_verified, "merged_states",
           document.run.merged_states, "failures", document.run.failures, "parts", sums.parts);
  }
};
/// The answer to Choose: a document of no chunks, with the preludes to search, if the rank was not
/// stopped. The rank waits for work.
struct Chosen {
  static constexpr const char* kKind = "chosen";
  std::size_t task = 0;
  std::string document;

  static void list(auto& fields, auto& chosen) {
    fields("task", chosen.task, "document", chosen.document);
  }
};
/// The answer to Finish, likewise.
struct Finished {
  static constexpr const char* kKind = "finished";
  std::size_t task = 0;
  std::string document;

  static void list(auto& fields, auto& finished) {
    fields("task", finished.task, "document", finished.document);
  }
};
/// The rank cannot go on; what it has walked follows.
struct Failed {
  static constexpr const char* kKind = "failed";
  std::string what;

  static void list(auto& fields, auto& failed) { fields("what", failed.what); }
};
/// The answer to Stop, after all sums.
struct Drained {
  static constexpr const char* kKind = "drained";
  static void list(auto&, auto&) {}
};
/// A signal asked the rank to end.
struct Interrupt {
  static constexpr const char* kKind = "interrupt";
  static void list(auto&, auto&) {}
};

// From the leader to a worker.

struct Walk {
  static constexpr const char* kKind = "walk";
  Piece piece;
  std::vector<std::string> preludes;  ///< in front of the pipelines, as text; none without

  static void list(auto& fields, auto& walk) {
    fields("piece", walk.piece, "preludes", walk.preludes);
  }
};
/// Choose the preludes of a task.
struct Choose {
  static constexpr const char* kKind = "choose";
  std::size_t task = 0;

  static void list(auto& fields, auto& choose) { fields("task", choose.task); }
};
/// Verify what is verified at the end, of a document that has all chunks.
struct Finish {
  static constexpr const char* kKind = "finish";
  std::size_t task = 0;
  std::string document;

  static void list(auto& fields, auto& finish) {
    fields("task", finish.task, "document", finish.document);
  }
};
/// Send the sums of a task, all of which is walked, to a rank, with those of so many other ranks
/// that send theirs. They are sent even if there are none.
struct Flush {
  static constexpr const char* kKind = "flush";
  std::size_t task = 0, to = 0, others = 0;

  static void list(auto& fields, auto& flush) {
    fields("task", flush.task, "to", flush.to, "others", flush.others);
  }
};
/// End the walk after the chunks in progress and send all sums.
struct Stop {
  static constexpr const char* kKind = "stop";
  static void list(auto&, auto&) {}
};
/// Nothing of this work is left to do.
struct End {
  static constexpr const char* kKind = "end";
  static void list(auto&, auto&) {}
};
/// Rank 0 shares no more work at all.
struct Shutdown {
  static constexpr const char* kKind = "shutdown";
  static void list(auto&, auto&) {}
};
/// Thrown by a rank that gets Shutdown before End.
class ShutDownEarly {};

// Between the ranks of a race (race_peers.cpp), which also use Hello, Failed, Interrupt and
// Drained, to rank 0, and Stop, End and Shutdown, from there.

/// From rank 0 to all: they have all said Hello.
struct Begin {
  static constexpr const char* kKind = "begin";
  static void list(auto&, auto&) {}
};
/// The bytes that a rank gives to all others for a step of the race.
struct Given {
  static constexpr const char* kKind = "given";
  std::string step;
  std::vector<std::uint8_t> bytes;

  static void list(auto& fields, auto& given) { fields("step", given.step, "bytes", given.bytes); }
};
/// The bytes that a rank leaves to rank 0 at its end.
struct Left {
  static constexpr const char* kKind = "left";
  std::vector<std::uint8_t> bytes;

  static void list(auto& fields, auto& left) { fields("bytes", left.bytes); }
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

/// The Hello of a rank, but for what it works with.
Hello hello_of(const std::string& identity, const Transport& transport);

/// "rank 3 on node b"; without the node if the rank has not said Hello.
std::string place_of(std::size_t rank, const std::optional<Hello>& hello);

/// Throws Error if the rank at `place` ("rank 3 on node b") is of another version than this
/// program, or was started for another search than `identity`.
void refuse_others(const Hello& hello, const std::string& place, const std::string& identity);

}  // namespace fpsynth::cluster
