// The HDF5 reader: errors, types, links, filters and attributes of libhdf5.

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <system_error>
#include <utility>

#include "runners/data/formats/hdf5.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::data::hdf5 {

namespace fs = std::filesystem;

namespace {

/// The innermost cause, as noted_cause() has it.
std::string innermost_cause() {
  std::string cause;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
        auto& cause_text = *static_cast<std::string*>(text);
        if (cause_text.empty() && error->desc) cause_text = error->desc;
        return 0;
      },
      &cause);
  H5Eclear2(H5E_DEFAULT);
  return cause;
}

bool is_integer(hid_t type) { return H5Tget_class(type) == H5T_INTEGER; }
bool is_signed(hid_t type) { return H5Tget_sign(type) != H5T_SGN_NONE; }

/// Makes the installed filters known: the program's own, those in the folders of HDF5_PLUGIN_PATH,
/// and those of the distribution's packages, also where that is set. HDF5 1.10 looks no further
/// than the first folder that is not there.
bool add_plugins() {
  std::error_code error;
  unsigned count = 0;
  for (unsigned i = 0; H5PLsize(&count) >= 0 && i < count;) {
    char folder[4096] = "";
    const bool there = H5PLget(i, folder, sizeof folder) > 0 && fs::exists(folder, error);
    if (there) {
      ++i;
    } else if (H5PLremove(i) < 0) {
      break;
    }
  }
  const fs::path own = modules::hdf5_plugins();
  if (fs::exists(own, error)) H5PLprepend(own.c_str());
  if (fs::exists(H5_DEFAULT_PLUGINDIR, error)) H5PLappend(H5_DEFAULT_PLUGINDIR);
  // Some, such as h5py's lzf, take the functions of HDF5 from the program, and not from a library.
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&H5open), &library) != 0) {
    dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  }
  dlopen("liblzf.so.1", RTLD_NOW | RTLD_GLOBAL);  // which Debian's plugin of lzf does not name
  return true;
}

/// A filter of others, and Debian's package of it; null if there is none.
struct KnownFilter {
  H5Z_filter_t number;
  const char *name, *package;
};
constexpr KnownFilter kKnownFilters[] = {{307, "bzip2", "hdf5-filter-plugin"},
                                         {32000, "lzf", "hdf5-plugin-lzf (and liblzf1)"},
                                         {32001, "Blosc", "hdf5-filter-plugin-blosc-serial"},
                                         {32004, "lz4", "hdf5-filter-plugin"},
                                         {32008, "bitshuffle", nullptr},
                                         {32013, "zfp", "hdf5-filter-plugin-zfp-serial"},
                                         {32015, "zstd", nullptr},
                                         {32017, "SZ", nullptr},
                                         {32026, "Blosc2", nullptr}};
constexpr H5Z_filter_t kLzf = 32000;  // the only one of them that hdf5plugin does not have

}  // namespace

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static const bool added = add_plugins();
  (void)added;
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string type_name(hid_t type) {
  constexpr std::pair<H5T_class_t, const char*> kOthers[] = {
      {H5T_STRING, "string"},          {H5T_BITFIELD, "bit field"},  {H5T_OPAQUE, "opaque"},
      {H5T_ENUM, "enumeration"},       {H5T_REFERENCE, "reference"}, {H5T_ARRAY, "array"},
      {H5T_VLEN, "of variable length"}};
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bits = 8 * H5Tget_size(type);
  if (kind == H5T_INTEGER) return fmt::format("{}int{}", is_signed(type) ? "" : "u", bits);
  if (kind == H5T_FLOAT) {
    std::size_t unused = 0, exponent = 0;
    H5Tget_fields(type, &unused, &unused, &exponent, &unused, &unused);
    return bits == 16 && exponent == 8 ? "bfloat16" : fmt::format("float{}", bits);
  }
  if (kind == H5T_COMPOUND) {  // complex numbers as h5py writes them
    const Id part(H5Tget_nmembers(type) == 2 ? H5Tget_member_type(type, 0) : -1, H5Tclose);
    const bool complex = part && H5Tget_class(part) == H5T_FLOAT &&
                         H5Tget_member_index(type, "r") == 0 && H5Tget_member_index(type, "i") == 1;
    return complex ? fmt::format("complex{}", bits) : "compound";
  }
  const auto other = std::ranges::find(kOthers, kind, &std::pair<H5T_class_t, const char*>::first);
  return other != std::end(kOthers) ? other->second : "of an unknown type";
}

