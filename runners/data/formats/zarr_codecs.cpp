#include "runners/data/formats/zarr_codecs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace fpsynth::data {

void check_understood(const JsonValue& object, std::span<const std::string_view> known) {
  for (const auto& [name, value] : object.members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    constexpr std::string_view kMust = "must_understand";
    if (value.is_object() && value.has(kMust) && !value[kMust].flag()) continue;
    value.refuse(
        "this member is unknown, and the values can be other ones without it; write the array "
        "again without it");
  }
}

std::string name_of(const JsonValue& value) {
  return value.is_text() ? value.text() : value["name"].text();
}

std::optional<JsonValue> configuration_of(const JsonValue& value,
                                          std::span<const std::string_view> known) {
  if (value.is_text()) return std::nullopt;
  constexpr std::string_view kMembers[] = {"name", "configuration", "must_understand"};
  check_understood(value, kMembers);
  if (!value.has("configuration")) return std::nullopt;
  check_understood(value["configuration"], known);
  return value["configuration"];
}

namespace {

std::vector<std::size_t> axes(std::size_t rank, bool reversed) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (reversed) std::ranges::reverse(order);
  return order;
}

struct Codec {
  std::string_view name, decoder;
  std::array<std::string_view, 6> members;  ///< of its configuration, and "id" in version 2
};
constexpr Codec kCodecs[] = {
    {"zlib", "zlib", {"id", "level"}},
    {"gzip", "zlib", {"id", "level"}},
    {"zstd", "zstd", {"id", "level", "checksum"}},
    {"blosc", "blosc", {"id", "cname", "clevel", "shuffle", "blocksize", "typesize"}},
    {"lz4", "lz4", {"id", "acceleration"}},
    {"bz2", "bz2", {"id", "level"}},
    {"crc32c", kCrc32c, {"id"}}};

/// Adds a codec of bytes, or notes that it is none of ours. Returns it if it is.
const Codec* add_codec(ZarrArray& array, ZarrCodecs& codecs, std::string_view name) {
  constexpr std::string_view kOfNumcodecs = "numcodecs.";  // as zarr-python names them in version 3
  if (name.starts_with(kOfNumcodecs)) name.remove_prefix(kOfNumcodecs.size());
  const Codec* const known = std::ranges::find(kCodecs, name, &Codec::name);
  if (known != std::end(kCodecs)) {
    codecs.packed.emplace_back(known->decoder);
    return known;
  }
  if (array.refusal.empty()) {
    array.refusal = fmt::format(
        "its chunks go through the codec {}; write it again with zlib, gzip, zstd, Blosc, lz4, bz2 "
        "or none",
        name);
  }
  return nullptr;
}

/// The numbers or the extents of axes behind a transpose.
template <class Each>
std::vector<Each> transposed(const JsonValue& order, const std::vector<Each>& axes) {
  std::vector<Each> result;
  std::vector<std::uint64_t> taken = order.wholes();
  for (const std::uint64_t axis : taken) {
    if (axis >= axes.size()) order.fail("each axis once");
    result.push_back(axes[axis]);
  }
  std::ranges::sort(taken);
  if (taken.size() != axes.size() || std::ranges::adjacent_find(taken) != taken.end()) {
    order.fail("each axis once");
  }
  return result;
}

ZarrCodecs codecs_of(ZarrArray& array, const JsonValue& list, std::vector<std::uint64_t> extents,
                     int shards);

