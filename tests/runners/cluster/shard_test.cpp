#include "runners/cluster/shards.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using tests::contains;
using tests::message_of;

/// Sets SLURM_ARRAY_TASK_ID, or removes it, until the end of the scope.
class ArrayTask {
 public:
  explicit ArrayTask(const char* task) {
    if (const char* old = std::getenv(kName)) before_ = old;
    if (task) {
      ::setenv(kName, task, 1);
    } else {
      ::unsetenv(kName);
    }
  }
  ~ArrayTask() {
    if (before_.empty()) {
      ::unsetenv(kName);
    } else {
      ::setenv(kName, before_.c_str(), 1);
    }
  }

 private:
  static constexpr const char* kName = "SLURM_ARRAY_TASK_ID";
  std::string before_;
};

std::string complaint(std::string_view text) {
  return message_of([&] { Shard::parse(text); });
}

TEST(Shard, IsParsedAndWritten) {
  for (const char* text : {"1/1", "3/64", "64/64", "1000000/1000000"}) {
    EXPECT_EQ(Shard::parse(text).text(), text);
  }
  EXPECT_EQ(Shard::parse("3/64"), (Shard{3, 64}));
}

TEST(Shard, DirectoriesSortByNumber) {
  EXPECT_EQ((Shard{3, 64}).directory_name(), "shard-03-of-64");
  EXPECT_EQ((Shard{1, 1}).directory_name(), "shard-1-of-1");
  EXPECT_EQ((Shard{64, 1000}).directory_name(), "shard-0064-of-1000");
}

TEST(Shard, WrongTextsAreUsageErrors) {
  for (const char* text : {"", "3", "/", "3/", "/64", "a/b", "3/64x", " 3/64", "3/64/2", "-1/64",
                           "+1/64", "1.5/3", "auto", "auto/", "auto/x", "99999999999999999999/3"}) {
    EXPECT_THROW(Shard::parse(text), UsageError) << text;
    EXPECT_TRUE(contains(complaint(text), "give K/N")) << complaint(text);
  }
  EXPECT_TRUE(contains(complaint("0/64"), "the number 0 is not in 1..64"));
  EXPECT_TRUE(contains(complaint("65/64"), "shard '65/64': the number 65 is not in 1..64"));
  EXPECT_TRUE(contains(complaint("1/0"), "1 to 1000000 shards"));
  EXPECT_TRUE(contains(complaint("1/1000001"), "1 to 1000000 shards"));
}

TEST(Shard, AutoIsTheTaskOfAnArrayJob) {
  {
    const ArrayTask task("7");
    EXPECT_EQ(Shard::parse("auto/64"), (Shard{7, 64}));
    EXPECT_EQ(Shard::parse("3/64"), (Shard{3, 64}));
    EXPECT_TRUE(contains(complaint("auto/6"), "--array=1-6"));
  }
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const ArrayTask task(none);
    EXPECT_TRUE(contains(complaint("auto/64"), "SLURM_ARRAY_TASK_ID is not set"));
  }
  const ArrayTask task("0");
  EXPECT_TRUE(contains(complaint("auto/64"), "the number 0, from SLURM_ARRAY_TASK_ID,"));
  const ArrayTask word("seven");
  EXPECT_TRUE(contains(complaint("auto/64"), "'seven', not a number"));
}

TEST(Shard, SharesDivideTheChunksEvenly) {
  for (const std::uint64_t count : {1u, 2u, 3u, 7u, 64u, 1000u}) {
    for (const std::uint64_t chunks : {0u, 1u, 2u, 63u, 64u, 65u, 999u, 123'456u}) {
      std::uint64_t next = 0;
      for (std::uint64_t index = 1; index <= count; ++index) {
        const results::ChunkRange share = Shard{index, count}.share(chunks);
        EXPECT_EQ(share.begin, next);
        EXPECT_GE(share.end - share.begin, chunks / count);
        EXPECT_LE(share.end - share.begin, (chunks + count - 1) / count);
        next = share.end;
      }
      EXPECT_EQ(next, chunks);
    }
  }
}

TEST(Shard, SharesOfVeryManyChunksDoNotOverflow) {
  constexpr std::uint64_t kChunks = (std::uint64_t{1} << 61) + 5;
  constexpr std::uint64_t kMost = Shard::kMost;
  EXPECT_EQ((Shard{kMost, kMost}).share(kChunks).end, kChunks);
  const results::ChunkRange middle = Shard{kMost / 2, kMost}.share(kChunks);
  EXPECT_EQ(middle.end, kChunks / 2);
  EXPECT_EQ(middle.end - middle.begin, kChunks / kMost + 1);
}

}  // namespace
}  // namespace fpsynth::cluster
