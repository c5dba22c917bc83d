// Documents of a study that are stopped and continued.

#include "runners/study/document_run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "results/documents/document_file.hpp"
#include "runners/study/choice.hpp"
#include "runners/study/report.hpp"
#include "tests/runners/cluster/thread_ranks.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::study {
namespace {

using tests::contains;
using tests::message_of;

/// Some components in two stages.
synth::Space small_space() {
  synth::Space space = synth::Space::paper();
  space.stages = 2;
  space.cuts = {0, 2};
  space.components.clear();
  for (const char* name : {"NUL", "INV", "BIT", "LNV1s"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

/// A study of one file of five chunks, whose words repeat: the folder, and what runs it.
class SmallStudy {
 public:
  explicit SmallStudy(bool raced) : raced_(raced) {
    std::string bytes;
    for (std::uint64_t word = 0; word < 4500; ++word) {
      const std::uint64_t value = word % 700 * 0x9E3779B97F4A7C15u;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    tests::write_bytes(folder_ / "in.f64", bytes);
    study_.name = "small";
    study_.items.emplace_back();
    study_.items.back().name = "in";
    study_.items.back().file = folder_ / "in.f64";
    std::filesystem::create_directory(directory_);
    preludes_.request = synth::PreludeRequest::parse("LAGx:700, DICT");
    planned_ = check_data(study_, 1, space_.chunk_words);
  }

  /// Searches, or races, and stops where `restored` says so: it is called for each finalist that is
  /// undone, between the choice of finalists and the first chunk.
  StudyEnd run(
      bool resume, const std::function<bool()>& restored = [] { return false; },
      const std::optional<cluster::Shard>& shard = std::nullopt) {
    std::atomic<bool> stop = false;
    preludes_.restores = [&](const auto&, const auto&, const auto&) {
      stop = restored();
      return true;
    };
    return run_with(resume, stop,
                    [&](const StudyRun& run) { return run_study(run, planned_, shard); });
  }
  /// The same on two ranks, of which rank 0 undoes the finalists.
  StudyEnd run_ranks(
      bool resume, const std::function<bool()>& restored = [] { return false; }) {
    StudyEnd end;
    std::atomic<bool> stop = false;
    preludes_.restores = [&](const auto&, const auto&, const auto&) {
      stop = restored();
      return true;
    };
    const auto errors = cluster::on_ranks(2, [&](cluster::Ranks& ranks) {
      const std::atomic<bool> never = false;
      const bool leads = ranks.rank() == 0;
      const StudyEnd own = run_with(
          resume, leads ? stop : never,
          [&](const StudyRun& run) { return run_study(run, planned_, std::nullopt); }, &ranks);
      if (leads) end = own;
    });
    EXPECT_EQ(errors, std::vector<std::string>(2));
    return end;
  }
  std::string promise() const { return promise_of_preludes(study_, directory_); }
  void remove_data() const { std::filesystem::remove(folder_ / "in.f64"); }
  /// The document but for how long it took, on how many threads, and where the file is.
  std::string document() const {
    results::Document document =
        results::read_document(results::document_path(directory_, "in", synth::Precision::Double));
    document.run.seconds = document.run.pipeline_bytes_per_second = 0;
    document.run.threads = 1;
    document.data.source = document.data.file = "in.f64";
    return results::document_text(document);
  }

 private:
  template <class Run>
  StudyEnd run_with(bool resume, const std::atomic<bool>& stop, Run run,
                    cluster::Ranks* ranks = nullptr) {
    search::SearchOptions options;
    options.threads = 1;
    options.engine = search::cpu_engine(1, components::default_stages(), true);
    options.stop = &stop;
    options.peers = ranks;
    return run(StudyRun{.study = study_,
                        .space = space_,
                        .plan = raced_ ? nullptr : &plan_,
                        .race = race_,
                        .preludes = preludes_,
                        .ranks = ranks,
                        .options = options,
                        .directory = directory_,
                        .resume = resume});
  }
  bool raced_;
  tests::TemporaryFolder folder_;
  std::filesystem::path directory_ = folder_ / "out";
  data::Study study_;
  synth::Space space_ = small_space();
  synth::Plan plan_{space_};
  search::RaceOptions race_;
  search::PreludeOptions preludes_;
  std::vector<results::PlannedDocument> planned_;
};

TEST(DocumentRun, StoppedBetweenItsFinalistsAndTheFirstChunkItCanBeContinued) {
  for (const bool raced : {false, true}) {
    SCOPED_TRACE(raced ? "raced" : "searched");
    SmallStudy whole(raced), stopped(raced);
    EXPECT_TRUE(whole.run(false).complete);
    ASSERT_TRUE(contains(whole.document(), "\"preludes\":[\"none\",\"LAGx:700\""));
    EXPECT_FALSE(stopped.run(false, [] { return true; }).complete);
    EXPECT_TRUE(stopped.run(true).complete);
    EXPECT_EQ(stopped.document(), whole.document());
  }
}

TEST(DocumentRun, AShardStoppedThereCanBeContinued) {
  const cluster::Shard last = cluster::Shard::parse("2/2");
  SmallStudy whole(false), stopped(false);
  whole.run(
      false, [] { return false; }, last);
  EXPECT_FALSE(stopped
                   .run(
                       false, [] { return true; }, last)
                   .complete);
  EXPECT_TRUE(stopped
                  .run(
                      true, [] { return false; }, last)
                  .complete);
  EXPECT_EQ(stopped.document(), whole.document());
}

TEST(DocumentRun, RanksStoppedThereCanBeContinued) {
  for (const bool raced : {false, true}) {
    SCOPED_TRACE(raced ? "raced" : "searched");
    SmallStudy whole(raced), stopped(raced);
    whole.run(false);
    EXPECT_FALSE(stopped.run_ranks(false, [] { return true; }).complete);
    EXPECT_TRUE(stopped.run_ranks(true).complete);
    EXPECT_EQ(stopped.document(), whole.document());
  }
}

TEST(DocumentRun, DataThatVanishAfterTheSearchAreNoted) {
  SmallStudy study(false);
  study.run(false);
  ::testing::internal::CaptureStderr();
  study.promise();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  study.remove_data();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(study.promise(), "");
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStderr(),
                       "note: what preludes promise for in is not known: "));
}

TEST(DocumentRun, WhatIsThereIsContinuedOnlyIfAsked) {
  SmallStudy study(false);
  study.run(false);
  EXPECT_TRUE(contains(message_of([&] { study.run(false); }), "continue with --resume"));
  const std::string before = study.document();
  EXPECT_TRUE(study.run(true).complete);
  EXPECT_EQ(study.document(), before);
}

}  // namespace
}  // namespace fpsynth::study
