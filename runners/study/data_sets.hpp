#pragma once
// The data sets of a study and their descriptions and precisions; the engine, and the threads and
// devices of a rank.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/study.hpp"
#include "runners/cluster/ranks.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device.hpp"
#include "runners/search/engine.hpp"

namespace fpsynth::study {

/// The precisions in which a data set is taken, of those that a study or --precision asks for:
/// in their own alone if both are asked for and they are not converted, as singles and integers
/// are not; in that too if none is.
std::vector<data::Precision> precisions_of(const std::vector<data::Precision>& asked,
                                           const data::Input& input);

/// Removes the described sets whose files are not in the data folder, and prints a note that names
/// them. Throws Error if no set is left.
void leave_out_missing(data::Study& study);

/// Opens every data set once, so that a bad one is found before hours are spent on the others.
/// Chooses the precision if the user has not. Returns the documents that the study makes, with the
/// chunks of `chunk_words` of which one in `sample` is searched. Throws Error if a data set cannot
/// be searched, and UsageError for a name that cannot be that of a document.
std::vector<results::PlannedDocument> check_data(data::Study& study, std::uint64_t sample,
                                                 std::size_t chunk_words);

/// The dimensionality of an item's data, as they are described. A file that has the name and the
/// size of a described set is that set.
data::Dimensionality described_dimensionality(const data::StudyItem& item,
                                              const data::Input& input);

/// The extents of an item's data, slowest first, as the file or the description of the set that it
/// is says; empty if neither does. Likewise.
std::vector<std::uint64_t> known_shape(const data::StudyItem& item, const data::Input& input);

/// The cut of the words of an item, which were opened as `stored`, in a study. Throws Error if
/// they cannot be laid into its HDF5 chunks, and UsageError if `sample` would take the same places
/// of each of these.
results::Cutting cutting_of(const data::Study& study, const data::StudyItem& item,
                            const data::Input& stored, std::uint64_t sample,
                            std::size_t chunk_words);
/// The words that are searched: those of an item in a precision, in HDF5 chunks if the study says
/// so. Throws Error.
data::Input searched_input(const data::Study& study, const data::StudyItem& item,
                           const data::Input& stored, data::Precision precision);

/// A note on an input that has the name and the size of a described set, but not its checksum (FPC
/// files have no checksum of their own). None if the checksum matches or is unknown.
std::optional<std::string> unlike_published(const data::StudyItem& item, const data::Input& input);
/// Opens an item, and prints that note if there is one, and adds it to `notes`.
data::Input open_noted(const data::StudyItem& item, std::vector<std::string>* notes = nullptr);

/// The engine that walks on `devices`, or on `threads` of the processor (0: all) if there are none.
/// With `or_processor`, also if a device proves to be too small, after a note on standard error.
/// `merge_equal`: SearchOptions::merge_equal.
search::EngineFactory engine_on(const std::vector<device::DeviceInfo>& devices, bool or_processor,
                                int threads, bool merge_equal = true);

/// A number from 1 in an environment variable; 0 if there is none.
int number_in(const char* variable);

/// Threads for a rank, or for a process that runs alone without `ranks`, if nobody says how many:
/// what Slurm gave it (SLURM_CPUS_PER_TASK), or the processors that a rank has for itself; 0 for
/// those of the machine.
int threads_by_default(const cluster::Ranks* ranks);

/// Those of a node's devices that are for this rank, as --device takes them: an equal share, or one
/// that it shares with other ranks of the node if there are more of these. `devices`: at least one.
std::string devices_of_rank(const std::vector<int>& devices, const cluster::Place& place);

/// Throws UsageError if a launcher (srun, mpirun) started this program several times, which would
/// make all of them search the same.
void refuse_other_ranks();

}  // namespace fpsynth::study