/// The chunks in shards of these extents, which are in `outer` others.
std::shared_ptr<const ZarrShard> shard_of(ZarrArray& array, const JsonValue& codec,
                                          const std::vector<std::uint64_t>& extents, int outer) {
  constexpr int kMostShards = 8;  // in each other
  constexpr std::string_view kMembers[] = {"chunk_shape", "codecs", "index_codecs",
                                           "index_location"};
  const auto found = configuration_of(codec, kMembers);
  if (!found) codec.fail("shards with their chunk_shape and codecs");
  if (outer == kMostShards)
    codec.refuse("too many shards are in each other; write the array again");
  const JsonValue& configuration = *found;
  const auto shard = std::make_shared<ZarrShard>();
  shard->chunk = configuration["chunk_shape"].wholes();
  std::vector<std::uint64_t> in_index;
  for (std::size_t i = 0; i < extents.size() && shard->chunk.size() == extents.size(); ++i) {
    if (shard->chunk[i] == 0 || extents[i] % shard->chunk[i] != 0) break;
    in_index.push_back(extents[i] / shard->chunk[i]);
  }
  if (shard->chunk.size() != extents.size() || in_index.size() != extents.size()) {
    configuration["chunk_shape"].refuse(
        fmt::format("chunks of {} do not divide shards of {}; the metadata are damaged",
                    shape_text(shard->chunk), shape_text(extents)));
  }
  shard->codecs = codecs_of(array, configuration["codecs"], shard->chunk, outer + 1);
  in_index.push_back(2);  // where each begins, and its size
  ZarrArray index;
  index.held = ValueType{Precision::Double, synth::ValueKind::Unsigned};
  shard->index = codecs_of(index, configuration["index_codecs"], in_index, kMostShards);
  const ZarrCodecs& codecs = shard->index;
  const bool sized = std::ranges::count(codecs.packed, kCrc32c) == std::ssize(codecs.packed);
  if (!index.refusal.empty() || !sized || codecs.order != axes(in_index.size(), false)) {
    configuration["index_codecs"].refuse(
        "only bytes and crc32c are read here; write the array again with them");
  }
  if (!configuration.has("index_location")) return shard;
  const std::string place = configuration["index_location"].text();
  if (place != "start" && place != "end") {
    configuration["index_location"].fail("\"start\" or \"end\"");
  }
  shard->index_first = place == "start";
  return shard;
}

/// The codecs of version 3 for chunks of these extents: transposes, then one that turns values into
/// bytes, then those that turn bytes into others. The chunks are in `outer` shards.
ZarrCodecs codecs_of(ZarrArray& array, const JsonValue& list, std::vector<std::uint64_t> extents,
                     int outer) {
  constexpr std::string_view kOrder[] = {"order"}, kEndian[] = {"endian"};
  ZarrCodecs codecs;
  codecs.order = axes(extents.size(), false);
  bool bytes = false;
  for (const JsonValue& codec : list.items()) {
    const std::string name = name_of(codec);
    const auto refuse_place = [&](bool wrong) {
      if (!wrong || !array.refusal.empty()) return;
      codec.refuse(
          fmt::format("the codec {} stands in the wrong place; write the array again", name));
    };
    if (name == "transpose") {
      refuse_place(bytes);
      const auto configuration = configuration_of(codec, kOrder);
      if (!configuration) codec.fail("a transpose with its order");
      const JsonValue order = (*configuration)["order"];
      codecs.order = transposed(order, codecs.order);
      extents = transposed(order, extents);
    } else if (name == "sharding_indexed") {
      refuse_place(bytes);
      bytes = true;
      codecs.shard = shard_of(array, codec, extents, outer);
    } else if (name == "bytes") {
      refuse_place(bytes);
      bytes = true;
      const auto configuration = configuration_of(codec, kEndian);
      const bool ordered = configuration && configuration->has("endian");
      if (!array.held || (!ordered && synth::word_bytes(*array.held) == 1)) continue;
      if (!configuration) codec.fail("the order of bytes, as \"endian\"");
      const JsonValue endian = (*configuration)["endian"];
      const std::string order = endian.text();
      if (order != kLittleEndian && order != kBigEndian) endian.fail("\"little\" or \"big\"");
      codecs.big_endian = order == kBigEndian;
    } else if (const Codec* const known = add_codec(array, codecs, name)) {
      refuse_place(!bytes);
      configuration_of(codec, known->members);
    }
  }
  if (!bytes && array.refusal.empty()) {
    list.refuse("none of the codecs turns values into bytes; write the array again");
  }
  return codecs;
}

}  // namespace

void set_codecs_of_version_2(ZarrArray& array, const JsonValue& root, bool by_columns) {
  array.codecs.order = axes(array.shape.size(), by_columns);
  std::vector<JsonValue> codecs;
  if (root.has("filters") && !root["filters"].is_null()) codecs = root["filters"].items();
  if (const JsonValue compressor = root["compressor"]; !compressor.is_null()) {
    codecs.push_back(compressor);
  }
  for (const JsonValue& one : codecs) {
    const Codec* const codec = add_codec(array, array.codecs, one["id"].text());
    if (codec) check_understood(one, codec->members);
  }
}

void set_codecs_of_version_3(ZarrArray& array, const JsonValue& list) {
  array.codecs = codecs_of(array, list, array.chunk, 0);
}

}  // namespace fpsynth::data
