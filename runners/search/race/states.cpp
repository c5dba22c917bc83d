#include "runners/search/race/states.hpp"

#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runners/codec/streams.hpp"
#include "runners/search/race/entrants.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::search {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

/// The field of a joined state that holds the own fields of all processes.
constexpr const char* kAllOwn = "processes";

/// The progress of a process: the rounds, and the waves of the first one, that have ended.
std::pair<std::size_t, std::size_t> place_of(const Json& state) {
  return {state.at("rounds").size(), state.at("wave").get<std::size_t>()};
}

/// The fields of a state (Rounds::state) that are a process's own, of a wave or round of which it
/// has done nothing.
Json nothing_done() {
  return {{"units_done", 0},           {"stayed", Json::binary(Entrants().bytes())},
          {"added", Json::binary({})}, {"own_lost", 0},
          {"own_merged", 0},           {"own_let_go", 0},
          {"own_evaluations", 0}};
}

template <class Work>
auto checked(Work work) {
  try {
    return work();
  } catch (const Json::exception& error) {
    raise("the state of the race is damaged ({})", error.what());
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
      Json own = nothing_done();
      for (auto& [field, value] : own.items()) {
        value = std::move(state.at(field));
        state.erase(field);
      }
      own["place"] = place_of(state);
      all.back() = std::move(own);
      if (!furthest || place_of(state) > place_of(*furthest)) furthest = std::move(state);
    }
    if (!furthest) return {};
    for (Json& own : all) {
      // A process in an earlier wave or round has nothing that the joined state lacks.
      if (own.is_object() && own.at("place") != Json(place_of(*furthest))) own = nullptr;
    }
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
    Json fields = nothing_done();
    for (auto& [field, value] : fields.items()) {
      state[field] = std::move(own.is_object() ? own.at(field) : value);
    }
    return to_cbor(state);
  });
}

void write_state(const std::filesystem::path& path, const std::vector<std::uint8_t>& state) {
  const std::uint64_t checksum = XXH3_64bits(state.data(), state.size());
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(state)));
  file.write(std::as_bytes(std::span(&checksum, 1)));
  file.commit();
}

std::vector<std::uint8_t> read_state(const std::filesystem::path& path) {
  const codec::Input file = codec::Input::open(path.string());
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(file.bytes().data());
  std::vector<std::uint8_t> bytes(begin, begin + file.bytes().size());
  std::uint64_t checksum = 0;
  if (bytes.size() >= sizeof checksum) {
    std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
    bytes.resize(bytes.size() - sizeof checksum);
    if (XXH3_64bits(bytes.data(), bytes.size()) == checksum) return bytes;
  }
  raise("{} is damaged: its checksum differs; remove it to race from the start", path.string());
}

}  // namespace fpsynth::search
