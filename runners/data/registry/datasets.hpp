#pragma once
// Descriptions of published data sets and of the user's raw files: contents, origin and checksums.
// configs/README.md describes the files' format; those of configs/datasets/ are part of the
// program.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/input.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth {
class JsonValue;
}

namespace fpsynth::data {

// The dimensionality of data: how many values a point has where points follow one another.

/// The source of a dimensionality: the data's description or measurements on them, the figures that
/// a paper prints of them, a guess, or that all were tried.
enum class DimensionalityFrom { Data, Tables, Guess, Tried };
/// The names of those that descriptions have, in the same order.
inline constexpr std::string_view kDimensionalitySources[] = {"data", "tables", "guess"};

struct Dimensionality {
  unsigned value = 0;  ///< 0: unknown, or a compressor has none
  DimensionalityFrom from = DimensionalityFrom::Data;
};

/// For documents and people; `tried_for` is the compressor for which all were tried. Those that
/// are known begin with "known".
std::string text_of(DimensionalityFrom from, std::string_view tried_for);

/// The package of a distribution or of PyPI in which a data set's file comes, and how its values
/// are stored there.
struct Package {
  enum class Kind { Debian, Pypi };
  Kind kind = Kind::Debian;
  std::string name;     ///< "ferret-datasets"
  std::string version;  ///< the one that was seen
  std::filesystem::path
      path;              ///< of the file in the package, without a source archive's top folder
  std::string variable;  ///< of that file; empty for its only one
  bool raw = false;      ///< it holds words without a format
};

/// One data set and the file that holds it.
struct Dataset {
  std::string family;  ///< "fpc"
  std::string page;    ///< the web page that offers it
  std::string note;    ///< what to do with the files of that page; may be empty
  std::string name;    ///< unique over all registries
  std::string kind;    ///< "msg", "num", "obs", or empty
  std::string description;
  std::string field;    ///< of science; may be empty
  std::string licence;  ///< may be empty
  ValueType native;
  std::uint64_t bytes = 0;           ///< of the values
  std::vector<std::uint64_t> shape;  ///< slowest dimension first; empty if unknown
  Dimensionality dimensionality;
  std::filesystem::path file;      ///< as distributed, in the data folder
  std::string address;             ///< of the file; empty if only the page is known
  std::optional<Package> package;  ///< where the values come from, if not from an address
  std::uint64_t file_bytes = 0;    ///< of the file as distributed; 0 if unknown
  bool fpc = false;                ///< the file is an FPC file
  std::string xxh3;                ///< XXH3-64 of the values, 16 hex digits; empty if unknown
  std::string sha256;              ///< of the values, 64 hex digits; empty if unknown
};

class Registry {
 public:
  /// The data sets that the program knows.
  static Registry built_in();

  /// Adds the sets of a description file. Throws Error, which names the file and the key, for
  /// wrong values and for names that exist already.
  void add(const std::filesystem::path& path);

  const std::vector<Dataset>& sets() const& { return sets_; }
  /// Null if there is no such set.
  const Dataset* find(std::string_view name) const;
  /// The set of a name, or those of a family. Throws UsageError, which lists the known names.
  std::vector<const Dataset*> named(std::string_view set_or_family) const;

 private:
  void add_sets(const JsonValue& root);
  std::vector<Dataset> sets_;
};

/// The folder of data sets: `given`, or else $FPSYNTH_DATA, or else data/ in the current directory.
std::filesystem::path data_folder(const std::string& given = {});

/// The set's file in a folder: at the path of its description, or else directly in the folder, or
/// else decoded, NAME.f64. Nothing if there is none of these.
std::optional<std::filesystem::path> locate(const Dataset& set,
                                            const std::filesystem::path& folder);

/// "debian" or "pypi".
const char* kind_of(const Package& package);

/// Instructions for the user: the script that fetches it, or the address and the path for the file.
std::string instructions(const Dataset& set, const std::filesystem::path& folder);

/// Opens a set's file under the set's name and checks its size. Throws Error if it is missing
/// (with instructions), damaged, or of another size.
Input open_dataset(const Dataset& set, const std::filesystem::path& folder);

/// XXH3-64 of the values, tail included, as in descriptions and documents.
std::string checksum_of(const Input& input);

/// As open_dataset(), and compares the checksum if one is known. Returns whether one is known.
bool verify_dataset(const Dataset& set, const std::filesystem::path& folder);

/// The keys "endian" and "offset" of a study or of a package's raw words.
Reading read_layout(const JsonValue& value);

struct Embedded {
  std::string_view name, text;
};
extern const std::span<const Embedded> kEmbeddedDatasets;

}  // namespace fpsynth::data
