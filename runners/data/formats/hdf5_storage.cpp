#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data::hdf5 {
namespace {

namespace fs = std::filesystem;

/// Refuses a virtual data set because of one of its sources.
[[noreturn]] void refuse_source(const std::string& source, std::string_view reason) {
  raise(
      "it is made up of parts of other files, and {}, for which libhdf5 would give fill values, {}",
      source, reason);
}

/// The reason for a source that is missing in front of another one.
std::string missing_before(const std::string& next) {
  return fmt::format("is not there, but {} is; restore it", next);
}

/// A text that one of the library's functions writes into a buffer of a size, its last arguments,
/// and whose length it returns.
template <class Get, class... Of>
std::string text_by(Get get, const Of&... of) {
  const auto length = get(of..., nullptr, 0);
  if (length < 0) fail("its files cannot be listed");
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  get(of..., text.data(), text.size());
  text.pop_back();
  return text;
}

/// A path without links, as far as it is there.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  return fs::weakly_canonical(path, error);
}

/// The name of the file that holds a data set, as it was opened.
fs::path file_of(hid_t dataset) { return text_by(H5Fget_name, dataset); }

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
  const std::string prefix = text_by(H5Pget_virtual_prefix, access);
  if (!prefix.empty()) places.push_back(fs::path(prefix) / relative);
  const fs::path file = file_of(dataset);
  places.push_back(file.parent_path() / relative);
  places.push_back(relative);
  places.push_back(resolved(file).parent_path() / relative);
  return places;
}

/// A file of a virtual data set, opened where the library finds it; a negative number, and `damage`
/// if there is one that cannot be opened, otherwise.
hid_t opened_source(const std::string& name, hid_t dataset, std::string& damage) {
  if (name == ".") return H5Iget_file_id(dataset);
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

/// The number of the block for which name_for() gives a text; nothing if there is none.
std::optional<std::uint64_t> block_called(const std::string& text, const std::string& pattern) {
  std::size_t at = 0;
  while (at + 1 < pattern.size() && pattern.compare(at, 2, "%b") != 0) {
    at += pattern.compare(at, 2, "%%") == 0 ? 2 : 1;
  }
  const std::string before = name_for(pattern.substr(0, at), 0);
  std::uint64_t block = 0;
  if (!text.starts_with(before)) return std::nullopt;
  std::from_chars(text.data() + before.size(), text.data() + text.size(), block);
  return name_for(pattern, block) == text ? std::optional(block) : std::nullopt;
}

/// The first block behind one, and before `most`, of which there is a file; `most` if none has one.
std::uint64_t next_file(const std::string& pattern, hid_t dataset, std::uint64_t block,
                        std::uint64_t most) {
  std::uint64_t next = most;
  for (const fs::path& place : places_of(pattern, dataset)) {
    fs::path folder;
    auto part = place.begin();
    for (; part != place.end() && name_for(*part, 0) == name_for(*part, 1); ++part) {
      folder /= name_for(*part, 0);
    }
    if (part == place.end()) continue;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
      const auto number = block_called(entry.path().filename(), *part);
      if (!number || *number <= block || *number >= next) continue;
      if (fs::exists(name_for(place, *number), error)) next = *number;
    }
  }
  return next;
}

/// The same of data sets of a file.
std::uint64_t next_set(std::string pattern, hid_t file, std::uint64_t block, std::uint64_t most) {
  if (pattern.starts_with('/')) pattern.erase(0, 1);
  std::uint64_t next = most;
  for (const std::string& name : hard_links(file, H5_ITER_INC)) {
    const auto number = block_called(name, pattern);
    if (number && *number > block) next = std::min(next, *number);
  }
  return next;
}

/// A regular selection; the count or the block of one dimension may be without an end.
struct Hyperslab {
  explicit Hyperslab(hid_t space)
      : start(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space)))),
        stride(start),
        count(start),
        block(start) {
    if (H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(), block.data()) <
        0) {
      fail("its sources cannot be listed");
    }
  }
  std::vector<hsize_t> start, stride, count, block;
};

/// The number of blocks that a mapping without an end has within extents.
std::uint64_t blocks_in(const std::vector<hsize_t>& extents, hid_t mapped) {
  const Hyperslab slab(mapped);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (slab.count[i] != H5S_UNLIMITED || extents[i] <= slab.start[i] || slab.stride[i] == 0) {
      continue;
    }
    if (extents[i] == H5S_UNLIMITED) return H5S_UNLIMITED;
    return (extents[i] - slab.start[i] - 1) / slab.stride[i] + 1;
  }
  return 0;
}

/// The number of values that a selection without an end has within extents.
std::uint64_t values_in(const std::vector<hsize_t>& extents, hid_t selection) {
  const Hyperslab slab(selection);
  std::uint64_t values = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const hsize_t room = extents[i] - std::min(extents[i], slab.start[i]);
    const hsize_t stride = std::max<hsize_t>(slab.stride[i], 1);
    values *= slab.block[i] == H5S_UNLIMITED ? room
              : slab.count[i] == H5S_UNLIMITED
                  ? room / stride * slab.block[i] + std::min(room % stride, slab.block[i])
                  : slab.count[i] * slab.block[i];
  }
  return values;
}

/// The number of values of a selection; H5S_UNLIMITED for one without an end. All of a data set is
/// kept without its extents, and is what the data set has.
std::uint64_t values_of(hid_t selection, const std::vector<hsize_t>& extents) {
  if (H5Sget_select_type(selection) != H5S_SEL_ALL) {
    return static_cast<hsize_t>(H5Sget_select_npoints(selection));
  }
  std::uint64_t values = 1;
  for (const hsize_t extent : extents) values *= extent;
  return values;
}

