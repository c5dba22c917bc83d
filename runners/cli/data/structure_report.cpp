#include "runners/cli/data/structure_report.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "runners/data/formats/variables.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using search::DecimalDigits;
using search::LagFinding;
using search::Structure;

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

std::string distinct_text(const Structure& structure) {
  const auto& [count, of, all] = structure.distinct;
  return all ? fmt::format("{}", count)
             : fmt::format("at least {}, among the first {}", count, counted(of, "word"));
}

/// The number of digits that most decimals have at most; if there are few, that.
std::string decimals_text(const Structure& structure) {
  if (structure.decimals.empty()) return "none";
  const double most = structure.decimals.back().share;
  if (most < 0.3) return "few words are decimals of any number of digits";
  const auto best = std::ranges::find_if(structure.decimals, [most](const DecimalDigits& decimal) {
    return decimal.share >= 0.95 * most;
  });
  return fmt::format("{} of the sampled words have {} behind the point, integers of {:.1f} bits",
                     percent(best->share), counted(best->digits, "digit"), best->bits);
}

std::string lag_text(const LagFinding& lag) {
  std::vector<std::string> evidence;
  if (lag.from_shape) evidence.push_back("a stride of the shape");
  if (lag.repeat_share > 0) {
    evidence.push_back(fmt::format("{} of the sequences of four words last stood there",
                                   percent(lag.repeat_share)));
  }
  if (lag.equal_share > 0) {
    evidence.push_back(fmt::format("{} of the words are equal", percent(lag.equal_share)));
  }
  evidence.push_back(fmt::format("differences have {:.1f} bits {} than between neighbours",
                                 std::abs(lag.bits_less), lag.bits_less < 0 ? "more" : "less"));
  if (lag.correlation > 0) {
    evidence.push_back(fmt::format("correlation {:.2f}", lag.correlation));
    if (lag.behind > 0) evidence.back() += fmt::format(" of differences at {} words", lag.behind);
  }
  return joined(evidence, ", ");
}

}  // namespace

void print_structure(const std::string& name, const Structure& structure) {
  const bool floats = structure.type.is_float();
  fmt::print("\nStructure of {}, {}{}\n", name, synth::precision_text(structure.type),
             floats ? " precision" : "");
  fmt::print("  shape           {}\n",
             structure.shape.empty() ? "unknown" : data::shape_text(structure.shape));
  fmt::print("  distinct words  {}\n", distinct_text(structure));
  if (floats) {
    fmt::print("  decimals        {}\n", decimals_text(structure));
    fmt::print("  sign            changes between {} of the neighbours\n",
               percent(structure.sign_changes));
  }
  for (std::size_t i = 0; i < structure.lags.size(); ++i) {
    fmt::print("  {:14}  {} words: {}\n", i == 0 ? "lags" : "", structure.lags[i].lag,
               lag_text(structure.lags[i]));
  }
  if (structure.lags.empty()) fmt::print("  lags            none\n");
  if (structure.candidates.empty()) {
    fmt::print("No prelude promises anything.\n");
    return;
  }
  std::size_t width = 7;
  for (const auto& candidate : structure.candidates) {
    width = std::max(width, to_string(candidate.prelude).size());
  }
  fmt::print("Preludes, by their estimated bits per word\n");
  fmt::print("  {:{}}  {:>6}  {:>7}  {}\n", "prelude", width, "bits", "gain", "reason");
  fmt::print("  {:{}}  {:6.2f}\n", "none", width, structure.bits);
  for (const auto& candidate : structure.candidates) {
    fmt::print("  {:{}}  {:6.2f}  {:7.2f}  {}\n", to_string(candidate.prelude), width,
               candidate.bits, candidate.score, candidate.reason);
  }
}

nlohmann::ordered_json structure_json(const Structure& structure) {
  nlohmann::ordered_json json;
  json["words"] = structure.words;
  json["shape"] = structure.shape;
  json["distinct"] = {{"count", structure.distinct.count},
                      {"of_words", structure.distinct.of},
                      {"all", structure.distinct.all}};
  json["decimals"] = nlohmann::ordered_json::array();
  for (const DecimalDigits& decimal : structure.decimals) {
    json["decimals"].push_back(
        {{"digits", decimal.digits}, {"share", decimal.share}, {"integer_bits", decimal.bits}});
  }
  json["lags"] = nlohmann::ordered_json::array();
  for (const LagFinding& lag : structure.lags) {
    json["lags"].push_back({{"lag", lag.lag},
                            {"from_shape", lag.from_shape},
                            {"repeat_share", lag.repeat_share},
                            {"correlation", lag.correlation},
                            {"behind", lag.behind},
                            {"equal_share", lag.equal_share},
                            {"bits_less", lag.bits_less}});
  }
  if (structure.type.is_float()) json["sign_changes"] = structure.sign_changes;
  json["estimated_bits"] = structure.bits;
  json["candidates"] = nlohmann::ordered_json::array();
  for (const auto& candidate : structure.candidates) {
    json["candidates"].push_back({{"prelude", to_string(candidate.prelude)},
                                  {"estimated_bits", candidate.bits},
                                  {"score", candidate.score},
                                  {"reason", candidate.reason}});
  }
  return json;
}

}  // namespace fpsynth::cli
