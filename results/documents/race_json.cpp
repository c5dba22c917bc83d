#include "results/documents/race_json.hpp"

#include <nlohmann/json.hpp>

namespace fpsynth::results {

nlohmann::ordered_json race_to_json(const Race& race) {
  nlohmann::ordered_json rounds = nlohmann::ordered_json::array();
  for (const RaceRound& round : race.rounds) {
    rounds.push_back({{"chunks", round.chunks},
                      {"entered", round.entered},
                      {"left", round.left},
                      {"chunk_evaluations", round.chunk_evaluations}});
  }
  nlohmann::ordered_json json = {{"margin", race.margin},
                                 {"risk", race.risk},
                                 {"seed", race.seed},
                                 {"pipelines", race.pipelines},
                                 {"distinct", race.distinct},
                                 {"rounds", std::move(rounds)},
                                 {"merged", race.merged},
                                 {"let_go", race.dropped},
                                 {"expected_lost", race.expected_lost}};
  if (!race.min_speed.empty()) {
    json["min_speed"] = race.min_speed;
    json["too_slow"] = race.too_slow;
  }
  return json;
}

Race race_from_json(const JsonValue& value) {
  Race race;
  race.margin = value["margin"].real();
  race.risk = value["risk"].real();
  race.seed = value["seed"].whole();
  race.pipelines = value["pipelines"].whole();
  race.distinct = value["distinct"].whole();
  for (const JsonValue& round : value["rounds"].items()) {
    race.rounds.push_back({round["chunks"].whole(), round["entered"].whole(), round["left"].whole(),
                           round["chunk_evaluations"].whole()});
  }
  race.merged = value["merged"].whole();
  race.dropped = value["let_go"].whole();
  race.expected_lost = value["expected_lost"].real();
  if (value.has("min_speed")) {
    race.min_speed = value["min_speed"].text();
    race.too_slow = value["too_slow"].whole();
  }
  return race;
}

}  // namespace fpsynth::results
