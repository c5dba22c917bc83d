#include "results/queries/claim_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <utility>

#include "results/documents/means.hpp"
#include "results/queries/tallies.hpp"

namespace fpsynth::results {
namespace {

using synth::Pipeline;
using synth::Precision;

constexpr std::uint64_t kSeveral = 2;
constexpr std::uint64_t kLongestOfPaper = 8;  // the n of LNV

std::uint64_t count(const Evidence& evidence, const std::function<bool(const Winner&)>& has) {
  return std::uint64_t(std::ranges::count_if(evidence.winners, has));
}

std::vector<std::string> texts_of_best(const Evidence& evidence) {
  std::vector<std::string> texts;
  for (const auto& [precision, pipeline] : evidence.best) texts.push_back(to_string(pipeline));
  return texts;
}

std::string_view kind_of(synth::Component component) {
  return synth::family(component.family).name;
}

/// LNV BIT LNV ZE: without the cut.
std::string kinds(Pipeline pipeline) {
  pipeline.cut = unsigned(pipeline.stages.size());
  return pattern_of(pipeline);
}

std::ptrdiff_t count_kind(const Winner& winner, std::string_view kind) {
  return std::ranges::count(winner.pipeline.stages, kind, kind_of);
}

bool cut_at_end(const Pipeline& pipeline) { return pipeline.cut == pipeline.stages.size(); }

/// Texts after each other, each once.
std::string joined(const std::vector<std::string>& texts) {
  std::vector<std::string> once;
  for (const std::string& text : texts) {
    if (std::ranges::find(once, text) == once.end()) once.push_back(text);
  }
  return fmt::format("{}", fmt::join(once, "; "));
}

std::string with_precisions(const std::map<Precision, Pipeline>& best) {
  std::vector<std::string> texts;
  for (const auto& [precision, pipeline] : best) {
    texts.push_back(fmt::format("{}: {}", to_string(precision), to_string(pipeline)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// Holds if in more than half of the winners, of all and in each precision.
Finding more_than_half(const Evidence& evidence, const std::function<bool(const Winner&)>& has) {
  const std::uint64_t all = count(evidence, has), total = evidence.winners.size();
  std::vector<std::string> parts;
  std::size_t most = 0;
  for (const Precision precision : kPrecisions) {
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

/// The cells of a table's rows, by the key of their column.
template <class T>
std::vector<std::optional<T>> column(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table.columns, key, &Column::key) - table.columns.begin();
  std::vector<std::optional<T>> found;
  for (const auto& row : table.rows) {
    const T* value = at < std::ssize(row) ? std::get_if<T>(&row[std::size_t(at)]) : nullptr;
    found.push_back(value ? std::optional(*value) : std::nullopt);
  }
  return found;
}

Finding no_ties(const JsonValue&, const Evidence& evidence) {
  if (!evidence.space) return {};
  const Table ties = top(evidence.space->runs, 1).at(1);
  if (ties.rows.empty()) return {};
  const auto alone = std::uint64_t(std::ranges::count(
      column<std::uint64_t>(ties, "tied_algorithms"), std::optional<std::uint64_t>(0)));
  std::vector<double> below;
  for (const auto& one : column<double>(ties, "next_below_percent")) {
    if (one) below.push_back(*one);
  }
  std::ranges::sort(below);
  std::string text = fmt::format("{} alone", share(alone, ties.rows.size()));
  if (!below.empty()) {
    const double median = (below[(below.size() - 1) / 2] + below[below.size() / 2]) / 2;
    text += fmt::format(
        "; the next size is behind by {:.2g} to {:.2g} %, half of them by less "
        "than {:.2g} %",
        below.front(), below.back(), median);
  }
  const auto close = std::size_t(std::ranges::count_if(below, [](double one) { return one < 1; }));
  return {
      graded(alone == ties.rows.size() && 2 * close > below.size(), 2 * alone > ties.rows.size()),
      text};
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
  for (const Precision precision : kPrecisions) {
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
                  fmt::format("{}", fmt::join(texts, ", "))});
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
                                        joined(texts_of_best(evidence)))});
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

Finding one_best(const JsonValue&, const Evidence& evidence) {
  if (evidence.best.size() < 2) return {kCannot, "no data sets in both precisions"};
  const Pipeline &in_double = evidence.best.at(Precision::Double),
                 &in_single = evidence.best.at(Precision::Single);
  std::string text = in_double == in_single ? to_string(in_double) : with_precisions(evidence.best);
  if (evidence.space) {
    const Table both = common(evidence.space->runs).front();
    for (std::size_t i = 0; i < 2; ++i) {
      const auto rank = [&](std::string_view key) {
        const auto found = column<std::uint64_t>(both, key).at(i);
        return found ? fmt::format("rank {}", *found) : std::string("no rank");
      };
      text += fmt::format("; {}: {} in double, {} in single precision",
                          *column<std::string>(both, "what").at(i), rank("double_rank"),
                          rank("single_rank"));
    }
  }
  return {graded(in_double == in_single, kinds(in_double) == kinds(in_single)), text};
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
          fmt::format("{}; Best: {}", text, joined(texts_of_best(evidence)))};
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

Finding cross_validation(const JsonValue&, const Evidence& evidence) {
  if (!evidence.space) return {};
  const Table left_out = overall(evidence.space->runs, 1).at(1);
  const auto precisions = column<std::string>(left_out, "precision");
  const auto others = column<std::string>(left_out, "best_of_the_others");
  std::uint64_t of = 0, same = 0;
  for (const auto& [precision, best] : evidence.best) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (precisions[i] != to_string(precision) || !others[i]) continue;
      ++of;
      same += kinds(synth::parse_pipeline(*others[i])) == kinds(best);
    }
  }
  if (of == 0) return {kCannot, "without two data sets in a precision"};
  std::vector<std::string> patterns;
  for (const auto& [precision, best] : evidence.best) patterns.push_back(kinds(best));
  return {graded(same == of, 2 * same > of),
          fmt::format("{} have the kinds of Best: {}", share(same, of), joined(patterns))};
}

/// Judged where the dimensionality is known: the best one of all for MPC favours MPC.
Finding mpc_above_eight(const JsonValue&, const Evidence& evidence) {
  if (!evidence.space) return {};
  const Table each = dimensionality(evidence.space->runs, evidence.space->measured).front();
  const auto dimensions = column<std::uint64_t>(each, "dimensionality");
  const auto origins = column<std::string>(each, "dimensionality_is");
  const auto mpc = column<double>(each, "mpc_ratio"), best = column<double>(each, "best_ratio");
  std::uint64_t known = 0, known_ahead = 0;
  std::vector<double> of_mpc, of_best;
  std::uint64_t ahead = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (*dimensions[i] <= kLongestOfPaper) continue;
    of_mpc.push_back(*mpc[i]);
    of_best.push_back(*best[i]);
    ahead += *mpc[i] > *best[i];
    known += origins[i] == "known";
    known_ahead += origins[i] == "known" && *mpc[i] > *best[i];
  }
  if (of_mpc.empty()) {
    return {kCannot, "no data set of more than eight dimensions was searched and compared"};
  }
  return {known == 0 ? kCannot : graded(known_ahead == known, known_ahead > 0),
          fmt::format("ahead on {} of known dimensionality; on {} with those for which the best of "
                      "all for MPC was taken, which favours it; harmonic means of all: MPC {:.3f}, "
                      "Best {:.3f}",
                      share(known_ahead, known), share(ahead, of_mpc.size()), harmonic_mean(of_mpc),
                      harmonic_mean(of_best))};
}

/// The largest n of the LNVs among components.
std::uint64_t longest_lnv(const std::vector<synth::Component>& components) {
  std::uint64_t longest = 0;
  for (const synth::Component component : components) {
    if (kind_of(component) == "LNV")
      longest = std::max<std::uint64_t>(longest, component.parameter);
  }
  return longest;
}

bool has_longer_lnv(const Pipeline& pipeline) {
  return longest_lnv(pipeline.stages) > kLongestOfPaper;
}

Finding longer_lnv(const JsonValue&, const Evidence& evidence) {
  if (!evidence.space) return {};
  const std::uint64_t longest = longest_lnv(evidence.space->runs.space().components);
  if (longest <= kLongestOfPaper) {
    return {kCannot, fmt::format("the space has LNV up to {}; configs/spaces/longer_lnv.json "
                                 "has more",
                                 longest)};
  }
  std::uint64_t longer = 0;
  std::string text =
      share(count(evidence, [](const Winner& one) { return has_longer_lnv(one.pipeline); }),
            evidence.winners.size()) +
      " have one";
  for (const Precision precision : kPrecisions) {
    const Means means(evidence.space->runs.of(precision));
    const auto best = means.best();
    if (!best) continue;
    std::optional<std::uint64_t> shorter;
    for (std::uint64_t id = 0; id < means.costs().size(); ++id) {
      if (shorter && means.costs()[id] >= means.costs()[*shorter]) continue;
      if (!has_longer_lnv(means.space().at(id))) shorter = id;
    }
    longer += has_longer_lnv(means.space().at(*best));
    text += fmt::format("; {}: Best {}", to_string(precision), to_string(means.space().at(*best)));
    if (shorter && shorter != best) {
      text +=
          fmt::format(", {:.2f} % above {}", 100 * (means.ratio(*best) / means.ratio(*shorter) - 1),
                      to_string(means.space().at(*shorter)));
    }
  }
  return {graded(longer == evidence.best.size(), longer > 0), text};
}

/// The ratios with one to four stages of each data set in double precision; 0 where there is none.
std::map<std::string, std::array<double, 4>> ratios_by_stages(const Evidence& evidence) {
  std::map<std::string, std::array<double, 4>> found;
  if (!evidence.space) return found;
  const Table all = stages(evidence.space->runs).front();
  const auto names = column<std::string>(all, "data_set"),
             precisions = column<std::string>(all, "precision");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (precisions[i] != to_string(Precision::Double) || *names[i] == "Best") continue;
    for (std::size_t n = 0; n < 4; ++n) {
      found[*names[i]][n] = column<double>(all, fmt::format("ratio_{}", n + 1)).at(i).value_or(0);
    }
  }
  std::erase_if(found, [](const auto& one) { return one.second[0] == 0 || one.second[3] == 0; });
  return found;
}

