#pragma once
// An HDF5 file written anew with the filter (runners/hdf5_filter): a plan, h5repack, which copies
// everything else, and a comparison of the two files.
//
// h5repack (HDF5's own program) and not H5Ocopy() does the copying: a data set whose filters change
// is created anew, and all object references that lead to it must change with it. H5Ocopy() leaves
// those within lists and records as they are, and DIMENSION_LIST and REFERENCE_LIST, by which
// netCDF-4 finds a variable's dimensions, are such.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runners/data/formats/stored_datasets.hpp"
#include "runners/search/auto/choose.hpp"

namespace fpsynth::repack {

/// Called with a text that names the work, and its share that is done; a negative share if it is
/// not known.
using Progress = std::function<void(const std::string& what, double share)>;

struct Options {
  std::optional<synth::Method> method;           ///< for all; nothing: chosen for each
  std::size_t chunk_words = synth::kChunkWords;  ///< of the codec, with `method`
  std::vector<std::string> only;                 ///< names of data sets; empty: all
  /// Shapes by name; an empty name: for all others of its rank.
  std::vector<std::pair<std::string, data::Extents>> chunks;
  search::ChoiceOptions choice;
  Progress progress;
};

/// Smaller data sets are left as they are.
inline constexpr std::uint64_t kSmallBytes = 4096;

/// The level of gzip that methods are compared with: that of `nccopy -d 5 -s`.
inline constexpr unsigned kGzipLevel = 5;

/// A method, and the bytes of a sample of the data set's chunks.
struct Sampled {
  synth::Method method;
  std::size_t chunk_words = synth::kChunkWords;
  std::uint64_t bytes = 0;   ///< of values
  std::uint64_t packed = 0;  ///< as the filter stores them
  std::uint64_t gzip = 0;    ///< as libhdf5's filters shuffle and deflate do
};

/// The plan for one data set.
struct Planned {
  data::StoredDataset dataset;
  std::string left;     ///< why it is left as it is; empty if it is written anew
  data::Extents chunk;  ///< the rest is empty if it is left
  Sampled sampled;
  std::uint64_t gzip = 0;   ///< bytes of all chunks, as Sampled::gzip; 0 until it is verified
  std::uint64_t bytes = 0;  ///< stored, in the new file; 0 until it is verified
};

/// Chooses for each data set of a file. Without a method in the options, data sets that would not
/// become smaller than they are stored are left as they are. Throws Error if the file is not HDF5,
/// is damaged, holds data sets whose values are in other files, or whose filters are not installed;
/// UsageError if the options name what the file does not have.
std::vector<Planned> plan(const std::filesystem::path& file, const Options& options);

/// Writes `file` anew to a path that exists, as planned. Throws Error, which says what to install,
/// without h5repack.
void write(const std::filesystem::path& file, const std::filesystem::path& out,
           const std::vector<Planned>& plan, const Options& options);

/// Throws Error unless `out` is `file` written as planned: the filter and chunks of each data set,
/// every value that it reads, and everything else of the file. Sets the sizes in the plan.
void verify(const std::filesystem::path& file, const std::filesystem::path& out,
            std::vector<Planned>& plan, const Options& options);

}  // namespace fpsynth::repack
