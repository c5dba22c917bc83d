#include "runners/timing/model/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace fpsynth::timing {
namespace {

using results::CodecCost;
using results::Direction;
using results::StageCost;
using results::StageLoad;

using Matrix = std::vector<std::vector<double>>;

/// Solves the symmetric, positive definite system a * x = b by Cholesky decomposition, in place.
void solve(Matrix& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
}

/// Number of columns for a stage's six costs, in the order of StageCost.
constexpr std::size_t kTerms = 6;

void add_terms(std::span<double> columns, const StageLoad& load) {
  columns[0] += 1;
  columns[1] += load.in_bytes;
  columns[2] += load.ragged;
  columns[3] += load.ragged * load.in_bytes;
  columns[4] += load.out_bytes;
  columns[5] += load.control;
}

StageCost cost_of(synth::Component component, std::size_t word_bytes, Direction direction,
                  std::span<const double> x) {
  return {component, word_bytes, direction, x[0], x[1], x[2], x[3], x[4], x[5]};
}

}  // namespace

std::vector<double> least_squares(const Matrix& rows, std::span<const double> targets,
                                  double ridge) {
  const std::size_t n = rows.front().size();
  std::vector<double> scale(n);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < n; ++i) scale[i] += row[i] * row[i];
  }
  for (double& length : scale) length = length > 0 ? 1 / std::sqrt(length) : 0;
  Matrix a(n, std::vector<double>(n));
  std::vector<double> x(n);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      const double left = rows[r][i] * scale[i];
      if (left == 0) continue;  // most columns are 0
      x[i] += left * targets[r];
      for (std::size_t j = 0; j <= i; ++j) a[i][j] += left * rows[r][j] * scale[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) a[i][i] += ridge;
  solve(a, x);
  for (std::size_t i = 0; i < n; ++i) x[i] *= scale[i];
  return x;
}

std::vector<StageCost> fit_stages(std::span<const TimedStages> timed, std::size_t word_bytes) {
  constexpr double kRidge = 1e-4;
  constexpr std::size_t kAround = 2;  // a pipeline's own costs: fixed, and per output byte
  std::map<std::pair<synth::Component, std::size_t>, std::size_t> columns;
  const auto each_stage = [&](const TimedStages& one, auto work) {
    for (std::size_t i = 0; i < one.pipeline.stages.size(); ++i) {
      const synth::Component component = one.pipeline.stages[i];
      if (synth::family(component.family).identity) continue;
      work(std::pair(component, one.pipeline.stage_word_bytes(i, word_bytes)), one.loads[i]);
    }
  };
  for (const TimedStages& one : timed) {
    each_stage(one, [&](const auto& key, const StageLoad&) {
      columns.emplace(key, kAround + columns.size() * kTerms);
    });
  }
  std::vector<StageCost> costs;
  if (timed.empty()) return costs;
  for (const Direction direction : results::kDirections) {
    Matrix rows;
    for (const TimedStages& one : timed) {
      auto& row = rows.emplace_back(kAround + columns.size() * kTerms);
      row[0] = 1;
      row[1] = one.loads.back().out_bytes;
      each_stage(one, [&](const auto& key, const StageLoad& load) {
        add_terms(std::span(row).subspan(columns.at(key), kTerms), load);
      });
      const double time = direction == Direction::Compress ? one.compress_ns : one.decompress_ns;
      for (double& value : row) value /= time;
    }
    const std::vector<double> ones(rows.size(), 1);
    const std::vector<double> x = least_squares(rows, ones, kRidge);
    for (const auto& [key, column] : columns) {
      costs.push_back(
          cost_of(key.first, key.second, direction, std::span(x).subspan(column, kTerms)));
    }
  }
  return costs;
}

CodecCost fit_codec(std::span<const TimedAround> timed, std::uint64_t threads,
                    Direction direction) {
  constexpr double kRidge = 1e-6;
  constexpr unsigned kCosts = 3;
  double best[kCosts] = {}, least = std::numeric_limits<double>::infinity();
  // No cost can be negative. There are so few costs that all subsets are tried.
  for (unsigned used = 1; used < 1u << kCosts; ++used) {
    Matrix rows;
    for (const TimedAround& one : timed) {
      auto& row = rows.emplace_back();
      const double terms[kCosts] = {1, one.stage_ns, one.out_bytes};
      for (unsigned i = 0; i < kCosts; ++i) {
        if (used >> i & 1) row.push_back(terms[i] / one.chunk_ns);
      }
    }
    if (rows.empty()) break;
    const std::vector<double> x = least_squares(rows, std::vector<double>(rows.size(), 1), kRidge);
    if (std::ranges::any_of(x, [](double cost) { return cost < 0; })) continue;
    double error = 0;
    for (const auto& row : rows) {
      const double deviation = std::inner_product(row.begin(), row.end(), x.begin(), -1.0);
      error += deviation * deviation;
    }
    if (error >= least) continue;
    least = error;
    for (unsigned i = 0, j = 0; i < kCosts; ++i) best[i] = used >> i & 1 ? x[j++] : 0;
  }
  return {threads, direction, best[0], best[1], best[2]};
}

}  // namespace fpsynth::timing
