#include "runners/timing/model/fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "components/scratch.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/codec/cpu/stage_load.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {
namespace {

using codec::StageLoadMean;
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

/// Adds one encoded chunk to the loads of all stages.
void add(std::vector<StageLoadMean>& loads, const codec::ChunkCoder& coder, std::size_t chunk_bytes,
         std::span<const components::Extent> extents) {
  std::size_t in = chunk_bytes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t word = coder.pipeline().stage_word_bytes(i, coder.word_bytes());
    loads[i].add(in, extents[i], word);
    in = extents[i].words * word;
  }
}

std::vector<StageLoad> means(const std::vector<StageLoadMean>& loads) {
  std::vector<StageLoad> means;
  for (const StageLoadMean& load : loads) means.push_back(load.mean());
  return means;
}

struct EncodedChunk {
  std::vector<std::byte> block;
  std::vector<components::Extent> extents;
};

}  // namespace

Chunks sample_chunks(std::span<const std::byte> data, std::size_t word_bytes, std::size_t count) {
  const std::size_t chunk = synth::kChunkWords * word_bytes;
  const std::size_t whole = data.size() / chunk;
  if (whole == 0) {
    const std::size_t bytes = data.size() / word_bytes * word_bytes;
    if (bytes == 0) throw Error(fmt::format("no whole word of {} bytes to time", word_bytes));
    return {data.first(bytes)};
  }
  count = std::min(count, whole);
  Chunks chunks;
  for (std::size_t i = 0; i < count; ++i) {
    chunks.push_back(data.subspan(i * whole / count * chunk, chunk));
  }
  return chunks;
}

std::vector<StageLoad> stage_loads(codec::ChunkCoder& coder, const Chunks& chunks) {
  std::vector<StageLoadMean> loads(coder.pipeline().stages.size());
  for (const auto chunk : chunks) add(loads, coder, chunk.size(), coder.encode(chunk).extents);
  return means(loads);
}

TimedStages time_stages(const synth::Pipeline& pipeline, std::size_t word_bytes,
                        const Chunks& chunks, int repetitions) {
  codec::ChunkCoder coder(pipeline, word_bytes, chunks.front().size() / word_bytes);
  TimedStages timed{.pipeline = pipeline, .loads = {}};
  std::vector<StageLoadMean> loads(pipeline.stages.size());
  std::vector<EncodedChunk> encoded;
  for (const auto chunk : chunks) {
    const auto [block, extents] = coder.encode(chunk);
    encoded.push_back({{block.begin(), block.end()}, {extents.begin(), extents.end()}});
    add(loads, coder, chunk.size(), extents);
  }
  timed.loads = means(loads);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto decoded =
        coder.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
    if (!decoded || !std::ranges::equal(*decoded, chunks[i])) {
      throw RoundTripError(fmt::format("{} does not restore a chunk, so it is not timed",
                                       synth::to_string(pipeline)));
    }
  }
  // As in the codec, blocks are copied out of the coder, and decoded from memory outside it.
  std::vector<std::byte> original(chunks.front().size());
  std::vector<double> encoding, decoding;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    encoding.push_back(wall_seconds([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto block = coder.encode(chunks[i]).block;
        std::memcpy(encoded[i].block.data(), block.data(), block.size());
      }
    }));
    decoding.push_back(wall_seconds([&] {
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        const auto decoded =
            coder.decode(encoded[i].block, encoded[i].extents, chunks[i].size() / word_bytes);
        std::memcpy(original.data(), decoded->data(), decoded->size());
      }
    }));
  }
  const double nanoseconds = 1e9 / static_cast<double>(chunks.size());
  timed.compress_ns = nanoseconds * results::median(std::move(encoding));
  timed.decompress_ns = nanoseconds * results::median(std::move(decoding));
  return timed;
}

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
