// The rules of claims on speeds: one compressor beside others, more threads beside one, kernels
// beside transfers. Sections V.C of the MPC paper, 5 of GFC's, 5.2 of pFPC's and VI of Holt's.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "results/queries/papers/claims.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;
using Speed = double Measurement::*;

struct Way {
  std::string_view name;
  Speed speed, transfers;
};
constexpr Way kWays[] = {
    {"compression", &Measurement::compress, &Measurement::compress_transfers},
    {"decompression", &Measurement::decompress, &Measurement::decompress_transfers}};

/// True of the ways that a claim names; of both if it names none.
bool asks(const JsonValue& claim, const Way& way) {
  return !claim.has("way") || claim["way"].text() == way.name;
}

/// True of a measurement that is long enough for a claim on its speed.
bool enough(const JsonValue& claim, const Measurement& one) {
  return one.timed_bytes >= (claim.has("least_bytes") ? claim["least_bytes"].whole() : kLeastTimed);
}

Finding not_compared(const JsonValue& claim, const Evidence& evidence) {
  if (!evidence.space) return {kNotMeasured, ""};
  const std::uint64_t least = claim.has("least_bytes") ? claim["least_bytes"].whole() : kLeastTimed;
  const bool swept = claim["compressor"].text().starts_with("sweep ");
  return {kNotMeasured,
          fmt::format("`fpsynth {}` over {} bytes or more of a data set{}",
                      swept ? "baseline " + claim["compressor"].text() : "compare", least,
                      claim.has("beside") ? fmt::format(", and {}", kOnGpu) : "")};
}

/// One compressor so many times as fast as another, or as the fastest of others, in the mean over
/// the data sets on which both were timed; "beside": one on a GPU, the others on a processor.
Finding times_as_fast(const JsonValue& claim, const Evidence& evidence) {
  const double times = claim["times"].real();
  const bool beside = claim.has("beside");
  const auto others = claim["than"].items();
  std::size_t reached = 0, ahead = 0;
  std::vector<std::string> texts;
  for (const Precision precision : kPaperPrecisions) {
    for (const Way& way : kWays) {
      if (!asks(claim, way)) continue;
      std::map<std::string, std::array<double, 2>> fastest;  // by data set
      for (const Measurement& one : evidence.measured) {
        const bool first = one.compressor == claim["compressor"].text();
        if (!first && std::ranges::count(others, one.compressor, &JsonValue::text) == 0) continue;
        if (one.precision != precision || !enough(claim, one)) continue;
        if (beside && one.gpu != first) continue;
        double& its = fastest[one.data_set][first ? 0 : 1];
        its = std::max(its, one.*way.speed);
      }
      double sums[2] = {};
      for (const auto& [set, speeds] : fastest) {
        if (speeds[0] == 0 || speeds[1] == 0) continue;
        for (const std::size_t i : {0, 1}) sums[i] += speeds[i];
      }
      if (sums[1] == 0) continue;
      reached += sums[0] >= times * sums[1];
      ahead += sums[0] > sums[1];
      texts.push_back(fmt::format("{:.1f} times in {} ({})", sums[0] / sums[1], way.name,
                                  to_string(precision)));
    }
  }
  if (texts.empty()) return not_compared(claim, evidence);
  return {graded(reached == texts.size(), ahead == texts.size()), joined(texts, ", ")};
}

/// The fastest of the compressors that a claim names, on a processor, in the mean.
Finding fastest(const JsonValue& claim, const Evidence& evidence) {
  std::size_t won = 0;
  std::vector<std::string> texts;
  for (const Precision precision : kPaperPrecisions) {
    std::vector<std::pair<double, std::string>> speeds;
    for (const JsonValue& name : claim["among"].items()) {
      double sum = 0, count = 0;
      for (const Measurement& one : evidence.measured) {
        if (one.compressor != name.text() || one.precision != precision || one.gpu) continue;
        if (!enough(claim, one)) continue;
        for (const Way& way : kWays) sum += asks(claim, way) ? one.*way.speed : 0;
        ++count;
      }
      if (count > 0) speeds.emplace_back(sum / count, name.text());
    }
    if (speeds.size() < 2) continue;
    std::ranges::sort(speeds, std::greater());
    won += speeds[0].second == claim["compressor"].text();
    const auto text_of = [](const auto& one) {
      return fmt::format("{} {:.3g}", one.second, one.first);
    };
    texts.push_back(
        fmt::format("{} precision: {} GB/s", to_string(precision), joined(speeds, ", ", text_of)));
  }
  if (texts.empty()) return not_compared(claim, evidence);
  return {graded(won == texts.size(), won > 0), joined(texts, "; ")};
}

