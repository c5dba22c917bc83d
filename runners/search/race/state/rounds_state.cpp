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

void Rounds::list(auto field, auto& rounds) {
  field("merged", rounds.race_.merged);
  field("let_go", rounds.race_.dropped);
  field("lost", rounds.lost_);
  field("wave", rounds.wave_);
  field("units_done", rounds.units_done_);
  Sums::list(field, rounds.own_, "own_");
}

std::vector<std::uint8_t> Rounds::state() const {
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  nlohmann::json json = {
      {"schema", kSchema},
      {"version", kVersion},
      {"identity", identity_},
      {"rounds", nlohmann::json::array()},
      {"round", to_json(round_)},
      {"kept", nlohmann::json::binary(kept_.bytes())},
      {"stayed", nlohmann::json::binary(stayed_.bytes())},
      {"added", nlohmann::json::binary({raw, raw + added_.size() * sizeof added_[0]})}};
  for (const results::RaceRound& round : race_.rounds) json["rounds"].push_back(to_json(round));
  list([&](const std::string& name, const auto& number) { json[name] = number; }, *this);
  return to_cbor(json);
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
    list([&](const std::string& name, auto& number) { json.at(name).get_to(number); }, *this);
    round_ = round_from(json.at("round"));
    // The chunks of the rounds so far are drawn again, in the same order.
    while (drawn_.chunks() < (round_.chunks ? round_.chunks : race_.rounds.back().chunks))
      draw(next_chunks());
    kept_ = entrants_from(json.at("kept").get_binary());
    stayed_ = entrants_from(json.at("stayed").get_binary());
    const auto& added = json.at("added").get_binary();
    added_.resize(added.size() / sizeof added_[0]);
    if (!added_.empty()) std::memcpy(added_.data(), added.data(), added.size());
    race_.expected_lost = double(lost_) / LeavingTest::kOne;
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("it is damaged ({})", error.what()));
  }
}

}  // namespace fpsynth::search
