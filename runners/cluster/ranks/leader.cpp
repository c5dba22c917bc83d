#include "runners/cluster/ranks/leader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "runners/search/checks.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cluster {
namespace {

using namespace std::chrono_literals;
/// A piece is to take so long at most: what a rank has not sent is lost if it dies.
constexpr double kPieceSeconds = 20;
/// Ranks that send their sums to the same one when a task is walked.
constexpr std::size_t kFlushedTo = 4;
constexpr auto kReportEvery = 200ms;

}  // namespace

Leader::Leader(const Job& job, Transport& transport, LeaderCallbacks callbacks,
               const std::atomic<bool>& stop)
    : job_(job),
      transport_(transport),
      callbacks_(std::move(callbacks)),
      stop_(stop),
      checker_(job),
      dealer_(transport.ranks(), std::min(kPieceSeconds, job.options.checkpoint_seconds)),
      ranks_(transport.ranks()),
      tasks_(job.tasks.size()),
      undescribed_(job.tasks.size()),
      start_(Clock::now()),
      saved_(start_),
      reported_(start_) {
  for (std::size_t task = 0; task < tasks_.size(); ++task) start_task(task);
}

bool Leader::has_preludes() const {
  return job_.preludes.request.kind != synth::PreludeRequest::Kind::None;
}

std::string Leader::place_of(std::size_t rank) const {
  return cluster::place_of(rank, ranks_[rank].hello);
}

void Leader::send(std::size_t rank, const ToWorker& message) {
  transport_.send(rank, packed(message));
}

void Leader::start_task(std::size_t task) {
  TaskState& of = tasks_[task];
  of.total = job_.chunks(task);
  of.earlier = callbacks_.earlier(task);
  if (of.earlier && of.earlier->run.chunks_total != of.total) {
    throw Error(
        fmt::format("{}: the earlier result is of {}, these data have {}; search into "
                    "another directory",
                    job_.tasks[task].name, counted(of.earlier->run.chunks_total, "chunk"),
                    counted(of.total, "chunk")));
  }
  if (of.earlier && of.earlier->run.complete) {
    of.state = State::Complete;
    of.walked = of.added = of.total;
  } else if (has_preludes() && !(of.earlier && !of.earlier->prelude_candidates.empty())) {
    of.earlier.reset();  // it has nothing
    of.state = State::Unchosen;
  } else {
    if (of.earlier) {
      of.document = *of.earlier;
    } else {
      of.document.space = job_.plan->space();
      of.document.payload_bytes.assign(of.document.space.size(), 0);
    }
    start_walking(task);
  }
  chunks_before_ += of.added;
}

void Leader::start_walking(std::size_t task) {
  TaskState& of = tasks_[task];
  of.state = State::Walking;
  of.added = of.walked = results::chunks_in(of.document.chunk_ranges);
  const double cost = double(std::max<std::size_t>(of.document.space.preludes.size(), 1));
  dealer_.add(task, results::missing_in(of.document.chunk_ranges, {0, of.total}), cost);
}

void Leader::handle(std::size_t rank, const ToLeader& message) {
  or_end_early([&] {
    std::visit([&](const auto& one) { handle_one(rank, one); }, message);
    if (!ending_) give_out();
  });
}

template <class Act>
void Leader::or_end_early(Act act) {
  try {
    act();
  } catch (...) {
    end_early(current_error());
  }
}

void Leader::handle_one(std::size_t rank, const Hello& hello) {
  ranks_[rank].hello = hello;
  refuse_others(hello, place_of(rank), job_.identity);
  dealer_.set_at_once(rank, std::max<std::uint64_t>(hello.at_once, 1));
  ranks_[rank].waiting = true;
}

void Leader::handle_one(std::size_t rank, const Progress& progress) {
  Rank& from = ranks_[rank];
  if (from.piece) from.told = std::min(from.told + progress.chunks, from.piece->size());
}

void Leader::handle_one(std::size_t rank, const Walked& walked) {
  Rank& from = ranks_[rank];
  from.piece.reset();
  from.told = 0;
  from.waiting = true;
  dealer_.walked(rank, walked.piece, walked.seconds);
  TaskState& task = tasks_[walked.piece.task];
  task.walked += walked.piece.size();
  task.holders.insert(rank);
  flush_if_walked(walked.piece.task);
}

void Leader::flush_if_walked(std::size_t task) {
  if (tasks_[task].walked < tasks_[task].total) return;
  // A tree, in which each rank adds up its own sums and those of others before it sends them on:
  // thousands of ranks that sent a megabyte each would keep this one busy for long. Rank 0's own
  // come as they are.
  std::vector<std::size_t> holders;
  for (const std::size_t rank : tasks_[task].holders) {
    if (rank == 0) {
      send(0, Flush{task, 0, 0});
    } else {
      holders.push_back(rank);
    }
  }
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const std::size_t to = i < kFlushedTo ? 0 : holders[i / kFlushedTo - 1];
    const std::size_t first = std::min((i + 1) * kFlushedTo, holders.size());
    send(holders[i], Flush{task, to, std::min(first + kFlushedTo, holders.size()) - first});
  }
}

