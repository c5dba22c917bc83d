#pragma once
// The part of rank 0 that deals out the chunks of a study and adds up what comes back. It alone
// writes documents.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/cluster/ranks/checker.hpp"
#include "runners/cluster/ranks/dealer.hpp"
#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/messages.hpp"
#include "runners/cluster/transport.hpp"

namespace fpsynth::cluster {

/// The leader's calls of the program, all by its own thread.
struct LeaderCallbacks {
  /// The document of an earlier search of a task, if there is one.
  std::function<std::optional<results::Document>(std::size_t task)> earlier;
  /// Saves the state of a task, or its result.
  std::function<void(std::size_t task, const results::Document& document)> save;
  /// A task is complete; `already`: it was so before. After save().
  std::function<void(std::size_t task, const results::Document& document, bool already)> done;
  /// Called some times a second.
  std::function<void(const search::Progress& progress)> progress;
};

class Leader {
 public:
  /// All arguments must outlive it. `stop`: set from outside (a signal handler) to save and end.
  Leader(const Job& job, Transport& transport, LeaderCallbacks callbacks,
         const std::atomic<bool>& stop);

  void handle(std::size_t rank, const ToLeader& message);
  /// Must be called often. False when all ranks were told that the work has ended.
  bool step();

  /// True if every task is complete.
  bool complete() const;
  /// Why the work ended early, if it was not stopped from outside: names the rank, its node and the
  /// cause.
  const std::string& error() const { return error_; }

 private:
  struct Rank {
    std::optional<Hello> hello;
    bool waiting = false, drained = false;
    std::optional<Piece> piece;
    std::uint64_t told = 0;  ///< chunks of the piece, by Progress
  };
  enum class State { Unchosen, Walking, Unfinished, Complete };
  struct TaskState {
    State state = State::Walking;
    results::Document document;  ///< its derived fields are wrong
    std::optional<results::Document> earlier;
    bool described = false, changed = false, busy = false;
    std::uint64_t total = 0, walked = 0, added = 0;  ///< chunks
    std::set<std::size_t> holders;                   ///< ranks that hold sums of it
    double thread_seconds = 0;
    std::string chosen_of;  ///< XXH3 of the data that preludes were chosen for
    std::string version;    ///< of this node's data, as they were first read
  };

  void handle_one(std::size_t rank, const Hello& hello);
  void handle_one(std::size_t rank, const Progress& progress);
  void handle_one(std::size_t rank, const Walked& walked);
  void handle_one(std::size_t rank, const Sums& sums);
  void handle_one(std::size_t rank, const Chosen& chosen);
  void handle_one(std::size_t rank, const Finished& finished);
  void handle_one(std::size_t rank, const Failed& failed);
  void handle_one(std::size_t rank, const Drained& drained);
  void handle_one(std::size_t rank, const Interrupt& interrupt);

  void start_task(std::size_t task);
  void start_walking(std::size_t task);
  void take_description(const Checker::Described& described);
  void add(const Sums& sums);
  [[noreturn]] void refuse_choice(std::size_t task) const;
  /// Throws Error if this node's data were of another version when they were first read.
  void check_version(std::size_t task, const std::string& version);
  bool end();
  void flush_if_walked(std::size_t task);
  void end_if_added(std::size_t task);
  void complete(std::size_t task, results::Document document, bool already);
  /// Gives work to ranks that wait, if there is any.
  void give_out();
  bool give(std::size_t rank);
  /// Tells all ranks to end and saves what there is. The first error is kept; "": none.
  void end_early(std::string error);
  /// Ends early with the message of what act() throws, if it does.
  template <class Act>
  void or_end_early(Act act);
  void send(std::size_t rank, const ToWorker& message);
  void save(std::size_t task);
  /// Tries to save all that has changed, and throws what was thrown first.
  void save_changed();
  void report();
  bool has_preludes() const;
  std::string place_of(std::size_t rank) const;
  /// A task's document with its derived fields.
  results::Document document_of(std::size_t task) const;

  const Job& job_;
  Transport& transport_;
  LeaderCallbacks callbacks_;
  const std::atomic<bool>& stop_;
  Checker checker_;
  Dealer dealer_;
  std::vector<Rank> ranks_;
  std::vector<TaskState> tasks_;
  std::string error_;
  std::size_t checks_ = 0;   ///< sums that the checker has
  std::size_t undescribed_;  ///< tasks that the checker has not described, nor failed to
  bool ending_ = false, ended_ = false;
  std::uint64_t chunks_before_ = 0;  ///< done by earlier searches
  std::chrono::steady_clock::time_point start_, saved_, reported_;
};

}  // namespace fpsynth::cluster
