#pragma once
// Which documents a report is drawn from, and how each is made.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runners/cli/documents/maker.hpp"
#include "runners/cli/documents/settings.hpp"
#include "runners/data/study.hpp"

namespace fpsynth::cli {

/// Directories of other searches of the same data sets; empty: none.
struct OtherRuns {
  std::string preludes, wide;
  std::vector<std::string> deeper;  ///< with more stages
};

/// The documents of a directory of runs. Functions throw what the Maker throws.
class Report {
 public:
  /// With `lists`, nothing is made: what would be is printed.
  Report(std::string name, std::string runs, bool lists);

  /// Of a study, whose data sets that are not there are left out: queries of its results, and
  /// measurements, also of the papers' compressors. With a `sample` that is not 0, data sets
  /// without results are searched first, in one chunk of so many.
  void of_study(const std::filesystem::path& config, std::uint64_t sample);
  /// Of results alone, without the papers. Other compressors are measured as far as the files of
  /// the data are still there. Throws Error if there are none.
  void of_results();
  /// Of searches in wider spaces and with more stages, and of what all found beside other
  /// compressors. To be called after one of the others. All directories have results.
  void beyond(const OtherRuns& others);

 private:
  void search(const data::Study& study, std::uint64_t sample);
  void query(const std::string& stem, const std::string& query);
  void sweep(const std::string& stem, const std::string& baseline,
             const std::filesystem::path& study, const Words& settings);
  void one_core(Maker& maker, const std::string& runs);
  void measurements(const std::filesystem::path& config, const data::Study& study);
  void sweeps_of_doubles(const std::filesystem::path& config, const data::Study& study,
                         const Sizes& doubles);
  void papers_settings(const std::filesystem::path& study);
  void speeds();
  void claims();
  void unless_it_fails(const std::string& what, const std::function<void()>& make) const;
  Sizes sizes(const std::string& precision) const;
  Files existing(const std::vector<std::string>& stems) const;

  std::string runs_;
  Maker maker_;
  Files results_;
  Words part_;  ///< what is timed of each data set
  bool big_ = false;
};

}  // namespace fpsynth::cli
