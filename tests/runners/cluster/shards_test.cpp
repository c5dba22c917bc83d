// Shards are parsed and divide the chunks. Merged ones have the documents of an undivided search,
// and those that do not belong together are not merged.

#include "runners/cluster/shards.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "results/documents/document_file.hpp"
#include "runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using results::Document;
using results::PlannedDocument;
using search::small_plan;
using synth::Precision;
using tests::contains;
using tests::message_of;

/// The options of a study that is searched whole or in shards.
struct Case {
  std::uint64_t sample = 1;
  std::string preludes = "none";
  std::string verification = "all";
};

/// Two data sets in both precisions: one of four chunks and a tail, one of a single chunk.
struct Searched {
  data::Input input;
  PlannedDocument planned;
};
std::vector<Searched> inputs(std::uint64_t sample) {
  std::vector<Searched> all;
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const std::size_t word_bytes = synth::word_bytes(precision);
    all.push_back({search::several_chunks(precision).named("large"), {}});
    all.push_back(
        {data::Input("small", testing::make_block(testing::Content::Smooth, word_bytes, 100),
                     precision),
         {}});
  }
  for (Searched& searched : all) {
    const std::uint64_t chunks = (searched.input.view().words + 1023) / 1024;
    searched.planned = {searched.input.name(), searched.input.native(),
                        (chunks + sample - 1) / sample};
  }
  std::ranges::sort(all, {}, &Searched::planned);
  return all;
}

Document searched(const data::Input& input, const Case& how,
                  const std::optional<results::ChunkRange>& part) {
  search::SearchOptions options;
  options.sample = how.sample;
  options.part = part;
  options.threads = 1;
  options.verification = search::Verification::parse(how.verification);
  search::PreludeOptions preludes;
  preludes.request = synth::PreludeRequest::parse(how.preludes);
  return search::search_with_preludes(input, small_plan(), preludes, options);
}

results::StudyIdentity identity_of(const Case& how, const Shard& shard) {
  results::StudyIdentity identity = {.name = "study",
                                     .space = small_plan().space(),
                                     .precisions = {Precision::Double, Precision::Single},
                                     .verification = how.verification,
                                     .sample = how.sample,
                                     .preludes = how.preludes,
                                     .shard = shard.text()};
  for (const Searched& each : inputs(how.sample)) identity.documents.push_back(each.planned);
  return identity;
}

/// Searches a shard into a directory of its own, as the command does.
std::filesystem::path search_shard(const std::filesystem::path& parts, const Shard& shard,
                                   const Case& how = {}, bool note_its_end = true) {
  const std::filesystem::path directory = parts / shard.directory_name();
  std::filesystem::create_directories(directory);
  results::ensure_study_directory(directory, identity_of(how, shard));
  for (const Searched& each : inputs(how.sample)) {
    const results::ChunkRange share = shard.share(each.planned.chunks);
    if (share.begin == share.end) continue;
    results::write_document(
        results::document_path(directory, each.planned.data_set, each.planned.precision),
        searched(each.input, how, share));
  }
  if (note_its_end) results::mark_finished(directory);
  return directory;
}

/// Removes the fields that say how long a search took and on what it ran.
Document without_provenance(Document document) {
  results::Run& run = document.run;
  run.threads = 1;
  run.seconds = run.pipeline_bytes_per_second = 0;
  return document;
}

ShardResults shards_in(const std::vector<std::filesystem::path>& places) {
  return ShardResults(places);
}
std::string complaint(const std::vector<std::filesystem::path>& places) {
  return message_of([&] { shards_in(places); });
}

