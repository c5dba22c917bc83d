#include "runners/data/formats/zarr_metadata.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/mapped_file.hpp"

namespace fpsynth::data {
namespace {

constexpr std::string_view kBareNan = "NaN", kBareInfinity = "Infinity",
                           kBareMinusInfinity = "-Infinity";

/// The text of JSON in which Python's NaN, Infinity and -Infinity, which JSON lacks, are strings.
std::string with_quoted_numbers(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size());
  bool in_string = false;
  while (!text.empty()) {
    std::size_t taken = 1;
    if (in_string) {
      in_string = text.front() != '"';
      if (text.front() == '\\') taken = std::min<std::size_t>(2, text.size());
    } else if (text.front() == '"') {
      in_string = true;
    } else {
      for (const std::string_view number : {kBareNan, kBareInfinity, kBareMinusInfinity}) {
        if (!text.starts_with(number)) continue;
        quoted += fmt::format("\"{}\"", number);
        text.remove_prefix(taken = number.size());
        break;
      }
      if (taken > 1) continue;
    }
    quoted += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return quoted;
}

/// Reads a regular file of JSON as Python writes it. Pipes and devices are errors, not waited for.
JsonFile read_json(const std::filesystem::path& path) {
  const auto file = map_named(path, kRestore);
  const std::span<const std::byte> bytes = file->bytes();
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  if (bytes.size() > kMostBytes) {
    throw Error(
        fmt::format("{} has more than 1 GiB, and metadata have less; {}", path.string(), kRestore));
  }
  return while_unchanged(*file, [&] {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return JsonFile::parse(with_quoted_numbers(text), path.string(), JsonAuthor::Program);
  });
}

/// Throws Error for a member that is not known, unless it says that it need not be understood.
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

/// The name of an extension point: "gzip", or {"name": "gzip", "configuration": ...}.
std::string name_of(const JsonValue& value) {
  return value.is_text() ? value.text() : value["name"].text();
}

/// The configuration of an extension point of which these members are known; nothing if it has
/// none.
std::optional<JsonValue> configuration_of(const JsonValue& value,
                                          std::span<const std::string_view> known) {
  if (value.is_text()) return std::nullopt;
  constexpr std::string_view kMembers[] = {"name", "configuration", "must_understand"};
  check_understood(value, kMembers);
  if (!value.has("configuration")) return std::nullopt;
  check_understood(value["configuration"], known);
  return value["configuration"];
}

struct Codec {
  std::string_view name, decoder;
  std::array<std::string_view, 6> members;  ///< of its configuration, and "id" in version 2
};
constexpr Codec kCodecs[] = {
    {"zlib", "zlib", {"id", "level"}},
    {"gzip", "zlib", {"id", "level"}},
    {"zstd", "zstd", {"id", "level", "checksum"}},
    {"blosc", "blosc", {"id", "cname", "clevel", "shuffle", "blocksize", "typesize"}}};

/// Notes the decoder of chunks, or that none of ours decodes them. Returns the codec if one does.
const Codec* set_codec(ZarrArray& array, std::string_view name) {
  const Codec* const known = std::ranges::find(kCodecs, name, &Codec::name);
  if (known != std::end(kCodecs) && array.decoder.empty()) {
    array.decoder = known->decoder;
    return known;
  }
  if (array.refusal.empty()) {
    array.refusal = fmt::format(
        "its chunks go through the codec {}{}; write it again with zlib, gzip, zstd, Blosc or none",
        name, array.decoder.empty() ? "" : " after another one");
  }
  return nullptr;
}

/// The bits of the value that chunks without a file have; nothing if the metadata gives none.
std::optional<std::uint64_t> fill_bits(const JsonValue& fill, ValueType type) {
  if (fill.is_null()) return std::nullopt;
  const std::size_t bytes = synth::word_bytes(type);
  if (!type.is_float()) {
    const bool is_signed = type.kind == synth::ValueKind::Signed;
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * bytes + (is_signed ? 1 : 0));
    return fill.integer(is_signed ? -static_cast<std::int64_t>(most) - 1 : 0, most);
  }
  double value = 0;
  if (fill.is_text()) {
    using Limits = std::numeric_limits<double>;
    const std::string text = fill.text();
    if (text.starts_with("0x")) {
      std::uint64_t bits = 0;
      const auto end = text.data() + text.size();
      if (text.size() != 2 + 2 * bytes ||
          std::from_chars(text.data() + 2, end, bits, 16).ptr != end) {
        fill.fail(fmt::format("0x and {} hexadecimal digits", 2 * bytes));
      }
      return bits;
    }
    value = text == kBareNan             ? Limits::quiet_NaN()
            : text == kBareInfinity      ? Limits::infinity()
            : text == kBareMinusInfinity ? -Limits::infinity()
                                         : fill.real();  // which fails
  } else {
    value = fill.real();
    constexpr double kMostSingle = std::numeric_limits<float>::max();
    if (type.precision == Precision::Single && std::abs(value) > kMostSingle) {
      fill.fail("a number of float32");
    }
  }
  return type.precision == Precision::Double
             ? std::bit_cast<std::uint64_t>(value)
             : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::vector<std::size_t> axes(std::size_t rank, bool reversed) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (reversed) std::ranges::reverse(order);
  return order;
}

void add_attributes(ZarrArray& array, const JsonValue& attributes) {
  for (const std::string_view name : kAttributes) {
    if (!attributes.has(name)) continue;
    const JsonValue value = attributes[name];
    std::string text;
    if (value.is_text()) {
      text = value.text();
    } else if (value.is_number()) {
      text = number_text(value.real(), array.held == ValueType(Precision::Single));
    } else {
      continue;  // a list, of which no other format shows more than the first number
    }
    array.attributes.push_back({std::string(name), std::move(text)});
  }
}

char separator_of(const JsonValue& value) {
  const std::string text = value.text();
  if (text != "." && text != "/") value.fail("\".\" or \"/\"");
  return text.front();
}

ZarrArray array_of_version_2(const JsonValue& root, const std::filesystem::path& attributes) {
  ZarrArray array;
  array.shape = root["shape"].wholes();
  array.chunk = root["chunks"].wholes();
  if (const JsonValue type = root["dtype"]; type.is_text()) {
    NpyHeader header;
    const std::string descr = type.text();
    type.check([&] { set_npy_type(header, descr); });
    if (header.held && !descr.starts_with('<') && !descr.starts_with('>')) {
      type.fail("a type with its byte order, such as \"<f8\"");
    }
    array.type = header.type;
    array.held = header.held;
    array.big_endian = header.big_endian;
  } else {
    array.type = "structured";
  }
  const std::string order = root["order"].text();
  if (order != "C" && order != "F") root["order"].fail("\"C\" or \"F\"");
  array.order = axes(array.shape.size(), order == "F");
  if (root.has("filters") && !root["filters"].is_null() && !root["filters"].items().empty()) {
    array.refusal = fmt::format("its chunks go through the filter {}; write it again without",
                                root["filters"].items().front()["id"].text());
  }
  if (const JsonValue compressor = root["compressor"]; !compressor.is_null()) {
    const Codec* const codec = set_codec(array, compressor["id"].text());
    if (codec) check_understood(compressor, codec->members);
  }
  if (array.held) array.fill = fill_bits(root["fill_value"], *array.held);
  if (root.has("dimension_separator")) array.separator = separator_of(root["dimension_separator"]);
  if (is_there(attributes)) add_attributes(array, read_json(attributes).root());
  return array;
}

/// The axes of the bytes that a transpose makes of axes in another order.
std::vector<std::size_t> transposed(const JsonValue& order, const std::vector<std::size_t>& axes) {
  std::vector<std::size_t> result;
  for (const std::uint64_t axis : order.wholes()) {
    if (axis >= axes.size()) order.fail("each axis once");
    result.push_back(axes[axis]);
  }
  std::vector<std::size_t> sorted = result;
  std::ranges::sort(sorted);
  if (sorted.size() != axes.size() || std::ranges::adjacent_find(sorted) != sorted.end()) {
    order.fail("each axis once");
  }
  return result;
}

/// Takes the codecs of version 3: transposes, then one that turns values into bytes, then one that
/// turns bytes into fewer.
void take_codecs(ZarrArray& array, const JsonValue& codecs) {
  constexpr std::string_view kOrder[] = {"order"}, kEndian[] = {"endian"};
  bool bytes = false;
  for (const JsonValue& codec : codecs.items()) {
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
      array.order = transposed((*configuration)["order"], array.order);
    } else if (name == "bytes") {
      refuse_place(bytes);
      bytes = true;
      const auto configuration = configuration_of(codec, kEndian);
      if (!array.held) continue;  // bytes, which have no order
      if (!configuration) codec.fail("the order of bytes, as \"endian\"");
      const JsonValue endian = (*configuration)["endian"];
      const std::string order = endian.text();
      if (order != kLittleEndian && order != kBigEndian) endian.fail("\"little\" or \"big\"");
      array.big_endian = order == kBigEndian;
    } else if (const Codec* const known = set_codec(array, name)) {
      refuse_place(!bytes);
      configuration_of(codec, known->members);
    }
  }
  if (!bytes && array.refusal.empty()) {
    codecs.refuse("none of the codecs turns values into bytes; write the array again");
  }
}