Finding one_stage(const JsonValue& claim, const Evidence& evidence) {
  const auto all = ratios_by_stages(evidence);
  if (all.empty()) return {kCannot, evidence.space ? "no data set in double precision" : ""};
  const JsonValue wanted = claim["text"];
  const double least = wanted["percent"].real();
  std::vector<std::pair<double, std::string>> below;
  for (const auto& [name, ratios] : all) {
    const double percents = 100 * ratios[0] / ratios[3];
    if (percents < least) below.emplace_back(percents, name);
  }
  std::ranges::sort(below);
  std::vector<std::string> which;
  for (const auto& [percents, name] : below)
    which.push_back(fmt::format("{} ({:.0f} %)", name, percents));
  const std::uint64_t reach = all.size() - below.size();
  std::string text = fmt::format("{} reach {} %", share(reach, all.size()), least);
  if (!which.empty()) text += fmt::format("; not {}", fmt::join(which, ", "));
  return {graded(below.size() * wanted["data_sets"].whole() <=
                     wanted["exceptions"].whole() * all.size(),
                 2 * reach > all.size()),
          text};
}

Finding flattening(const JsonValue&, const Evidence& evidence) {
  const auto all = ratios_by_stages(evidence);
  if (all.empty()) {
    return {kCannot, evidence.space ? "no data set with four stages in double precision" : ""};
  }
  std::uint64_t second = 0, both = 0;
  for (const auto& [name, ratios] : all) {
    const double gains[] = {ratios[1] - ratios[0], ratios[2] - ratios[1], ratios[3] - ratios[2]};
    second += gains[0] > gains[1];
    both += gains[0] > gains[1] && gains[1] > gains[2];
  }
  return {graded(2 * both > all.size(), 2 * second > all.size()),
          fmt::format("{}; the second gains more than the third on {}", share(both, all.size()),
                      second)};
}

}  // namespace

const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> all = {{"no-ties", no_ties},
                                                  {"ze-last", ze_last},
                                                  {"no-early-reducer", no_early_reducer},
                                                  {"dim-behind-cut", dim_behind_cut},
                                                  {"bit", bit},
                                                  {"cut-unused", cut_unused},
                                                  {"nul-inv", nul_inv},
                                                  {"lnv-always", lnv_always},
                                                  {"lnv-twice", lnv_twice},
                                                  {"subtraction", subtraction},
                                                  {"same-in-both", same_in_both},
                                                  {"one-best", one_best},
                                                  {"pattern", pattern},
                                                  {"best-is", best_is},
                                                  {"mpc-wins", mpc_wins},
                                                  {"cross-validation", cross_validation},
                                                  {"mpc-above-eight", mpc_above_eight},
                                                  {"longer-lnv", longer_lnv},
                                                  {"one-stage", one_stage},
                                                  {"flattening", flattening}};
  return all;
}

}  // namespace fpsynth::results
