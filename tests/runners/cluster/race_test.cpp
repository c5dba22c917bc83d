// Races of ranks have the survivors of a race of one process, also if they are stopped
// and continue with another number of processes.

#include <gtest/gtest.h>

#include "runners/search/race/race.hpp"
#include "runners/search/race/states.hpp"
#include "tests/runners/cluster/thread_ranks.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using search::Raced;
using Bytes = std::vector<std::uint8_t>;

const data::Input& input() {
  static const data::Input input = search::many_chunks(synth::Precision::Double);
  return input;
}

/// One process's part of a race of several waves and rounds.
Raced raced_by(search::Peers* peers, const std::atomic<bool>& stop,
               const std::function<void(const Bytes& state)>& save = nullptr,
               const Bytes& earlier = {}) {
  search::RaceOptions race;
  race.most_leaves = 20;
  race.margin = 0;
  race.few = 8;
  race.most_kept = 50;    // others are let go
  race.first_chunks = 2;  // too few to decide much: there are more rounds
  race.peers = peers;
  race.save = save;
  search::SearchOptions options;
  options.engine = search::cpu_engine(1, components::default_stages(), true);
  options.threads = 1;
  options.stop = &stop;
  options.checkpoint_seconds = 0;
  return search::race(input(), search::space_of_race(), race, {}, options, earlier);
}

const Raced& by_one() {
  static const std::atomic<bool> stop = false;
  static const Raced raced = raced_by(nullptr, stop);
  return raced;
}

void expect_the_same(const Raced& raced) {
  EXPECT_TRUE(raced.complete);
  EXPECT_EQ(raced.space, by_one().space);
  EXPECT_EQ(raced.race, by_one().race);
}

/// Races on so many ranks from a state of all. Rank `stopped` is stopped when it has saved its
/// state `saves` times. Returns the state of all if they were stopped before the end.
Bytes race_on(std::size_t count, const Bytes& earlier, int saves, std::size_t stopped = 0) {
  Bytes left;
  const auto errors = on_ranks(count, [&](Ranks& ranks) {
    std::atomic<bool> stop = false;
    Bytes state =
        earlier.empty() ? Bytes() : search::state_of(earlier, ranks.rank(), ranks.count());
    int saved = 0;
    const auto save = [&](const Bytes& latest) {
      state = latest;
      if (ranks.rank() == stopped && ++saved == saves) stop = true;
    };
    bool told = false;
    Raced raced;
    try {
      raced = raced_by(&ranks, stop, save, state);
      if (raced.complete) ranks.exchange("the end", {});
    } catch (const search::PeersStopped&) {
      raced.complete = false;
      told = true;
    }
    if (raced.complete) return expect_the_same(raced);
    if (!told) ranks.stop();
    const auto states = ranks.gather("the states", state);
    if (ranks.rank() == 0) left = search::joined_states(states);
  });
  EXPECT_EQ(errors, std::vector<std::string>(count));
  return left;
}

TEST(RacesOnRanks, LeaveWhatOneProcessLeaves) {
  ASSERT_TRUE(by_one().complete);
  ASSERT_GT(by_one().race.rounds.size(), 1u);
  ASSERT_GT(by_one().race.dropped, 0u);
  for (const std::size_t ranks : {1, 2, 3, 5}) {
    SCOPED_TRACE(ranks);
    EXPECT_TRUE(race_on(ranks, {}, 0).empty());
  }
}

TEST(RacesOnRanks, GoOnAfterTheyWereStopped) {
  for (const std::size_t then : {3, 2, 1}) {
    SCOPED_TRACE(then);
    int stopped = 0;
    // Stopped after one save, and again after three more, and so on to the end.
    Bytes state = race_on(3, {}, 1);
    EXPECT_FALSE(state.empty());
    for (int saves = 3; !state.empty() && stopped < 50; ++saves, ++stopped) {
      state = race_on(then, state, saves, std::size_t(stopped) % then);
    }
    EXPECT_GT(stopped, 1);
    EXPECT_TRUE(state.empty());
  }
}

TEST(RacesOnRanks, RefuseDamagedStates) {
  Bytes state = race_on(2, {}, 1);
  ASSERT_FALSE(state.empty());
  state.resize(state.size() / 2);
  const std::string what = tests::message_of([&] { search::state_of(state, 0, 2); });
  EXPECT_TRUE(tests::contains(what, "the state of the race is damaged"));
  const std::vector<Bytes> states = {state, {}};
  EXPECT_THROW(search::joined_states(states), Error);
  EXPECT_TRUE(search::joined_states(std::vector<Bytes>(2)).empty());
}

}  // namespace
}  // namespace fpsynth::cluster
