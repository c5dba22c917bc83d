#include "runners/data/formats/zarr_metadata.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::data {
namespace {

/// Notes the decoder of chunks, or that none of ours decodes them.
void set_codec(ZarrArray& array, std::string_view codec) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDecoders = {
      {{"zlib", "zlib"}, {"gzip", "zlib"}, {"zstd", "zstd"}, {"blosc", "blosc"}}};
  const auto known =
      std::ranges::find(kDecoders, codec, [](const auto& pair) { return pair.first; });
  if (known != kDecoders.end() && array.decoder.empty()) {
    array.decoder = known->second;
  } else if (array.refusal.empty()) {
    array.refusal = fmt::format(
        "its chunks go through the codec {}{}; write it again with zlib, gzip, zstd, Blosc or none",
        codec, array.decoder.empty() ? "" : " after another one");
  }
}

/// The bits of the value that chunks without a file have.
std::uint64_t fill_bits(const JsonValue& fill, ValueType type) {
  if (fill.is_null()) return 0;
  if (!type.is_float()) {
    const bool is_signed = type.kind == synth::ValueKind::Signed;
    const std::uint64_t most =
        ~std::uint64_t{0} >> (64 - 8 * synth::word_bytes(type) + (is_signed ? 1 : 0));
    return fill.integer(is_signed ? -static_cast<std::int64_t>(most) - 1 : 0, most);
  }
  double value = 0;
  if (fill.is_text()) {
    using Limits = std::numeric_limits<double>;
    const std::string text = fill.text();
    if (text.starts_with("0x")) {
      std::uint64_t bits = 0;
      const auto end = text.data() + text.size();
      if (std::from_chars(text.data() + 2, end, bits, 16).ptr != end) fill.fail("a number");
      return bits;
    }
    value = text == "NaN"         ? Limits::quiet_NaN()
            : text == "Infinity"  ? Limits::infinity()
            : text == "-Infinity" ? -Limits::infinity()
                                  : fill.real();  // which fails
  } else {
    value = fill.real();
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
    type.check([&] { set_npy_type(header, type.text()); });
    array.type = header.type;
    array.held = header.held;
    array.big_endian = header.big_endian;
  } else {
    array.type = "structured";
  }
  const std::string order = root["order"].text();
  if (order != "C" && order != "F") root["order"].fail("\"C\" or \"F\"");
  array.order = axes(array.shape.size(), order == "F");
  if (root.has("filters") && !root["filters"].is_null()) {
    for (const JsonValue& filter : root["filters"].items()) set_codec(array, filter["id"].text());
    // A filter that is also a compressor would come first: its decoder must not be the only one.
    if (!array.decoder.empty()) set_codec(array, array.decoder);
  }
  if (!root["compressor"].is_null()) set_codec(array, root["compressor"]["id"].text());
  if (array.held) array.fill = fill_bits(root["fill_value"], *array.held);
  if (root.has("dimension_separator")) array.separator = separator_of(root["dimension_separator"]);
  std::error_code error;
  if (std::filesystem::exists(attributes, error)) {
    const JsonFile file = JsonFile::read(attributes, JsonAuthor::Program);
    add_attributes(array, file.root());
  }
  return array;
}

/// The name of an extension point: "gzip", or {"name": "gzip", "configuration": ...}.
std::string name_of(const JsonValue& value) {
  return value.is_text() ? value.text() : value["name"].text();
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

ZarrArray array_of_version_3(const JsonValue& root) {
  ZarrArray array;
  array.shape = root["shape"].wholes();
  array.order = axes(array.shape.size(), false);
  array.type = name_of(root["data_type"]);
  array.held = synth::type_called(array.type, &synth::NamedType::name);
  if (const std::string grid = name_of(root["chunk_grid"]); grid == "regular") {
    array.chunk = root["chunk_grid"]["configuration"]["chunk_shape"].wholes();
  } else {
    array.chunk = array.shape;
    array.refusal = fmt::format("its chunks lie in a grid of the kind {}, and not regularly", grid);
  }
  const JsonValue keys = root["chunk_key_encoding"];
  const std::string encoding = name_of(keys);
  if (encoding != "default" && encoding != "v2") keys.fail("\"default\" or \"v2\"");
  if (encoding == "default") {
    array.key = "c";
    array.separator = '/';
  }
  if (!keys.is_text() && keys.has("configuration") && keys["configuration"].has("separator")) {
    array.separator = separator_of(keys["configuration"]["separator"]);
  }
  for (const JsonValue& codec : root["codecs"].items()) {
    const std::string name = name_of(codec);
    if (name == "transpose") {
      array.order = transposed(codec["configuration"]["order"], array.order);
    } else if (name == "bytes") {
      array.big_endian = !codec.is_text() && codec.has("configuration") &&
                         codec["configuration"].has("endian") &&
                         codec["configuration"]["endian"].text() == "big";
    } else {
      set_codec(array, name);
    }
  }
  if (root.has("storage_transformers") && !root["storage_transformers"].items().empty()) {
    set_codec(array, name_of(root["storage_transformers"].items().front()));
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
  const JsonFile file = JsonFile::read(metadata, JsonAuthor::Program);
  const JsonValue root = file.root();
  const bool third = metadata.filename() == "zarr.json";
  root["zarr_format"].whole(third ? 3 : 2, third ? 3 : 2);
  ZarrArray array;
  if (third) {
    const std::string node = root["node_type"].text();
    if (node == "group") return std::nullopt;
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
