// The three equalities on which the design rests (search sizes are file sizes, all teams agree,
// parts add up), and a search's behaviour when a stage fails or the search is interrupted.

#include "runners/search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "runners/codec/codec.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/emulated/stages.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;
using testing::Content;

/// For every id, the codec writes a file of the size that the search reports, and decodes it.
void expect_files_as_reported(const data::Input& input, const synth::Plan& plan) {
  const results::Document document = search(input, plan, {});
  EXPECT_TRUE(document.run.complete);
  EXPECT_EQ(document.run.failures, 0u);
  EXPECT_EQ(document.ranking.size(), plan.space().size());
  const std::vector<std::byte> original(input.bytes().begin(), input.bytes().end());
  codec::CodecOptions options;
  options.threads = 1;
  options.chunk_words = plan.space().chunk_words;
  std::uint64_t wrong = 0;
  for (std::uint64_t id = 0; id < plan.space().size(); ++id) {
    const auto file =
        codec::compress(original, plan.space().at(id), synth::word_bytes(input.native()), options);
    wrong += file.size() != document.compressed_bytes(id) ||
             codec::decompress(file, options) != original;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(Equalities, LONG_EveryFileHasTheReportedSizeDouble) {
  expect_files_as_reported(several_chunks(Precision::Double), paper_plan());
}
TEST(Equalities, LONG_EveryFileHasTheReportedSizeSingle) {
  expect_files_as_reported(several_chunks(Precision::Single), paper_plan());
}

/// Reducers of the wide space in every stage.
TEST(Equalities, FilesOfTheWideSpaceHaveTheReportedSizes) {
  const synth::Plan plan(wide_space(3));
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    expect_files_as_reported(several_chunks(precision), plan);
  }
}

/// Chunks of other lengths, the last one short.
class ChunkLengths : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Words, ChunkLengths, ::testing::Values(2048, 4096));

TEST_P(ChunkLengths, FilesHaveTheReportedSizes) {
  synth::Space space = small_plan().space(), wide = wide_space();
  space.chunk_words = wide.chunk_words = GetParam();
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const std::size_t word_bytes = synth::word_bytes(precision);
    auto bytes = testing::make_block(Content::Smooth, word_bytes, GetParam());
    for (const Content content : {Content::Random, Content::LongRuns}) {
      const auto more = testing::make_block(content, word_bytes, GetParam() - 77);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    bytes.push_back(std::byte{1});  // a tail
    const auto input = input_of(bytes, precision);
    expect_files_as_reported(input, synth::Plan(space));
    expect_files_as_reported(input, synth::Plan(wide));
  }
}

TEST_P(ChunkLengths, SamplesPartsAndCountsAddUp) {
  synth::Space space = small_plan().space();
  space.chunk_words = GetParam();
  const synth::Plan plan(space);
  const auto input = data::make_input(data::synthetic_sets()[0], 20 * 8192).in(Precision::Single);
  const auto whole = search(input, plan, {});
  EXPECT_EQ(whole.run.chunks_total, (20 * 1024 + GetParam() - 1) / GetParam());
  EXPECT_EQ(whole.sampled_bytes, input.bytes().size());
  SearchOptions counting;
  counting.verification = Verification::parse("none");
  EXPECT_EQ(search(input, plan, counting).payload_bytes, whole.payload_bytes);

  SearchOptions top;
  top.verification = Verification::parse("top=3");
  top.sample = 2;
  const auto sample = search(input, plan, top);
  EXPECT_EQ(sample.run.failures, 0u);
  const auto file = codec::compress(
      sampled(input, 2, GetParam()), space.at(sample.ranking.front()), 4,
      {.threads = 1, .stages = nullptr, .chunk_words = GetParam(), .limit = UINT64_MAX});
  EXPECT_EQ(file.size(), sample.compressed_bytes(sample.ranking.front()));
}

/// Pipelines of any components, drawn at random: every level counts the serial team's sizes, which
/// are those of its files, and writes and reads its bytes.
class RandomPipelines : public ::testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(Words, RandomPipelines, ::testing::ValuesIn(synth::kPrecisions),
                         [](const auto& words) {
                           return std::string(synth::to_string(words.param));
                         });

