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

/// A model of the components of small_space() at 1 and 8 bytes. Every stage takes `fixed`
/// nanoseconds plus the given nanoseconds per byte of its input and output. The codec takes 10
/// nanoseconds plus twice the time of the stages.
inline CostModel small_model(double fixed, double per_in_byte, double per_out_byte) {
  CostModel model;
  model.seed = 7;
  model.chunks = 2;
  model.pipelines = 3;
  model.chunk_bytes = 8192;
  for (const char* name : {"BIT", "LNV1s", "ZE"}) {
    for (const std::uint64_t word_bytes : {1, 8}) {
      for (const Direction direction : kDirections) {
        StageCost cost;
        cost.component = *synth::parse_component(name);
        cost.word_bytes = word_bytes;
        cost.direction = direction;
        cost.fixed = fixed;
        cost.per_in_byte = per_in_byte;
        cost.per_out_byte = per_out_byte;
        model.stages.push_back(cost);
      }
    }
  }
  for (const Direction direction : kDirections) model.codec.push_back({1, direction, 10, 2, 0});
  return model;
}

}  // namespace fpsynth::results
