#pragma once
// The rules by which claims are judged, and what they are judged on.

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/queries/claims.hpp"
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

/// The rules on winners by the ids of their claims.
const std::map<std::string, Rule>& rules();
/// The rules on measurements.
const std::map<std::string, Rule>& rules_of_measurements();

/// The ratios that the papers print of compressors.
std::vector<Measurement> published_measurements();

}  // namespace fpsynth::results
