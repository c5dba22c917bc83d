#include "results/queries/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "results/queries/papers/claims.hpp"
#include "results/throughput/throughput.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

constexpr std::string_view kShuffle = "blosc shuffle+zstd -9",
                           kBitshuffle = "blosc bitshuffle+zstd -9";
/// Of a compressor with several levels, the one with the highest ratio counts.
constexpr std::string_view kPeers[] = {"pco", kShuffle, kBitshuffle,     "zstd",  "xz",
                                       "zfp", "fpzip",  "OpenZL fitted", "OpenZL"};
constexpr double kFast[] = {1.0, 0.6};  // GB/s on a core with AVX-512, and on one with AVX2

/// On one core alone, speeds count.
bool on_one_core(const ComparedRow& row) { return row.threads == 1; }

/// GB/s of the slower direction.
double slower(const ComparedRow& row) {
  return std::min(row.gb_per_s(row.compress), row.gb_per_s(row.decompress));
}

using Results = std::map<std::string, ComparedRow, std::less<>>;

/// A data set in a precision.
struct Input {
  std::string data_set;
  Precision precision;
  std::string xxh3;
  Results ours;    ///< by kSearchedIn
  Results others;  ///< by compressor

  /// The highest ratio of our searches; of equal ones the simplest method's. Null without any.
  const ComparedRow* best() const {
    const ComparedRow* found = nullptr;
    for (const std::string_view name : kSearchedIn) {
      const auto one = name == kAuto ? ours.end() : ours.find(name);
      if (one != ours.end() && (!found || one->second.ratio() > found->ratio()))
        found = &one->second;
    }
    return found;
  }
  /// True if it was searched in more than the plain pipelines.
  bool beyond() const { return ours.size() > ours.count(kSearchedIn[0]); }
};

using Ratio = std::function<std::optional<double>(const Input&)>;

/// The highest ratio of a compressor's levels.
std::optional<double> ratio_of(const Input& input, std::string_view peer) {
  std::optional<double> highest;
  for (const auto& one : input.others) {
    const auto its = std::ranges::find_if(
        kPeers, [&](const std::string_view name) { return one.first.starts_with(name); });
    if (its != std::end(kPeers) && *its == peer) {
      highest = std::max(highest.value_or(0), one.second.ratio());
    }
  }
  return highest;
}

/// The better of byte and bit shuffle, if both were measured.
std::optional<double> shuffled(const Input& input) {
  const auto bytes = ratio_of(input, kShuffle), bits = ratio_of(input, kBitshuffle);
  return bytes && bits ? std::optional(std::max(*bytes, *bits)) : std::nullopt;
}

/// Inputs and methods in the order in which they were found.
struct Found {
  std::vector<Input> inputs;
  std::vector<std::string> methods;  ///< ours by kSearchedIn, then the others
  std::vector<std::string> notes;
  std::map<std::string, std::vector<std::string>> measured_on;  ///< methods by processor

  void add(const ComparedFile& file);
};

void Found::add(const ComparedFile& file) {
  const JsonFile json =
      JsonFile::read(file.path, JsonAuthor::Program, "name a document of `fpsynth compare --out`");
  const std::string name = file.path.filename().string();
  Comparison comparison = read_comparison(json.root());
  std::string where = comparison.cpu;
  for (const std::string& note : comparison.notes) {
    if (note.find("of the first") != note.npos) where += ", " + note;
  }
  for (ComparedSet& set : comparison.sets) {
    auto input = std::ranges::find_if(inputs, [&](const Input& one) {
      return one.data_set == set.name && one.precision == set.precision;
    });
    if (input == inputs.end()) {
      input = inputs.insert(input, {set.name, set.precision, set.xxh3, {}, {}});
    } else if (input->xxh3 != set.xxh3) {
      notes.push_back(
          fmt::format("{}: {} ({}) is left out, because it was measured on other values", name,
                      set.name, to_string(set.precision)));
      continue;
    }
    for (ComparedRow& row : set.rows) {
      if (!row.verified || row.name == "memcpy") continue;
      const bool searched = row.name == kBestSearched, automatic = row.name.starts_with(kAuto);
      if (file.ours.empty() ? searched || automatic : !(file.ours == kAuto ? automatic : searched))
        continue;
      if (automatic) row.pipeline = row.name;
      const std::string method(file.ours.empty() ? row.name : file.ours);
      if (std::ranges::find(methods, method) == methods.end()) {
        methods.push_back(method);
        measured_on[where].push_back(method);
      }
      (file.ours.empty() ? input->others : input->ours).try_emplace(method, std::move(row));
    }
  }
}

