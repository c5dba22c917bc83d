#include "results/documents/data_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "results/documents/check_field.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/value_type.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

std::uint64_t chunks_of(std::uint64_t values, std::uint64_t sample, std::size_t chunk_words) {
  return Cutting{1, values, chunk_words}.chunks(sample);
}

std::string_view precision_text(const DataSet& data) {
  return data.type.empty() ? synth::to_string(data.precision) : data.type;
}

std::string label(const DataSet& data) {
  return fmt::format("{} ({})", data.name, precision_text(data));
}

void validate(const DataSet& data) {
  check_name("data set", data.name);
  const std::uint64_t word = synth::word_bytes(data.precision);
  check_field(data.tail_bytes < word, "dataset.tail_bytes", "{} tail bytes fill a {}-byte word",
              data.tail_bytes, word);
  check_field(
      data.values <= UINT64_MAX / word - 1 && data.values * word + data.tail_bytes == data.bytes,
      "dataset.bytes", "{} values of {} bytes and {} tail bytes are not {} bytes", data.values,
      word, data.tail_bytes, data.bytes);
  if (!data.type.empty()) {
    const auto type = synth::type_called(data.type, &synth::NamedType::name);
    check_field(type && !type->is_of_precision() && type->precision == data.precision,
                "dataset.type", "'{}' is no type of {} bytes that a precision does not name",
                data.type, word);
  }
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  check_field(data.xxh3.size() == 16 && std::ranges::all_of(data.xxh3, is_hex), "dataset.xxh3",
              "'{}' is not 16 lower-case hex digits", data.xxh3);
  if (!data.hdf5) return;
  const auto& [shape, chunk, fill] = *data.hdf5;
  check_field(!shape.empty() && shape.size() == chunk.size(), "dataset.hdf5.chunk",
              "{} extents for an array of {}", chunk.size(), shape.size());
  check_field(std::ranges::count(chunk, 0u) == 0 && std::ranges::count(shape, 0u) == 0 &&
                  product_of(shape) == data.values && data.tail_bytes == 0,
              "dataset.hdf5.shape", "{} is not that of {} values", extents_text(shape),
              data.values);
  check_field(fill.empty() || (fill.size() == 2 * word && std::ranges::all_of(fill, is_hex)),
              "dataset.hdf5.fill", "'{}' is not {} lower-case hex digits", fill, 2 * word);
}

void check_name(std::string_view of, std::string_view name) {
  constexpr std::size_t kMostBytes = 200;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool bad =
      name.empty() || name.front() == '.' || name.size() > kMostBytes ||
      std::ranges::any_of(name, [&](char c) { return c == '/' || c == '\\' || is_control(c); });
  if (!bad) return;
  std::string shown(name.substr(0, kMostBytes));
  std::ranges::replace_if(shown, is_control, '?');  // a terminal would obey them
  raise<UsageError>(
      "the {} name '{}'{} cannot be a file name; choose one of 1 to {} bytes that does not start "
      "with a dot and has no slash or control character",
      of, shown, name.size() > kMostBytes ? "..." : "", kMostBytes);
}

void contradiction(std::string_view field, std::string_view what) {
  raise("field {}: {}; create the document again to replace it", field, what);
}

}  // namespace fpsynth::results
