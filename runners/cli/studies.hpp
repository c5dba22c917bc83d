#pragma once
// The options by which commands choose data sets.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/data/study.hpp"
#include "runners/study/data_sets.hpp"
#include "runners/study/terminal.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::cli {

/// The options that name data sets and say what they hold.
struct StudyArguments {
  std::vector<std::string> files;
  std::string study, precision;
  TypeOption type;
};
void add_study_options(Command command, StudyArguments& arguments);
/// The same without --precision, for commands that have only one.
void add_data_options(Command command, StudyArguments& arguments);

/// --timed-bytes, for commands that measure.
void add_timed_bytes(Command command, timing::Effort& effort);

/// The file that an option names: a path, or the name of one that comes with the program, in
/// configs/`folder` here or where the program is installed ("mini" is studies/mini.json).
std::filesystem::path config_file(const std::string& given, const std::string& folder);

/// Where commands look for the results of searches if --runs names no other directory.
inline constexpr const char* kDefaultRuns = "results/runs";

/// The directory that --runs gives. If it is the default and `files_in` finds nothing there: the
/// one folder in it in which it does, which a note names. Throws UsageError, which lists them, if
/// there are several.
std::string directory_of_runs(const std::string& given,
                              std::vector<std::filesystem::path> (*files_in)(
                                  const std::filesystem::path&) = results::document_files);

/// The precisions that --precision names, "double", "single" or "both"; none if it is empty.
std::vector<synth::Precision> named_precisions(const std::string& text);

/// The study that the arguments describe: a study file, data files, or both; without a study file
/// it is called "files". Its precisions are empty if neither a study nor --precision names any.
/// --type, --endian, --offset and --count apply to all files of which the study does not say it.
/// Throws UsageError if there is no data set, or two have one name, unless names `may_repeat`;
/// `doing` is "search", "compare".
data::Study study_of(const StudyArguments& arguments, std::string_view doing,
                     bool may_repeat = false);

/// Throws UsageError if an output is one of the files from which an input, FILE, FILE:VARIABLE or
/// "-", is read: sources of virtual data sets, raw files and chunks among them. What cannot be read
/// has none; reading it then fails.
void refuse_to_replace_data(const std::string& input, const std::string& output);
/// The same for all data of a study.
void refuse_to_replace_data(const data::Study& study, const std::filesystem::path& output);

}  // namespace fpsynth::cli
