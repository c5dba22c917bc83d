// The rules of claims on winners and on the best for all: the MPC paper's section V.A.

#include "results/queries/papers/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>

#include "results/queries/tallies.hpp"

namespace fpsynth::results {

using synth::Pipeline;
using synth::Precision;

std::uint64_t count(const Evidence& evidence, const std::function<bool(const Winner&)>& has) {
  return std::uint64_t(std::ranges::count_if(evidence.winners, has));
}

std::string kinds(Pipeline pipeline) {
  pipeline.cut = unsigned(pipeline.stages.size());
  return pattern_of(pipeline);
}

std::string each_once(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  for (const std::string& text : texts) {
    if (std::ranges::find(once, text) == once.end()) once.push_back(text);
  }
  return joined(once, "; ");
}

std::string with_precisions(const std::map<Precision, Pipeline>& best) {
  return joined(best, "; ", [](const auto& one) {
    return fmt::format("{}: {}", to_string(one.first), to_string(one.second));
  });
}

namespace {

constexpr std::uint64_t kSeveral = 2;

std::vector<std::string> texts_of_best(const Evidence& evidence) {
  std::vector<std::string> texts;
  for (const auto& [precision, pipeline] : evidence.best) texts.push_back(to_string(pipeline));
  return texts;
}

std::ptrdiff_t count_kind(const Winner& winner, std::string_view kind) {
  return std::ranges::count(winner.pipeline.stages, kind, kind_of);
}

bool cut_at_end(const Pipeline& pipeline) { return pipeline.cut == pipeline.stages.size(); }

/// Holds if in more than half of the winners, of all and in each precision.
Finding more_than_half(const Evidence& evidence, const std::function<bool(const Winner&)>& has) {
  const std::uint64_t all = count(evidence, has), total = evidence.winners.size();
  std::vector<std::string> parts;
  std::size_t most = 0;
  for (const Precision precision : kPaperPrecisions) {
    const auto of = count(evidence, [&](const Winner& one) { return one.precision == precision; });
    const auto its =
        count(evidence, [&](const Winner& one) { return one.precision == precision && has(one); });
    if (of == 0) continue;
    most += 2 * its > of;
    parts.push_back(fmt::format("{} {}", to_string(precision), share(its, of)));
  }
  if (parts.empty()) return {};
  const bool overall = 2 * all > total;
  return {graded(overall && most == parts.size(), overall || most > 0),
          fmt::format("{} ({})", share(all, total), fmt::join(parts, ", "))};
}

Finding ze_last(const JsonValue&, const Evidence& evidence) {
  return more_than_half(
      evidence, [](const Winner& one) { return to_string(one.pipeline.stages.back()) == "ZE"; });
}

Finding no_early_reducer(const JsonValue&, const Evidence& evidence) {
  return more_than_half(evidence, [](const Winner& one) {
    return std::none_of(one.pipeline.stages.begin(), one.pipeline.stages.end() - 1,
                        [](auto component) { return synth::family(component.family).reduces; });
  });
}

Finding bit(const JsonValue&, const Evidence& evidence) {
  return more_than_half(evidence, [](const Winner& one) { return count_kind(one, "BIT") > 0; });
}

bool cut_known(const Winner& winner) { return winner.cut_known; }

/// The verdict and the numbers of a claim on cuts, if at least half of them are known.
Finding of_cuts(const Evidence& evidence, Finding finding) {
  const std::uint64_t unknown = evidence.winners.size() - count(evidence, cut_known);
  if (unknown == 0) return finding;
  if (2 * unknown > evidence.winners.size()) finding.verdict = kCannot;
  finding.numbers +=
      fmt::format(" (of {} more the cut is not known, or was inferred from these claims)", unknown);
  return finding;
}

Finding dim_behind_cut(const JsonValue&, const Evidence& evidence) {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> counts;
  for (const Precision precision : kPaperPrecisions) {
    const std::string name = precision == Precision::Double ? "DIM8" : "DIM4";
    const auto is = [&](const Winner& one) { return one.precision == precision; };
    if (count(evidence, is) == 0) continue;
    counts.push_back(count(evidence, [&](const Winner& one) {
      return is(one) && one.cut_known && !cut_at_end(one.pipeline) &&
             to_string(one.pipeline.stages[one.pipeline.cut]) == name;
    }));
    texts.push_back(
        fmt::format("{} in {} precision: {}", name, to_string(precision), counts.back()));
  }
  if (counts.empty()) return {};
  return of_cuts(evidence,
                 {graded(std::ranges::min(counts) >= kSeveral, std::ranges::max(counts) > 0),
                  joined(texts, ", ")});
}

Finding cut_unused(const JsonValue&, const Evidence& evidence) {
  const std::uint64_t known = count(evidence, cut_known);
  const auto unused =
      count(evidence, [](const Winner& one) { return one.cut_known && cut_at_end(one.pipeline); });
  if (known == 0) return {};
  std::size_t best = 0;
  for (const auto& [precision, pipeline] : evidence.best) best += cut_at_end(pipeline);
  const bool third = 3 * unused >= known;
  return of_cuts(evidence, {graded(third && best == evidence.best.size(), third || best > 0),
                            fmt::format("{}; Best: {}", share(unused, known),
                                        each_once(texts_of_best(evidence)))});
}

Finding nul_inv(const JsonValue&, const Evidence& evidence) {
  const auto with = [&](std::string_view kind) {
    return count(evidence, [&](const Winner& one) { return count_kind(one, kind) > 0; });
  };
  const std::uint64_t nul = with("NUL"), inv = with("INV"), total = evidence.winners.size();
  return {graded(nul + inv == 0, nul == 0 || inv == 0),
          fmt::format("NUL in {}, INV in {}", share(nul, total), share(inv, total))};
}

std::uint64_t with_lnv(const Evidence& evidence, std::ptrdiff_t least) {
  return count(evidence, [&](const Winner& one) { return count_kind(one, "LNV") >= least; });
}

Finding lnv_always(const JsonValue&, const Evidence& evidence) {
  const std::uint64_t count = with_lnv(evidence, 1), total = evidence.winners.size();
  return {graded(count == total, 2 * count > total), share(count, total)};
}

Finding lnv_twice(const JsonValue&, const Evidence& evidence) {
  const std::uint64_t twice = with_lnv(evidence, 2), total = evidence.winners.size();
  return {graded(2 * twice > total, 2 * twice > with_lnv(evidence, 1)), share(twice, total)};
}

Finding subtraction(const JsonValue&, const Evidence& evidence) {
  std::uint64_t subtract = 0, exclusive = 0;
  for (const Winner& one : evidence.winners) {
    for (const synth::Component component : one.pipeline.stages) {
      if (kind_of(component) != "LNV") continue;
      ++(synth::family(component.family).suffix == "s" ? subtract : exclusive);
    }
  }
  if (subtract + exclusive == 0) return {kCannot, "no LNV"};
  return {graded(subtract >= 2 * exclusive, subtract > exclusive),
          fmt::format("{} subtract, {} take the XOR", subtract, exclusive)};
}

Finding same_in_both(const JsonValue&, const Evidence& evidence) {
  static const std::regex dim("\\| DIM[48]\\b");
  std::map<std::string, std::vector<std::string>> by_set;
  for (const Winner& one : evidence.winners) {
    by_set[one.data_set].push_back(std::regex_replace(to_string(one.pipeline), dim, "| DIM"));
  }
  std::size_t pairs = 0, same = 0;
  for (const auto& [name, texts] : by_set) {
    pairs += texts.size() == 2;
    same += texts.size() == 2 && texts[0] == texts[1];
  }
  if (pairs == 0) return {kCannot, "no data set in both precisions"};
  return {graded(3 * same >= pairs && 3 * (pairs - same) >= pairs, same > 0 && same < pairs),
          share(same, pairs) + " are the same"};
}

/// Of how many best pipelines, one for each precision, the kinds are these.
std::size_t alike(const Evidence& evidence, const std::string& pattern) {
  return std::size_t(std::ranges::count_if(
      evidence.best, [&](const auto& one) { return kinds(one.second) == pattern; }));
}

Finding pattern(const JsonValue& claim, const Evidence& evidence) {
  std::map<std::string, std::uint64_t> counts;
  for (const Winner& one : evidence.winners) ++counts[kinds(one.pipeline)];
  if (counts.empty()) return {};
  const auto first =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  const std::string wanted = claim["pattern"].text();
  const bool frequent = counts[wanted] == first->second;
  const std::size_t follow = alike(evidence, wanted);
  std::string text = fmt::format("{}: {}", wanted, share(counts[wanted], evidence.winners.size()));
  if (!frequent) text += fmt::format("; most frequent is {}: {}", first->first, first->second);
  return {graded(frequent && follow == evidence.best.size(), frequent || follow > 0),
          fmt::format("{}; Best: {}", text, each_once(texts_of_best(evidence)))};
}

Finding best_is(const JsonValue& claim, const Evidence& evidence) {
  if (evidence.best.empty()) return {};
  const Pipeline wanted = synth::parse_pipeline(claim["pipeline"].text());
  const bool all =
      std::ranges::all_of(evidence.best, [&](const auto& one) { return one.second == wanted; });
  return {graded(all, alike(evidence, kinds(wanted)) > 0), with_precisions(evidence.best)};
}

Finding mpc_wins(const JsonValue& claim, const Evidence& evidence) {
  const std::regex form(claim["form"].text());
  std::vector<std::string> won;
  for (const Winner& one : evidence.winners) {
    if (!std::regex_match(to_string(one.pipeline), form)) continue;
    won.push_back(fmt::format("{} ({})", one.data_set, to_string(one.precision)));
  }
  std::string text = share(won.size(), evidence.winners.size());
  if (evidence.space && !won.empty()) text += fmt::format(": {}", fmt::join(won, ", "));
  return {graded(won.size() >= kSeveral, !won.empty()), text};
}

}  // namespace

const std::map<std::string, Rule>& rules_of_winners() {
  static const std::map<std::string, Rule> all = {{"ze-last", ze_last},
                                                  {"no-early-reducer", no_early_reducer},
                                                  {"dim-behind-cut", dim_behind_cut},
                                                  {"bit", bit},
                                                  {"cut-unused", cut_unused},
                                                  {"nul-inv", nul_inv},
                                                  {"lnv-always", lnv_always},
                                                  {"lnv-twice", lnv_twice},
                                                  {"subtraction", subtraction},
                                                  {"same-in-both", same_in_both},
                                                  {"pattern", pattern},
                                                  {"best-is", best_is},
                                                  {"mpc-wins", mpc_wins}};
  return all;
}

}  // namespace fpsynth::results