void Leader::handle_one(std::size_t, const Sums& sums) {
  std::vector<std::string> nodes;
  bool elsewhere = false;
  for (const Sums::Part& part : sums.parts) tasks_[sums.task].holders.erase(part.rank);
  for (const Sums::Part& part : sums.parts) {
    const std::string& node = ranks_.at(part.rank).hello->node;
    const bool here = node == transport_.place().node;  // the same file
    if (here) check_version(sums.task, part.version);
    nodes.push_back(here ? std::string() : node);
    elsewhere |= !here;
  }
  if (!elsewhere) return add(sums);
  ++checks_;
  checker_.check(sums, std::move(nodes));
}

void Leader::check_version(std::size_t task, const std::string& version) {
  std::string& first = tasks_[task].version;
  if (first.empty()) first = version;
  if (first != version) throw job_.tasks[task].changed();
}

void Leader::add(const Sums& sums) {
  if (sums.parts.empty()) return;
  TaskState& task = tasks_[sums.task];
  results::add_sums(task.document, sums.document);
  task.added += results::chunks_in(sums.document.chunk_ranges);
  for (const Sums::Part& part : sums.parts) {
    task.thread_seconds += part.seconds * double(ranks_[part.rank].hello->threads);
  }
  task.changed = true;
  end_if_added(sums.task);
}

void Leader::end_if_added(std::size_t task) {
  TaskState& of = tasks_[task];
  if (of.added < of.total || !of.described || of.state != State::Walking) return;
  if (has_preludes() || job_.options.verification.kind == search::Verification::Kind::Top) {
    of.state = State::Unfinished;
  } else {
    complete(task, document_of(task), false);
  }
}

void Leader::complete(std::size_t task, results::Document document, bool already) {
  TaskState& of = tasks_[task];
  if (!already) callbacks_.save(task, document);
  of.state = State::Complete;
  of.changed = false;
  of.document = {};
  of.earlier.reset();
  callbacks_.done(task, document, already);
}

void Leader::take_description(const Checker::Described& described) {
  TaskState& of = tasks_[described.task];
  const std::string& expected = job_.tasks[described.task].xxh3;
  check_version(described.task, described.version);
  if (!expected.empty() && described.data.xxh3 != expected) {
    throw job_.tasks[described.task].changed();
  }
  results::Document fresh =
      search::empty_document(described.data, job_.plan->space(), job_.options);
  if (of.earlier) {
    fresh.space.preludes = of.earlier->space.preludes;
    search::check_resumable(*of.earlier, fresh);
  } else if (has_preludes()) {
    if (!of.chosen_of.empty() && of.chosen_of != described.data.xxh3) refuse_choice(described.task);
    of.document.data = described.data;
  } else {
    fresh.payload_bytes.resize(of.document.payload_bytes.size());
    results::add_sums(fresh, of.document);
    of.document = std::move(fresh);
  }
  of.described = true;  // not if it was refused: sums of these data must not be saved
  if (of.state == State::Complete) return complete(described.task, *of.earlier, true);
  end_if_added(described.task);
}

void Leader::handle_one(std::size_t rank, const Chosen& chosen) {
  TaskState& of = tasks_[chosen.task];
  of.busy = false;
  ranks_[rank].waiting = true;
  const std::string described = of.document.data.xxh3;
  of.document = results::parse_document(chosen.document, place_of(rank));
  of.chosen_of = of.document.data.xxh3;
  if (of.described && of.chosen_of != described) refuse_choice(chosen.task);
  of.changed = true;
  start_walking(chosen.task);
  end_if_added(chosen.task);
}

void Leader::refuse_choice(std::size_t task) const {
  throw Error(fmt::format(
      "{}: the rank that chose its preludes read other data than rank 0: the file is not the same "
      "on all nodes; copy it again, or use a folder that the nodes share",
      job_.tasks[task].name));
}

void Leader::handle_one(std::size_t rank, const Finished& finished) {
  tasks_[finished.task].busy = false;
  ranks_[rank].waiting = true;
  complete(finished.task, results::parse_document(finished.document, place_of(rank)), false);
}

void Leader::handle_one(std::size_t rank, const Failed& failed) {
  throw Error(fmt::format("{}: {}", place_of(rank), failed.what));
}

void Leader::handle_one(std::size_t rank, const Drained&) { ranks_[rank].drained = true; }

void Leader::handle_one(std::size_t, const Interrupt&) { end_early({}); }

void Leader::give_out() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].waiting && !give(rank)) return;
  }
}

bool Leader::give(std::size_t rank) {
  Rank& to = ranks_[rank];
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    TaskState& of = tasks_[task];
    if (of.busy || (of.state != State::Unchosen && of.state != State::Unfinished)) continue;
    of.busy = true;
    to.waiting = false;
    if (of.state == State::Unchosen) {
      send(rank, Choose{task});
    } else {
      send(rank, Finish{task, results::document_text(document_of(task))});
    }
    return true;
  }
  to.piece = dealer_.next(rank);
  if (!to.piece) return false;
  to.waiting = false;
  Walk walk{*to.piece, {}};
  for (const synth::Prelude& prelude : tasks_[to.piece->task].document.space.preludes) {
    walk.preludes.push_back(prelude.empty() ? std::string() : synth::to_string(prelude));
  }
  send(rank, walk);
  return true;
}

