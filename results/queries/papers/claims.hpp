#pragma once
// Verdicts on what the papers observe: each claim of results/reference/claims.json, which is
// embedded in the program, on the results of one or more searched spaces.

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/runs.hpp"
#include "results/queries/queries.hpp"
#include "results/queries/table.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {

extern const std::string_view kClaims;

/// The results of searches of data sets in one space.
struct SearchedSpace {
  std::string name;
  Runs runs;
  std::vector<Measurement> measured = {};  ///< on the same data sets
};

/// Two tables: the verdict on each claim in each space, beside that on the pipelines of the paper's
/// own tables by the same rules; and the numbers behind each verdict. Real data sets are at least
/// kLeastDataSets, or nothing that is claimed of most can be told. Notes say which verdicts turn on
/// RLE, and what else may be the cause.
std::vector<Table> claims(const std::vector<SearchedSpace>& spaces);
inline constexpr std::size_t kLeastDataSets = 3;

inline constexpr std::string_view kHolds = "holds", kInPart = "holds in part",
                                  kNot = "does not hold", kCannot = "cannot be tested here",
                                  kNotMeasured = "not measured";

// Every number that a paper prints and that was measured here on the same data, beside ours.

/// Three tables: the published numbers beside ours, each with the cause of its difference; how many
/// of them are equal; and throughputs, which are of other machines. `measured` are documents of
/// `fpsynth compare`, of `data info`, or of sweeps of GFC, pFPC or Holt. A data set is the papers'
/// if it has the name and the size and is not synthetic. Null: without searches. Throws Error if a
/// document is damaged.
std::vector<Table> scorecard(const Runs* runs, const std::vector<std::filesystem::path>& measured);

inline constexpr std::string_view kEqual = "equal to the printed digits", kNotKnown = "not known";

// The rules by which claims are judged, and what they are judged on.

/// The best pipeline of a data set.
struct Winner {
  std::string data_set;
  synth::Precision precision;
  synth::Pipeline pipeline;
  bool cut_known = true;  ///< otherwise than from the claims themselves
};

/// The things judged: winners and measurements of a space, or those that the papers print.
struct Evidence {
  std::vector<Winner> winners;
  std::map<synth::Precision, synth::Pipeline> best;  ///< for all data sets
  std::vector<Measurement> measured;
  const SearchedSpace* space = nullptr;  ///< null: the papers' tables
};

struct Finding {
  std::string_view verdict = kCannot;
  std::string numbers = {};  ///< empty: there are none
};

inline std::string_view graded(bool full, bool part) {
  return full ? kHolds : part ? kInPart : kNot;
}

/// "3 of 4".
inline std::string share(std::size_t count, std::size_t of) {
  return fmt::format("{} of {}", count, of);
}

/// A rule of claims.json: the verdict on a claim that the results give.
using Rule = Finding (*)(const JsonValue& claim, const Evidence& evidence);

/// The number of winners of which this is true.
std::uint64_t count(const Evidence& evidence, const std::function<bool(const Winner&)>& has);
/// LNV BIT LNV ZE: without the cut.
std::string kinds(synth::Pipeline pipeline);
/// Texts after each other, each once.
std::string each_once(const std::vector<std::string>& texts);
/// Each with its precision in front.
std::string with_precisions(const std::map<synth::Precision, synth::Pipeline>& best);

/// The rules by the ids of their claims: on winners, on what else searches found, on ratios that
/// were measured, on sweeps and on speeds.
const std::map<std::string, Rule>& rules_of_winners();
const std::map<std::string, Rule>& rules_of_searches();
const std::map<std::string, Rule>& rules_of_measurements();
const std::map<std::string, Rule>& rules_of_sweeps();
const std::map<std::string, Rule>& rules_of_speeds();

/// The bytes from which on a time is not that of starting.
inline constexpr std::uint64_t kLeastTimed = 1 << 20;
inline constexpr std::string_view kOnGpu =
    "`fpsynth bench pipelines --backend cuda --baselines --runs DIR` on a GPU";

/// The ratios and the mean speeds that the papers print of compressors.
std::vector<Measurement> published_measurements();

}  // namespace fpsynth::results
