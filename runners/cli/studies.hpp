#pragma once
// Common parts of commands on data sets: their choice, and a progress line.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/cli/arguments.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/data/study.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::cli {

/// The options that name data sets and say what they hold.
struct StudyArguments {
  std::vector<std::string> files;
  std::string study, precision;
  TypeOption type;
};
void add_study_options(Command command, StudyArguments& arguments,
                       const std::string& older_type = {});
/// The same without --precision, for commands that have only one. `older_type` is the name that
/// --type had before in a command, if it had one.
void add_data_options(Command command, StudyArguments& arguments,
                      const std::string& older_type = {});

/// --timed-bytes, for commands that measure.
void add_timed_bytes(Command command, timing::Effort& effort);

/// The study that the arguments describe: a study file, data files, or both; without a study file
/// it is called "files". Its precisions are empty if neither a study nor --precision names any.
/// --type, --endian, --offset and --count apply to all files of which the study does not say it.
/// Throws UsageError if there is no data set, or two have one name, unless names `may_repeat`;
/// `doing` is "search", "compare".
data::Study study_of(const StudyArguments& arguments, std::string_view doing,
                     bool may_repeat = false);

/// Throws UsageError if an output is one of the files of a study's data.
void refuse_to_replace_data(const data::Study& study, const std::filesystem::path& output);

/// The precisions in which a data set is taken, of those that a study or --precision asks for:
/// native singles, which cannot become doubles, in single alone if both are asked for; what the
/// data hold if none is.
std::vector<data::Precision> precisions_of(const std::vector<data::Precision>& asked,
                                           const data::Input& input);

/// Removes the described sets whose files are not in the data folder, and prints a note that names
/// them. Throws Error if no set is left.
void leave_out_missing(data::Study& study);

/// The values per point of an item's data, 0 if unknown. A file that has the name and the size of
/// a described set is that set.
unsigned known_dimensionality(const data::StudyItem& item, const data::Input& input);

/// The extents of an item's data, slowest first, as the file or the description of the set that it
/// is says; empty if neither does. Likewise.
std::vector<std::uint64_t> known_shape(const data::StudyItem& item, const data::Input& input);

/// A note on an input that has the name and the size of a described set, but not its checksum (FPC
/// files have no checksum of their own). None if the checksum matches or is unknown.
std::optional<std::string> unlike_published(const data::StudyItem& item, const data::Input& input);

/// "1:05" or "2:01:05" for so many seconds.
std::string duration(double seconds);

/// A progress line on standard error that is overwritten by the next one, on a terminal only. The
/// destructor erases it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text) const;

 private:
  bool on_;
};

}  // namespace fpsynth::cli
