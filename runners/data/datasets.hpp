#pragma once
// Descriptions of data sets that other people publish, and of one's own raw files: what they are,
// where they come from, how to know them. configs/README.md describes the files; those of
// configs/datasets/ are part of the program.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/input.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth {
class JsonValue;
}

namespace fpsynth::data {

/// One data set and the file that holds it.
struct Dataset {
  std::string family;  ///< "fpc"
  std::string page;    ///< where a person finds it
  std::string note;    ///< what a person must do with what the page offers; may be empty
  std::string name;    ///< unique over all registries
  std::string kind;    ///< "msg", "num", "obs", or empty
  std::string description;
  Precision native = Precision::Double;
  std::uint64_t bytes = 0;           ///< of the values
  std::vector<std::uint64_t> shape;  ///< slowest dimension first; empty where unknown
  unsigned dimensionality = 0;       ///< values per point of the sequence; 0 where unknown
  std::filesystem::path file;        ///< as distributed, in the data folder
  std::string address;               ///< of the file; empty where only the page is known
  std::uint64_t file_bytes = 0;      ///< of the file as distributed; 0 where unknown
  bool fpc = false;                  ///< the file is an FPC file
  std::string xxh3;                  ///< XXH3-64 of the values, 16 hex digits; empty where unknown
  std::string sha256;                ///< of the values, for use with other tools
};

class Registry {
 public:
  /// The data sets that the program knows.
  static Registry built_in();

  /// Adds the sets of a description file. Throws Error naming file and key for what is wrong, and
  /// for names that are there already.
  void add(const std::filesystem::path& path);

  const std::vector<Dataset>& sets() const& { return sets_; }
  /// Null where there is no such set.
  const Dataset* find(std::string_view name) const;
  /// The set of a name, or those of a family. Throws UsageError listing what there is.
  std::vector<const Dataset*> named(std::string_view set_or_family) const;

 private:
  void add_sets(const JsonValue& root);
  std::vector<Dataset> sets_;
};

/// The folder of data sets: `given`, or else $FPSYNTH_DATA, or else data/ in the current directory.
std::filesystem::path data_folder(const std::string& given = {});

/// Where decoding puts the values of an FPC file: NAME.f64 beside it.
std::filesystem::path decoded_path(const Dataset& set, const std::filesystem::path& folder);

/// The set's file in a folder: where its description says, or else directly in the folder, or else
/// decoded. Nothing where there is none of these.
std::optional<std::filesystem::path> locate(const Dataset& set,
                                            const std::filesystem::path& folder);

/// What to download from where and where to put it.
std::string instructions(const Dataset& set, const std::filesystem::path& folder);

/// Opens a set's file under the set's name and checks its size. Throws Error where it is not there
/// (with instructions), damaged, or of another size.
Input open_dataset(const Dataset& set, const std::filesystem::path& folder);

/// XXH3-64 of the values, tail included, as descriptions and documents have it.
std::string checksum_of(const Input& input);

/// As open_dataset(), and compares the checksum where one is known. Returns whether one is.
bool verify_dataset(const Dataset& set, const std::filesystem::path& folder);

}  // namespace fpsynth::data
