#include "runners/cluster/file_peers.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "runners/codec/streams.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::cluster {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

/// The interval between two looks for files of shards that are running.
constexpr std::chrono::milliseconds kLookEvery{200};
constexpr const char* kFormat = "fpsynth race, version 1";

std::uint64_t checksum(const Bytes& bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string advice_for(const Shard& shard) {
  return fmt::format("remove it and the directory of shard {0}, and search shard {0} again",
                     shard.text());
}

}  // namespace

FilePeers::FilePeers(fs::path directory, const Shard& shard, std::string identity)
    : directory_(std::move(directory)), shard_(shard), identity_(std::move(identity)) {}

fs::path FilePeers::path_of(std::string_view step, const Shard& shard) const {
  std::string name(step);
  std::ranges::replace(name, ' ', '-');
  return directory_ / fmt::format("{}.{}", name, shard.directory_name());
}

void FilePeers::write(std::string_view step, const Bytes& own) const {
  create_folder(directory_, "choose another directory with --out");
  const Bytes file = to_cbor({{"format", kFormat},
                              {"identity", identity_},
                              {"step", std::string(step)},
                              {"shard", shard_.text()},
                              {"xxh3", checksum(own)},
                              {"bytes", Json::binary(own)}});
  AtomicFile output(path_of(step, shard_));
  output.write(std::as_bytes(std::span(file)));
  output.commit();
}

Bytes FilePeers::read(std::string_view step, const Shard& shard) const {
  const fs::path path = path_of(step, shard);
  const codec::Input input = codec::Input::open(path.string());
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(input.bytes().data());
  std::string identity;
  Bytes bytes;
  try {
    Json json = from_cbor({begin, input.bytes().size()});
    identity = json.at("identity").get<std::string>();
    bytes = std::move(json.at("bytes").get_binary());
    if (json.at("format") != kFormat || json.at("step") != step ||
        json.at("shard") != shard.text() || json.at("xxh3") != checksum(bytes)) {
      identity.clear();
    }
  } catch (const Json::exception&) {
    identity.clear();
  }
  if (identity.empty()) {
    throw Error(fmt::format("{} is damaged; {}", path.string(), advice_for(shard)));
  }
  if (identity != identity_) {
    throw Error(fmt::format(
        "{} is of another race ({}) than this one ({}); run all shards with the same arguments, "
        "data and version of the program, or choose another directory with --out",
        path.string(), identity, identity_));
  }
  return bytes;
}

void FilePeers::wait_for_all(std::string_view step) const {
  std::vector<std::uint64_t> missing;
  const auto look = [&] {
    missing.clear();
    for (std::uint64_t index = 1; index <= shard_.count; ++index) {
      std::error_code error;
      if (!fs::exists(path_of(step, {index, shard_.count}), error)) missing.push_back(index);
    }
    return missing.empty();
  };
  const auto runs = [&](std::uint64_t index) {
    return is_running && is_running({index, shard_.count});
  };
  for (bool told = false; !look(); std::this_thread::sleep_for(kLookEvery)) {
    const bool stopped = stop && stop->load();
    // One that has ended in the meantime may have written its file before.
    if (stopped || (!std::ranges::all_of(missing, runs) && !look())) {
      throw ShardsMissing(
          fmt::format("shard {} has done its part of {} of the race; of {} shards, these have not: "
                      "{}; when they have, the same command with --resume continues",
                      shard_.text(), step, shard_.count, array_text(missing)));
    }
    if (waiting && !told) waiting(step, array_text(missing));
    told = true;
  }
}

std::vector<Bytes> FilePeers::exchange(std::string_view step, Bytes own) {
  write(step, own);
  wait_for_all(step);
  std::vector<Bytes> all;
  for (std::uint64_t index = 1; index <= shard_.count; ++index) {
    all.push_back(index == shard_.index ? std::move(own) : read(step, {index, shard_.count}));
  }
  return all;
}

}  // namespace fpsynth::cluster
