#include "runners/search/race/state/states.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runners/search/race/statistics/entrants.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::search {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

/// The fields of a state (Rounds::state) that are a process's own, of a wave or round that has not
/// ended.
constexpr const char* kOwn[] = {"units_done", "stayed",     "added",        "own_lost",
                                "own_merged", "own_let_go", "own_too_slow", "own_evaluations"};
/// Where the own fields of all processes are in a joined state.
constexpr const char* kAllOwn = "processes";

/// How far a process is: rounds that have ended, and waves of the first one.
std::pair<std::size_t, std::size_t> place_of(const Json& state) {
  return {state.at("rounds").size(), state.at("wave").get<std::size_t>()};
}

/// The own fields of a process that has done nothing of the wave or round.
Json nothing_done() {
  return {{"units_done", 0},           {"stayed", Json::binary(Entrants().bytes())},
          {"added", Json::binary({})}, {"own_lost", 0},
          {"own_merged", 0},           {"own_let_go", 0},
          {"own_too_slow", 0},         {"own_evaluations", 0}};
}

template <class Work>
auto checked(Work work) {
  try {
    return work();
  } catch (const Json::exception& error) {
    throw Error(fmt::format("the state of the race is damaged ({})", error.what()));
  }
}

}  // namespace

Bytes joined_states(std::span<const Bytes> states) {
  return checked([&]() -> Bytes {
    std::optional<Json> furthest;
    Json all = Json::array();
    for (const Bytes& bytes : states) {
      all.push_back(nullptr);
      if (bytes.empty()) continue;
      Json state = from_cbor(bytes);
      Json own;
      for (const char* field : kOwn) own[field] = std::move(state.at(field));
      own["place"] = place_of(state);
      all.back() = std::move(own);
      if (!furthest || place_of(state) > place_of(*furthest)) furthest = std::move(state);
    }
    if (!furthest) return {};
    for (Json& own : all) {
      // What is behind has nothing that is still wanted.
      if (own.is_object() && own.at("place") != Json(place_of(*furthest))) own = nullptr;
    }
    for (const char* field : kOwn) furthest->erase(field);
    (*furthest)[kAllOwn] = std::move(all);
    return to_cbor(*furthest);
  });
}

Bytes state_of(std::span<const std::uint8_t> joined, std::size_t rank, std::size_t count) {
  return checked([&]() -> Bytes {
    Json state = from_cbor(joined);
    Json own;
    if (state.contains(kAllOwn)) {
      Json& all = state.at(kAllOwn);
      if (all.size() == count) own = std::move(all.at(rank));
      state.erase(kAllOwn);
    } else if (count == 1) {
      return {joined.begin(), joined.end()};
    }
    if (!own.is_object()) own = nothing_done();
    for (const char* field : kOwn) state[field] = std::move(own.at(field));
    return to_cbor(state);
  });
}

}  // namespace fpsynth::search