TEST_P(RandomPipelines, AreTheSameOnEveryLevel) {
  const std::size_t word_bytes = synth::word_bytes(GetParam());
  std::mt19937_64 random(word_bytes);
  for (const auto& [chunk_words, pipelines] :
       {std::pair<std::size_t, std::size_t>{1024, 350}, {2048, 170}, {4096, 80}}) {
    synth::Space space = wide_space(4);
    space.components = synth::registered_components();
    space.chunk_words = chunk_words;
    if (word_bytes == 1) space.cuts = {0};
    std::set<std::uint64_t> ids;
    while (ids.size() < pipelines) ids.insert(random() % space.size());
    space.only.assign(ids.begin(), ids.end());

    // A chunk, and one of an odd number of words behind which a byte is left.
    auto bytes = testing::make_block(Content::Smooth, word_bytes, chunk_words);
    const auto rest =
        testing::make_block(Content::LongRuns, word_bytes, 301 + 2 * (random() % 200));
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    bytes.push_back(std::byte{1});
    const auto input = input_of(bytes, GetParam());
    const synth::Plan plan(space);
    SearchOptions counting;
    counting.verification = Verification::parse("none");
    counting.stages = &components::serial_stages();
    const auto expected = search(input, plan, counting);
    for (const components::StageTable* level : components::simd_stages()) {
      SCOPED_TRACE(level->name());
      counting.stages = level;
      EXPECT_EQ(search(input, plan, counting).payload_bytes, expected.payload_bytes);
    }
    codec::CodecOptions options;
    options.threads = 1;
    options.chunk_words = chunk_words;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
      const synth::Pipeline pipeline = space.at(id);
      options.stages = &components::serial_stages();
      const auto file = codec::compress(bytes, pipeline, word_bytes, options);
      ASSERT_EQ(file.size(), expected.compressed_bytes(id)) << synth::to_string(pipeline);
      for (const components::StageTable* level : components::simd_stages()) {
        options.stages = level;
        ASSERT_EQ(codec::compress(bytes, pipeline, word_bytes, options), file)
            << synth::to_string(pipeline) << " with " << level->name();
        ASSERT_EQ(codec::decompress(file, options), bytes)
            << synth::to_string(pipeline) << " with " << level->name();
      }
    }
  }
}

class AdversarialBlocks : public ::testing::TestWithParam<Content> {};
std::string content_name(const ::testing::TestParamInfo<Content>& content) {
  std::string name = to_string(content.param);
  std::ranges::replace(name, ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Contents, AdversarialBlocks, ::testing::ValuesIn(testing::kContents),
                         content_name);

TEST_P(AdversarialBlocks, FilesHaveTheReportedSizes) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    for (const std::size_t words : {1, 2, 65, 1025}) {
      SCOPED_TRACE(words);
      expect_files_as_reported(
          input_of(testing::make_block(GetParam(), synth::word_bytes(precision), words), precision),
          small_plan());
    }
  }
}

void expect_all_pipelines(Content content, Precision precision) {
  for (const std::size_t words : {1, 1024}) {
    SCOPED_TRACE(words);
    expect_files_as_reported(
        input_of(testing::make_block(content, synth::word_bytes(precision), words), precision),
        paper_plan());
  }
}

/// Each content in one precision; the other one takes as long.
constexpr Precision kTurns[] = {Precision::Double, Precision::Single};
TEST_P(AdversarialBlocks, LONG_AllPipelinesOnOneWordAndOnAChunk) {
  expect_all_pipelines(GetParam(), kTurns[std::size_t(GetParam()) % 2]);
}
TEST_P(AdversarialBlocks, EXHAUSTIVE_AllPipelinesInTheOtherPrecision) {
  expect_all_pipelines(GetParam(), kTurns[1 - std::size_t(GetParam()) % 2]);
}

