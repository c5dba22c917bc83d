#pragma once
// The results of `fpsynth compare`: tables for people, and a document that also holds the
// provenance.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/baselines/baseline.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::cli {

inline constexpr std::string_view kComparisonSchema = "fpsynth-comparison";

/// One compressor on one data set in one precision.
struct ComparedRow {
  std::string compressor;
  std::string library;   ///< with its version
  std::string pipeline;  ///< of a searched compressor; else empty
  int threads = 1;
  std::optional<timing::Measurement> measured;
  data::Dimensionality dimensionality;  ///< of a baseline that has one
  std::string refused;                  ///< why the compressor cannot hold such data; else empty
  std::string failure;                  ///< what went wrong in the round trip; else empty
  std::uint64_t one_chunk_in = 0;  ///< the search's sampling: one chunk in so many; 0: not searched
};

struct ComparedSet {
  std::string name, source, xxh3;
  synth::Precision precision = synth::Precision::Double;
  std::string type;  ///< of integers; empty for floats, as in result documents
  std::uint64_t bytes = 0;
  data::Dimensionality dimensionality;  ///< MPC's
  bool made = false;  ///< synthetic; may have the name of a data set of the papers
  std::vector<ComparedRow> rows;
};

struct Comparison {
  std::string study, command, cpu;
  int repetitions = 0;
  std::vector<baselines::Missing> missing;
  std::vector<ComparedSet> sets;
  std::vector<std::string> notes;
};

/// The JSON document.
nlohmann::ordered_json to_json(const Comparison& comparison, bool published);

/// Tables III and IV (ratios) and V (throughputs) of the MPC paper, of what was compared.
std::vector<results::Table> to_tables(const Comparison& comparison, bool published);

}  // namespace fpsynth::cli
