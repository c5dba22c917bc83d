#pragma once
// The common parts of the HDF5 reader: identifiers, errors, attributes, and the files that hold the
// values of a data set.

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/data/formats/variables.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data::hdf5 {

/// An identifier of the library, and the function that closes it.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Keeps the library from printing its errors, as long as it exists. The library then also knows
/// the program's own filter.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// "int16", "float32", "compound".
std::string type_name(hid_t type);

/// "; libhdf5: " and the innermost cause that the library noted, which is then forgotten; empty if
/// it noted none.
std::string noted_cause();

/// A file, or a part of it, that a later library wrote.
struct NewerError : Error {
  using Error::Error;
};

/// Throws Error with that cause, which says so if the disk is full; NewerError, with the way out,
/// if the library does not know the version of what it reads.
[[noreturn]] void fail(std::string_view what);

/// "HDF5 1.10.8".
std::string version();

/// The names of all hard links of a file, without the first slash, in an order. Throws Error.
std::vector<std::string> hard_links(hid_t file, H5_iter_order_t order);

/// The extents of a data set. Throws Error.
std::vector<hsize_t> extents_of(hid_t dataset);

/// The extents of the chunks of a data set, by its properties; empty if it has none. Throws Error.
std::vector<hsize_t> chunk_of(hid_t properties);

/// The fill value that a data set has of its own, as its type; nothing if it has none. Throws
/// Error.
std::optional<std::vector<std::byte>> own_fill(hid_t properties, hid_t type);

/// Makes values repeat a fill value.
void fill_with(std::span<const std::byte> fill, std::span<std::byte> values);

struct Filter {
  H5Z_filter_t number = 0;
  std::string name;  ///< "filter 32001" if the file has none
  bool installed = false;
  /// The reason why its data cannot be read if it is not installed.
  std::string refusal() const;
};
/// The filters of a data set's properties. Throws Error.
std::vector<Filter> filters_of(hid_t properties);

/// The type in memory, of 8 bytes, as which numbers of a type of the file are read for people, and
/// the text of one: of integers all digits.
hid_t read_as(hid_t type);
std::string text_of(std::uint64_t number, hid_t type);

/// The text or the first number of an attribute; nothing if there is none.
std::optional<std::string> attribute_of(hid_t object, const char* name);

/// The files that hold the values of a data set: its own, the sources of a virtual one, and raw
/// files. The library gives fill values for sources that it cannot open, and zeros where a raw file
/// ends early, so each is looked at before.
class Storage {
 public:
  /// Adds the files of a data set. Throws Error, which names the file, if values in one of them
  /// cannot be read.
  explicit Storage(hid_t dataset) { add(dataset); }

  /// Sets the files of a variable of the file `own`, and the size of those beside it.
  void describe(Variable& variable, const std::filesystem::path& own) const;

 private:
  void add(hid_t dataset);
  void add_file(const std::filesystem::path& path);
  void add_raw_files(hid_t dataset, hid_t properties);
  void add_sources(hid_t dataset, hid_t properties);
  enum class Found { Yes, NoFile, NoDataSet };
  /// Adds the file of a source, of which the data set takes a selection for one of its own.
  Found add_source(hid_t dataset, hid_t mapped, hid_t taken, const std::string& file,
                   const std::string& name);

  std::map<std::filesystem::path, std::uint64_t> bytes_;  ///< of each file
  /// The data sets by file and address; true if all files of one were added.
  std::map<std::pair<std::filesystem::path, haddr_t>, bool> sets_;
};

/// StoredFunctions::survey and StoredFunctions::compare.
bool survey(const std::filesystem::path& path);
void compare(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values);

}  // namespace fpsynth::data::hdf5
