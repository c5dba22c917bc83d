#pragma once
// The part of every rank that walks chunks. It is told by the leader what to do, and keeps sums
// until the leader wants them, for a minute at most.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/messages.hpp"
#include "runners/cluster/ranks/part_search.hpp"
#include "runners/cluster/transport.hpp"

namespace fpsynth::cluster {

class Worker {
 public:
  /// Creates an engine, to tell the leader what the rank is, and sends the Hello. If that fails, it
  /// sends why. Both arguments must outlive it.
  Worker(const Job& job, Transport& transport);
  ~Worker();

  /// Throws ShutDownEarly.
  void handle(const ToWorker& message);
  /// Takes sums of other ranks, which are sent on together with those of this one.
  void handle_others(const Sums& sums);
  /// Sends what a thread has done meanwhile. Must be called often. False after the leader's End.
  bool step();
  /// True if the leader's End has come.
  bool ended() const { return ended_; }

 private:
  /// The result of the walking thread.
  struct Outcome {
    std::optional<Walked> walked;
    std::optional<Sums> sums;
    std::optional<ToLeader> answer;
    std::string error;  ///< what it failed with, if it did
  };

  void handle_one(const Walk& walk);
  void handle_one(const Choose& choose);
  void handle_one(const Finish& finish);
  void handle_one(const Flush& flush);
  void handle_one(const Stop&);
  void handle_one(const End&);
  [[noreturn]] void handle_one(const Shutdown&);

  template <class Work>
  void start(Work work);
  void take(Outcome outcome);
  void drain();
  void send(const ToLeader& message);
  void send_sums(std::size_t task);
  void flush_if_there(std::size_t task);
  search::SearchOptions options();
  PartSearch& part_search(std::size_t task, const std::vector<std::string>& preludes);
  /// Searches a task to the end of `done`, or chooses its preludes without one, and answers.
  template <class Answer>
  void search_whole(std::size_t task, std::optional<results::Document> done);

  const Job& job_;
  Transport& transport_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> walked_ = 0;  ///< chunks that no Progress has told of
  std::future<Outcome> running_;
  std::unique_ptr<PartSearch> part_;  ///< of the last task; used by the walking thread
  std::map<std::size_t, Sums> sums_;  ///< not sent yet, by task
  /// The leader's request for the sums of a task, and the number of other ranks that have sent
  /// theirs for it.
  struct Flushing {
    std::optional<Flush> flush;
    std::size_t others = 0;
  };
  std::map<std::size_t, Flushing> flushing_;  ///< by task
  std::chrono::steady_clock::time_point sent_, told_;
  bool failed_ = false, drained_ = false, ended_ = false;
};

}  // namespace fpsynth::cluster
