#pragma once
// What search and compare have in common: which data sets to work on, and a line of progress.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/cli/arguments.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/data/study.hpp"

namespace fpsynth::cli {

/// The options that name data sets and say what they hold.
struct StudyArguments {
  std::vector<std::string> files;
  std::string study, precision;
  TypeOption type;
};
void add_study_options(Command command, StudyArguments& arguments,
                       const std::string& older_type = {});
/// The same without --precision, for what has only one. `older_type` is the name that --type had
/// before in a command, if it had one.
void add_data_options(Command command, StudyArguments& arguments,
                      const std::string& older_type = {});

/// The study that the arguments describe: a study file, data files, or both; without a study file
/// it is called "files". Its precisions are empty where neither a study nor --precision says.
/// --type goes for all files of which the study or a description does not say what they hold.
/// Throws UsageError where it has no data set, or two of one name, unless names `may_repeat`;
/// `doing` is "search", "compare".
data::Study study_of(const StudyArguments& arguments, std::string_view doing,
                     bool may_repeat = false);

/// The values per point of an item's data, if somebody has said: 0 otherwise. A file that has the
/// name and the size of a described set is that set.
unsigned known_dimensionality(const data::StudyItem& item, const data::Input& input);

/// What is to be said of an input that has the name and the size of a described set, but not its
/// checksum: FPC files have none of their own. Nothing where it is right, or nobody knows.
std::optional<std::string> unlike_published(const data::StudyItem& item, const data::Input& input);

/// One line on standard error that is overwritten again and again, on a terminal only; it is gone
/// with the object.
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
