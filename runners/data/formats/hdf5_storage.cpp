#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data::hdf5 {
namespace {

namespace fs = std::filesystem;

/// Refuses a virtual data set because of one of its sources.
[[noreturn]] void refuse_source(const std::string& source, std::string_view reason) {
  throw Error(fmt::format(
      "it is made up of parts of other files, and {}, for which libhdf5 would give fill values, {}",
      source, reason));
}

/// A text that one of the library's functions writes into a buffer of a size and whose length it
/// returns.
template <class Get>
std::string text_by(Get get) {
  const auto length = get(static_cast<char*>(nullptr), std::size_t{0});
  if (length < 0) fail("its files cannot be listed");
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(text.data(), text.size());
  text.pop_back();
  return text;
}

/// The name of the file that holds a data set, as it was opened.
fs::path file_of(hid_t dataset) {
  return text_by([&](char* text, std::size_t size) { return H5Fget_name(dataset, text, size); });
}

/// The places at which the library looks for a file of a virtual data set, in its order.
std::vector<fs::path> places_of(const std::string& name, hid_t dataset) {
  std::vector<fs::path> places;
  fs::path relative = name;
  if (relative.is_absolute()) {
    places.push_back(relative);
    relative = relative.filename();
  }
  if (const char* prefixes = std::getenv("HDF5_VDS_PREFIX")) {
    std::istringstream list(prefixes);
    for (std::string prefix; std::getline(list, prefix, ':');) {
      places.push_back(fs::path(prefix) / relative);
    }
  }
  const Id access(H5Dget_access_plist(dataset), H5Pclose);
  const std::string prefix = text_by(
      [&](char* text, std::size_t size) { return H5Pget_virtual_prefix(access, text, size); });
  if (!prefix.empty()) places.push_back(fs::path(prefix) / relative);
  const fs::path file = file_of(dataset);
  std::error_code error;
  places.push_back(file.parent_path() / relative);
  places.push_back(relative);
  places.push_back(fs::weakly_canonical(file, error).parent_path() / relative);
  return places;
}

/// A file of a virtual data set, opened where the library finds it; a negative number, and `damage`
/// if there is one that cannot be opened, otherwise.
hid_t opened_source(const std::string& name, hid_t dataset, std::string& damage) {
  for (const fs::path& place : places_of(name, dataset)) {
    const hid_t file = H5Fopen(place.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) return file;
    const std::string cause = noted_cause();
    std::error_code error;
    if (damage.empty() && fs::exists(place, error))
      damage = "it is damaged, or being written" + cause;
  }
  return -1;
}

/// A source's name for a block: "%b" stands for the block's number, "%%" for "%".
std::string name_for(const std::string& pattern, std::uint64_t block) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'b') name += std::to_string(block);
    if (next == '%') name += '%';
    if (next == 'b' || next == '%') {
      ++i;
    } else {
      name += pattern[i];
    }
  }
  return name;
}

/// The number of blocks that a mapping without an end has within a virtual data set. The library
/// derives the extents of the data set from the blocks that it finds.
std::uint64_t blocks_of(hid_t dataset, hid_t mapped) {
  const std::vector<hsize_t> extents = extents_of(dataset);
  std::vector<hsize_t> start(extents.size()), stride(start), count(start), block(start);
  if (H5Sget_regular_hyperslab(mapped, start.data(), stride.data(), count.data(), block.data()) <
      0) {
    fail("its sources cannot be listed");
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (count[i] != H5S_UNLIMITED || extents[i] <= start[i] || stride[i] == 0) continue;
    return (extents[i] - start[i] - 1) / stride[i] + 1;
  }
  return 0;
}

}  // namespace

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  // HDF5 1.10 looks no further than the first folder that is not there.
  std::error_code error;
  static const bool added = fs::exists(modules::hdf5_plugins(), error) &&
                            H5PLprepend(modules::hdf5_plugins().c_str()) >= 0;
  (void)added;
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string type_name(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_STRING:
      return "string";
    case H5T_BITFIELD:
      return "bit field";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "of variable length";
    case H5T_ARRAY:
      return "array";
    default:
      return "of an unknown type";
  }
}

std::string noted_cause() {
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
  return cause.empty() ? "" : ": libhdf5: " + cause;
}

void fail(std::string_view what) { throw Error(fmt::format("{}{}", what, noted_cause())); }

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
  const std::string text = fmt::format("filter {}", number);
  return fmt::format(
      "it is packed with the HDF5 {}{}, which is not installed; name the folder of its plugin in "
      "HDF5_PLUGIN_PATH",
      text, name == text ? "" : ", " + name);
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

std::uint64_t Storage::bytes_beside(const fs::path& file) const {
  std::error_code error;
  const fs::path own = fs::weakly_canonical(file, error);
  std::uint64_t sum = 0;
  for (const auto& [path, bytes] : bytes_) sum += path == own ? 0 : bytes;
  return sum;
}

