#include "runners/cluster/ranks/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "results/documents/merge.hpp"
#include "synth/common/cbor.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cluster {
namespace {

using Json = nlohmann::json;

Json from_range(const results::ChunkRange& range) { return {range.begin, range.end}; }
results::ChunkRange range_from(const Json& json) {
  return {json.at(0).get<std::uint64_t>(), json.at(1).get<std::uint64_t>()};
}
Json from_ranges(const std::vector<results::ChunkRange>& ranges) {
  Json json = Json::array();
  for (const results::ChunkRange& range : ranges) json.push_back(from_range(range));
  return json;
}
std::vector<results::ChunkRange> ranges_from(const Json& json) {
  std::vector<results::ChunkRange> ranges;
  for (const Json& range : json) ranges.push_back(range_from(range));
  return ranges;
}
Json from_piece(const Piece& piece) {
  return {{"task", piece.task}, {"chunks", from_range(piece.chunks)}, {"cost", piece.cost}};
}
Piece piece_from(const Json& json) {
  return {json.at("task"), range_from(json.at("chunks")), json.at("cost")};
}
/// Numbers as bytes: a space has hundreds of thousands.
Json from_numbers(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return Json::binary(std::move(bytes));
}
std::vector<std::uint64_t> numbers_from(const Json& json) {
  const std::vector<std::uint8_t>& bytes = json.get_binary();
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::uint64_t));
  }
  return numbers;
}

// Each kind of message has a name, a way to JSON and a way back.

template <class T>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<Hello> = "hello";
template <>
constexpr const char* kName<Progress> = "progress";
template <>
constexpr const char* kName<Walked> = "walked";
template <>
constexpr const char* kName<Sums> = "sums";
template <>
constexpr const char* kName<Chosen> = "chosen";
template <>
constexpr const char* kName<Finished> = "finished";
template <>
constexpr const char* kName<Failed> = "failed";
template <>
constexpr const char* kName<Drained> = "drained";
template <>
constexpr const char* kName<Interrupt> = "interrupt";
template <>
constexpr const char* kName<Walk> = "walk";
template <>
constexpr const char* kName<Choose> = "choose";
template <>
constexpr const char* kName<Finish> = "finish";
template <>
constexpr const char* kName<Flush> = "flush";
template <>
constexpr const char* kName<Stop> = "stop";
template <>
constexpr const char* kName<End> = "end";
template <>
constexpr const char* kName<Shutdown> = "shutdown";
template <>
constexpr const char* kName<Begin> = "begin";
template <>
constexpr const char* kName<Given> = "given";
template <>
constexpr const char* kName<Left> = "left";

void write(Json& json, const Hello& hello) {
  json = {{"version", hello.version},   {"commit", hello.commit},   {"compiler", hello.compiler},
          {"identity", hello.identity}, {"node", hello.node},       {"backend", hello.backend},
          {"device", hello.device},     {"threads", hello.threads}, {"at_once", hello.at_once}};
}
void read(const Json& json, Hello& hello) {
  hello = {json.at("version"),  json.at("commit"),  json.at("compiler"),
           json.at("identity"), json.at("node"),    json.at("backend"),
           json.at("device"),   json.at("threads"), json.at("at_once")};
}
void write(Json& json, const Progress& progress) { json["chunks"] = progress.chunks; }
void read(const Json& json, Progress& progress) { progress.chunks = json.at("chunks"); }
void write(Json& json, const Walked& walked) {
  json = {{"piece", from_piece(walked.piece)}, {"seconds", walked.seconds}};
}
void read(const Json& json, Walked& walked) {
  walked = {piece_from(json.at("piece")), json.at("seconds")};
}
void write(Json& json, const Sums& sums) {
  const results::Document& document = sums.document;
  Json parts = Json::array();
  for (const Sums::Part& part : sums.parts) {
    parts.push_back({part.rank, part.seconds, from_ranges(part.pieces),
                     from_numbers(part.checksums), part.version});
  }
  json = {{"task", sums.task},
          {"ranges", from_ranges(document.chunk_ranges)},
          {"sampled_bytes", document.sampled_bytes},
          {"payload_bytes", from_numbers(document.payload_bytes)},
          {"failed", from_numbers(document.failed)},
          {"edges_verified", document.run.edges_verified},
          {"merged_states", document.run.merged_states},
          {"failures", document.run.failures},
          {"parts", std::move(parts)}};
}
void read(const Json& json, Sums& sums) {
  sums.task = json.at("task");
  results::Document& document = sums.document;
  document.chunk_ranges = ranges_from(json.at("ranges"));
  document.sampled_bytes = json.at("sampled_bytes");
  document.payload_bytes = numbers_from(json.at("payload_bytes"));
  document.failed = numbers_from(json.at("failed"));
  document.run.edges_verified = json.at("edges_verified");
  document.run.merged_states = json.at("merged_states");
  document.run.failures = json.at("failures");
  for (const Json& part : json.at("parts")) {
    sums.parts.push_back(
        {part.at(0), part.at(1), ranges_from(part.at(2)), numbers_from(part.at(3)), part.at(4)});
  }
}
void write(Json& json, const Failed& failed) { json["what"] = failed.what; }
void read(const Json& json, Failed& failed) { failed.what = json.at("what"); }
void write(Json& json, const Walk& walk) {
  json = {{"piece", from_piece(walk.piece)}, {"preludes", walk.preludes}};
}
void read(const Json& json, Walk& walk) {
  walk.piece = piece_from(json.at("piece"));
  walk.preludes = json.at("preludes").get<std::vector<std::string>>();
}
template <class T>
concept HasDocument = requires(T message) {
  message.task;
  { message.document } -> std::same_as<std::string&>;
};
template <HasDocument T>
void write(Json& json, const T& message) {
  json = {{"task", message.task}, {"document", message.document}};
}
template <HasDocument T>
void read(const Json& json, T& message) {
  message.task = json.at("task");
  message.document = json.at("document");
}
void write(Json& json, const Choose& choose) { json["task"] = choose.task; }
void read(const Json& json, Choose& choose) { choose.task = json.at("task"); }
void write(Json& json, const Flush& flush) {
  json = {{"task", flush.task}, {"to", flush.to}, {"others", flush.others}};
}
void read(const Json& json, Flush& flush) {
  flush = {json.at("task"), json.at("to"), json.at("others")};
}
void write(Json& json, const Given& given) {
  json = {{"step", given.step}, {"bytes", Json::binary(given.bytes)}};
}
void read(const Json& json, Given& given) {
  given = {json.at("step"), json.at("bytes").get_binary()};
}
void write(Json& json, const Left& left) { json["bytes"] = Json::binary(left.bytes); }
void read(const Json& json, Left& left) { left.bytes = json.at("bytes").get_binary(); }
template <class T>
requires std::is_empty_v<T>
void write(Json& json, const T&) { json = Json::object(); }
template <class T>
requires std::is_empty_v<T>
void read(const Json&, T&) {}

