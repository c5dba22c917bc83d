// The leader alone, told by hand what ranks send: whatever fails at whatever moment, it ends, and
// saves what ranks have walked of the data that it knows.

#include "runners/cluster/ranks/leader.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "runners/data/description.hpp"
#include "runners/search/checks.hpp"
#include "runners/search/engine.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"
#include "tests/runners/cluster/mailboxes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using namespace std::chrono_literals;
using synth::Precision;
using tests::contains;

/// Data of two chunks whose bytes are all `content`.
data::Input data_of(const std::string& name, int content) {
  return data::Input(name, std::vector<std::byte>(16'000, std::byte(content)));
}

Hello hello(const std::string& node) {
  return {synth::kVersion, synth::kCommit, synth::kCompiler, "study", node, "cpu", "", 1, 1};
}

/// A leader on node0, with a rank 1 that only exists as messages.
class LeaderAlone : public ::testing::Test {
 protected:
  LeaderAlone() {
    job_.identity = "study";
    job_.plan = &search::small_plan();
    job_.options.engine = search::cpu_engine(1, components::default_stages(), true);
  }

  /// Adds a task. `opened` is called whenever its data are opened.
  void add(
      const data::Input& input, const std::function<void()>& opened = [] {}) {
    job_.tasks.push_back({input.name(),
                          [input, opened] {
                            opened();
                            return input;
                          },
                          Precision::Double, input.view().words});
  }
  /// Starts the leader. Rank 1 is on `node`.
  void start(const std::string& node) {
    LeaderCallbacks callbacks;
    callbacks.earlier = [this](std::size_t task) { return earlier_[task]; };
    callbacks.done = [this](std::size_t task, const results::Document& document, bool already) {
      if (already) had_[task] = document.data.name;
    };
    callbacks.save = [this](std::size_t task, const results::Document& document) {
      if (task == unsaved_) throw Error("cannot write: No space left on device");
      saved_[task] = document.chunk_ranges;
    };
    leader_.emplace(job_, transport_, callbacks, stop_);
    leader_->handle(0, hello("node0"));
    leader_->handle(1, hello(node));
  }
  /// A document of a search of these chunks of `input`.
  results::Document document_of(const data::Input& input, results::ChunkRange chunks) {
    results::Document document = search::empty_document(
        data::description_of(input, Precision::Double), job_.plan->space(), job_.options);
    document.chunk_ranges = {chunks};
    document.run.chunks_total = 2;
    return document;
  }
  /// Rank 1 walks these chunks of a task and sends its sums. `version`: of the data there.
  void walk(std::size_t task, results::ChunkRange chunks, const std::string& version = {}) {
    leader_->handle(1, Walked{{task, chunks}, 0.5});
    Sums sums;
    sums.task = task;
    sums.document.space = job_.plan->space();
    sums.document.payload_bytes.assign(sums.document.space.size(), 1);
    sums.document.chunk_ranges = {chunks};
    sums.document.sampled_bytes = 8000;
    sums.parts = {{1, 0.5, {}, {}, version}};
    leader_->handle(1, sums);
  }
  void drain() {
    leader_->handle(0, Drained{});
    leader_->handle(1, Drained{});
  }
  /// Whether, after a while, `holds` does; the leader goes on meanwhile.
  template <class Holds>
  bool steps_until(Holds holds) {
    for (int i = 0; i < 10'000; ++i) {
      going_ = leader_->step();
      if (holds()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
  bool ends() {
    return steps_until([&] { return !going_; });
  }
  /// Whether it ends with such an error, and saves nothing.
  bool ends_early_with(const std::string& error) {
    if (!steps_until([&] { return !leader_->error().empty(); })) return false;
    drain();
    return ends() && contains(leader_->error(), error) && saved_.empty();
  }

  Job job_;
  std::map<std::size_t, std::optional<results::Document>> earlier_;
  std::size_t unsaved_ = ~std::size_t{0};  ///< the task whose document cannot be saved
  std::map<std::size_t, std::vector<results::ChunkRange>> saved_;
  std::map<std::size_t, std::string> had_;  ///< names of tasks that were complete before
  std::atomic<bool> stop_ = false;
  Mailboxes mailboxes_{2};
  MailboxTransport transport_{mailboxes_, 0, "node0"};
  bool going_ = true;
  std::optional<Leader> leader_;
};

const std::vector<results::ChunkRange> kBoth = {{0, 2}};

/// The last task is opened twice: to describe it, and to check its sums, after those of the others.
class LeaderWithAFullDisk : public LeaderAlone,
                            public ::testing::WithParamInterface<std::size_t> {};

TEST_P(LeaderWithAFullDisk, SavesTheOtherSumsThatCameWithThem) {
  int openings = 0;
  std::promise<void> checked;
  for (const int task : {0, 1}) add(data_of("data" + std::to_string(task), task));
  add(data_of("data2", 2), [&] {
    if (++openings == 2) checked.set_value();
  });
  unsaved_ = GetParam();
  start("node1");
  for (std::size_t task = 0; task < 3; ++task) walk(task, {0, 2});
  checked.get_future().wait();
  EXPECT_TRUE(leader_->step());
  EXPECT_EQ(leader_->error(), "cannot write: No space left on device");
  drain();
  EXPECT_TRUE(ends());
  EXPECT_FALSE(leader_->complete());
  for (std::size_t task = 0; task < 3; ++task) {
    EXPECT_EQ(saved_.contains(task), task != unsaved_) << task;
    if (saved_.contains(task)) {
      EXPECT_EQ(saved_[task], kBoth);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Tasks, LeaderWithAFullDisk, ::testing::Values(0, 1));

TEST_F(LeaderAlone, DoesNotAddSumsToADocumentOfOtherData) {
  const data::Input now = data_of("data", 1), before = data_of("data", 2);
  add(now);
  earlier_[0] = document_of(before, {0, 1});
  start("node0");
  walk(0, {1, 2});
  EXPECT_TRUE(ends_early_with("data"));
}

TEST(Leader, RefusesADocumentOfAnotherNumberOfChunks) {
  Mailboxes mailboxes(1);
  MailboxTransport transport(mailboxes, 0, "node0");
  const data::Input input = data_of("data", 1);
  Job job;
  job.plan = &search::small_plan();
  job.tasks.push_back({"data", [input] { return input; }, Precision::Double, input.view().words});
  LeaderCallbacks callbacks;
  callbacks.earlier = [](std::size_t) {
    results::Document longer;
    longer.run.chunks_total = 9;
    longer.chunk_ranges = {{0, 3}, {5, 6}, {7, 8}};
    return longer;
  };
  const std::atomic<bool> never = false;
  EXPECT_TRUE(contains(tests::message_of([&] { Leader(job, transport, callbacks, never); }),
                       "data: the earlier result is of 9 chunks, these data have 2 chunks"));
}

TEST_F(LeaderAlone, DoesNotSaveSumsOfAFileThatChangedSinceItWasDescribed) {
  add(data_of("data", 1));
  start("node0");
  walk(0, {0, 2}, "after");
  EXPECT_TRUE(ends_early_with("data (double) changed while it was searched"));
}

TEST_F(LeaderAlone, DoesNotSaveSumsOfTwoVersionsOfAFile) {
  std::promise<void> walked;
  add(data_of("data", 1), [wait = walked.get_future().share()] { wait.wait(); });
  start("node0");
  walk(0, {0, 1}, "before");
  walk(0, {1, 2}, "after");
  walked.set_value();
  EXPECT_TRUE(ends_early_with("data (double) changed while it was searched"));
}

TEST_F(LeaderAlone, DoesNotSaveSumsOfOtherDataThanAreExpected) {
  add(data_of("data", 1));
  job_.tasks[0].xxh3 = "0123456789abcdef";
  start("node0");
  walk(0, {0, 2});
  EXPECT_TRUE(ends_early_with("data (double) changed while it was searched"));
}

TEST_F(LeaderAlone, EndsIfDataCannotBeReadAfterAnInterrupt) {
  std::promise<void> interrupted;
  add(data_of("data", 1), [wait = interrupted.get_future().share()] {
    wait.wait();
    throw Error("data: cannot read");
  });
  start("node0");
  walk(0, {0, 1});
  leader_->handle(0, Interrupt{});
  drain();
  EXPECT_TRUE(leader_->step());
  interrupted.set_value();
  EXPECT_TRUE(ends());
  EXPECT_EQ(leader_->error(), "data: cannot read");
  EXPECT_TRUE(saved_.empty());
}

TEST_F(LeaderAlone, WaitsForTheDescriptionOfWhatWasWalkedAlsoIfARankFails) {
  std::promise<void> failed;
  add(data_of("data", 1), [wait = failed.get_future().share()] { wait.wait(); });
  start("node0");
  walk(0, {0, 1});
  leader_->handle(1, Failed{"no device"});
  drain();
  EXPECT_TRUE(leader_->step());
  failed.set_value();
  EXPECT_TRUE(ends());
  EXPECT_EQ(leader_->error(), "rank 1 on node node0: no device");
  EXPECT_EQ(saved_[0], (std::vector<results::ChunkRange>{{0, 1}}));
}

TEST_F(LeaderAlone, HandsOnADocumentThatWasCompleteBefore) {
  const data::Input input = data_of("a name that takes memory of its own", 1);
  add(input);
  earlier_[0] = document_of(input, {0, 2});
  earlier_[0]->run.complete = true;
  start("node0");
  EXPECT_TRUE(ends());
  EXPECT_TRUE(leader_->complete());
  EXPECT_EQ(had_[0], input.name());
}

}  // namespace
}  // namespace fpsynth::cluster