results::Document Leader::document_of(std::size_t task) const {
  const TaskState& of = tasks_[task];
  results::Document document = of.document;
  std::uint64_t threads = 0;
  for (const Rank& rank : ranks_) {
    if (!rank.hello) continue;
    threads += rank.hello->threads;
    results::join_distinct(document.run.backend, rank.hello->backend);
    results::join_distinct(document.run.device, rank.hello->device);
    results::join_distinct(document.run.compiler, rank.hello->compiler);
  }
  results::join_distinct(document.run.program_version, synth::kVersion);
  results::join_distinct(document.run.commit, synth::kCommit);
  threads = std::max<std::uint64_t>(threads, 1);
  // As if all ranks had walked this data set alone.
  document.run.seconds =
      (of.earlier ? of.earlier->run.seconds : 0) + of.thread_seconds / double(threads);
  document.run.threads = std::min(std::max(threads, document.run.threads), of.total);
  results::finish(document);
  const bool verified_last =
      has_preludes() || job_.options.verification.kind == search::Verification::Kind::Top;
  if (verified_last) document.run.complete = false;
  return document;
}

void Leader::save(std::size_t task) {
  callbacks_.save(task, document_of(task));
  tasks_[task].changed = false;
}

void Leader::save_changed() {
  std::exception_ptr problem;  // the first one: it does not keep the others from being saved
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    if (!tasks_[task].changed || !tasks_[task].described) continue;
    try {
      save(task);
    } catch (...) {
      if (!problem) problem = std::current_exception();
    }
  }
  saved_ = Clock::now();
  if (problem) std::rethrow_exception(problem);
}

void Leader::end_early(std::string error) {
  if (error_.empty()) error_ = std::move(error);
  if (ending_) return;
  ending_ = true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) send(rank, Stop{});
  // Now, because the ranks may not have the time to send more.
  or_end_early([&] { save_changed(); });
}

bool Leader::complete() const {
  return std::ranges::all_of(
      tasks_, [](const TaskState& task) { return task.state == State::Complete && !task.earlier; });
}

void Leader::report() {
  reported_ = Clock::now();
  if (!callbacks_.progress) return;
  search::Progress progress;
  std::vector<std::uint64_t> told(tasks_.size());
  for (const Rank& rank : ranks_) {
    if (rank.piece) told[rank.piece->task] += rank.told;
  }
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const TaskState& of = tasks_[task];
    progress.chunks_total += of.total;
    progress.chunks_done += of.walked + told[task];
  }
  progress.chunks_done = std::min(progress.chunks_done, progress.chunks_total);
  progress.seconds = seconds_since(start_);
  const double chunks = double(progress.chunks_done - chunks_before_);
  const synth::Space& space = job_.plan->space();
  const double bytes = chunks * double(space.size()) * double(space.chunk_words) *
                       double(synth::word_bytes(job_.tasks.front().precision));
  progress.pipeline_bytes_per_second = bytes / std::max(progress.seconds, 1e-9);
  callbacks_.progress(progress);
}

bool Leader::step() {
  if (ended_) return false;
  if (stop_ && !ending_) end_early({});
  const Checker::Results found = checker_.take();
  checks_ -= found.refused + found.good.size();
  undescribed_ -= found.described.size() + (found.errors.size() - found.refused);
  // Each of them is taken, also when another one fails: what ranks have walked is to be saved.
  for (const Checker::Described& described : found.described) {
    or_end_early([&] { take_description(described); });
  }
  for (const Sums& sums : found.good) or_end_early([&] { add(sums); });
  for (const std::string& error : found.errors) end_early(error);
  if (!ending_) {
    or_end_early([&] {
      if (!found.described.empty() || !found.good.empty()) give_out();
      if (seconds_since(saved_) > job_.options.checkpoint_seconds) save_changed();
      if (Clock::now() - reported_ > kReportEvery) report();
    });
  }
  // Ranks send on what others have sent them before they were told to end.
  const bool drained =
      ending_ && std::ranges::all_of(ranks_, &Rank::drained) && checks_ == 0 &&
      std::ranges::all_of(tasks_, [](const TaskState& task) { return task.holders.empty(); });
  // A rank may be refused for its Hello, also if the others have done all the work.
  const bool all_known = std::ranges::all_of(ranks_, [](const Rank& rank) { return !!rank.hello; });
  if (!drained && !(complete() && all_known)) return true;
  return end();
}

bool Leader::end() {
  // A description that is not there yet is waited for: without it, nothing of the task is saved.
  const bool waits = undescribed_ > 0 && std::ranges::any_of(tasks_, [](const TaskState& task) {
                       return task.changed && !task.described;
                     });
  if (waits) return true;
  or_end_early([&] { save_changed(); });
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) send(rank, End{});
  ended_ = true;
  return false;
}

}  // namespace fpsynth::cluster
