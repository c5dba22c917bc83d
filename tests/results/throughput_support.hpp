#pragma once
// Hand-made throughput documents.

#include "results/throughput/throughput.hpp"
#include "tests/results/support.hpp"

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
  row.input_bytes = kBytes;
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

}  // namespace fpsynth::results