std::vector<const components::StageTable*> host_tables() {
  std::vector<const components::StageTable*> tables{&components::serial_stages()};
  for (auto* table : components::simd_stages()) tables.push_back(table);
  return tables;
}

TEST(Equalities, LONG_AllSimdLevelsGiveTheSerialNumbers) {
  const auto input = input_of(testing::make_block(Content::Smooth, 8, 1024), Precision::Double);
  std::vector<std::uint64_t> expected;
  for (const auto* table : host_tables()) {
    SearchOptions options;
    options.stages = table;
    const auto payload = search(input, paper_plan(), options).payload_bytes;
    if (expected.empty()) expected = payload;
    EXPECT_EQ(payload, expected) << table->name();
  }
}

TEST(Equalities, AllTeamsGiveTheSerialNumbers) {
  const auto input = several_chunks(Precision::Single);
  SearchOptions options;
  options.stages = &components::serial_stages();
  const auto expected = search(input, small_plan(), options).payload_bytes;
  auto tables = host_tables();
  tables.push_back(components::emulated_stages()[1]);
  for (const auto* table : tables) {
    options.stages = table;
    const auto document = search(input, small_plan(), options);
    EXPECT_EQ(document.payload_bytes, expected) << table->name();
    EXPECT_EQ(document.run.failures, 0u) << table->name();
  }
}

TEST(Equalities, ThreadsDoNotMatter) {
  const auto input = several_chunks(Precision::Double);
  SearchOptions one, many;
  one.threads = 1;
  many.threads = 3;
  EXPECT_EQ(search(input, small_plan(), one).payload_bytes,
            search(input, small_plan(), many).payload_bytes);
}

TEST(Resuming, AStoppedSearchContinuesToTheSameResult) {
  const auto input = data::make_input(data::synthetic_sets()[0], 200 * 8192);
  for (const std::uint64_t sample : {1, 3}) {
    SearchOptions options;
    options.sample = sample;
    const auto whole = search(input, small_plan(), options);
    ASSERT_TRUE(whole.run.complete);

    // The checkpoint after the first segment of chunks stops the search.
    std::atomic<bool> stop = false;
    options.threads = 1;
    options.stop = &stop;
    results::Document checkpoint;
    options.checkpoint = [&](const results::Document& state) { checkpoint = state, stop = true; };
    const auto part = search(input, small_plan(), options);
    EXPECT_FALSE(part.run.complete);
    EXPECT_GT(part.run.chunks_done, 0u);
    results::validate(part);
    expect_same_findings(part, checkpoint);

    stop = false;
    options.checkpoint = nullptr;
    const auto resumed = search(input, small_plan(), options, &part);
    EXPECT_TRUE(resumed.run.complete);
    expect_same_findings(resumed, whole);
  }
}

TEST(Resuming, NothingDoneIsAValidState) {
  const auto input = several_chunks(Precision::Double);
  std::atomic<bool> stop = true;
  SearchOptions options;
  options.stop = &stop;
  const auto nothing = search(input, small_plan(), options);
  EXPECT_FALSE(nothing.run.complete);
  EXPECT_EQ(nothing.run.chunks_done, 0u);
  results::validate(nothing);
  stop = false;
  expect_same_findings(search(input, small_plan(), options, &nothing),
                       search(input, small_plan(), options));
}

TEST(Resuming, RefusesOtherDataAndOtherSpaces) {
  const auto input = several_chunks(Precision::Double);
  const auto document = search(input, small_plan(), {});
  std::vector<std::byte> changed(input.bytes().begin(), input.bytes().end());
  changed[5] ^= std::byte{1};
  EXPECT_THROW(search(input_of(changed, Precision::Double), small_plan(), {}, &document), Error);
  EXPECT_THROW(search(input, paper_plan(), {}, &document), Error);
}

class BrokenDecoders : public ::testing::TestWithParam<BrokenInversion::Decode> {};
INSTANTIATE_TEST_SUITE_P(Kinds, BrokenDecoders,
                         ::testing::Values(BrokenInversion::spoil, BrokenInversion::do_nothing,
                                           BrokenInversion::forget_the_last_word));

