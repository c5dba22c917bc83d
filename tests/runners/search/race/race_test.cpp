// A race finds the best of the exhaustive search, and the same survivors whatever runs it.

#include "runners/search/race/race.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "runners/codec/codec.hpp"
#include "runners/search/race/states.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;
using tests::contains;
using tests::message_of;

RaceOptions options_of_race() {
  RaceOptions options;
  options.most_leaves = 100;
  options.margin = 0;
  return options;
}

results::Document exhaustive(const data::Input& input) {
  return search(input, synth::Plan(space_of_race()), {});
}

results::Document whole(const data::Input& input, const Raced& raced,
                        const PreludeOptions& preludes = {}, const SearchOptions& options = {}) {
  return search_survivors(input, synth::Plan(raced.space.without_preludes()), raced, preludes,
                          options);
}

TEST(Race, FindsTheBestOfAnExhaustiveSearch) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const data::Input input = many_chunks(precision);
    const results::Document all = exhaustive(input);
    for (const std::uint64_t most_leaves : {20u, 100u, 100'000u}) {
      RaceOptions options = options_of_race();
      options.most_leaves = most_leaves;
      const Raced raced = race(input, space_of_race(), options, {}, {});
      ASSERT_TRUE(raced.complete);
      EXPECT_EQ(raced.race.pipelines, space_of_race().size());
      EXPECT_EQ(raced.race.distinct, synth::plan_size(space_of_race()).leaves);
      EXPECT_EQ(raced.race.rounds.front().chunks, 8u);
      EXPECT_EQ(raced.race.rounds.front().entered, raced.race.distinct);
      EXPECT_EQ(raced.race.rounds.front().chunk_evaluations, 8 * raced.race.distinct);
      EXPECT_EQ(raced.race.rounds.back().left, raced.space.only.size());
      EXPECT_LT(raced.space.only.size(), raced.race.distinct / 2);
      EXPECT_EQ(raced.race.dropped, 0u);
      const results::Document document = whole(input, raced);
      results::validate(document);
      EXPECT_EQ(document.race, raced.race);
      EXPECT_EQ(document.run.failures, 0u);
      // Every survivor has the size that the exhaustive search gives it.
      for (std::uint64_t i = 0; i < raced.space.only.size(); ++i) {
        EXPECT_EQ(document.payload_bytes[i], all.payload_bytes[raced.space.only[i]]);
      }
      EXPECT_EQ(document.compressed_bytes(document.ranking.front()),
                all.compressed_bytes(all.ranking.front()));
    }
  }
}

TEST(Race, OfAllChunksIsExhaustive) {
  const data::Input input = periodic(Precision::Double, 9'000);
  const results::Document all = exhaustive(input);
  const Raced raced = race(input, space_of_race(), options_of_race(), {}, {});
  ASSERT_EQ(raced.race.rounds.size(), 1u);
  EXPECT_EQ(raced.race.rounds[0].chunks, 9u);
  EXPECT_TRUE(raced.of_all_chunks);
  EXPECT_EQ(raced.race.expected_lost, 0);
  // The survivors are the best and its equals.
  const std::uint64_t least = all.compressed_bytes(all.ranking.front());
  std::uint64_t equal = 0;
  for (const std::uint64_t id : raced.space.only) EXPECT_EQ(all.compressed_bytes(id), least);
  for (const std::uint64_t id : all.ranking) equal += all.compressed_bytes(id) == least;
  EXPECT_GE(raced.space.only.size(), 1u);
  EXPECT_LE(raced.space.only.size(), equal);
}

TEST(Race, SurvivorsAreTheSameOnAnyEngine) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const data::Input input = many_chunks(precision);
    SearchOptions serial;
    serial.stages = &components::serial_stages();
    serial.threads = 1;
    serial.merge_equal = false;
    const Raced expected = race(input, space_of_race(), options_of_race(), {}, serial);
    for (const int threads : {1, 3}) {
      SearchOptions options;
      options.threads = threads;
      const Raced raced = race(input, space_of_race(), options_of_race(), {}, options);
      EXPECT_EQ(raced.space, expected.space);
      EXPECT_EQ(raced.race, expected.race);
    }
    SearchOptions on_device;
    on_device.engine = engine_on({{}, {}});
    const Raced raced = race(input, space_of_race(), options_of_race(), {}, on_device);
    EXPECT_EQ(raced.space, expected.space);
    EXPECT_EQ(raced.race, expected.race);
  }
}

TEST(Race, AnotherSeedDrawsOtherChunks) {
  const data::Input input = many_chunks(Precision::Double);
  RaceOptions options = options_of_race();
  const Raced one = race(input, space_of_race(), options, {}, {});
  options.seed = 2;
  const Raced two = race(input, space_of_race(), options, {}, {});
  EXPECT_NE(one.race, two.race);
}

TEST(Race, PreludesAndPipelinesAreOneSpace) {
  const data::Input input = many_chunks(Precision::Double);
  const PreludeOptions preludes = named("LAGx:700, LAGs:3, DICT");
  const Raced raced = race(input, space_of_race(), options_of_race(), preludes, {});
  ASSERT_TRUE(raced.complete);
  EXPECT_EQ(raced.race.pipelines, 4 * space_of_race().size());
  EXPECT_EQ(raced.prelude_candidates.size(), 4u);
  EXPECT_FALSE(raced.of_all_chunks);
  const results::Document document = whole(input, raced, preludes);
  results::validate(document);
  EXPECT_EQ(document.run.failures, 0u);
  const results::Document all =
      search_with_preludes(input, synth::Plan(space_of_race()), preludes, {});
  EXPECT_EQ(document.compressed_bytes(document.ranking.front()),
            all.compressed_bytes(all.ranking.front()));
  const synth::Method best = document.space.method_at(document.ranking.front());
  EXPECT_EQ(best, all.space.method_at(all.ranking.front()));
  EXPECT_EQ(codec::compress(input.bytes(), best, 8, codec::CodecOptions()).size(),
            document.compressed_bytes(document.ranking.front()));
}

