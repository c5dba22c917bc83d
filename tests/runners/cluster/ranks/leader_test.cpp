// The leader alone, told by hand what ranks send: what comes at the same moment does not depend on
// which of it fails.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "runners/cluster/ranks/leader.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"
#include "tests/runners/cluster/mailboxes.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::cluster {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTasks = 3;

/// A job of tasks of one chunk each, which tells when its last task is opened for the second time:
/// the first is for its description, the second for a check, after those of all earlier tasks.
struct WatchedJob {
  WatchedJob() {
    job.identity = "study";
    job.plan = &search::small_plan();
    job.options.engine = search::cpu_engine(1, components::default_stages(), true);
    for (std::size_t task = 0; task < kTasks; ++task) {
      const data::Input input("data" + std::to_string(task),
                              std::vector<std::byte>(64, std::byte(task)));
      const bool last = task + 1 == kTasks;
      job.tasks.push_back({input.name(),
                           [this, input, last] {
                             if (last && ++openings == 2) checked.set_value();
                             return input;
                           },
                           synth::Precision::Double, input.view().words});
    }
  }

  Job job;
  int openings = 0;
  std::promise<void> checked;
};

Hello hello(const std::string& node) {
  return {synth::kVersion, synth::kCommit, synth::kCompiler, "study", node, "cpu", "", 1, 1};
}

/// Sums of a whole task that rank 1 has walked.
Sums sums_of(const Job& job, std::size_t task) {
  Sums sums;
  sums.task = task;
  sums.document.space = job.plan->space();
  sums.document.payload_bytes.assign(sums.document.space.size(), 1);
  sums.document.chunk_ranges = {{0, 1}};
  sums.document.sampled_bytes = 64;
  sums.parts = {{1, 0.5, {}, {}}};
  return sums;
}

TEST(Leader, SumsThatComeWithOnesThatCannotBeSavedAreSaved) {
  for (const std::size_t failing : {std::size_t{0}, std::size_t{1}}) {
    WatchedJob watched;
    std::atomic<bool> stop = false;
    Mailboxes mailboxes(2);
    MailboxTransport transport(mailboxes, 0, "node0");
    std::map<std::size_t, results::Document> saved;
    LeaderCallbacks callbacks;
    callbacks.earlier = [](std::size_t) { return std::nullopt; };
    callbacks.done = [](std::size_t, const results::Document&, bool) {};
    callbacks.save = [&](std::size_t task, const results::Document& document) {
      if (task == failing) throw Error("cannot write: No space left on device");
      saved[task] = document;
    };
    Leader leader(watched.job, transport, callbacks, stop);
    leader.handle(0, hello("node0"));
    leader.handle(1, hello("node1"));
    for (std::size_t task = 0; task < kTasks; ++task) {
      leader.handle(1, Walked{{task, {0, 1}}, 0.5});
      leader.handle(1, sums_of(watched.job, task));
    }
    watched.checked.get_future().wait();  // the other sums' checks are good
    EXPECT_TRUE(leader.step());
    EXPECT_EQ(leader.error(), "cannot write: No space left on device");
    leader.handle(0, Drained{});
    leader.handle(1, Drained{});
    bool ended = false;  // when the last check is done: soon
    for (int i = 0; i < 10'000 && !ended; ++i) {
      ended = !leader.step();
      if (!ended) std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(ended);
    EXPECT_FALSE(leader.complete());
    for (std::size_t task = 0; task < kTasks; ++task) {
      EXPECT_EQ(saved.contains(task), task != failing) << task;
      if (saved.contains(task)) {
        EXPECT_EQ(saved[task].chunk_ranges, sums_of(watched.job, task).document.chunk_ranges);
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::cluster