TEST_P(BrokenDecoders, FailEveryPipelineUnderTheirEdges) {
  const BrokenInversion broken(GetParam());
  const auto table = broken.table();
  SearchOptions options;
  options.stages = &table;
  const auto document = search(several_chunks(Precision::Double), small_plan(), options);
  options.threads = 1;
  EXPECT_EQ(document.run.failures,
            search(several_chunks(Precision::Double), small_plan(), options).run.failures);
  std::vector<std::uint64_t> expected;
  const auto inverter = synth::parse_component("INV").value();
  for (std::uint64_t id = 0; id < small_plan().space().size(); ++id) {
    const synth::Pipeline pipeline = small_plan().space().at(id);
    if (pipeline.cut > 0 && pipeline.stages[0] == inverter) expected.push_back(id);
  }
  EXPECT_EQ(document.failed, expected);
  EXPECT_GT(document.run.failures, 0u);
  EXPECT_EQ(document.ranking.size() + document.failed.size(), small_plan().space().size());
}

TEST(Verification, TheTopAreCompressedByTheCodec) {
  SearchOptions options;
  options.verification = Verification::parse("top=2000");  // more than the space has: all
  const auto good = search(several_chunks(Precision::Double), small_plan(), options);
  EXPECT_TRUE(good.failed.empty());
  EXPECT_EQ(good.run.edges_verified, 0u);
  const BrokenInversion broken;
  const auto table = broken.table();
  options.stages = &table;
  EXPECT_FALSE(search(several_chunks(Precision::Double), small_plan(), options).failed.empty());
}

TEST(Verification, OfTheTopIsResumed) {
  const auto input = several_chunks(Precision::Double);
  const BrokenInversion broken;
  const auto table = broken.table();
  std::atomic<bool> stop = false;
  SearchOptions options;
  options.stages = &table;
  options.threads = 1;
  options.verification = Verification::parse("top=2000");
  options.stop = &stop;
  const auto whole = search(input, small_plan(), options);
  ASSERT_FALSE(whole.failed.empty());
  // Stopped when the last chunk is done, before the verification.
  options.progress = [&](const Progress& progress) {
    stop = progress.chunks_done == progress.chunks_total;
  };
  const auto part = search(input, small_plan(), options);
  EXPECT_FALSE(part.run.complete);
  results::validate(part);
  stop = false;
  options.progress = nullptr;
  const auto resumed = search(input, small_plan(), options, &part);
  EXPECT_TRUE(resumed.run.complete);
  expect_same_findings(resumed, whole);
}

TEST(Verification, ModesAreParsed) {
  EXPECT_EQ(Verification::parse("top=12").top, 12u);
  EXPECT_EQ(Verification::parse("all").text(), "all");
  for (const char* wrong : {"", "some", "top", "top=", "top=0", "top=-1", "top=3x"}) {
    EXPECT_THROW(Verification::parse(wrong), UsageError) << wrong;
  }
}

TEST(Search, OfDataThatChangeMeanwhileIsAnError) {
  guard_mapped_files();
  const tests::TemporaryFolder folder;
  const auto path = folder / "data.f64";
  const auto bytes = testing::make_block(Content::Smooth, 8, 4 * 1024);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto message_after = [&](const std::function<void()>& change) {
    tests::write_bytes(path, text);
    const auto time = std::filesystem::last_write_time(path);
    const data::Input input = data::open_input(path);
    SearchOptions options;
    options.progress = [&](const Progress&) {
      change();
      std::filesystem::last_write_time(path, time);  // which a clock of low resolution may hide
    };
    return tests::message_of([&] { search(input, small_plan(), options); });
  };
  EXPECT_EQ(message_after([] {}), "no error");
  EXPECT_TRUE(tests::contains(message_after([&] { std::filesystem::resize_file(path, 100); }),
                              "became shorter"));
  EXPECT_TRUE(tests::contains(
      message_after([&] { std::fstream(path, std::ios::in | std::ios::out) << "changed"; }),
      path.string() + " changed while it was searched"));
}

}  // namespace
}  // namespace fpsynth::search