template <class Variant>
std::vector<std::uint8_t> packed_any(const Variant& message) {
  return std::visit(
      [](const auto& of) {
        Json json;
        write(json, of);
        json["kind"] = kName<std::remove_cvref_t<decltype(of)>>;
        return to_cbor(json);
      },
      message);
}

/// Reads a message into `variant` if it is one of its kinds.
template <class... Kinds>
bool read_any(const Json& json, std::variant<Kinds...>& variant) {
  const std::string kind = json.at("kind");
  const auto read_as = [&]<class T>(T*) {
    if (kind != kName<T>) return false;
    T message;
    read(json, message);
    variant = std::move(message);
    return true;
  };
  return (read_as(static_cast<Kinds*>(nullptr)) || ...);
}

}  // namespace

void Sums::add(const Sums& other) {
  if (other.parts.empty()) return;
  if (parts.empty()) {
    *this = other;
    return;
  }
  results::add_sums(document, other.document);
  for (const Part& part : other.parts) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& own) {
      return own.rank == part.rank && own.version == part.version;
    });
    if (same == parts.end()) {
      parts.push_back(part);
      continue;
    }
    same->seconds += part.seconds;
    same->pieces.insert(same->pieces.end(), part.pieces.begin(), part.pieces.end());
    same->checksums.insert(same->checksums.end(), part.checksums.begin(), part.checksums.end());
  }
}

std::vector<std::uint8_t> packed(const ToLeader& message) { return packed_any(message); }
std::vector<std::uint8_t> packed(const ToWorker& message) { return packed_any(message); }
std::vector<std::uint8_t> packed(const ToPeer& message) { return packed_any(message); }

AnyMessage unpacked(const std::vector<std::uint8_t>& bytes) {
  try {
    const Json json = from_cbor(bytes);
    ToLeader to_leader;
    if (read_any(json, to_leader)) return to_leader;
    ToWorker to_worker;
    if (read_any(json, to_worker)) return to_worker;
    ToPeer to_peer;
    if (read_any(json, to_peer)) return to_peer;
  } catch (const nlohmann::json::exception&) {
  }
  throw Error(
      "a message from another rank cannot be read: the ranks run different versions of the "
      "program; "
      "install one version on all nodes");
}

void refuse_others(const Hello& hello, const std::string& place, const std::string& identity) {
  const auto version_of = [](const std::string& version, const std::string& commit) {
    return fmt::format("{} (commit {})", version, commit);
  };
  const std::string version = version_of(hello.version, hello.commit);
  const std::string own = version_of(synth::kVersion, synth::kCommit);
  if (version != own) {
    throw Error(fmt::format("{} runs fpsynth {}, rank 0 runs {}; install one version on all nodes",
                            place, version, own));
  }
  if (hello.identity != identity) {
    throw Error(fmt::format(
        "{} was started for another search than rank 0: {} and {}; start all ranks with the same "
        "arguments, and with the same study file on all nodes",
        place, hello.identity, identity));
  }
}

}  // namespace fpsynth::cluster
