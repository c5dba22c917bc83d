#include "runners/cluster/ranks/worker.hpp"

#include <fmt/core.h>

#include <utility>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "runners/data/description.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cluster {
namespace {

using namespace std::chrono_literals;

/// Progress is told this often, and more seldom if there are many ranks.
constexpr auto kTellEvery = 500ms;

search::Mode mode_of(const Job& job) {
  return job.options.verification.kind == search::Verification::Kind::All ? search::Mode::Verify
                                                                          : search::Mode::Count;
}

/// The first message of a rank, by which the leader knows it.
Hello hello_of(const Job& job, const Transport& transport) {
  Hello hello = hello_of(job.identity, transport);
  if (job.tasks.empty()) return hello;
  const auto engine =
      job.options.engine(*job.plan, synth::word_bytes(job.tasks.front().precision), mode_of(job));
  hello.backend = engine->backend();
  hello.device = engine->device();
  hello.threads = static_cast<std::uint64_t>(engine->threads());
  hello.at_once = engine->at_once();
  return hello;
}

}  // namespace

Worker::Worker(const Job& job, Transport& transport)
    : job_(job), transport_(transport), sent_(Clock::now()), told_(sent_) {
  // Ranks that all sent their sums at the same moment would wait for each other.
  const double share = double(transport.rank()) / double(transport.ranks());
  sent_ += std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(share * job.options.checkpoint_seconds));
  try {
    send(hello_of(job, transport));
  } catch (...) {
    failed_ = true;
    send(Failed{current_error()});
  }
}

Worker::~Worker() {
  stop_ = true;
  if (running_.valid()) running_.wait();
}

void Worker::send(const ToLeader& message) { transport_.send(0, packed(message)); }

void Worker::handle(const ToWorker& message) {
  std::visit([&](const auto& one) { handle_one(one); }, message);
}

search::SearchOptions Worker::options() {
  search::SearchOptions options = job_.options;
  options.stop = &stop_;
  options.checkpoint = nullptr;
  options.progress = nullptr;
  return options;
}

template <class Work>
void Worker::start(Work work) {
  if (failed_) return;
  const auto run = [work = std::move(work)] {
    try {
      return work();
    } catch (...) {
      Outcome outcome;
      outcome.error = current_error();
      return outcome;
    }
  };
  try {
    running_ = std::async(std::launch::async, run);
  } catch (...) {  // no thread
    failed_ = true;
    send(Failed{current_error()});
  }
}

PartSearch& Worker::part_search(std::size_t task, const std::vector<std::string>& preludes) {
  if (!part_ || part_->task() != task) {
    part_.reset();  // its data are not needed any more
    std::vector<synth::Prelude> parsed;
    for (const std::string& text : preludes) {
      parsed.push_back(text.empty() ? synth::Prelude{} : synth::parse_prelude(text));
    }
    part_ = std::make_unique<PartSearch>(job_, task, std::move(parsed));
  }
  return *part_;
}

void Worker::handle_one(const Walk& walk) {
  start([this, walk] {
    const auto start = Clock::now();
    PartSearch& part = part_search(walk.piece.task, walk.preludes);
    search::SearchOptions options = this->options();
    std::uint64_t before = 0;
    options.progress = [&](const search::Progress& progress) {
      walked_ += progress.chunks_done - before;
      before = progress.chunks_done;
    };
    Outcome outcome;
    outcome.sums.emplace();
    outcome.sums->task = walk.piece.task;
    outcome.sums->document = part.search(walk.piece.chunks, options);
    const std::uint64_t checksum =
        checksum_of(part.stored(), job_, walk.piece.task, walk.piece.chunks);
    outcome.sums->parts = {{transport_.rank(),
                            outcome.sums->document.run.seconds,
                            {walk.piece.chunks},
                            {checksum},
                            part.stored().version()}};
    part.stored().check_unchanged();
    outcome.walked = {walk.piece, seconds_since(start)};
    return outcome;
  });
}

template <class Answer>
void Worker::search_whole(std::size_t task, std::optional<results::Document> done) {
  start([this, task, done = std::move(done)] {
    part_.reset();
    const data::Input input = job_.tasks[task].open().in(job_.tasks[task].precision);
    if (done && data::description_of(input).xxh3 != done->data.xxh3) {
      throw Error(
          fmt::format("{} ({}): the data here are not the same as on rank 0; copy the file again, "
                      "or use a folder that the nodes share",
                      input.name(), synth::to_string(input.native())));
    }
    search::SearchOptions options = this->options();
    if (!done) options.part = results::ChunkRange{0, 0};
    const results::Document document = search::search_with_preludes(
        input, *job_.plan, job_.preludes, options, done ? &*done : nullptr);
    Outcome outcome;
    if (!stop_) outcome.answer = Answer{task, results::document_text(document)};
    return outcome;
  });
}

void Worker::handle_one(const Choose& choose) { search_whole<Chosen>(choose.task, std::nullopt); }

void Worker::handle_one(const Finish& finish) {
  search_whole<Finished>(finish.task,
                         results::parse_document(finish.document, "the leader's document"));
}

void Worker::handle_one(const Flush& flush) {
  flushing_[flush.task].flush = flush;
  flush_if_there(flush.task);
}

void Worker::handle_others(const Sums& sums) {
  if (drained_) return send(sums);
  sums_[sums.task].task = sums.task;
  sums_[sums.task].add(sums);
  ++flushing_[sums.task].others;
  flush_if_there(sums.task);
}

void Worker::flush_if_there(std::size_t task) {
  const auto found = flushing_.find(task);
  const std::optional<Flush>& flush = found->second.flush;
  if (!flush || found->second.others < flush->others) return;
  Sums& sums = sums_[task];
  sums.task = task;
  transport_.send(flush->to, packed(ToLeader(sums)));
  sums_.erase(task);
  flushing_.erase(found);
}

void Worker::handle_one(const Stop&) {
  stop_ = true;
  if (!running_.valid()) drain();
}

void Worker::handle_one(const End&) { ended_ = true; }

void Worker::handle_one(const Shutdown&) { throw ShutDownEarly(); }

void Worker::send_sums(std::size_t task) {
  const auto found = sums_.find(task);
  if (found == sums_.end()) return;
  send(found->second);
  sums_.erase(found);
}

void Worker::drain() {
  if (drained_) return;
  drained_ = true;
  while (!sums_.empty()) send_sums(sums_.begin()->first);
  send(Drained{});
}

void Worker::take(Outcome outcome) {
  if (outcome.sums && !outcome.sums->document.chunk_ranges.empty()) {
    Sums& sums = sums_[outcome.sums->task];
    sums.task = outcome.sums->task;
    sums.add(*outcome.sums);
  }
  if (!outcome.error.empty()) {
    failed_ = true;
    send(Failed{outcome.error});
  }
  if (stop_) return drain();
  if (outcome.walked) send(*outcome.walked);
  if (outcome.answer) send(*outcome.answer);
  if (seconds_since(sent_) > job_.options.checkpoint_seconds) {
    while (!sums_.empty()) send_sums(sums_.begin()->first);
    sent_ = Clock::now();
  }
}

bool Worker::step() {
  if (running_.valid() && running_.wait_for(0s) == std::future_status::ready) {
    take(running_.get());
  }
  const auto every = kTellEvery * (1 + transport_.ranks() / 64);
  if (!stop_ && Clock::now() - told_ > every) {
    told_ = Clock::now();
    if (const std::uint64_t walked = walked_.exchange(0)) send(Progress{walked});
  }
  return !ended_;
}

}  // namespace fpsynth::cluster
