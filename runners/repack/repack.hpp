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

/// A phase of the work, which a text names, and bytes that it has done; of `all` 0 it is not known.
struct Step {
  std::string what;
  std::uint64_t done = 0, all = 0;
};

struct Options {
  std::filesystem::path target;                  ///< what is written in the end, for messages
  std::optional<synth::Method> method;           ///< for all; nothing: chosen for each
  std::size_t chunk_words = synth::kChunkWords;  ///< of the codec, with `method`
  std::vector<std::string> only;                 ///< names of data sets; empty: all
  /// Shapes by name; an empty name: for all others of its rank.
  std::vector<std::pair<std::string, data::Extents>> chunks;
  search::ChoiceOptions choice;
  std::function<void(const Step&)> progress = [](const Step&) {};
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
  double choosing = 0;       ///< seconds that the choice took
  double packing = 0;        ///< seconds for the sample, of one thread
};

/// The plan for one data set.
struct Planned {
  data::StoredDataset dataset;
  std::string left;     ///< why it is left as it is; empty if it is written anew
  data::Extents chunk;  ///< the rest is empty if it is left
  Sampled sampled;
  std::uint64_t bytes = 0;  ///< stored, in the new file; 0 until it is verified

  /// The whole of what an amount of the sample stands for.
  double whole(double of_sample) const {
    return of_sample * double(dataset.bytes()) / double(sampled.bytes);
  }
  /// The bytes that are expected in the new file.
  std::uint64_t expected() const {
    return left.empty() ? std::uint64_t(whole(double(sampled.packed))) : dataset.stored_bytes;
  }
};

struct Plan {
  std::vector<Planned> datasets;
  bool large_attributes = false;  ///< h5repack is to be told
};

/// Chooses for each data set of a file. Without a method in the options, data sets that would not
/// become smaller than they are stored are left as they are. Before, throws Error if the file is
/// not HDF5, is damaged or of a later HDF5, holds what h5repack cannot copy or what cannot be read,
/// data sets whose values are in other files, or whose filters are not installed; UsageError if the
/// options name what the file does not have.
Plan plan(const std::filesystem::path& file, const Options& options);

/// Makes references lead to the new objects, then throws Error unless `out` is `file` written as
/// planned: the filter and chunks of each data set, every value that it reads, and everything else
/// of the file. Sets the sizes in the plan.
void verify(const std::filesystem::path& file, const std::filesystem::path& out, Plan& plan,
            const Options& options);

}  // namespace fpsynth::repack
