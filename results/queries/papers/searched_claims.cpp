// The rules of claims on what a search tried besides its winners: ties, ranks, shorter pipelines,
// the best without a data set. They read the tables of other queries.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "results/documents/means.hpp"
#include "results/queries/papers/claims.hpp"
#include "results/queries/queries.hpp"
#include "results/queries/tallies.hpp"

namespace fpsynth::results {
namespace {

using synth::Pipeline;
using synth::Precision;

constexpr std::uint64_t kLongestOfPaper = 8;  // the n of LNV

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

Finding one_best(const JsonValue&, const Evidence& evidence) {
  if (evidence.best.size() < 2) return {kCannot, "no data sets in both precisions"};
  const Pipeline &in_double = evidence.best.at(Precision::Double),
                 &in_single = evidence.best.at(Precision::Single);
  std::string text = in_double == in_single ? to_string(in_double) : with_precisions(evidence.best);
  if (evidence.space) {
    const Table both = overall(evidence.space->runs, 1).at(2);
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
          fmt::format("{} have the kinds of Best: {}", share(same, of), each_once(patterns))};
}

/// Judged where the dimensionality is known: not where it is a guess or the best of all for MPC,
/// which favours MPC.
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
    if (!is_known(*origins[i])) continue;
    ++known;
    known_ahead += *mpc[i] > *best[i];
  }
  if (of_mpc.empty()) {
    return {kCannot, "no data set of more than eight dimensions was searched and compared"};
  }
  return {known == 0 ? kCannot : graded(known_ahead == known, known_ahead > 0),
          fmt::format("ahead on {} of known dimensionality; on {} with those for which it is a "
                      "guess, or the best of all for MPC, which favours it; harmonic means of all: "
                      "MPC {:.3f}, Best {:.3f}",
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
  for (const Precision precision : kPaperPrecisions) {
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
  const std::uint64_t reach = all.size() - below.size();
  std::string text = fmt::format("{} reach {} %", share(reach, all.size()), least);
  if (!below.empty()) {
    text += "; not " + joined(below, ", ", [](const auto& one) {
              return fmt::format("{} ({:.0f} %)", one.second, one.first);
            });
  }
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

const std::map<std::string, Rule>& rules_of_searches() {
  static const std::map<std::string, Rule> all = {{"no-ties", no_ties},
                                                  {"one-best", one_best},
                                                  {"cross-validation", cross_validation},
                                                  {"mpc-above-eight", mpc_above_eight},
                                                  {"longer-lnv", longer_lnv},
                                                  {"one-stage", one_stage},
                                                  {"flattening", flattening}};
  return all;
}

}  // namespace fpsynth::results