/// True if a source has the values that a virtual data set takes of it.
bool has_all(hid_t source, hid_t taken, hid_t dataset, hid_t mapped) {
  const std::vector<hsize_t> extents = extents_of(source), whole = extents_of(dataset);
  const std::uint64_t values = values_of(taken, extents);
  if (values == H5S_UNLIMITED) return values_in(extents, taken) >= values_in(whole, mapped);
  std::uint64_t place = values_of(mapped, whole);
  if (place == H5S_UNLIMITED) {  // a block of it for each source
    const Hyperslab slab(mapped);
    place = 1;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      place *= slab.block[i] * (slab.count[i] == H5S_UNLIMITED ? 1 : slab.count[i]);
    }
  }
  if (values != place || H5Sget_select_type(taken) == H5S_SEL_ALL) return values == place;
  std::vector<hsize_t> first(extents.size()), last(first);
  return H5Sget_simple_extent_ndims(taken) == static_cast<int>(extents.size()) &&
         H5Sget_select_bounds(taken, first.data(), last.data()) >= 0 &&
         std::ranges::equal(last, extents, std::less<>());
}

}  // namespace

void Storage::describe(Variable& variable, const fs::path& own) const {
  const fs::path here = resolved(own);
  for (const auto& [path, bytes] : bytes_) {
    variable.files.push_back(path.string());
    if (path != here) variable.bytes_elsewhere += bytes;
  }
}

void Storage::add(hid_t dataset) {
  H5O_info_t info;
  if (H5Oget_info(dataset, &info) < 0) fail("its description cannot be read");
  const auto [set, is_new] = sets_.try_emplace({resolved(file_of(dataset)), info.addr}, false);
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
  if (!error) bytes_.emplace(resolved(path), bytes);
}

void Storage::add_raw_files(hid_t dataset, hid_t properties) {
  const int count = H5Pget_external_count(properties);
  if (count < 0) fail("its raw files cannot be listed");
  const Id space(H5Dget_space(dataset), H5Sclose);
  const Id type(H5Dget_type(dataset), H5Tclose);
  const Id access(H5Dget_access_plist(dataset), H5Pclose);
  const fs::path prefix = text_by(H5Pget_efile_prefix, access);
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
      raise("its values are in the raw file {}, {}; restore it", path.string(), what);
    }
    add_file(path);
    left -= needed;
  }
}

void Storage::add_sources(hid_t dataset, hid_t properties) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0) fail("its sources cannot be listed");
  std::vector<hsize_t> largest = extents_of(dataset);
  const Id space(H5Dget_space(dataset), H5Sclose);
  if (!largest.empty()) H5Sget_simple_extent_dims(space, nullptr, largest.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string file = text_by(H5Pget_virtual_filename, properties, i);
    const std::string name = text_by(H5Pget_virtual_dsetname, properties, i);
    const bool file_per_block = name_for(file, 0) != name_for(file, 1);
    const bool set_per_block = name_for(name, 0) != name_for(name, 1);
    const Id mapped(H5Pget_virtual_vspace(properties, i), H5Sclose);
    const Id taken(H5Pget_virtual_srcspace(properties, i), H5Sclose);
    const bool one = !file_per_block && !set_per_block;
    // The library derives the extents from the blocks that it finds. The block behind the last one
    // may be there, but damaged.
    const std::uint64_t last = one ? 0 : blocks_in(extents_of(dataset), mapped);
    for (std::uint64_t block = 0; block <= last; ++block) {
      const std::string source = name_for(file, block), set = name_for(name, block);
      const Found found = add_source(dataset, mapped, taken, source, set);
      const bool end = block == last;
      if (found == Found::NoFile && !(end && file_per_block)) {
        refuse_source(source, "is not there; put it beside the file");
      }
      if (found == Found::NoDataSet && !(end && set_per_block)) {
        refuse_source(source + ":" + set, "is not there; restore it");
      }
      // The library takes the first source that is missing for the end.
      if (one || found == Found::Yes) continue;
      const std::uint64_t most = blocks_in(largest, mapped);
      if (found == Found::NoFile) {
        const std::uint64_t next = next_file(file, dataset, block, most);
        if (next < most) refuse_source(source, missing_before(name_for(file, next)));
      } else {
        std::string damage;
        const Id holder(opened_source(source, dataset, damage), H5Fclose);
        const std::uint64_t next = holder ? next_set(name, holder, block, most) : most;
        if (next < most) {
          refuse_source(source + ":" + set, missing_before(name_for(name, next)));
        }
      }
    }
  }
}

Storage::Found Storage::add_source(hid_t dataset, hid_t mapped, hid_t taken,
                                   const std::string& file, const std::string& name) {
  const auto refuse = [&](std::string_view reason) {
    refuse_source(file + ":" + name, fmt::format("cannot be read: {}", reason));
  };
  std::string damage;
  const Id holder(opened_source(file, dataset, damage), H5Fclose);
  if (!holder && damage.empty()) return Found::NoFile;
  if (!holder) refuse(damage);
  const Id source(H5Dopen2(holder, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!source) {
    const std::string cause = noted_cause();
    const bool there = H5Lexists(holder, name.c_str(), H5P_DEFAULT) > 0;
    H5Eclear2(H5E_DEFAULT);
    if (!there) return Found::NoDataSet;
    refuse("it cannot be opened" + cause);
  }
  try {
    if (!has_all(source, taken, dataset, mapped))
      throw Error("it does not have the values that are taken of it");
    add(source);
  } catch (const Error& reason) {
    refuse(reason.what());
  }
  return Found::Yes;
}

}  // namespace fpsynth::data::hdf5
