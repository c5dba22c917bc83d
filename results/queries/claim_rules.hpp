#pragma once
// The rules by which claims are judged, and what they are judged on.

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

/// What is judged: the winners of a space, or those that the paper prints.
struct Evidence {
  std::vector<Winner> winners;
  std::map<synth::Precision, synth::Pipeline> best;  ///< for all data sets
  const SearchedSpace* space = nullptr;              ///< null: the paper's Table II
};

struct Finding {
  std::string_view verdict = kCannot;
  std::string numbers = {};  ///< empty: there are none
};

/// What the results say of a claim of mpc_claims.json.
using Rule = Finding (*)(const JsonValue& claim, const Evidence& evidence);

/// The rules by the ids of their claims. Those without one cannot be tested.
const std::map<std::string, Rule>& rules();

}  // namespace fpsynth::results
