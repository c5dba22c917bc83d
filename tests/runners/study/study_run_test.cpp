// Documents of a study that are stopped and continued.

#include "runners/study/study_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>

#include "results/documents/document_file.hpp"
#include "runners/study/data_sets.hpp"
#include "runners/study/terminal.hpp"
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

  /// Searches, or races, on one or two ranks. If it `stops`, then between the choice of finalists
  /// and the first chunk, where rank 0 undoes the finalists.
  StudyEnd run(bool resume, bool stops = false,
               const std::optional<cluster::Shard>& shard = std::nullopt, bool on_ranks = false) {
    std::atomic<bool> stop = false;
    const std::atomic<bool> never = false;
    preludes_.restores = [&](const auto&, const auto&, const auto&) {
      stop = stops;
      return true;
    };
    StudyEnd end;
    const auto run_on = [&](cluster::Ranks* ranks) {
      const bool leads = !ranks || ranks->rank() == 0;
      search::SearchOptions options;
      options.threads = 1;
      options.engine = search::cpu_engine(1, components::default_stages(), true);
      options.stop = leads ? &stop : &never;
      options.peers = ranks;
      const StudyRun run{.study = study_,
                         .space = space_,
                         .plan = raced_ ? nullptr : &plan_,
                         .race = race_,
                         .preludes = preludes_,
                         .ranks = ranks,
                         .options = options,
                         .directory = directory_,
                         .resume = resume};
      const StudyEnd own = run_study(run, planned_, shard);
      if (leads) end = own;
    };
    if (!on_ranks) {
      run_on(nullptr);
    } else {
      const auto errors = cluster::on_ranks(2, [&](cluster::Ranks& ranks) { run_on(&ranks); });
      EXPECT_EQ(errors, std::vector<std::string>(2));
    }
    return end;
  }
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
  const std::optional<cluster::Shard> none, last = cluster::Shard::parse("2/2");
  const struct {
    bool raced, on_ranks;
    std::optional<cluster::Shard> shard;
  } cases[] = {{false, false, none},
               {true, false, none},
               {false, false, last},
               {false, true, none},
               {true, true, none}};
  for (const auto& [raced, on_ranks, shard] : cases) {
    SCOPED_TRACE(fmt::format("raced {}, on ranks {}, a shard {}", raced, on_ranks, bool(shard)));
    SmallStudy whole(raced), stopped(raced);
    EXPECT_TRUE(whole.run(false, false, shard).complete);
    EXPECT_TRUE(contains(whole.document(), "\"preludes\":[\"none\",\"LAGx:700\""));
    EXPECT_FALSE(stopped.run(false, true, shard, on_ranks).complete);
    EXPECT_TRUE(stopped.run(true, false, shard, on_ranks).complete);
    EXPECT_EQ(stopped.document(), whole.document());
  }
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