/// The kernels of a claim's compressor, faster than the transfers of the same runs in the mean.
Finding beside_transfers(const JsonValue& claim, const Evidence& evidence) {
  std::size_t faster = 0;
  std::vector<std::string> texts;
  for (const Way& way : kWays) {
    double kernels = 0, transfers = 0, count = 0;
    for (const Measurement& one : evidence.measured) {
      if (one.compressor != claim["compressor"].text() || one.*way.transfers == 0) continue;
      if (one.precision != claim["precision"].precision() || !enough(claim, one)) continue;
      kernels += one.*way.speed;
      transfers += one.*way.transfers;
      ++count;
    }
    if (count == 0) continue;
    faster += kernels > transfers;
    texts.push_back(fmt::format("{}: kernels {:.3g}, transfers {:.3g} GB/s", way.name,
                                kernels / count, transfers / count));
  }
  if (texts.empty()) return {kNotMeasured, evidence.space ? std::string(kOnGpu) : ""};
  return {graded(faster == texts.size(), faster > 0), joined(texts, "; ")};
}

double correlation(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  const auto n = double(points.size());
  for (const auto& [a, b] : points) {
    x += a / n;
    y += b / n;
  }
  for (const auto& [a, b] : points) {
    xx += (a - x) * (a - x);
    yy += (b - y) * (b - y);
    xy += (a - x) * (b - y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// Those of a claim's compressor.
std::vector<Measurement> of_compressor(const JsonValue& claim, const Evidence& evidence) {
  std::vector<Measurement> found;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor == claim["compressor"].text() && enough(claim, one)) found.push_back(one);
  }
  return found;
}

/// The correlation of speeds with ratios, or with sizes, of which they should be independent.
Finding speed_follows(const JsonValue& claim, const Evidence& evidence) {
  const bool size = claim.has("independent_of_size");
  const std::vector<Measurement> all = of_compressor(claim, evidence);
  std::vector<std::pair<double, double>> compress, decompress;
  std::set<std::uint64_t> sizes;
  for (const Measurement& one : all) {
    const double figure = size ? double(one.timed_bytes) : one.ratio;
    sizes.insert(one.timed_bytes);
    compress.emplace_back(figure, one.compress);
    decompress.emplace_back(figure, one.decompress);
  }
  if (all.size() < kLeastDataSets || (size && sizes.size() < kLeastDataSets)) {
    return not_compared(claim, evidence);
  }
  const double in = correlation(compress), out = correlation(decompress);
  const auto as_claimed = [&](double its) { return size ? std::abs(its) < 0.5 : its >= 0.5; };
  return {graded(as_claimed(in) && as_claimed(out), as_claimed(in) || as_claimed(out)),
          fmt::format("correlation of compression {:.2f}, of decompression {:.2f}, over {} inputs",
                      in, out, all.size())};
}

/// The way that a claim names is faster than the other.
Finding faster_way(const JsonValue& claim, const Evidence& evidence) {
  const std::vector<Measurement> all = of_compressor(claim, evidence);
  if (all.empty()) return not_compared(claim, evidence);
  const Way &way = kWays[!asks(claim, kWays[0])], &other = kWays[asks(claim, kWays[0])];
  const auto ahead = std::size_t(std::ranges::count_if(
      all, [&](const Measurement& one) { return one.*way.speed > one.*other.speed; }));
  return {graded(4 * ahead >= 3 * all.size(), 2 * ahead > all.size()),
          fmt::format("in {} timings", share(ahead, all.size()))};
}

Finding reaches_speed(const JsonValue& claim, const Evidence& evidence) {
  const std::vector<Measurement> all = of_compressor(claim, evidence);
  if (all.empty()) return not_compared(claim, evidence);
  const double most = std::ranges::max(all, {}, &Measurement::compress).compress;
  return {graded(most >= claim["gb_per_s"].real(), false),
          fmt::format("at most {:.2f} GB/s in compression", most)};
}

/// By bytes of tables and threads: how many times as fast as one thread in compression and in
/// decompression, in the mean over the data sets of which as much was timed as the tables have,
/// each with the chunks that are the fastest.
using Gains = std::map<std::uint64_t, std::map<std::uint64_t, std::array<double, 2>>>;

Gains gains(const Evidence& evidence) {
  std::map<std::pair<std::uint64_t, std::string>, std::map<std::uint64_t, std::array<double, 2>>>
      fastest;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor != "sweep pfpc" || one.timed_bytes < std::max(kLeastTimed, one.tables)) {
      continue;
    }
    auto& its = fastest[{one.tables, one.data_set}][one.threads];
    for (const std::size_t i : {0, 1}) its[i] = std::max(its[i], one.*kWays[i].speed);
  }
  Gains found;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> counts;
  for (const auto& [key, speeds] : fastest) {
    const auto one = speeds.find(1);
    if (one == speeds.end()) continue;
    for (const auto& [threads, its] : speeds) {
      auto& mean = found[key.first][threads];
      const double n = ++counts[{key.first, threads}];
      for (const std::size_t i : {0, 1}) mean[i] += (its[i] / one->second[i] - mean[i]) / n;
    }
  }
  return found;
}

