// The state from which a race that was stopped continues.

#include <fmt/core.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "runners/search/race/rounds.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::search {
namespace {

constexpr const char* kSchema = "fpsynth-race";
constexpr int kVersion = 1;

nlohmann::json to_json(const results::RaceRound& round) {
  return {{"chunks", round.chunks},
          {"entered", round.entered},
          {"left", round.left},
          {"evaluations", round.chunk_evaluations}};
}

results::RaceRound round_from(const nlohmann::json& json) {
  return {json.at("chunks"), json.at("entered"), json.at("left"), json.at("evaluations")};
}

}  // namespace

void Rounds::save(bool now) {
  if (!race_options_.save || (!now && seconds_since(saved_) < options_.checkpoint_seconds)) return;
  inputs_.front().input.check_unchanged();
  race_options_.save(state());
  saved_ = Clock::now();
}

std::vector<std::uint8_t> Rounds::state() const {
  nlohmann::json rounds = nlohmann::json::array();
  for (const results::RaceRound& round : race_.rounds) rounds.push_back(to_json(round));
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  return to_cbor({{"schema", kSchema},
                  {"version", kVersion},
                  {"identity", identity_},
                  {"rounds", rounds},
                  {"merged", race_.merged},
                  {"let_go", race_.dropped},
                  {"too_slow", race_.too_slow},
                  {"lost", lost_},
                  {"round", to_json(round_)},
                  {"wave", wave_},
                  {"units_done", units_done_},
                  {"kept", nlohmann::json::binary(kept_.bytes())},
                  {"stayed", nlohmann::json::binary(stayed_.bytes())},
                  {"added", nlohmann::json::binary({raw, raw + added_.size() * sizeof added_[0]})},
                  {"own_lost", own_.lost},
                  {"own_merged", own_.merged},
                  {"own_let_go", own_.dropped},
                  {"own_too_slow", own_.too_slow},
                  {"own_evaluations", own_.evaluations}});
}

void Rounds::resume(std::span<const std::uint8_t> state) {
  try {
    const nlohmann::json json = from_cbor(state);
    if (json.at("schema") != kSchema || json.at("version") != kVersion) {
      throw Error("it is of another version of the program");
    }
    if (const std::string identity = json.at("identity"); identity != identity_) {
      throw Error(fmt::format("it is of another race: '{}', not '{}'", identity, identity_));
    }
    for (const nlohmann::json& round : json.at("rounds")) race_.rounds.push_back(round_from(round));
    json.at("merged").get_to(race_.merged);
    json.at("let_go").get_to(race_.dropped);
    json.at("too_slow").get_to(race_.too_slow);
    json.at("lost").get_to(lost_);
    round_ = round_from(json.at("round"));
    // The chunks of the rounds so far are drawn again, in the same order.
    while (drawn_.chunks() < (round_.chunks ? round_.chunks : race_.rounds.back().chunks))
      draw(next_chunks());
    json.at("wave").get_to(wave_);
    json.at("units_done").get_to(units_done_);
    kept_ = entrants_from(json.at("kept").get_binary());
    stayed_ = entrants_from(json.at("stayed").get_binary());
    const auto& added = json.at("added").get_binary();
    added_.resize(added.size() / sizeof added_[0]);
    if (!added_.empty()) std::memcpy(added_.data(), added.data(), added.size());
    json.at("own_lost").get_to(own_.lost);
    json.at("own_merged").get_to(own_.merged);
    json.at("own_let_go").get_to(own_.dropped);
    json.at("own_too_slow").get_to(own_.too_slow);
    json.at("own_evaluations").get_to(own_.evaluations);
    race_.expected_lost = double(lost_) / LeavingTest::kOne;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("it is damaged ({})", error.what()));
  }
}

}  // namespace fpsynth::search