/// The result in one of kSearchedIn, or the best one if that is empty.
const ComparedRow* ours_in(const Input& input, std::string_view name) {
  if (name.empty()) return input.best();
  const auto one = input.ours.find(name);
  return one == input.ours.end() ? nullptr : &one->second;
}

Table ratios_table(const Found& found) {
  Table table{.title = "The best of ours beside other compressors",
              .columns = {{"data_set"}, {"precision"}},
              .notes = found.notes};
  for (const std::string_view ours : kSearchedIn) {
    table.columns.emplace_back(std::string(ours) + "_ratio", std::string(ours) + " CR");
    table.columns.emplace_back(std::string(ours) + "_method", std::string(ours));
  }
  table.columns.insert(table.columns.end(), {{"best_of_ours"},
                                             {"compress_gb_per_s", "compress GB/s", 2},
                                             {"decompress_gb_per_s", "decompress GB/s", 2}});
  for (const std::string_view peer : kPeers) {
    std::string key(peer);
    std::ranges::replace_if(
        key, [](char c) { return !std::isalnum(c); }, '_');
    table.columns.emplace_back(key + "_ratio", std::string(peer));
  }
  for (const Input& input : found.inputs) {
    const ComparedRow* best = input.best() ? input.best() : ours_in(input, kAuto);
    if (!best) continue;
    std::vector<Cell> row = cells(input.data_set, input.precision);
    for (const std::string_view ours : kSearchedIn) {
      const ComparedRow* one = ours_in(input, ours);
      append(row, one ? cells(one->ratio(), one->pipeline) : std::vector<Cell>(2));
    }
    append(row, best->pipeline);
    append(row, on_one_core(*best)
                    ? cells(best->gb_per_s(best->compress), best->gb_per_s(best->decompress))
                    : std::vector<Cell>(2));
    for (const std::string_view peer : kPeers) append(row, cell(ratio_of(input, peer)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// No method is shown on easier inputs than another. What takes doubles alone, or has a gap, would
/// leave hardly an input to compare all on.
Table means_table(const Found& found) {
  Table table{.title = "Means over the inputs that all have",
              .columns = columns("method", "searched_in", "data_sets", "inputs",
                                 Column("geometric_mean_ratio", "mean CR"),
                                 Column("median_compress_gb_per_s", "compress GB/s", 4),
                                 Column("median_decompress_gb_per_s", "decompress GB/s", 4)),
              .notes = {"the mean of the ratios is geometric, speeds are medians, on one core"}};
  const auto result = [](const Input& input, const std::string& method) -> const ComparedRow* {
    for (const Results* its : {&input.ours, &input.others}) {
      const auto one = its->find(method);
      if (one != its->end() && on_one_core(one->second)) return &one->second;
    }
    return nullptr;
  };
  for (const auto& [cpu, its] : found.measured_on) {
    table.notes.push_back(fmt::format("on {}: {}", cpu, fmt::join(its, ", ")));
  }
  std::map<std::string, std::vector<const Input*>> has;
  std::size_t most = 0;
  for (const std::string& method : found.methods) {
    for (const Input& input : found.inputs) {
      if (!input.others.empty() && result(input, method)) has[method].push_back(&input);
    }
    most = std::max(most, has[method].size());
  }
  std::vector<std::string> methods = found.methods;
  std::erase_if(methods, [&](const auto& method) { return has[method].size() < most; });
  std::vector<const Input*> inputs;
  std::map<std::string, int> data_sets;
  for (const Input& input : found.inputs) {
    if (input.others.empty() ||
        !std::ranges::all_of(methods, [&](const auto& one) { return result(input, one); }))
      continue;
    inputs.push_back(&input);
    ++data_sets[input.data_set];
  }
  for (const std::string& method : methods) {
    if (inputs.empty()) break;
    double logarithms = 0;
    std::vector<double> compress, decompress;
    for (const Input* input : inputs) {
      const ComparedRow& one = *result(*input, method);
      logarithms += std::log(one.ratio());
      compress.push_back(one.gb_per_s(one.compress));
      decompress.push_back(one.gb_per_s(one.decompress));
    }
    const bool ours = std::ranges::find(kSearchedIn, method) != std::end(kSearchedIn);
    table.add(method, ours ? Cell(method) : Cell(), data_sets.size(), inputs.size(),
              std::exp(logarithms / double(inputs.size())), median(compress), median(decompress));
  }
  return table;
}

/// The number of inputs of which `is` is true, among those of which it is known, and that as text
/// with the precisions apart.
struct InputCount {
  std::size_t count = 0, of = 0;
  std::vector<std::string> parts;

  InputCount(const std::vector<const Input*>& inputs,
             const std::function<std::optional<bool>(const Input&)>& is) {
    for (const Precision precision : kPrecisions) {
      std::size_t its = 0, known = 0;
      for (const Input* input : inputs) {
        if (const auto value = is(*input); value && input->precision == precision) {
          ++known;
          its += *value;
        }
      }
      if (known > 0) parts.push_back(fmt::format("{} {}", to_string(precision), share(its, known)));
      count += its;
      of += known;
    }
  }
  std::optional<std::string> text() const {
    if (of == 0) return std::nullopt;
    return fmt::format("{} ({})", share(count, of), fmt::join(parts, ", "));
  }
};

Table verdicts_table(const Found& found) {
  Table table{.title = "What context past the chunk achieves", .columns = {{"what"}, {"verdict"}}};
  for (const auto ours : kSearchedIn)
    table.columns.emplace_back("in_" + std::string(ours), std::string(ours));
  table.columns.insert(table.columns.end(),
                       {{"best_of_ours"}, {"true_on"}, {"known_on"}, {"holds_if"}});
  std::vector<const Input*> inputs;
  for (const Input& input : found.inputs) {
    if (input.beyond()) inputs.push_back(&input);
  }
  if (inputs.empty()) {
    table.notes.emplace_back("no comparison of methods with preludes was named");
    return table;
  }
  const auto add = [&](const std::string& what, const auto& is, const auto& judge,
                       const char* rule) {
    std::vector<Cell> row = cells(what);
    const InputCount best(inputs, [&](const Input& input) { return is(input, ""); });
    append(row, best.of ? judge(best) : kCannot);
    for (const std::string_view ours : kSearchedIn) {
      const InputCount its(inputs, [&](const Input& input) { return is(input, ours); });
      append(row, its.text());
    }
    table.add(row, best.text(), best.count, best.of, rule);
  };
  const auto ahead_of = [](const Ratio& other) {
    return [other](const Input& input, std::string_view name) -> std::optional<bool> {
      const ComparedRow* ours = ours_in(input, name);
      const auto its = other(input);
      return ours && its ? std::optional(ours->ratio() > *its) : std::nullopt;
    };
  };
  const auto half = [](const InputCount& n) { return graded(2 * n.count >= n.of, n.count > 0); };
  constexpr auto kHalf = "the best of ours is ahead on half; in part, on some";
  add(
      "ahead of the better of shuffle and bitshuffle with zstd -9", ahead_of(shuffled),
      [](const InputCount& n) { return graded(4 * n.count >= 3 * n.of, 2 * n.count > n.of); },
      "the best of ours is ahead on three of four; in part, on more than half");
  for (const char* peer : {"pco", "xz"}) {
    add(fmt::format("ahead of {}", peer),
        ahead_of([=](const Input& input) { return ratio_of(input, peer); }), half, kHalf);
  }
  for (const double speed : kFast) {
    add(
        fmt::format("at {} GB/s or more both ways on one core", speed),
        [=](const Input& input, std::string_view name) -> std::optional<bool> {
          const ComparedRow* ours = ours_in(input, name);
          return ours && on_one_core(*ours) ? std::optional(slower(*ours) >= speed) : std::nullopt;
        },
        [](const InputCount& n) { return graded(n.count == n.of, 2 * n.count > n.of); },
        "on all whose speed is known; in part, on more than half");
  }
  std::vector<double> gains;
  for (const Input* input : inputs) {
    if (const ComparedRow* plain = ours_in(*input, kSearchedIn[0])) {
      gains.push_back(input->best()->ratio() / plain->ratio());
    }
  }
  if (!gains.empty()) {
    table.add("median ratio, times that of pipelines alone",
              std::vector<Cell>(1 + std::size(kSearchedIn)), fmt::format("{:.2f}", median(gains)));
  }
  return table;
}

}  // namespace

std::vector<Table> peers(const std::vector<ComparedFile>& files) {
  Found found;
  std::vector<std::string_view> order(std::begin(kSearchedIn), std::end(kSearchedIn));
  for (const std::string_view ours : (order.emplace_back(), order)) {
    for (const ComparedFile& file : files) {
      if (file.ours == ours) found.add(file);
    }
  }
  std::ranges::stable_sort(found.inputs, {}, &Input::precision);
  return {ratios_table(found), means_table(found), verdicts_table(found)};
}

}  // namespace fpsynth::results
