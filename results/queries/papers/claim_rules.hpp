#pragma once
// The rules by which claims are judged, and what they are judged on.

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/queries/papers/claims.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {

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
std::string joined(const std::vector<std::string>& texts);
/// Each with its precision in front.
std::string with_precisions(const std::map<synth::Precision, synth::Pipeline>& best);

/// The rules by the ids of their claims: on winners, on what else searches found, on ratios that
/// were measured and on speeds.
const std::map<std::string, Rule>& rules_of_winners();
const std::map<std::string, Rule>& rules_of_searches();
const std::map<std::string, Rule>& rules_of_measurements();
const std::map<std::string, Rule>& rules_of_speeds();

/// The bytes from which on a time is not that of starting.
inline constexpr std::uint64_t kLeastTimed = 1 << 20;
inline constexpr std::string_view kOnGpu =
    "`fpsynth bench pipelines --backend cuda --baselines --runs DIR` on a GPU";

/// The ratios and the mean speeds that the papers print of compressors.
std::vector<Measurement> published_measurements();

}  // namespace fpsynth::results
