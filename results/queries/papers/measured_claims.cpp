// The rules of claims on ratios of one compressor beside others: the MPC paper's section V.B,
// section 5.1 of the GFC paper and section VI of the Holt paper.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "results/documents/means.hpp"
#include "results/queries/papers/claims.hpp"
#include "results/queries/papers/published.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

constexpr std::string_view kMpc = "MPC";

/// Ratios by data set and compressor.
using Ratios = std::map<std::string, std::map<std::string, double>>;

/// Of the compressors of the paper's Tables III and IV, where all of a precision were measured.
Ratios of_papers_compressors(const Evidence& evidence, Precision precision) {
  std::set<std::string> names;
  for (const Published& figure : PublishedFigures::built_in().figures()) {
    const char* table = precision == Precision::Double ? "III" : "IV";
    if (figure.table == table) names.insert(figure.compressor);
  }
  Ratios ratios;
  for (const Measurement& one : evidence.measured) {
    if (one.precision != precision || !names.contains(one.compressor)) continue;
    if (one.gpu || one.ratio == 0) continue;  // of other settings, or of a mean speed
    ratios[one.data_set][one.compressor] = one.ratio;
  }
  std::erase_if(ratios, [&](const auto& one) { return one.second.size() < names.size(); });
  return ratios;
}

const Finding kNotCompared = {kNotMeasured, "`fpsynth compare` with all of the paper's six"};

double highest_ratio(const std::map<std::string, double>& ratios) {
  double most = 0;
  for (const auto& [name, ratio] : ratios) most = std::max(most, ratio);
  return most;
}

/// The compressors with the highest ratio on a data set.
std::set<std::string> highest(const std::map<std::string, double>& ratios) {
  const double most = highest_ratio(ratios);
  std::set<std::string> names;
  for (const auto& [name, ratio] : ratios) {
    if (ratio == most) names.insert(name);
  }
  return names;
}

Finding mpc_highest(const JsonValue& claim, const Evidence& evidence) {
  std::size_t reached = 0, judged = 0;
  std::vector<std::string> texts;
  for (const Precision precision : kPaperPrecisions) {
    const Ratios ratios = of_papers_compressors(evidence, precision);
    if (ratios.empty()) continue;
    const auto won = std::size_t(std::ranges::count_if(
        ratios, [](const auto& one) { return highest(one.second).contains(std::string(kMpc)); }));
    const auto papers = claim["highest_on"][to_string(precision)].wholes();  // so many of so many
    reached += won * papers[1] >= papers[0] * ratios.size();
    ++judged;
    texts.push_back(fmt::format("{} {}", to_string(precision), share(won, ratios.size())));
  }
  if (judged == 0) return kNotCompared;
  return {graded(reached == judged, reached > 0), joined(texts, ", ")};
}

Finding each_highest(const JsonValue&, const Evidence& evidence) {
  std::map<std::string, std::size_t> counts;
  for (const Precision precision : kPaperPrecisions) {
    for (const auto& [set, ratios] : of_papers_compressors(evidence, precision)) {
      for (const auto& [name, ratio] : ratios) counts[name] += highest(ratios).contains(name);
    }
  }
  if (counts.empty()) return kNotCompared;
  bool others = true, neither = true;
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    bool& as_claimed = name == "GFC" || name == "lzop -9" ? neither : others;
    as_claimed = as_claimed && (count > 0) == (&as_claimed == &others);
    texts.push_back(fmt::format("{} on {}", name, count));
  }
  return {graded(others && neither, others || neither), joined(texts, ", ")};
}

Finding mpc_above(const JsonValue&, const Evidence& evidence) {
  std::size_t ahead = 0, of = 0;
  for (const Precision precision : kPaperPrecisions) {
    for (const auto& [set, ratios] : of_papers_compressors(evidence, precision)) {
      for (const char* other : {"lzop -9", "GFC"}) {
        if (!ratios.contains(other)) continue;
        ++of;
        ahead += ratios.at(std::string(kMpc)) > ratios.at(other);
      }
    }
  }
  if (of == 0) return kNotCompared;
  return {graded(10 * ahead >= 9 * of, 2 * ahead > of), share(ahead, of) + " pairs"};
}