ZarrArray array_of_version_3(const JsonValue& root) {
  constexpr std::string_view kMembers[] = {
      "zarr_format",        "node_type",  "shape",  "data_type",  "chunk_grid",
      "chunk_key_encoding", "fill_value", "codecs", "attributes", "storage_transformers",
      "dimension_names"};
  constexpr std::string_view kShape[] = {"chunk_shape"}, kSeparator[] = {"separator"};
  check_understood(root, kMembers);
  ZarrArray array;
  array.shape = root["shape"].wholes();
  array.order = axes(array.shape.size(), false);
  array.type = name_of(root["data_type"]);
  array.held = synth::type_called(array.type, &synth::NamedType::name);
  if (array.held) configuration_of(root["data_type"], {});
  const JsonValue grid = root["chunk_grid"];
  if (const std::string kind = name_of(grid); kind == "regular") {
    const auto configuration = configuration_of(grid, kShape);
    if (!configuration) grid.fail("a grid with its chunk_shape");
    array.chunk = (*configuration)["chunk_shape"].wholes();
  } else {
    array.chunk = array.shape;
    array.refusal = fmt::format("its chunks lie in a grid of the kind {}, and not regularly", kind);
  }
  const JsonValue keys = root["chunk_key_encoding"];
  const std::string encoding = name_of(keys);
  if (encoding != "default" && encoding != "v2") {
    keys.refuse(
        fmt::format("the encoding of chunks' names '{}' is unknown; write the array again "
                    "with \"default\" or \"v2\"",
                    encoding));
  }
  if (encoding == "default") {
    array.key = "c";
    array.separator = '/';
  }
  const auto configuration = configuration_of(keys, kSeparator);
  if (configuration && configuration->has("separator")) {
    array.separator = separator_of((*configuration)["separator"]);
  }
  take_codecs(array, root["codecs"]);
  if (root.has("storage_transformers") && !root["storage_transformers"].items().empty()) {
    array.refusal = fmt::format(
        "its chunks go through the storage transformer {}; write it again "
        "without",
        name_of(root["storage_transformers"].items().front()));
  }
  if (array.held) array.fill = fill_bits(root["fill_value"], *array.held);
  if (root.has("attributes")) add_attributes(array, root["attributes"]);
  return array;
}

}  // namespace