/// The most threads that the machine of a sweep of pFPC runs at once.
std::uint64_t machine_threads(const Evidence& evidence) {
  std::uint64_t most = 1;
  for (const Measurement& one : evidence.measured) {
    if (one.compressor == "sweep pfpc") most = std::max(most, one.machine_threads);
  }
  return most;
}

Finding not_swept(const Evidence& evidence) {
  return {kNotMeasured, evidence.space ? "`fpsynth baseline sweep pfpc --threads 1,2,3,4` with two "
                                         "sizes of tables, on a machine with more threads than one"
                                       : ""};
}

/// The gain of the machine's most threads over one, with the smallest and the largest tables.
Finding pfpc_scaling(const JsonValue&, const Evidence& evidence) {
  const std::uint64_t threads = machine_threads(evidence);
  Gains by_tables = gains(evidence);
  std::erase_if(by_tables, [=](const auto& one) { return !one.second.contains(threads); });
  if (by_tables.size() < 2 || threads == 1) return not_swept(evidence);
  const double small = by_tables.begin()->second[threads][0],
               large = by_tables.rbegin()->second[threads][0];
  return {graded(large < small && small < double(threads), large < double(threads)),
          fmt::format("{} threads compress {:.2f} times as fast as one with {} bytes of tables, "
                      "{:.2f} times with {}",
                      threads, small, by_tables.begin()->first, large, by_tables.rbegin()->first)};
}

/// A claim on the gains in compression and decompression, by number of threads and tables, of which
/// `reached` says whether they are as claimed.
template <class Reached>
Finding of_gains(const Evidence& evidence, Reached reached) {
  const Gains all = gains(evidence);
  std::size_t as_claimed = 0;
  std::vector<std::string> texts;
  for (const auto& [tables, by_threads] : all) {
    for (const auto& [threads, both] : by_threads) {
      if (threads == 1 || threads > machine_threads(evidence)) continue;
      const std::optional<bool> its =
          reached(threads, tables == all.begin()->first, both[0], both[1]);
      if (!its) continue;
      as_claimed += *its;
      texts.push_back(fmt::format("{} threads with {} bytes of tables: {:.2f} and {:.2f} times",
                                  threads, tables, both[0], both[1]));
    }
  }
  if (texts.empty()) return not_swept(evidence);
  return {graded(as_claimed == texts.size(), as_claimed > 0), joined(texts, "; ")};
}

/// The paper's gains are rows of threads, and compression and decompression with small and large
/// tables.
Finding pfpc_gains(const JsonValue& claim, const Evidence& evidence) {
  const auto papers = claim["gains"].items();
  return of_gains(evidence,
                  [&](std::uint64_t threads, bool small, double compress,
                      double decompress) -> std::optional<bool> {
                    for (const JsonValue& row : papers) {
                      const auto cells = row.items();
                      if (cells[0].whole() != threads) continue;
                      const std::size_t first = small ? 1 : 3;
                      return compress >= 0.9 * cells[first].real() &&
                             decompress >= 0.9 * cells[first + 1].real();
                    }
                    return std::nullopt;
                  });
}

Finding pfpc_sublinear(const JsonValue&, const Evidence& evidence) {
  return of_gains(
      evidence,
      [](std::uint64_t threads, bool, double compress, double decompress) -> std::optional<bool> {
        return compress < double(threads) && decompress < compress;
      });
}

}  // namespace

const std::map<std::string, Rule>& rules_of_speeds() {
  static const std::map<std::string, Rule> all = {
      {"lzop-fastest", fastest},           {"gzip-fastest", fastest},
      {"mpc-above-lzop", times_as_fast},   {"mpc-above-gzip", times_as_fast},
      {"mpc-above-pfpc", times_as_fast},   {"mpc-above-transfers", beside_transfers},
      {"gfc-above-mpc", times_as_fast},    {"gfc-above-pfpc", times_as_fast},
      {"gfc-above-others", times_as_fast}, {"gfc-size", speed_follows},
      {"gfc-most", reaches_speed},         {"gfc-follows", speed_follows},
      {"pfpc-compression", faster_way},    {"pfpc-scaling", pfpc_scaling},
      {"pfpc-gains", pfpc_gains},          {"pfpc-sublinear", pfpc_sublinear},
      {"holt-follows", speed_follows},     {"holt-compression", faster_way},
      {"holt-most", reaches_speed},        {"holt-transfers", beside_transfers}};
  return all;
}

}  // namespace fpsynth::results
