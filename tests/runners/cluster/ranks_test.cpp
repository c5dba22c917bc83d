// Ranks take their steps together and end together, and their documents are those of one process.

#include "runners/cluster/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "results/documents/document_file.hpp"
#include "runners/search/preludes.hpp"
#include "tests/runners/cluster/thread_ranks.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using search::small_plan;
using synth::Precision;
using tests::contains;
using Bytes = Ranks::Bytes;

TEST(Ranks, GiveEachOtherTheirBytes) {
  const auto errors = on_ranks(4, [](Ranks& ranks) {
    const auto own = std::uint8_t(ranks.rank());
    for (std::uint8_t step = 0; step < 50; ++step) {
      const auto all = ranks.exchange("step", Bytes(own, step));
      ASSERT_EQ(all.size(), 4u);
      for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(all[rank], Bytes(rank, step));
      const auto first = ranks.gather("gathered", {own, step});
      ASSERT_EQ(first.size(), own == 0 ? 4u : 0u);
      for (std::size_t rank = 0; rank < first.size(); ++rank) {
        EXPECT_EQ(first[rank], (Bytes{std::uint8_t(rank), step}));
      }
    }
  });
  EXPECT_EQ(errors, std::vector<std::string>(4));
}

TEST(Ranks, EndTogetherWhenOneFails) {
  for (const std::size_t bad : {0u, 2u}) {
    const auto errors = on_ranks(3, [&](Ranks& ranks) {
      ranks.exchange("first", {});
      if (ranks.rank() == bad) throw Error("cannot read in.f64");
      ranks.exchange("second", {});
      FAIL() << "the second step was taken";
    });
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const std::string expected = "rank " + std::to_string(bad) + " on node node" +
                                   std::to_string(bad) + ": cannot read in.f64";
      EXPECT_EQ(errors[rank], rank == bad ? "cannot read in.f64" : expected);
    }
  }
}

TEST(Ranks, RefuseOneThatIsElsewhereOrHasEnded) {
  auto errors = on_ranks(
      2, [](Ranks& ranks) { ranks.exchange(ranks.rank() == 0 ? "wave 1" : "wave 2", {}); });
  EXPECT_TRUE(contains(errors[0], "rank 1 on node node1: is at 'wave 2' of the work while rank 0"));
  errors = on_ranks(2, [](Ranks& ranks) {
    if (ranks.rank() == 0) ranks.exchange("wave 1", {});
  });
  EXPECT_TRUE(
      contains(errors[0], "rank 1 on node node1: has ended; start all ranks with the same"));
}

TEST(Ranks, TakeFurtherStepsWhenOneWasStopped) {
  std::atomic<int> told = 0;
  const auto errors = on_ranks(3, [&](Ranks& ranks) {
    try {
      ranks.rank() == 1 ? ranks.stop() : void(ranks.exchange("wave 1", {}));
    } catch (const search::PeersStopped&) {
      ++told;
    }
    EXPECT_EQ(ranks.exchange("the states", {7}).size(), 3u);
  });
  EXPECT_EQ(told, 2);
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

/// The search of a document on ranks, which may be stopped and continued with another number.
struct Job {
  data::Input input = search::many_chunks(Precision::Double);
  search::PreludeOptions preludes;
  search::SearchOptions options;
  std::optional<results::Document> found;

  Job() {
    options.engine = search::cpu_engine(1, components::default_stages(), true);
    options.checkpoint_seconds = 0.001;  // parts are short, and saved
  }
  results::Document alone() const {
    return search::search_with_preludes(input, small_plan(), preludes, options);
  }
  /// Continues from `found`. Rank `stopped` is asked to end when rank 0 has saved.
  std::vector<std::string> run(std::size_t count, std::optional<std::size_t> stopped = {}) {
    std::atomic<bool> saved = false;
    return on_ranks(count, [&](Ranks& ranks) {
      search::SearchOptions own = options;
      const std::atomic<bool> never = false;
      own.peers = &ranks;
      own.stop = stopped == ranks.rank() ? &saved : &never;
      own.checkpoint = [&](const results::Document& document) {
        results::validate(document);
        saved = true;
      };
      const results::Document* done = ranks.rank() == 0 && found ? &*found : nullptr;
      results::Document document =
          search::search_with_preludes(input, small_plan(), preludes, own, done);
      if (ranks.rank() == 0) found = std::move(document);
    });
  }
  /// The document but for the description of the run.
  void expect_whole() {
    ASSERT_TRUE(found);
    const results::Document expected = alone();
    results::Document document = *found;
    EXPECT_GT(document.run.seconds, 0);
    document.run.seconds = expected.run.seconds;
    document.run.pipeline_bytes_per_second = expected.run.pipeline_bytes_per_second;
    document.run.threads = expected.run.threads;
    EXPECT_EQ(document, expected);
  }
};

TEST(SearchOnRanks, FindsTheDocumentOfOneProcess) {
  for (const std::size_t count : {1, 2, 3, 8}) {
    for (const char* preludes : {"none", "LAGx:700, DICT"}) {
      for (const char* verification : {"all", "top=2"}) {
        Job job;
        job.preludes.request = synth::PreludeRequest::parse(preludes);
        job.options.verification = search::Verification::parse(verification);
        job.options.sample = count == 3 ? 2 : 1;
        EXPECT_EQ(job.run(count), std::vector<std::string>(count));
        job.expect_whole();
        const results::Document before = *job.found;
        EXPECT_EQ(job.run(2), std::vector<std::string>(2));
        EXPECT_EQ(*job.found, before);
      }
    }
  }
}

TEST(SearchOnRanks, GoesOnWithOtherNumbersOfRanks) {
  for (const char* preludes : {"none", "LAGx:700, DICT"}) {
    Job job;
    job.preludes.request = synth::PreludeRequest::parse(preludes);
    std::size_t stops = 0;
    for (std::size_t count = 3; stops < 100; count = count % 4 + 1) {
      EXPECT_EQ(job.run(count, stops % count), std::vector<std::string>(count));
      if (job.found->run.complete) break;
      ++stops;
    }
    EXPECT_GE(stops, 1u);
    job.expect_whole();
  }
}

TEST(SearchOnRanks, RefusesOtherData) {
  Job job;
  const auto errors = on_ranks(2, [&](Ranks& ranks) {
    search::SearchOptions own = job.options;
    own.peers = &ranks;
    const data::Input other = search::several_chunks(Precision::Double);
    search::search(ranks.rank() == 0 ? job.input : other, small_plan(), own);
  });
  for (const std::string& error : errors) {
    EXPECT_TRUE(contains(error, " double: the data of rank 1 are not the same as those of rank 0"));
  }
}

}  // namespace
}  // namespace fpsynth::cluster
