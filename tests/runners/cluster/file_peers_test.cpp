// Shards that race exchange files, wait for those of others, and refuse wrong ones.

#include "runners/cluster/file_peers.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using Bytes = std::vector<std::uint8_t>;
using tests::contains;
using tests::message_of;

Bytes bytes_of(std::size_t length, std::uint8_t first) {
  Bytes bytes(length);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

class FilePeersOfThree : public ::testing::Test {
 protected:
  FilePeers shard(std::uint64_t index, const std::string& identity = "race") const {
    return {race_, {index, 3}, identity};
  }
  std::string file(const char* step, std::uint64_t index) const {
    return (race_ / (step + std::string(".shard-") + std::to_string(index) + "-of-3")).string();
  }
  tests::TemporaryFolder folder_;
  std::filesystem::path race_ = folder_ / "race";
};

TEST_F(FilePeersOfThree, OneAfterTheOtherGetWhatAllGave) {
  const std::vector<Bytes> given = {bytes_of(100, 1), {}, bytes_of(300'000, 3)};
  for (const std::uint64_t index : {2, 3}) {
    FilePeers peers = shard(index);
    EXPECT_EQ(peers.rank(), index - 1);
    EXPECT_EQ(peers.count(), 3u);
    EXPECT_THROW(peers.exchange("wave 1", given[index - 1]), ShardsMissing);
  }
  EXPECT_EQ(shard(1).exchange("wave 1", given[0]), given);
  // The shards that ended go on, and find the next step missing.
  FilePeers third = shard(3);
  EXPECT_EQ(third.exchange("wave 1", given[2]), given);
  const std::string what = message_of([&] { third.exchange("round 2", {}); });
  EXPECT_TRUE(contains(what, "shard 3/3 has done its part of round 2"));
  EXPECT_TRUE(contains(what, "of 3 shards, these have not: 1-2;"));
  EXPECT_TRUE(contains(what, "--resume continues"));
}

TEST_F(FilePeersOfThree, WaitForThoseThatRun) {
  std::atomic<int> waited = 0;
  std::vector<std::thread> threads;
  for (const std::uint64_t index : {1, 2, 3}) {
    threads.emplace_back([&, index] {
      FilePeers peers = shard(index);
      peers.is_running = [](const Shard&) { return true; };
      peers.waiting = [&](std::string_view, const std::string& shards) {
        EXPECT_FALSE(shards.empty());
        ++waited;
      };
      for (int step = 1; step <= 3; ++step) {
        const auto all = peers.exchange("wave " + std::to_string(step),
                                        Bytes{std::uint8_t(step), std::uint8_t(index)});
        ASSERT_EQ(all.size(), 3u);
        for (std::size_t rank = 0; rank < 3; ++rank) {
          EXPECT_EQ(all[rank], (Bytes{std::uint8_t(step), std::uint8_t(rank + 1)}));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(waited, 1);
}

TEST_F(FilePeersOfThree, WaitUntilOneOfThoseEndsOrTheyAreStopped) {
  FilePeers peers = shard(1);
  int asked = 0;
  peers.is_running = [&](const Shard& other) { return other.index == 2 || ++asked < 3; };
  EXPECT_THROW(peers.exchange("wave 1", {}), ShardsMissing);
  EXPECT_EQ(asked, 3);
  // A shard that writes its file and ends is not missing.
  EXPECT_THROW(shard(3).exchange("wave 1", {}), ShardsMissing);
  peers.is_running = [&](const Shard& other) {
    EXPECT_EQ(other.index, 2u);
    shard(other.index).exchange("wave 1", {});
    return false;
  };
  EXPECT_EQ(peers.exchange("wave 1", {}).size(), 3u);
  std::atomic<bool> stop = true;
  peers.stop = &stop;
  peers.is_running = [](const Shard&) { return true; };
  EXPECT_THROW(peers.exchange("wave 2", {}), ShardsMissing);
}

TEST_F(FilePeersOfThree, RefuseFilesOfAnotherRaceAndDamagedOnes) {
  for (const std::uint64_t index : {2, 3}) {
    EXPECT_THROW(shard(index, index == 2 ? "seed 2" : "seed 1").exchange("wave 1", bytes_of(9, 9)),
                 ShardsMissing);
  }
  FilePeers first = shard(1, "seed 1");
  const std::string other = message_of([&] { first.exchange("wave 1", {}); });
  EXPECT_TRUE(contains(other, file("wave-1", 2) + " is of another race (seed 2)"));
  shard(2, "seed 1").exchange("wave 1", bytes_of(9, 9));
  EXPECT_EQ(first.exchange("wave 1", {}).size(), 3u);
  const std::string whole = tests::read_bytes(file("wave-1", 3));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    tests::write_bytes(file("wave-1", 3), whole.substr(0, length));
    const std::string what = message_of([&] { first.exchange("wave 1", {}); });
    ASSERT_TRUE(
        contains(what, file("wave-1", 3) + " is damaged; remove it and the directory of shard 3/3"))
        << length << ": " << what;
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string changed = whole;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    tests::write_bytes(file("wave-1", 3), changed);
    EXPECT_THROW(first.exchange("wave 1", {}), Error) << "byte " << place;
  }
}

TEST_F(FilePeersOfThree, SayWhereTheyCannotWrite) {
  tests::write_bytes(race_, "a file");
  const std::string what = message_of([&] { shard(1).exchange("wave 1", {}); });
  EXPECT_TRUE(contains(what, "cannot create the folder " + race_.string()));
}

}  // namespace
}  // namespace fpsynth::cluster
