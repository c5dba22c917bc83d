#include "runners/cluster/ranks/messages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "results/documents/merge.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cluster {
namespace {

using Json = nlohmann::json;

/// Writes the members of an object. Numbers of a vector are bytes, because there may be hundreds of
/// thousands.
class CborWriter {
 public:
  void operator()(const char* key, const auto& value, const auto&... more) {
    json_[key] = form_of(value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }
  Json take() { return std::move(json_); }

 private:
  template <class T>
  static Json form_of(const T& value) {
    if constexpr (requires(CborWriter & fields) { T::list(fields, value); }) {
      CborWriter fields;
      T::list(fields, value);
      return fields.take();
    } else if constexpr (requires { value.begin + value.end; }) {  // a range
      return {value.begin, value.end};
    } else {
      return value;
    }
  }
  template <class T>
  static Json form_of(const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
      if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
      return Json::binary(std::move(bytes));
    } else {
      Json list = Json::array();
      for (const T& value : values) list.push_back(form_of(value));
      return list;
    }
  }

  Json json_ = Json::object();
};

/// Reads the members of an object, which must outlive it.
class CborReader {
 public:
  explicit CborReader(const Json& json) : json_(json) {}
  void operator()(const char* key, auto& value, auto&... more) {
    read(json_.at(key), value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

 private:
  template <class T>
  static void read(const Json& json, T& value) {
    CborReader fields(json);
    if constexpr (requires { T::list(fields, value); }) {
      T::list(fields, value);
    } else if constexpr (requires { value.begin + value.end; }) {
      json.at(0).get_to(value.begin);
      json.at(1).get_to(value.end);
    } else {
      json.get_to(value);
    }
  }
  template <class T>
  static void read(const Json& json, std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      const std::vector<std::uint8_t>& bytes = json.get_binary();
      values.resize(bytes.size() / sizeof(T));
      if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    } else {
      values.clear();
      for (const Json& item : json) read(item, values.emplace_back());
    }
  }

  const Json& json_;
};

template <class Variant>
std::vector<std::uint8_t> packed_any(const Variant& message) {
  return std::visit(
      [](const auto& of) {
        CborWriter fields;
        of.list(fields, of);
        fields("kind", of.kKind);
        return to_cbor(fields.take());
      },
      message);
}

/// Reads a message into `variant` if it is one of its kinds.
template <class... Kinds>
bool read_any(const Json& json, std::variant<Kinds...>& variant) {
  const std::string kind = json.at("kind");
  const auto read_as = [&]<class T>(T*) {
    if (kind != T::kKind) return false;
    T message;
    CborReader fields(json);
    T::list(fields, message);
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

Hello hello_of(const std::string& identity, const Transport& transport) {
  return {.version = synth::kVersion,
          .commit = synth::kCommit,
          .compiler = synth::kCompiler,
          .identity = identity,
          .node = transport.place().node,
          .backend = {},
          .device = {}};
}

std::string place_of(std::size_t rank, const std::optional<Hello>& hello) {
  return hello ? fmt::format("rank {} on node {}", rank, hello->node)
               : fmt::format("rank {}", rank);
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