TEST(ShardResults, TheSumIsTheUndividedSearch) {
  for (const Case& how :
       {Case{}, Case{.sample = 2}, Case{.preludes = "LAGx:2, DICT LAGs:1", .verification = "none"},
        Case{.sample = 3, .preludes = "LAGx:2"}, Case{.preludes = "auto"}}) {
    for (const std::uint64_t count : {1u, 3u, 64u}) {
      const tests::TemporaryFolder parts;
      for (std::uint64_t index = 1; index <= count; ++index) {
        search_shard(parts.path(), {index, count}, how);
      }
      const ShardResults shards = shards_in({parts.path()});
      EXPECT_EQ(shards.count(), count);
      EXPECT_TRUE(shards.absent().empty());
      EXPECT_TRUE(shards.unfinished().empty());
      ASSERT_EQ(shards.documents().size(), 4u);
      for (const Searched& each : inputs(how.sample)) {
        SCOPED_TRACE(fmt::format("{} {} of {} shards, sample {}, preludes {}",
                                 each.planned.data_set, synth::to_string(each.planned.precision),
                                 count, how.sample, how.preludes));
        const Document whole = searched(each.input, how, std::nullopt);
        const Document merged = shards.merged(each.planned);
        EXPECT_TRUE(merged.run.complete);
        EXPECT_EQ(without_provenance(merged), without_provenance(whole));
      }
      results::StudyIdentity undivided = identity_of(how, {});
      undivided.shard.clear();
      undivided.documents.clear();
      EXPECT_EQ(shards.study(), undivided);
    }
  }
}