TEST(Race, LetsGoWhatDoesNotFit) {
  const data::Input input = many_chunks(Precision::Double);
  RaceOptions options = options_of_race();
  options.most_kept = 3;
  const Raced raced = race(input, space_of_race(), options, {}, {});
  EXPECT_GT(raced.race.dropped, 0u);
  EXPECT_LE(raced.space.only.size(), 3u);
  EXPECT_GE(raced.space.only.size(), 1u);
}

TEST(Race, KeepsNothingOfAFileThatChanged) {
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder / "data.f64";
  tests::write_bytes(file, std::string(40 * 8192, 'a'));
  RaceOptions options = options_of_race();
  std::size_t saved = 0;
  options.save = [&](const std::vector<std::uint8_t>&) {
    ++saved;
    std::ofstream(file, std::ios::app) << "b";
  };
  SearchOptions search;
  search.checkpoint_seconds = 0;
  const data::Input input = data::open_input(file);
  EXPECT_TRUE(contains(message_of([&] { race(input, space_of_race(), options, {}, search); }),
                       "changed while it was read"));
  EXPECT_EQ(saved, 1u);
}

/// Stops a race when it has saved its state so many times, and continues it from a file of the
/// last.
Raced interrupted_race(const data::Input& input, const RaceOptions& wanted, std::size_t saves) {
  RaceOptions options = wanted;
  std::vector<std::uint8_t> state;
  std::atomic<bool> stop = false;
  std::size_t saved = 0;
  options.save = [&](const std::vector<std::uint8_t>& latest) {
    state = latest;
    stop = ++saved >= saves;
  };
  SearchOptions search;
  search.stop = &stop;
  search.threads = 1;
  search.checkpoint_seconds = 0;
  Raced raced = race(input, space_of_race(), options, {}, search);
  if (raced.complete) return raced;
  const tests::TemporaryFolder folder;
  write_state(folder / "test.race", state);
  const std::vector<std::uint8_t> read = read_state(folder / "test.race");
  EXPECT_EQ(read, state);
  return race(input, space_of_race(), wanted, {}, {}, read);
}

TEST(Race, ContinuesWhereItWasStopped) {
  const data::Input input = many_chunks(Precision::Double);
  RaceOptions options = options_of_race();
  options.few = 1;
  options.first_chunks = 2;
  const Raced expected = race(input, space_of_race(), options, {}, {});
  ASSERT_GT(expected.race.rounds.size(), 1u);
  for (std::size_t saves = 1; saves < 40; saves += 3) {
    const Raced raced = interrupted_race(input, options, saves);
    ASSERT_TRUE(raced.complete);
    EXPECT_EQ(raced.space, expected.space) << saves;
    EXPECT_EQ(raced.race, expected.race) << saves;
  }
}

TEST(Race, IsNotContinuedAsAnotherOne) {
  const data::Input input = many_chunks(Precision::Double);
  RaceOptions options = options_of_race();
  std::vector<std::uint8_t> state;
  options.save = [&](const std::vector<std::uint8_t>& saved) { state = saved; };
  race(input, space_of_race(), options, {}, {});
  options.save = nullptr;
  options.risk = 0.02;
  const std::string message =
      message_of([&] { race(input, space_of_race(), options, {}, {}, state); });
  EXPECT_TRUE(contains(message, "risk 0.01"));
  EXPECT_TRUE(contains(message, "not"));
  EXPECT_TRUE(contains(message, "risk 0.02"));
  EXPECT_TRUE(contains(message, "another directory"));
  options.risk = 0.01;
  state.resize(state.size() / 2);
  EXPECT_TRUE(contains(message_of([&] { race(input, space_of_race(), options, {}, {}, state); }),
                       "damaged"));
  const tests::TemporaryFolder folder;
  write_state(folder / "test.race", state);
  tests::write_bytes(folder / "short.race", "x");
  EXPECT_TRUE(contains(message_of([&] { read_state(folder / "short.race"); }), "short.race"));
  EXPECT_TRUE(contains(message_of([&] { read_state(folder / "none.race"); }), "No such file"));
}

TEST(Race, RefusesOptionsThatNoneCanHave) {
  const auto refused = [](auto change) {
    RaceOptions options;
    change(options);
    return message_of([&] { options.check(); });
  };
  EXPECT_TRUE(contains(refused([](RaceOptions& o) { o.risk = 0; }), "risk 0"));
  EXPECT_TRUE(contains(refused([](RaceOptions& o) { o.risk = 0.5; }), "risk 0.5"));
  EXPECT_TRUE(contains(refused([](RaceOptions& o) { o.risk = NAN; }), "risk nan"));
  EXPECT_TRUE(contains(refused([](RaceOptions& o) { o.margin = -0.1; }), "margin -0.1"));
  EXPECT_TRUE(contains(refused([](RaceOptions& o) { o.first_chunks = 1; }), "1 chunk"));
  const data::Input empty("empty", std::vector<std::byte>(3), Precision::Double);
  EXPECT_TRUE(
      contains(message_of([&] { race(empty, space_of_race(), {}, {}, {}); }), "nothing to search"));
}

}  // namespace
}  // namespace fpsynth::search