Finding above_mpc_on_average(const JsonValue&, const Evidence& evidence) {
  Ratios ratios = of_papers_compressors(evidence, Precision::Double);
  if (ratios.size() <= 2) return kNotCompared;
  const auto mean = [&](std::string_view name) {
    std::vector<double> all;
    for (const auto& [set, its] : ratios) all.push_back(its.at(std::string(name)));
    return harmonic_mean(all);
  };
  const auto means = [&] {
    return fmt::format("MPC {:.3f}, pFPC {:.3f}, bzip2 {:.3f}", mean(kMpc), mean("pFPC -1M"),
                       mean("bzip2 --best"));
  };
  const auto above = [&](std::string_view name) { return mean(name) > mean(kMpc); };
  const bool both = above("pFPC -1M") && above("bzip2 --best"),
             either = above("pFPC -1M") || above("bzip2 --best");
  std::string text = means();
  // Without the two data sets on which they are furthest ahead.
  for (int i = 0; i < 2; ++i) {
    ratios.erase(std::ranges::max_element(ratios, {}, [](const auto& one) {
      const auto& its = one.second;
      return std::max(its.at("pFPC -1M"), its.at("bzip2 --best")) / its.at(std::string(kMpc));
    }));
  }
  text += "; without two data sets " + means();
  return {graded(both && !above("pFPC -1M") && !above("bzip2 --best"), either), text};
}

/// So many percent above the next one, at most, where MPC has the highest ratio.
Finding mpc_ahead(const JsonValue& claim, const Evidence& evidence) {
  std::size_t won = 0, of = 0;
  double most = 0;
  for (const Precision precision : kPaperPrecisions) {
    for (auto [set, ratios] : of_papers_compressors(evidence, precision)) {
      ++of;
      if (!highest(ratios).contains(std::string(kMpc))) continue;
      ++won;
      const double its = ratios.extract(std::string(kMpc)).mapped();
      most = std::max(most, 100 * (its / highest_ratio(ratios) - 1));
    }
  }
  if (of == 0) return kNotCompared;
  return {graded(won > 1 && most >= claim["percent"].real() - 0.5, won > 1),
          fmt::format("highest on {}, at most {:.1f} % above the next", share(won, of), most)};
}

Finding singles_higher(const JsonValue&, const Evidence& evidence) {
  const Ratios doubles = of_papers_compressors(evidence, Precision::Double);
  std::size_t higher = 0, of = 0;
  for (const auto& [set, ratios] : of_papers_compressors(evidence, Precision::Single)) {
    if (!doubles.contains(set)) continue;
    ++of;
    higher += highest_ratio(ratios) > highest_ratio(doubles.at(set));
  }
  if (of == 0) return kNotCompared;
  return {graded(2 * higher > of, false), "on " + share(higher, of)};
}

/// Of the fastest modes. FPC is pFPC with one thread; both have the paper's smaller tables.
Finding gfc_order(const JsonValue&, const Evidence& evidence) {
  const std::string_view names[] = {"lzop -1", "GFC", "bzip2 -1", "gzip -1", "FPC", "pFPC"};
  Ratios by_set;
  for (const Measurement& one : evidence.measured) {
    if (one.precision != Precision::Double || one.gpu || one.compressor == "FPC") continue;
    std::string name = one.compressor;
    if (name == "sweep pfpc" && one.tables == 8192 && one.chunks == 1024) {
      name = one.threads == 1 ? "FPC" : one.threads == 4 ? "pFPC" : "";
    }
    if (std::ranges::count(names, name)) by_set[one.data_set][name] = one.ratio;
  }
  std::erase_if(by_set, [&](const auto& one) { return one.second.size() < std::size(names); });
  if (by_set.empty()) {
    return {kNotMeasured,
            evidence.space ? "`fpsynth compare`, and `fpsynth baseline sweep pfpc`" : ""};
  }
  std::vector<double> means;
  std::vector<std::string> texts;
  for (const std::string_view name : names) {
    std::vector<double> ratios;
    for (const auto& [set, its] : by_set) ratios.push_back(its.at(std::string(name)));
    means.push_back(harmonic_mean(ratios));
    texts.push_back(fmt::format("{} {:.3f}", name, means.back()));
  }
  const bool lowest = means[0] == std::ranges::min(means);
  const bool between = std::max(means[1], means[2]) < std::min({means[3], means[4], means[5]});
  return {graded(lowest && between, lowest || between), joined(texts, ", ")};
}

Finding holt_ratios(const JsonValue&, const Evidence& evidence) {
  std::size_t good = 0, grow = 0, of = 0;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor != "Holt" || one.precision != Precision::Single || one.gpu) continue;
    ++of;
    good += one.ratio >= 1.25;
    grow += one.ratio < 1;
  }
  if (of == 0) return {kNotMeasured, "`fpsynth compare --only holt`"};
  return {graded(good > 0 && grow > 0 && 2 * grow<of, good> 0),
          fmt::format("a fifth or more is saved on {}, and {} grow", share(good, of), grow)};
}

}  // namespace

const std::map<std::string, Rule>& rules_of_measurements() {
  static const std::map<std::string, Rule> all = {
      {"mpc-highest", mpc_highest},       {"each-highest", each_highest},
      {"mpc-above", mpc_above},           {"mpc-ahead", mpc_ahead},
      {"singles-higher", singles_higher}, {"above-mpc", above_mpc_on_average},
      {"gfc-order", gfc_order},           {"holt-ratios", holt_ratios}};
  return all;
}

}  // namespace fpsynth::results
