#pragma once
// Hand-made throughput documents and comparisons.

#include <cmath>

#include "results/throughput/throughput.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::results {

constexpr std::uint64_t kMiB = 1 << 20;

/// A row whose compression takes `compress` and whose decompression takes `decompress` seconds. Its
/// ratio is `ratio`, which must divide kBytes.
inline ThroughputRow timed_row(const std::string& name, std::uint64_t ratio, double compress,
                               double decompress, std::uint64_t threads = 1) {
  ThroughputRow row;
  row.name = name;
  row.kind = "peer";
  row.how = "library";
  row.version = "1.0";
  row.threads = threads;
  row.original_bytes = row.input_bytes = kBytes;
  row.compressed_bytes = kBytes / ratio;
  row.compress.seconds = {compress};
  row.decompress.seconds = {decompress};
  return row;
}

inline ThroughputRow pipeline_row(const std::string& pipeline, std::uint64_t ratio, double compress,
                                  double decompress, std::uint64_t threads = 1) {
  ThroughputRow row = timed_row(pipeline, ratio, compress, decompress, threads);
  row.kind = "pipeline";
  row.pipeline = pipeline;
  return row;
}

inline ThroughputDocument throughput_with(const std::string& name, std::vector<ThroughputRow> rows,
                                          synth::Precision precision = synth::Precision::Double) {
  ThroughputDocument document;
  document.data = document_with(name, {1, 1, 1, 1, 1, 1}, precision).data;
  document.run = {.program_version = "0.1.0",
                  .commit = "abc",
                  .compiler = "GCC",
                  .backend = "cpu",
                  .device = "a CPU",
                  .instruction_set = "avx2",
                  .threads = 4,
                  .repetitions = 3,
                  .input_bytes = kBytes,
                  .copies = 1,
                  .cache_bytes = 1024};
  document.rows = std::move(rows);
  return document;
}

/// A row of a comparison with exactly these figures; speeds in GB/s.
inline ComparedRow compared_row(const std::string& name, double ratio, double compress = 1,
                                double decompress = 2, const std::string& pipeline = {}) {
  ComparedRow row;
  row.name = name;
  row.version = "1.0";
  row.pipeline = pipeline;
  row.verified = true;
  row.compressed_bytes = 1'000'000;
  row.original_bytes = static_cast<std::uint64_t>(std::llround(1e6 * ratio));
  row.input_bytes = static_cast<std::uint64_t>(std::llround(1e9 * compress));
  row.compress.seconds = {1};
  row.decompress.seconds = {compress / decompress};
  return row;
}

/// A comparison of data sets of which only the rows matter.
inline ComparedSet compared_set(const std::string& name, synth::Precision precision,
                                std::vector<ComparedRow> rows,
                                const std::string& xxh3 = "0123456789abcdef") {
  ComparedSet set;
  set.name = name;
  set.precision = precision;
  set.xxh3 = xxh3;
  set.rows = std::move(rows);
  return set;
}

inline void write_comparison(const std::filesystem::path& path, std::vector<ComparedSet> sets,
                             const std::string& cpu = "a CPU") {
  Comparison comparison;
  comparison.cpu = cpu;
  comparison.sets = std::move(sets);
  tests::write_bytes(path, to_json(comparison));
}

}  // namespace fpsynth::results
