// The rules of claims on ratios and on what a sweep compares: the MPC paper's section V.B, section
// 5 of the GFC paper, section 6 of the pFPC paper and section VI of the Holt paper.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "results/documents/means.hpp"
#include "results/queries/papers/claims.hpp"
#include "results/queries/papers/published.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

constexpr std::string_view kMpc = "MPC";
constexpr std::uint64_t kLeastChunk = 64;  // values of two of GFC's subchunks
constexpr std::uint64_t kPageValues = 4096 / 8;

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

/// The compressors with the highest ratio on a data set.
std::set<std::string> highest(const std::map<std::string, double>& ratios) {
  double most = 0;
  for (const auto& [name, ratio] : ratios) most = std::max(most, ratio);
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
  return {graded(reached == judged, reached > 0), fmt::format("{}", fmt::join(texts, ", "))};
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
  return {graded(others && neither, others || neither), fmt::format("{}", fmt::join(texts, ", "))};
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

/// The measurements of a sweep, by data set, in the order of the document.
std::map<std::string, std::vector<Measurement>> sweep(const Evidence& evidence,
                                                      std::string_view name) {
  std::map<std::string, std::vector<Measurement>> by_set;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor == name) by_set[one.data_set].push_back(one);
  }
  return by_set;
}

Finding not_swept(const Evidence& evidence, std::string_view name) {
  return {kNotMeasured, evidence.space ? fmt::format("`fpsynth baseline sweep {}`", name) : ""};
}

Finding gfc_chunks(const JsonValue&, const Evidence& evidence) {
  std::size_t sets = 0, alike = 0;
  double most = 0;
  for (const auto& [set, all] : sweep(evidence, "sweep gfc")) {
    double low = 0, high = 0;
    std::size_t counts = 0;
    for (const Measurement& one : all) {
      if (one.bytes > 0 && one.bytes / 8 / one.chunks < kLeastChunk) continue;
      low = counts ? std::min(low, one.ratio) : one.ratio;
      high = std::max(high, one.ratio);
      ++counts;
    }
    if (counts < 2) continue;
    ++sets;
    alike += high / low < 1.01;
    most = std::max(most, 100 * (high / low - 1));
  }
  if (sets == 0) return not_swept(evidence, "gfc");
  return {graded(alike == sets, 2 * alike > sets),
          fmt::format("within 1 % on {}; at most {:.2f} %", share(alike, sets), most)};
}

/// The rest of the parameters with which a row of a sweep was measured.
using Others = std::array<std::uint64_t, 4>;

Others other_than(std::uint64_t Measurement::*compared, Measurement one) {
  one.*compared = 0;
  return {one.bytes, one.tables, one.threads, one.chunks};
}

/// The number of data sets of the sweep on which the first group of measurements is better than the
/// second, in the mean of `figure`. `group` says which one a measurement is in, if any, by its
/// `compared` parameter; only those groups are compared whose other parameters are equal, because
/// sweeps do not have all chunks with all threads.
Finding compared_groups(const Evidence& evidence, std::string_view name,
                        const std::function<double(const Measurement&)>& figure,
                        std::uint64_t Measurement::*compared,
                        const std::function<int(const Measurement&)>& group) {
  std::size_t sets = 0, better = 0;
  double sums[2] = {};
  for (const auto& [set, all] : sweep(evidence, "sweep " + std::string(name))) {
    struct Sum {
      double sum = 0, count = 0;
    };
    std::map<Others, std::array<Sum, 2>> alike;
    for (const Measurement& one : all) {
      const int which = group(one);
      if (which < 0) continue;
      Sum& its = alike[other_than(compared, one)][std::size_t(which)];
      its.sum += figure(one);
      ++its.count;
    }
    std::erase_if(alike, [](const auto& both) {
      return both.second[0].count == 0 || both.second[1].count == 0;
    });
    if (alike.empty()) continue;
    double means[2] = {};
    for (const auto& [others, both] : alike) {
      for (const std::size_t i : {0, 1}) means[i] += both[i].sum / both[i].count;
    }
    ++sets;
    better += means[0] > means[1];
    for (const int i : {0, 1}) sums[i] += means[i] / double(alike.size());
  }
  if (sets == 0) return not_swept(evidence, name);
  return {graded(4 * better >= 3 * sets, 2 * better > sets),
          fmt::format("on {}; means {:.3f} and {:.3f}", share(better, sets), sums[0] / double(sets),
                      sums[1] / double(sets))};
}

double ratio_of(const Measurement& one) { return one.ratio; }
double speed_of(const Measurement& one) { return one.compress; }

/// Thread counts of a data set's dimensionality and twice and three times that, beside the others
/// up to there with the same chunks and tables: with still more threads, each sees too few of the
/// values whatever their dimensions are.
Finding pfpc_threads(const JsonValue&, const Evidence& evidence) {
  std::map<std::string, std::uint64_t> known;
  for (const Measurement& one : evidence.measured) {
    if (one.dimensionality > 1 && is_known(one.dimensionality_is))
      known[one.data_set] = one.dimensionality;
  }
  const auto group = [&](const Measurement& one) {
    if (!known.contains(one.data_set) || one.threads < 2 || one.chunks >= kPageValues) return -1;
    const std::uint64_t n = known.at(one.data_set);
    return one.threads > 3 * n ? -1 : one.threads % n == 0 ? 0 : 1;
  };
  return compared_groups(evidence, "pfpc", ratio_of, &Measurement::threads, group);
}

Finding pfpc_page(const JsonValue&, const Evidence& evidence) {
  const auto group = [](const Measurement& one) {
    return one.threads < 2 || one.timed_bytes < kLeastTimed ? -1 : int(one.chunks < kPageValues);
  };
  return compared_groups(evidence, "pfpc", speed_of, &Measurement::chunks, group);
}

/// The largest against the smallest of a property that a sweep has, on at least so many threads.
Finding largest_against_smallest(const Evidence& evidence, const std::string& name,
                                 std::uint64_t Measurement::*property,
                                 const std::function<double(const Measurement&)>& figure,
                                 std::uint64_t threads) {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor != "sweep " + name) continue;
    least = std::min(least, one.*property);
    most = std::max(most, one.*property);
  }
  return compared_groups(evidence, name, figure, property, [=](const Measurement& one) {
    if (one.threads < threads || least == most) return -1;
    return one.*property == most ? 0 : one.*property == least ? 1 : -1;
  });
}

Finding pfpc_large_chunks(const JsonValue&, const Evidence& evidence) {
  return largest_against_smallest(evidence, "pfpc", &Measurement::chunks, ratio_of, 2);
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

Finding holt_size(const JsonValue&, const Evidence& evidence) {
  return largest_against_smallest(evidence, "holt", &Measurement::bytes, speed_of, 0);
}

}  // namespace

const std::map<std::string, Rule>& rules_of_measurements() {
  static const std::map<std::string, Rule> all = {
      {"mpc-highest", mpc_highest}, {"each-highest", each_highest},
      {"mpc-above", mpc_above},     {"above-mpc", above_mpc_on_average},
      {"gfc-chunks", gfc_chunks},   {"pfpc-threads", pfpc_threads},
      {"pfpc-page", pfpc_page},     {"pfpc-large-chunks", pfpc_large_chunks},
      {"holt-ratios", holt_ratios}, {"holt-size", holt_size}};
  return all;
}

}  // namespace fpsynth::results
