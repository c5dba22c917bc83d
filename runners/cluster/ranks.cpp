#include "runners/cluster/ranks.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "synth/common/json.hpp"

namespace fpsynth::cluster {
/// One collective operation. `text`: the name of a step, or an error.
std::vector<Ranks::Bytes> Ranks::take(Kind kind, std::string_view text, Bytes own) {
  const auto all = gathered(to_cbor({{"kind", kind},
                                     {"text", std::string(text)},
                                     {"node", place().node},
                                     {"bytes", nlohmann::json::binary(std::move(own))}}),
                            true);
  std::vector<Bytes> given;
  std::string error;
  bool stopped = false;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    nlohmann::json json = from_cbor(all[rank]);
    const auto its_kind = json.at("kind").get<Kind>();
    const std::string its_text = json.at("text"), its_node = json.at("node");
    given.push_back(std::move(json.at("bytes").get_binary()));
    stopped |= its_kind == Kind::Stopped;
    std::string its_error;
    if (its_kind == Kind::Failed) {
      its_error = its_text;
    } else if (its_kind == Kind::Ended && kind != Kind::Ended) {
      its_error = "has ended; start all ranks with the same arguments";
    } else if (its_kind == Kind::Step && kind == Kind::Step && its_text != text) {
      its_error = fmt::format(
          "is at '{}' of the work while rank {} is at '{}'; start all ranks with the same "
          "arguments "
          "and the same data",
          its_text, this->rank(), text);
    }
    if (error.empty() && !its_error.empty()) {
      error = fmt::format("rank {} on node {}: {}", rank, its_node, its_error);
    }
  }
  if (!error.empty()) {
    over_ = true;  // all ranks have seen it
    throw RankFailed(error);
  }
  if (stopped && kind == Kind::Step) throw search::PeersStopped();
  return given;
}

std::vector<Ranks::Bytes> Ranks::exchange(std::string_view step, Bytes own) {
  return take(Kind::Step, step, std::move(own));
}

std::vector<Ranks::Bytes> Ranks::gather(std::string_view step, Bytes own) {
  take(Kind::Step, step, {});
  return gathered(own, false);
}

void Ranks::stop() { take(Kind::Stopped, {}, {}); }

bool Ranks::fail(const std::string& error) {
  if (std::exchange(over_, true)) return false;
  try {
    take(Kind::Failed, error, {});
  } catch (const RankFailed&) {
    // Its own error, or another rank's at the same time.
  }
  return true;
}

std::string Ranks::end() {
  if (std::exchange(over_, true)) return {};
  try {
    take(Kind::Ended, {}, {});
    return {};
  } catch (const RankFailed& error) {
    return error.what();
  }
}

}  // namespace fpsynth::cluster
