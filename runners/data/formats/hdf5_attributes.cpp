// Attributes of HDF5 objects, as texts.

#include <bit>
#include <cstddef>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "runners/data/formats/variables.hpp"

namespace fpsynth::data::hdf5 {
namespace {

bool is_integer(hid_t type) { return H5Tget_class(type) == H5T_INTEGER; }
bool is_signed(hid_t type) { return H5Tget_sign(type) != H5T_SGN_NONE; }

}  // namespace

hid_t read_as(hid_t type) {
  if (!is_integer(type)) return H5T_NATIVE_DOUBLE;
  return is_signed(type) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

std::string text_of(std::uint64_t number, hid_t type) {
  if (!is_integer(type)) return number_text(std::bit_cast<double>(number), H5Tget_size(type) == 4);
  return is_signed(type) ? std::to_string(static_cast<std::int64_t>(number))
                         : std::to_string(number);
}

std::optional<std::string> attribute_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Id type(attribute ? H5Aget_type(attribute) : -1, H5Tclose);
  const Id space(attribute ? H5Aget_space(attribute) : -1, H5Sclose);
  if (!type || !space) return std::nullopt;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  constexpr hssize_t kMost = 1 << 16;  // the library keeps attributes of at most 64 KiB
  if (count < 1 || count > kMost) return std::nullopt;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(count));
    if (H5Aread(attribute, read_as(type), numbers.data()) < 0) return std::nullopt;
    return text_of(numbers.front(), type);
  }
  if (kind != H5T_STRING || count != 1) return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0 || !text) return std::nullopt;
    std::string copy(text);
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  return text.substr(0, text.find('\0'));
}

}  // namespace fpsynth::data::hdf5
