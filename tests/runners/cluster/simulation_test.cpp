// A cluster on a virtual clock: its times are those that can be computed by hand, and 10,000 ranks
// with measured times of chunks are efficient enough.

#include "runners/cluster/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tests/runners/cluster/measured_chunks.hpp"

namespace fpsynth::cluster {
namespace {

constexpr std::uint64_t kSumBytes = 138'240 * 8;  ///< of the paper's space

/// A cluster in which nothing but chunks takes time.
SimulatedCluster ideal(std::size_t ranks, std::uint64_t at_once = 1) {
  SimulatedCluster cluster;
  cluster.ranks = ranks;
  cluster.at_once = at_once;
  cluster.latency = cluster.message_seconds = 0;
  cluster.network_bytes_per_second = cluster.added_bytes_per_second = 1e300;
  return cluster;
}

SimulatedCluster ten_thousand() {
  SimulatedCluster cluster;
  cluster.ranks = 10'000;
  cluster.seed = 1;
  return cluster;
}

TEST(Simulation, IsExactForOneRank) {
  const std::vector<SimulatedTask> tasks = {{5, {1, 2}, 1, 100}};
  const Simulation found = simulate(ideal(1), tasks);
  EXPECT_DOUBLE_EQ(found.seconds, 1 + 2 + 1 + 2 + 1);
  EXPECT_DOUBLE_EQ(found.busy_seconds, found.seconds);
  EXPECT_DOUBLE_EQ(found.efficiency, 1);
  EXPECT_EQ(found.messages, found.pieces + 2);  // that nothing is left, and sums
  EXPECT_EQ(found.bytes_to_leader, 0u);
  SimulatedCluster slow = ideal(1);
  slow.speeds = {0.5};
  slow.open_seconds = 3;
  slow.start_seconds = 0.25;
  const Simulation slower = simulate(slow, tasks);
  EXPECT_DOUBLE_EQ(slower.seconds, 3 + 0.25 * double(slower.pieces) + 14);
  EXPECT_DOUBLE_EQ(slower.busy_seconds, 14);
  EXPECT_EQ(slower.opened, std::vector<std::uint64_t>{1});
  const Simulation waits = simulate(ideal(1), {{5, {1, 2}, 1, 100, 4}, {5, {1, 2}, 1, 100, 20}});
  EXPECT_DOUBLE_EQ(waits.seconds, 24);  // until rank 0 has read the data
  EXPECT_DOUBLE_EQ(waits.walked_seconds, 14);
}

TEST(Simulation, CountsMessagesAndTheirTimes) {
  SimulatedCluster cluster = ideal(2);
  cluster.latency = 0.25;
  cluster.message_seconds = 1;
  // Rank 0 is answered at 1.25 and walks from 1.5 to 101.5. Rank 1 waits, is answered at 2.25 and
  // walks from 2.5 to 102.5. Both ask again and are answered that nothing is left, the
  // last at 103.75.
  const Simulation found = simulate(cluster, {{2, {100}}});
  EXPECT_DOUBLE_EQ(found.walked_seconds, 102.5);
  EXPECT_EQ(found.messages, 4u + 1);  // one of sums, which rank 1 is told to send
  EXPECT_EQ(found.largest_queue, 1u);
  EXPECT_DOUBLE_EQ(found.leader_seconds, 5);
  EXPECT_DOUBLE_EQ(found.seconds, 103.75 + 0.25 + 0.25 + 1);
}

TEST(Simulation, AddsSumsWhenATaskIsWalked) {
  SimulatedCluster cluster = ideal(8);
  cluster.network_bytes_per_second = 100;
  cluster.added_bytes_per_second = 200;
  cluster.flush_seconds = 1e9;
  const std::vector<SimulatedTask> tasks = {{80, {10}, 1, 1000}};
  // Those of a rank take 10 s and 5 s. Rank 0 receives those of seven, or of four when one of these
  // has taken those of the other three, for which a level of four is counted; and its own, 5 s.
  const Simulation tree = simulate(cluster, tasks);
  EXPECT_DOUBLE_EQ(tree.seconds - tree.walked_seconds, 4 * 15 + 4 * 15);
  EXPECT_EQ(tree.bytes_to_leader, 4000u);
  cluster.reduction = Reduction::Leader;
  const Simulation leader = simulate(cluster, tasks);
  EXPECT_DOUBLE_EQ(leader.walked_seconds, tree.walked_seconds);
  EXPECT_DOUBLE_EQ(leader.seconds - leader.walked_seconds, 7 * 15 + 5);
  EXPECT_EQ(leader.bytes_to_leader, 7000u);
  // A second task is walked meanwhile.
  const Simulation two = simulate(cluster, {tasks[0], {80, {10}, 1, 1000}});
  EXPECT_LT(two.seconds, 2 * leader.seconds);
  EXPECT_EQ(two.bytes_to_leader, 14000u);
}

TEST(Simulation, FlushesSumsWhileATaskIsWalked) {
  SimulatedCluster cluster = ideal(4);
  cluster.flush_seconds = 50;
  cluster.piece_seconds = 10;
  const std::vector<SimulatedTask> tasks = {{400, {1}, 1, 1000}};
  // 100 s: ranks send at about 62, 75, 87 and 100, or all at 50 and 100; and what is then left.
  const Simulation spread = simulate(cluster, tasks);
  EXPECT_GE(spread.bytes_to_leader, 2u * 1000 + 3u * 1000);
  cluster.spread_flushes = false;
  const Simulation together = simulate(cluster, tasks);
  EXPECT_GE(together.bytes_to_leader, 3u * 1000 + 3u * 1000);
  cluster.flush_seconds = 1e9;
  EXPECT_EQ(simulate(cluster, tasks).bytes_to_leader, 3u * 1000);
}

TEST(Simulation, DealsEveryChunkOnceWhateverTheCluster) {
  const std::vector<SimulatedTask> tasks = {{1000, {0.1}, 1, kSumBytes},
                                            {0, {0.1}, 1, kSumBytes},
                                            {7, {3, 0.1}, 1, kSumBytes},
                                            {5000, {0.1, 0.3, 0.2}, 2, kSumBytes}};
  for (const std::size_t ranks : {1, 2, 7, 300, 10'000}) {
    for (const std::uint64_t at_once : {1, 16}) {
      SimulatedCluster cluster;
      cluster.ranks = ranks;
      cluster.at_once = at_once;
      cluster.speeds = {1, 2.5, 0.1};
      std::map<std::size_t, std::set<std::pair<std::uint64_t, std::uint64_t>>> dealt;
      const Simulation found = simulate(cluster, tasks, [&](std::size_t rank, const Piece& piece) {
        EXPECT_LT(rank, ranks);
        EXPECT_TRUE(dealt[piece.task].insert({piece.chunks.begin, piece.chunks.end}).second);
      });
      EXPECT_EQ(dealt.size(), 3u);
      for (const auto& [task, pieces] : dealt) {
        std::uint64_t next = 0;
        for (const auto& [begin, end] : pieces) {
          ASSERT_EQ(begin, next);
          next = end;
        }
        EXPECT_EQ(next, tasks[task].chunks);
      }
      EXPECT_GT(found.efficiency, 0);
      EXPECT_LE(found.efficiency, 1);
    }
  }
}

TEST(Simulation, TakesTheSameWorkWhoeverDoesIt) {
  SimulatedCluster one = ideal(1), many = ideal(100);
  one.seed = many.seed = 7;
  const std::vector<SimulatedTask> tasks = {{4000, kVerifiedChunkSeconds}};
  const double work = simulate(one, tasks).busy_seconds;
  EXPECT_NEAR(simulate(many, tasks).busy_seconds, work, 1e-6 * work);
  EXPECT_EQ(simulate(many, tasks).seconds, simulate(many, tasks).seconds);
  many.seed = 8;
  EXPECT_NE(simulate(many, tasks).busy_seconds, work);
}

TEST(Simulation, ComputesLargePiecesAsIfChunkByChunk) {
  SimulatedTask task{0, kVerifiedChunkSeconds};
  for (const bool uneven : {false, true}) {
    if (uneven) task.chunk_seconds = {0.1, 0.1, 0.1, 0.9};
    for (const std::uint64_t at_once : {1, 2, 16, 64}) {
      // 5,000 chunks at once, and in five parts of 1,000, which are computed one by one.
      double busy = 0, busy_of_parts = 0, seconds_of_parts = 0;
      const double seconds = walk_seconds(task, 0, {0, 5000}, at_once, 1, busy);
      for (std::uint64_t part = 0; part < 5; ++part) {
        double busy_of_part = 0;
        seconds_of_parts +=
            walk_seconds(task, 0, {part * 1000, part * 1000 + 1000}, at_once, 1, busy_of_part);
        busy_of_parts += busy_of_part;
      }
      EXPECT_NEAR(busy, busy_of_parts, 0.05 * busy) << at_once;
      // Five times it ends with threads that wait.
      const double longest = *std::ranges::max_element(task.chunk_seconds);
      EXPECT_GE(seconds, busy / double(at_once) * 0.999) << at_once;
      EXPECT_LE(seconds, seconds_of_parts * 1.05) << at_once;
      EXPECT_GE(seconds, seconds_of_parts * 0.95 - 5 * longest) << at_once;
    }
  }
}

TEST(Simulation, HasNothingToDoWithoutChunks) {
  for (const std::vector<SimulatedTask>& tasks :
       {std::vector<SimulatedTask>{}, std::vector<SimulatedTask>{{0, {1}, 1, kSumBytes}}}) {
    const Simulation found = simulate(ten_thousand(), tasks);
    EXPECT_EQ(found.pieces, 0u);
    EXPECT_EQ(found.bytes_to_leader, 0u);
    EXPECT_EQ(found.efficiency, 0);
    EXPECT_LT(found.seconds, 0.1);
  }
}

TEST(Simulation, GivesFewChunksToAsManyRanks) {
  SimulatedCluster cluster = ten_thousand();
  std::set<std::size_t> ranks;
  const Simulation found =
      simulate(cluster, {{100, {1}, 1, kSumBytes}}, [&](std::size_t rank, const Piece& piece) {
        EXPECT_EQ(piece.size(), 1u);
        ranks.insert(rank);
      });
  EXPECT_EQ(ranks.size(), 100u);
  EXPECT_LT(found.walked_seconds, 1.1);
  EXPECT_LT(found.efficiency, 0.01);
}

// The goals of the design: of 10,000 ranks, with as many threads and chunks of measured times.

double efficiency(const SimulatedCluster& cluster, const std::vector<double>& chunk_seconds,
                  std::uint64_t chunks_per_thread) {
  const std::uint64_t chunks = chunks_per_thread * cluster.at_once * cluster.ranks;
  return simulate(cluster, {{chunks, chunk_seconds, 1, kSumBytes}}).efficiency;
}

TEST(Simulation, TenThousandRanksAreEfficient) {
  for (const std::uint64_t threads : {1, 8}) {
    SimulatedCluster cluster = ten_thousand();
    cluster.at_once = threads;
    EXPECT_GE(efficiency(cluster, kVerifiedChunkSeconds, 1000), 0.95);
    EXPECT_GE(efficiency(cluster, kVerifiedChunkSeconds, 20), 0.80);
    // 20 chunks are counted in a third of a second, in which the leader answers each rank six
    // times.
    EXPECT_GE(efficiency(cluster, kCountedChunkSeconds, 1000), 0.95);
    EXPECT_GE(efficiency(cluster, kCountedChunkSeconds, 50), 0.80);
  }
}

TEST(Simulation, UnequalRanksAreEfficient) {
  SimulatedCluster cluster = ten_thousand();
  for (const std::vector<double>& speeds :
       {std::vector<double>{1, 0.5}, std::vector<double>{0.5, 1, 2, 4},
        std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1}}) {
    cluster.speeds = speeds;
    EXPECT_GE(efficiency(cluster, kVerifiedChunkSeconds, 1000), 0.95);
    // One chunk of the slowest rank may take half of the time that all should take.
    const bool far_apart = *std::ranges::min_element(speeds) < 0.2;
    EXPECT_GE(efficiency(cluster, kVerifiedChunkSeconds, 20), far_apart ? 0.65 : 0.80);
  }
}

TEST(Simulation, UnequalChunksAreEfficient) {
  // One of twenty takes ten times as long: some data are constant but for a front.
  std::vector<double> seconds(19, 0.05);
  seconds.push_back(0.5);
  EXPECT_GE(efficiency(ten_thousand(), seconds, 1000), 0.95);
}

TEST(Simulation, ManySetsKeepRanksBusyAcrossTheirBoundaries) {
  SimulatedCluster cluster = ten_thousand();
  std::vector<SimulatedTask> tasks;
  for (int set = 0; set < 26; ++set) {
    tasks.push_back({cluster.ranks * 10, kVerifiedChunkSeconds, 1, kSumBytes});
  }
  EXPECT_GE(simulate(cluster, tasks).efficiency, 0.95);
}

// Why sums are reduced by a tree.
TEST(Simulation, OneLeaderCannotTakeTheSumsOfTenThousandRanksAtTheEnd) {
  SimulatedCluster cluster = ten_thousand();
  cluster.reduction = Reduction::Leader;
  EXPECT_LT(efficiency(cluster, kVerifiedChunkSeconds, 20), 0.3);
  cluster.ranks = 64;
  EXPECT_GE(efficiency(cluster, kVerifiedChunkSeconds, 20), 0.8);
}

}  // namespace
}  // namespace fpsynth::cluster
