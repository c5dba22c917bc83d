// Ranks that race exchange bytes and end together.

#include "runners/cluster/ranks/rank.hpp"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <numeric>

#include "synth/common/error.hpp"
#include "tests/runners/cluster/mailboxes.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth::cluster {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The bytes that a rank gives for a step: of different lengths, some empty and one of megabytes.
Bytes given(std::size_t step, std::size_t rank) {
  Bytes bytes(step == 3 ? 3'000'000 + rank : (step * 7 + rank * 5) % 11);
  std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(step + rank));
  return bytes;
}

/// Exchanges some steps, some ranks later than others.
void exchange_steps(search::RacePeers& peers) {
  for (std::size_t step = 0; step < 20; ++step) {
    if (step % peers.count() == peers.rank()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto all = peers.exchange("step " + std::to_string(step), given(step, peers.rank()));
    ASSERT_EQ(all.size(), peers.count());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      ASSERT_TRUE(all[rank] == given(step, rank)) << "step " << step << ", rank " << rank;
    }
  }
}

/// The bytes that a rank leaves when its work has ended without an error.
Bytes left_by(std::size_t rank) { return Bytes(rank + 1, 7); }

/// Work that leaves left_by().
RaceWork leaving(std::function<void(search::RacePeers&, const std::atomic<bool>&)> work) {
  return [work](search::RacePeers& peers, const std::atomic<bool>& stop) {
    work(peers, stop);
    return left_by(peers.rank());
  };
}

/// The results of all ranks that race.
std::vector<RaceResult> race(std::size_t ranks, const RaceWork& work,
                             const std::atomic<bool>& stop) {
  std::vector<RaceResult> results(ranks);
  on_ranks(nodes(ranks), [&](MailboxTransport& transport) {
    results[transport.rank()] = race_on_ranks("race", transport, stop, work);
  });
  return results;
}

void expect_ended_early(const std::vector<RaceResult>& results, const std::string& error) {
  for (const RankResult& result : results) EXPECT_FALSE(result.complete);
  EXPECT_EQ(results.front().error, error);
}

TEST(RacePeers, GiveEachOtherEverything) {
  for (const std::size_t ranks : {1, 2, 5}) {
    const std::atomic<bool> stop = false;
    const auto results =
        race(ranks, leaving([](auto& peers, const auto&) { exchange_steps(peers); }), stop);
    for (const RaceResult& result : results) {
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(result.error, "");
    }
    ASSERT_EQ(results[0].left.size(), ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(results[0].left[rank], left_by(rank));
    }
  }
}

/// A job of one small data set.
struct SmallJob {
  SmallJob() : plan(space()) {
    job.identity = "search";
    job.plan = &plan;
    job.options.engine = search::cpu_engine(1, components::default_stages(), true);
    job.tasks.push_back({"test", [this] { return input; }, synth::Precision::Double, 5000});
  }
  static synth::Space space() {
    synth::Space space = synth::Space::paper();
    space.stages = 1;
    space.cuts = {0, 1};
    return space;
  }
  data::Input input{"test", testing::make_block(testing::Content::Smooth, 8, 5000),
                    synth::Precision::Double};
  synth::Plan plan;
  Job job;
};

TEST(RacePeers, RaceBeforeAndAfterASearch) {
  SmallJob small;
  const std::atomic<bool> stop = false;
  std::atomic<int> saved = 0;
  on_ranks(nodes(4), [&](MailboxTransport& transport) {
    LeaderCallbacks callbacks;
    callbacks.earlier = [](std::size_t) { return std::nullopt; };
    callbacks.save = [&](std::size_t, const results::Document& document) {
      saved += document.run.complete;
    };
    callbacks.done = [](std::size_t, const results::Document&, bool) {};
    callbacks.progress = [](const search::Progress&) {};
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(race_on_ranks("race", transport, stop,
                                leaving([](auto& peers, const auto&) { exchange_steps(peers); }))
                      .complete);
      const RankResult searched = run_rank(small.job, transport, callbacks, stop);
      EXPECT_TRUE(searched.complete) << searched.error;
    }
  });
  EXPECT_EQ(saved, 10);
}