std::string ZarrArray::file_of(const std::vector<std::uint64_t>& place) const {
  std::string name = key;
  for (const std::uint64_t number : place) {
    if (!name.empty()) name += separator;
    name += std::to_string(number);
  }
  return name.empty() ? "0" : name;
}

std::optional<ZarrArray> zarr_array(const std::filesystem::path& metadata) {
  const JsonFile file = read_json(metadata);
  const JsonValue root = file.root();
  const bool third = metadata.filename() == "zarr.json";
  root["zarr_format"].whole(third ? 3 : 2, third ? 3 : 2);
  ZarrArray array;
  if (third) {
    const std::string node = root["node_type"].text();
    if (node == "group") {
      constexpr std::string_view kMembers[] = {"zarr_format", "node_type", "attributes",
                                               "consolidated_metadata"};
      check_understood(root, kMembers);
      return std::nullopt;
    }
    if (node != "array") root["node_type"].fail("\"group\" or \"array\"");
    array = array_of_version_3(root);
  } else {
    if (metadata.filename() == ".zgroup") return std::nullopt;
    array = array_of_version_2(root, metadata.parent_path() / ".zattrs");
  }
  if (array.chunk.size() != array.shape.size() || std::ranges::count(array.chunk, 0u) > 0) {
    root.refuse(fmt::format("its chunks of {} do not fit its shape {}", shape_text(array.chunk),
                            shape_text(array.shape)));
  }
  return array;
}

}  // namespace fpsynth::data
