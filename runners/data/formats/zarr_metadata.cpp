#include "runners/data/formats/zarr_codecs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "synth/common/json.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/raise.hpp"

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
    raise("{} has more than 1 GiB, and metadata have less; {}", path.string(), kRestore);
  }
  return while_unchanged(*file, [&] {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return JsonFile::parse(with_quoted_numbers(text), path.string(), JsonAuthor::Program);
  });
}

/// The bits of the float of a type that is nearest to a double, of two the even one.
std::uint64_t nearest(double value, ValueType type) {
  if (type.precision == Precision::Double) return std::bit_cast<std::uint64_t>(value);
  const int bits = 8 * static_cast<int>(synth::word_bytes(type));
  const int fraction = bits - 1 - static_cast<int>(exponent_bits(type));
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (bits - 1);
  const std::uint64_t infinity = (std::uint64_t{1} << (bits - 1)) - (std::uint64_t{1} << fraction);
  if (std::isnan(value)) return infinity | std::uint64_t{1} << (fraction - 1);
  const int least = 2 - (1 << (bits - 2 - fraction));  // exponent of normal numbers
  if (std::abs(value) >= std::ldexp(4, -least)) return sign | infinity;
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  const double steps = std::nearbyint(std::ldexp(std::abs(value), fraction - exponent));
  return sign | (static_cast<std::uint64_t>(steps) +
                 (static_cast<std::uint64_t>(exponent - least) << fraction));
}

/// Sets the value that chunks without a file have, if the metadata gives one.
void set_fill(ZarrArray& array, const JsonValue& fill) {
  if (!array.held || fill.is_null()) return;
  const ValueType type = *array.held;
  const std::size_t bytes = synth::word_bytes(type);
  if (!type.is_float()) {
    const bool is_signed = type.kind == synth::ValueKind::Signed;
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * bytes + (is_signed ? 1 : 0));
    array.fill = fill.integer(is_signed ? -static_cast<std::int64_t>(most) - 1 : 0, most);
    array.fill_text = is_signed ? std::to_string(static_cast<std::int64_t>(*array.fill))
                                : std::to_string(*array.fill);
    return;
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
      array.fill = bits;
      array.fill_text = text;
      return;
    }
    value = text == kBareNan             ? Limits::quiet_NaN()
            : text == kBareInfinity      ? Limits::infinity()
            : text == kBareMinusInfinity ? -Limits::infinity()
                                         : fill.real();  // which fails
  } else {
    value = fill.real();
    if (nearest(std::abs(value), type) == nearest(std::numeric_limits<double>::infinity(), type)) {
      fill.fail(fmt::format("a number of {}", synth::to_string(type)));
    }
  }
  array.fill = nearest(value, type);
  array.fill_text = number_text(value, type.precision != Precision::Double);
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

ZarrArray array_of_version_2(const JsonValue& root) {
  ZarrArray array;
  array.shape = root["shape"].wholes();
  array.chunk = root["chunks"].wholes();
  if (const JsonValue type = root["dtype"]; type.is_text()) {
    NpyHeader header;
    const std::string descr = type.text();
    type.check([&] { set_npy_type(header, descr); });
    const bool ordered = descr.starts_with('<') || descr.starts_with('>') || descr == "bfloat16";
    if (header.held && !ordered && synth::word_bytes(*header.held) > 1) {
      type.fail("a type with its byte order, such as \"<f8\"");
    }
    array.type = header.type;
    array.held = header.held;
    array.codecs.big_endian = header.big_endian;
  } else {
    array.type = "structured";
  }
  const std::string order = root["order"].text();
  if (order != "C" && order != "F") root["order"].fail("\"C\" or \"F\"");
  set_codecs_of_version_2(array, root, order == "F");
  set_fill(array, root["fill_value"]);
  if (root.has("dimension_separator")) array.separator = separator_of(root["dimension_separator"]);
  return array;
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
  set_codecs_of_version_3(array, root["codecs"]);
  if (root.has("storage_transformers") && !root["storage_transformers"].items().empty()) {
    array.refusal = fmt::format(
        "its chunks go through the storage transformer {}; write it again "
        "without",
        name_of(root["storage_transformers"].items().front()));
  }
  set_fill(array, root["fill_value"]);
  if (root.has("attributes")) add_attributes(array, root["attributes"]);
  return array;
}

constexpr std::string_view kVersion = "zarr_format", kCopies = "consolidated_metadata";

/// The array that metadata describe, of version 3 or 2; nothing for a group of version 3.
std::optional<ZarrArray> array_of(const JsonValue& root, bool third) {
  root[kVersion].whole(third ? 3 : 2, third ? 3 : 2);
  if (third && root["node_type"].text() == "group") {
    constexpr std::string_view kMembers[] = {kVersion, "node_type", "attributes", kCopies};
    check_understood(root, kMembers);
    return std::nullopt;
  }
  if (third && root["node_type"].text() != "array")
    root["node_type"].fail("\"group\" or \"array\"");
  ZarrArray array = third ? array_of_version_3(root) : array_of_version_2(root);
  if (array.chunk.size() != array.shape.size() || std::ranges::count(array.chunk, 0u) > 0) {
    root.refuse(fmt::format("its chunks of {} do not fit its shape {}", shape_text(array.chunk),
                            shape_text(array.shape)));
  }
  return array;
}

bool is_third(const std::filesystem::path& metadata) { return metadata.filename() == "zarr.json"; }

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
  const bool third = is_third(metadata);
  if (!third && metadata.filename() != ".zarray") {
    if (metadata.filename() == ".zgroup") file.root()[kVersion].whole(2, 2);
    return std::nullopt;
  }
  auto array = array_of(file.root(), third);
  const std::filesystem::path attributes = metadata.parent_path() / ".zattrs";
  if (!third && is_there(attributes)) add_attributes(*array, read_json(attributes).root());
  return array;
}

ZarrCopies zarr_copies(const std::filesystem::path& metadata) {
  ZarrCopies copies;
  const bool third = is_third(metadata);
  const std::filesystem::path path = third ? metadata : metadata.parent_path() / ".zmetadata";
  if (!is_there(path)) return copies;
  const auto file = std::make_shared<const JsonFile>(read_json(path));
  const JsonValue root = file->root();
  if (third &&
      (!root.has(kCopies) || root[kCopies].is_null() || root[kCopies]["kind"].text() != "inline")) {
    return copies;
  }
  if (!third) root["zarr_consolidated_format"].whole(1, 1);
  const JsonValue nodes = (third ? root[kCopies] : root)["metadata"];
  for (const auto& [name, node] : nodes.members()) {
    constexpr std::string_view kArray = "/.zarray";
    if (third ? node["node_type"].text() != "array" : !name.ends_with(kArray)) continue;
    const std::string inside = third ? name : name.substr(0, name.size() - kArray.size());
    copies[inside] = [file, nodes, node = node, third, attributes = inside + "/.zattrs"] {
      auto array = *array_of(node, third);
      if (!third && nodes.has(attributes)) add_attributes(array, nodes[attributes]);
      return array;
    };
  }
  return copies;
}

}  // namespace fpsynth::data
