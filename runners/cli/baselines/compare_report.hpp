#pragma once
// What `fpsynth compare` found: as tables for people, and as a document with all that it takes to
// believe it.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/queries/table.hpp"
#include "runners/timing/measure.hpp"

namespace fpsynth::cli {

/// One compressor on one data set in one precision.
struct ComparedRow {
  std::string compressor;
  std::string library;   ///< with its version
  std::string pipeline;  ///< of the searched ones; else empty
  int threads = 1;
  std::optional<timing::Measurement> measured;
  std::string refused;             ///< why not, where it cannot hold such data
  std::string failure;             ///< what went wrong with the round trip
  std::uint64_t one_chunk_in = 0;  ///< of which the search looked at one; 0: no search found it
};

struct ComparedSet {
  std::string name, source, xxh3;
  synth::Precision precision = synth::Precision::Double;
  std::uint64_t bytes = 0;
  unsigned dimensionality = 0;
  bool made = false;   ///< by us; it may have the name of one of the papers' sets
  bool tried = false;  ///< the dimensionality is the best of all for MPC, not known beforehand
  std::vector<ComparedRow> rows;
};

struct Comparison {
  std::string study, command, cpu;
  int repetitions = 0;
  std::vector<baselines::Missing> missing;
  std::vector<ComparedSet> sets;
  std::vector<std::string> notes;
};

/// The document.
nlohmann::ordered_json to_json(const Comparison& comparison, bool published);

/// Tables III and IV (ratios) and V (throughputs) of the MPC paper, of what was compared.
std::vector<results::Table> to_tables(const Comparison& comparison, bool published);

}  // namespace fpsynth::cli