TEST(RacePeers, EndTogetherWhenOneFails) {
  for (const std::size_t failing : {0, 2}) {
    std::atomic<int> given_up = 0;
    const std::atomic<bool> stop = false;
    const auto results = race(3, leaving([&](search::RacePeers& peers, const std::atomic<bool>&) {
                                try {
                                  exchange_steps(peers);
                                  if (peers.rank() == failing) throw Error("no memory");
                                  peers.exchange("one more", {});
                                } catch (const Error&) {
                                  ++given_up;
                                  throw;
                                }
                              }),
                              stop);
    const std::string number = std::to_string(failing);
    expect_ended_early(results, "rank " + number + " on node node" + number + ": no memory");
    EXPECT_EQ(given_up, 3);
  }
}

/// A signal to one rank reaches those that compute and those that wait.
TEST(RacePeers, EndTogetherWhenOneIsStopped) {
  std::vector<std::atomic<bool>> stops(3);
  std::atomic<int> ready = 0;
  std::vector<RaceResult> results(3);
  on_ranks(nodes(3), [&](MailboxTransport& transport) {
    const std::size_t rank = transport.rank();
    const auto work = [&](search::RacePeers& peers, const std::atomic<bool>& stop) {
      exchange_steps(peers);
      ++ready;
      if (rank == 1) {
        while (ready < 3) std::this_thread::yield();
        stops[1] = true;
      }
      if (rank == 0) {
        EXPECT_THROW(peers.exchange("one more", {}), Error);
      }
      while (!stop) std::this_thread::yield();
    };
    results[rank] = race_on_ranks("race", transport, stops[rank], leaving(work));
  });
  expect_ended_early(results, "");
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_EQ(results[0].left.at(rank), left_by(rank));
}

TEST(RacePeers, RefuseRanksThatAreElsewhereInTheRace) {
  const std::atomic<bool> stop = false;
  const auto results = race(2, leaving([](search::RacePeers& peers, const std::atomic<bool>&) {
                              peers.exchange(peers.rank() == 0 ? "wave 1" : "round 2", {});
                            }),
                            stop);
  expect_ended_early(results, results.front().error);
  EXPECT_NE(results.front().error.find("is at '"), std::string::npos) << results.front().error;
}

TEST(RacePeers, RefuseRanksOfAnotherRace) {
  std::vector<RaceResult> results(3);
  const std::atomic<bool> stop = false;
  on_ranks(nodes(3), [&](MailboxTransport& transport) {
    const std::string identity = transport.rank() == 2 ? "seed 2" : "seed 1";
    results[transport.rank()] =
        race_on_ranks(identity, transport, stop,
                      leaving([](auto&, const auto&) { FAIL() << "nobody may begin"; }));
  });
  expect_ended_early(results, results.front().error);
  EXPECT_NE(results.front().error.find("rank 2 on node node2 was started for another"),
            std::string::npos)
      << results.front().error;
}

TEST(RacePeers, EndWhenARankCannotBegin) {
  std::vector<RaceResult> results(2);
  const std::atomic<bool> stop = false;
  on_ranks(nodes(3), [&](MailboxTransport& transport) {
    if (transport.rank() == 2) {
      refuse_to_run(transport, "cannot open data");
      return wait_for_shutdown(transport);
    }
    results[transport.rank()] = race_on_ranks(
        "race", transport, stop, leaving([](auto&, const auto&) { FAIL() << "not all began"; }));
    if (transport.rank() == 0) shut_down(transport);
  });
  expect_ended_early(results, "rank 2: cannot open data");
}

TEST(RacePeers, EndWhenRankZeroShutsDown) {
  const std::atomic<bool> stop = false;
  on_ranks(nodes(3), [&](MailboxTransport& transport) {
    if (transport.rank() == 0) return shut_down(transport);
    EXPECT_THROW(race_on_ranks("race", transport, stop, leaving([](auto&, const auto&) {})),
                 ShutDownEarly);
  });
}

}  // namespace
}  // namespace fpsynth::cluster
