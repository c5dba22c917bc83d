#pragma once
// Study files: which data sets to search, in which precisions, over which space. configs/README.md
// describes the format.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/data/registry/datasets.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "synth/common/precision.hpp"
#include "synth/prelude.hpp"
#include "synth/space.hpp"

namespace fpsynth::data {

/// One data set of a study: a file, a synthetic set or a described data set.
struct StudyItem {
  std::string name;            ///< unique in the study
  std::filesystem::path file;  ///< FILE or FILE:VARIABLE, resolved; empty for a synthetic set
  Reading reading;             ///< what the study says of the file
  const SyntheticSet* synthetic = nullptr;
  std::size_t bytes = 0;           ///< size of a synthetic set; 0 for a file
  std::optional<Dataset> dataset;  ///< its path, which need not exist, is `file`

  /// Opens or generates the data, under the item's name. Throws what open_input() and
  /// open_dataset() throw.
  Input open() const;
};

struct Study {
  std::string name;
  std::vector<StudyItem> items;              ///< at least one
  std::vector<synth::Precision> precisions;  ///< at least one, no duplicates
  std::optional<synth::Space> space;         ///< validated; the paper's space if not given
  std::string verify = "all";                ///< "all", "none" or "top=K" with K >= 1
  synth::PreludeRequest preludes;            ///< none if not given
  /// Extents of HDF5 chunks within which the data are searched, none for those of the file; not a
  /// part of study files.
  std::optional<std::vector<std::uint64_t>> hdf5_chunk = {};
};

/// Reads a study file. A relative data file is searched beside the study file, then in the folder
/// that the environment variable FPSYNTH_DATA names; open() checks that it exists. Throws Error,
/// which names the study file and the key, for missing, unknown and duplicate keys, and for values
/// of a wrong type or range.
Study read_study(const std::filesystem::path& path);

/// Reads a file that holds a space alone, as a study's key "space" does. Throws Error as
/// read_study() does.
synth::Space read_space(const std::filesystem::path& path);

}  // namespace fpsynth::data