TEST(ShardResults, WhatIsMissingOrUnfinishedIsKnown) {
  const tests::TemporaryFolder parts;
  search_shard(parts.path(), {1, 7});
  // Killed before it began, in its first document, and before it noted that it was done.
  std::filesystem::create_directory(parts / "shard-3-of-7");
  std::filesystem::create_directories(parts / "shard-4-of-7");
  results::ensure_study_directory(parts / "shard-4-of-7", identity_of({}, {4, 7}));
  search_shard(parts.path(), {5, 7}, {}, false);
  // A document of it was removed.
  std::filesystem::remove(search_shard(parts.path(), {6, 7}) / "large.single.json");
  search_shard(parts.path(), {7, 7});
  const ShardResults shards = shards_in({parts.path()});
  EXPECT_EQ(shards.absent(), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(shards.unfinished(), (std::vector<std::uint64_t>{4, 5, 6}));
}

TEST(ShardResults, PlacesAreShardsOrHoldThem) {
  const tests::TemporaryFolder here, there;
  search_shard(here.path(), {1, 3});
  search_shard(here.path(), {3, 3});
  const auto second = search_shard(there.path(), {2, 3});
  EXPECT_TRUE(shards_in({second, here.path()}).absent().empty());
  EXPECT_EQ(shards_in({here.path()}).absent(), (std::vector<std::uint64_t>{2}));
}

TEST(ShardResults, WhatDoesNotBelongTogetherIsRefused) {
  const tests::TemporaryFolder parts, other;
  const auto first = search_shard(parts.path(), {1, 2});
  EXPECT_TRUE(
      contains(complaint({other.path()}), "there are no shards in " + other.path().string()));
  EXPECT_TRUE(
      contains(complaint({other / "nowhere"}), "cannot list " + (other / "nowhere").string()));
  EXPECT_TRUE(contains(complaint({first, first}),
                       "shard 1/2 is in " + first.string() + " and in " + first.string()));
  EXPECT_TRUE(contains(complaint({first, search_shard(other.path(), {1, 3})}),
                       "but " + other.path().string()));
  EXPECT_TRUE(contains(complaint({first, search_shard(other.path(), {2, 2}, {.sample = 2})}),
                       "parts of different searches: sample '1', not '2'; data set 'large "
                       "(double, 4 chunks)', not 'large (double, 2 chunks)'"));
  results::StudyIdentity undivided = identity_of({}, {});
  undivided.shard.clear();
  std::filesystem::create_directories(other / "whole");
  results::ensure_study_directory(other / "whole", undivided);
  EXPECT_TRUE(contains(complaint({other / "whole"}), "is no shard"));
}

TEST(Merging, DocumentsThatDoNotBelongToTheShardAreRefused) {
  const tests::TemporaryFolder parts;
  const auto file = [&](std::uint64_t index) {
    return search_shard(parts.path(), {index, 2}) / "large.double.json";
  };
  const std::filesystem::path first = file(1), second = file(2);
  const std::string whole = tests::read_bytes(second);
  const Document good = results::read_document(second);
  const auto expect = [&](const std::vector<std::string>& expected) {
    const ShardResults shards = shards_in({parts.path()});
    const std::string found = message_of([&] { shards.merged({"large", Precision::Double, 4}); });
    for (const std::string& part : expected) EXPECT_TRUE(contains(found, part));
  };
  expect({"no error"});
  const struct {
    std::function<void(Document&)> change;
    std::vector<std::string> expected;
  } cases[] = {{[](Document& document) { document.run.commit = "another build"; }, {"no error"}},
               {[](Document& document) { document.run.program_version = "99.0"; },
                {"is of version 99.0 of the program"}},
               {[](Document& document) { document.data.xxh3 = "0123456789abcdef"; },
                {second.string() + " does not belong to " + first.string(), "XXH3 of the data",
                 "search shard 2/2 again"}},
               {[](Document& document) {
                  document.data.values += 1024;
                  document.data.bytes += 8192;
                  document.sampled_bytes = 2 * 8192;  // the last of its chunks is whole now
                  document.run.chunks_total += 1;
                },
                {"is of data of 5 chunks, but the study of 4 chunks"}}};
  for (const auto& [change, expected] : cases) {
    Document document = good;
    change(document);
    results::write_document(second, document);
    expect(expected);
  }
  tests::write_bytes(second, whole.substr(0, whole.size() / 2));
  expect({second.string(), "search shard 2/2 again with --resume"});
  std::filesystem::copy_file(first, second, std::filesystem::copy_options::overwrite_existing);
  expect({second.string() + " holds the chunks [0, 2) of 4, but the share of shard 2/2 is [2, 4) "
                            "of 4"});
}

TEST(ArrayText, IsWhatSbatchTakes) {
  const auto text = [](const std::vector<std::uint64_t>& numbers) { return array_text(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({3}), "3");
  EXPECT_EQ(text({3, 7, 9, 10, 11, 12}), "3,7,9-12");
  EXPECT_EQ(text({1, 2, 4, 5}), "1-2,4-5");
}

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

std::string complaint_about(std::string_view text) {
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
    EXPECT_TRUE(contains(complaint_about(text), "give K/N"));
  }
  EXPECT_TRUE(contains(complaint_about("0/64"), "the number 0 is not in 1..64"));
  EXPECT_TRUE(contains(complaint_about("65/64"), "shard '65/64': the number 65 is not in 1..64"));
  EXPECT_TRUE(contains(complaint_about("1/0"), "1 to 1000000 shards"));
  EXPECT_TRUE(contains(complaint_about("1/1000001"), "1 to 1000000 shards"));
}

TEST(Shard, AutoIsTheTaskOfAnArrayJob) {
  {
    const ArrayTask task("7");
    EXPECT_EQ(Shard::parse("auto/64"), (Shard{7, 64}));
    EXPECT_EQ(Shard::parse("3/64"), (Shard{3, 64}));
    EXPECT_TRUE(contains(complaint_about("auto/6"), "--array=1-6"));
  }
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const ArrayTask task(none);
    EXPECT_TRUE(contains(complaint_about("auto/64"), "SLURM_ARRAY_TASK_ID is not set"));
  }
  const ArrayTask task("0");
  EXPECT_TRUE(contains(complaint_about("auto/64"), "the number 0, from SLURM_ARRAY_TASK_ID,"));
  const ArrayTask word("seven");
  EXPECT_TRUE(contains(complaint_about("auto/64"), "'seven', not a number"));
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
