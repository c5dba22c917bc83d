// The rules of claims on what a sweep compares: sections 2.1 and 5.2 of the GFC paper, 5 and 6 of
// the pFPC paper and VI of the Holt paper.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "results/queries/papers/claims.hpp"

namespace fpsynth::results {
namespace {

constexpr std::uint64_t kLeastChunk = 64;  // values of two of GFC's subchunks
constexpr std::uint64_t kPageValues = 4096 / 8, kLineValues = 64 / 8;

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

Finding gfc_six(const JsonValue&, const Evidence& evidence) {
  std::vector<double> shares;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor == kResidualsOfSix) shares.push_back(one.percent);
  }
  if (shares.empty()) return not_swept(evidence, "gfc");
  const auto few = std::size_t(std::ranges::count_if(shares, [](double its) { return its < 1; }));
  return {graded(few == shares.size(), 2 * few > shares.size()),
          fmt::format("below 1 % on {}; at most {:.2f} %", share(few, shares.size()),
                      std::ranges::max(shares))};
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

/// Small and large chunks against those between a line of the cache and a page.
Finding pfpc_medium(const JsonValue&, const Evidence& evidence) {
  const auto against = [&](std::uint64_t least, std::uint64_t most) {
    return compared_groups(
        evidence, "pfpc", ratio_of, &Measurement::chunks, [=](const Measurement& one) {
          if (one.threads >= 2 && one.chunks >= least && one.chunks <= most) return 0;
          const bool medium = one.chunks >= kLineValues && one.chunks < kPageValues;
          return one.threads >= 2 && medium ? 1 : -1;
        });
  };
  const Finding small = against(1, kLineValues - 1), large = against(kPageValues, ~0ull);
  for (const Finding& one : {small, large}) {
    if (one.verdict == kNotMeasured) return one;
  }
  return {graded(small.verdict == kHolds && large.verdict == kHolds,
                 small.verdict != kNot || large.verdict != kNot),
          fmt::format("small {}; large {}", small.numbers, large.numbers)};
}

/// At multiples of some numbers of threads, ratios above those with one thread more or less; of two
/// multiples beside each other, each is above the neighbour that is none.
Finding pfpc_peaks(const JsonValue& claim, const Evidence& evidence) {
  std::map<std::uint64_t, double> ratios;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor != "sweep pfpc" || one.data_set != claim["data_set"].text()) continue;
    if (one.tables == claim["tables"].whole() && one.chunks == 1) ratios[one.threads] = one.ratio;
  }
  const auto numbers = claim["multiples"].wholes();
  const auto is_multiple = [&](std::uint64_t threads) {
    return std::ranges::any_of(numbers, [&](std::uint64_t one) { return threads % one == 0; });
  };
  std::vector<std::uint64_t> peaks, others;
  for (const auto& [threads, ratio] : ratios) {
    std::vector<double> beside;
    for (const std::uint64_t next : {threads - 1, threads + 1}) {
      if (ratios.contains(next) && !is_multiple(next)) beside.push_back(ratios.at(next));
    }
    if (!is_multiple(threads) || beside.empty()) continue;
    (ratio > std::ranges::max(beside) ? peaks : others).push_back(threads);
  }
  if (peaks.empty() && others.empty()) return not_swept(evidence, "pfpc num_plasma.trace.fpc");
  return {graded(others.empty(), peaks.size() > others.size()),
          fmt::format("peaks at {}{}{}", fmt::join(peaks, ", "), others.empty() ? "" : "; none at ",
                      fmt::join(others, ", "))};
}

/// The largest against the smallest of a property that a sweep has, of those that are `usable`.
Finding largest_against_smallest(const Evidence& evidence, const std::string& name,
                                 std::uint64_t Measurement::*property,
                                 const std::function<double(const Measurement&)>& figure,
                                 const std::function<bool(const Measurement&)>& usable) {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor != "sweep " + name || !usable(one)) continue;
    least = std::min(least, one.*property);
    most = std::max(most, one.*property);
  }
  return compared_groups(evidence, name, figure, property, [&](const Measurement& one) {
    if (!usable(one) || least == most) return -1;
    return one.*property == most ? 0 : one.*property == least ? 1 : -1;
  });
}

Finding pfpc_large_chunks(const JsonValue&, const Evidence& evidence) {
  return largest_against_smallest(evidence, "pfpc", &Measurement::chunks, ratio_of,
                                  [](const Measurement& one) { return one.threads >= 2; });
}

Finding pfpc_tables(const JsonValue&, const Evidence& evidence) {
  return largest_against_smallest(
      evidence, "pfpc", &Measurement::tables,
      [](const Measurement& one) { return 1 / one.compress + 1 / one.decompress; },
      [](const Measurement& one) { return one.timed_bytes >= std::max(kLeastTimed, one.tables); });
}

Finding holt_size(const JsonValue&, const Evidence& evidence) {
  return largest_against_smallest(evidence, "holt", &Measurement::bytes, speed_of,
                                  [](const Measurement&) { return true; });
}

}  // namespace

const std::map<std::string, Rule>& rules_of_sweeps() {
  static const std::map<std::string, Rule> all = {{"gfc-six", gfc_six},
                                                  {"gfc-chunks", gfc_chunks},
                                                  {"pfpc-threads", pfpc_threads},
                                                  {"pfpc-peaks", pfpc_peaks},
                                                  {"pfpc-page", pfpc_page},
                                                  {"pfpc-medium", pfpc_medium},
                                                  {"pfpc-large-chunks", pfpc_large_chunks},
                                                  {"pfpc-tables", pfpc_tables},
                                                  {"holt-size", holt_size}};
  return all;
}

}  // namespace fpsynth::results