void Storage::add(hid_t dataset) {
  H5O_info_t info;
  if (H5Oget_info(dataset, &info) < 0) fail("its description cannot be read");
  std::error_code error;
  const auto [set, is_new] =
      sets_.try_emplace({fs::weakly_canonical(file_of(dataset), error), info.addr}, false);
  if (!is_new && !set->second) throw Error("its sources are made up of each other; it is damaged");
  if (!is_new) return;
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!properties) fail("its description cannot be read");
  add_file(file_of(dataset));
  add_raw_files(dataset, properties);
  if (H5Pget_layout(properties) == H5D_VIRTUAL) add_sources(dataset, properties);
  set->second = true;
}

void Storage::add_file(const fs::path& path) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (!error) bytes_.emplace(fs::weakly_canonical(path, error), bytes);
}

void Storage::add_raw_files(hid_t dataset, hid_t properties) {
  const int count = H5Pget_external_count(properties);
  if (count < 0) fail("its raw files cannot be listed");
  const Id space(H5Dget_space(dataset), H5Sclose);
  const Id type(H5Dget_type(dataset), H5Tclose);
  const Id access(H5Dget_access_plist(dataset), H5Pclose);
  const fs::path prefix = text_by(
      [&](char* text, std::size_t size) { return H5Pget_efile_prefix(access, text, size); });
  std::uint64_t left =
      static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type);
  for (int i = 0; i < count && left > 0; ++i) {
    std::string name(4096, '\0');
    off_t offset = 0;
    hsize_t most = 0;
    if (H5Pget_external(properties, static_cast<unsigned>(i), name.size(), name.data(), &offset,
                        &most) < 0) {
      fail("its raw files cannot be listed");
    }
    const fs::path path = prefix / name.c_str();
    const std::uint64_t needed = std::min<std::uint64_t>(most, left);
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(path, error);
    const auto begin = static_cast<std::uint64_t>(offset);
    if (error || bytes < begin || bytes - begin < needed) {
      const std::string what =
          error ? "which cannot be read: " + error.message()
                : fmt::format(
                      "which has {} where {} from byte {} are expected; libhdf5 would give "
                      "zeros",
                      counted(bytes, "byte"), needed, begin);
      throw Error(
          fmt::format("its values are in the raw file {}, {}; restore it", path.string(), what));
    }
    add_file(path);
    left -= needed;
  }
}

void Storage::add_sources(hid_t dataset, hid_t properties) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0) fail("its sources cannot be listed");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = text_by([&](char* text, std::size_t size) {
      return H5Pget_virtual_filename(properties, i, text, size);
    });
    const std::string name = text_by([&](char* text, std::size_t size) {
      return H5Pget_virtual_dsetname(properties, i, text, size);
    });
    const bool file_per_block = name_for(file, 0) != name_for(file, 1);
    const bool set_per_block = name_for(name, 0) != name_for(name, 1);
    const Id mapped(H5Pget_virtual_vspace(properties, i), H5Sclose);
    const bool one = !file_per_block && !set_per_block;
    // The block behind the last one may be there, but damaged.
    const std::uint64_t last = one ? 0 : blocks_of(dataset, mapped);
    for (std::uint64_t block = 0; block <= last; ++block) {
      const std::string source = name_for(file, block), set = name_for(name, block);
      const Found found = add_source(dataset, source, set);
      const bool end = block == last;
      if (found == Found::NoFile && !(end && file_per_block)) {
        refuse_source(source, "is not there; put it beside the file");
      }
      if (found == Found::NoDataSet && !(end && set_per_block)) {
        refuse_source(source + ":" + set, "is not there; restore it");
      }
    }
  }
}

Storage::Found Storage::add_source(hid_t dataset, const std::string& file,
                                   const std::string& name) {
  const auto refuse = [&](std::string_view reason) {
    refuse_source(file + ":" + name, fmt::format("cannot be read: {}", reason));
  };
  std::string damage;
  const Id opened(file == "." ? H5Iget_file_id(dataset) : opened_source(file, dataset, damage),
                  H5Fclose);
  if (!opened && damage.empty()) return Found::NoFile;
  if (!opened) refuse(damage);
  const Id source(H5Dopen2(opened, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!source) {
    const std::string cause = noted_cause();
    const bool there = H5Lexists(opened, name.c_str(), H5P_DEFAULT) > 0;
    H5Eclear2(H5E_DEFAULT);
    if (!there) return Found::NoDataSet;
    refuse("it cannot be opened" + cause);
  }
  try {
    add(source);
  } catch (const Error& reason) {
    refuse(reason.what());
  }
  return Found::Yes;
}

}  // namespace fpsynth::data::hdf5