std::string noted_cause() {
  const std::string cause = innermost_cause();
  return cause.empty() ? "" : ": libhdf5: " + cause;
}

void fail(std::string_view what) {
  const std::string cause = innermost_cause();
  if (cause.find("errno = 28,") != cause.npos) {
    raise("{}: the disk is full", what);
  }
  // Metadata of later formats say their version behind a checksum, older ones have none.
  if (cause.find("version") != cause.npos || cause.find("fail if unknown") != cause.npos) {
    throw NewerError(fmt::format(
        "{}{} does not know its format ({}): a later HDF5 wrote it, unless it is damaged; write it "
        "for earlier ones with that: h5repack --low=0 --high=2, or h5py's libver=('earliest', "
        "'v110')",
        what.starts_with("it ") ? "" : std::string(what) + ": ", version(), cause));
  }
  throw Error(cause.empty() ? std::string(what) : fmt::format("{}: libhdf5: {}", what, cause));
}

std::string version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}", major, minor, release);
}

std::vector<hsize_t> extents_of(hid_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail("its shape cannot be read");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) {
    fail("its shape cannot be read");
  }
  return extents;
}

std::vector<hsize_t> chunk_of(hid_t properties) {
  if (H5Pget_layout(properties) != H5D_CHUNKED) return {};
  std::vector<hsize_t> chunk(H5S_MAX_RANK);
  const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk.data());
  if (rank < 0) fail("its chunks cannot be read");
  chunk.resize(static_cast<std::size_t>(rank));
  return chunk;
}

std::optional<std::vector<std::byte>> own_fill(hid_t properties, hid_t type) {
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  std::vector<std::byte> fill(H5Tget_size(type));
  if (H5Pfill_value_defined(properties, &defined) < 0 ||
      (defined == H5D_FILL_VALUE_USER_DEFINED &&
       H5Pget_fill_value(properties, type, fill.data()) < 0)) {
    fail("its fill value cannot be read");
  }
  return defined == H5D_FILL_VALUE_USER_DEFINED ? std::optional(fill) : std::nullopt;
}

void fill_with(std::span<const std::byte> fill, std::span<std::byte> values) {
  for (std::size_t at = 0; at < values.size(); at += fill.size()) {
    std::ranges::copy(fill, values.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

std::vector<std::string> hard_links(hid_t file, H5_iter_order_t order) {
  std::vector<std::string> names;
  const herr_t status = H5Lvisit(
      file, H5_INDEX_NAME, order,
      [](hid_t, const char* name, const H5L_info_t* info, void* list) -> herr_t {
        if (info->type == H5L_TYPE_HARD) {
          static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        }
        return 0;
      },
      &names);
  if (status < 0) fail("its groups cannot be listed");
  return names;
}

std::string Filter::refusal() const {
  const auto known = std::ranges::find(kKnownFilters, number, &KnownFilter::number);
  const bool is_known = known != std::end(kKnownFilters);
  const std::string text = fmt::format("filter {}", number);
  const std::string called = is_known ? known->name : name == text ? "" : name;
  std::string ways;
  if (is_known && known->package) ways = fmt::format("install the package {}, or ", known->package);
  ways += is_known && number != kLzf
              ? "pip install hdf5plugin and set HDF5_PLUGIN_PATH=$(python3 -c 'import hdf5plugin; "
                "print(hdf5plugin.PLUGIN_PATH)')"
              : "name the folder of its plugin in HDF5_PLUGIN_PATH";
  return fmt::format("it is packed with the HDF5 {}{}{}, which is not installed; {}", text,
                     called.empty() ? "" : ", ", called, ways);
}

std::vector<Filter> filters_of(hid_t properties) {
  const int count = H5Pget_nfilters(properties);
  std::vector<Filter> filters;
  for (int i = 0; i < count; ++i) {
    char name[128] = "";
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t number = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags,
                                               &values, nullptr, sizeof name, name, &config);
    if (number < 0) fail("its filters cannot be read");
    filters.push_back(
        {number, *name ? name : fmt::format("filter {}", number), H5Zfilter_avail(number) > 0});
  }
  H5Eclear2(H5E_DEFAULT);  // what looking for plugins left
  return filters;
}

hid_t read_as(hid_t type) {
  if (!is_integer(type)) return H5T_NATIVE_DOUBLE;
  return is_signed(type) ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

std::string text_of(std::uint64_t number, hid_t type) {
  if (!is_integer(type)) return number_text(std::bit_cast<double>(number), H5Tget_size(type) <= 4);
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
