#pragma once
// A space of six pipelines, and documents over it with simple ratios.

#include <string>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// Ids 0..5: NUL | ZE, BIT | ZE, LNV1s | ZE, NUL ZE, BIT ZE, LNV1s ZE.
inline synth::Space small_space() {
  const auto component = [](std::string_view name) { return *synth::parse_component(name); };
  return {.components = {component("NUL"), component("BIT"), component("LNV1s")},
          .last = {component("ZE")},
          .cuts = {1, 2},
          .stages = 2};
}

inline constexpr std::uint64_t kOverhead = 24;
/// The original bytes: two chunks of doubles or four of singles.
inline constexpr std::uint64_t kBytes = 16384;

/// A complete document whose pipelines have the given ratios, which must divide kBytes.
inline Document document_with(const std::string& name, const std::vector<std::uint64_t>& ratios,
                              synth::Precision precision = synth::Precision::Double) {
  Document document;
  document.data = {.name = name,
                   .bytes = kBytes,
                   .values = kBytes / synth::word_bytes(precision),
                   .xxh3 = "0123456789abcdef",
                   .precision = precision,
                   .type = "",
                   .source = "a test",
                   .file = "",
                   .tail_bytes = 0};
  document.space = small_space();
  document.run = {.program_version = "0.1.0",
                  .commit = "abc",
                  .compiler = "GCC",
                  .backend = "cpu",
                  .device = "a CPU",
                  .threads = 2,
                  .verification = "all",
                  .edges_verified = 10,
                  .failures = 0,
                  .seconds = 0.5,
                  .pipeline_bytes_per_second = 0,
                  .sample = 1,
                  .chunks_total = 0,
                  .chunks_done = 0,
                  .complete = false};
  document.overhead_bytes = kOverhead;
  for (const std::uint64_t ratio : ratios) {
    document.payload_bytes.push_back(kBytes / ratio - kOverhead);
  }
  document.chunk_ranges = {{0, chunks_of(document.data.values, 1)}};
  finish(document);
  return document;
}

/// The checksum of the papers' num_plasma, which makes a document's data theirs.
inline std::string plasma_checksum(synth::Precision precision) {
  return precision == synth::Precision::Double ? "5f2bda010b0bf34b" : "19469020e741076d";
}

/// Six pipelines, alone and behind two preludes, the second one dear.
inline Document document_with_preludes() {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  document.space.preludes = {{}, synth::parse_prelude("LAGx:3"), synth::parse_prelude("DICT")};
  document.prelude_overhead_bytes = {kOverhead, kOverhead + 30, kOverhead + 5000};
  for (const std::uint64_t payload : {9000, 3000, 4000, 8000, 7000, 6000}) {
    document.payload_bytes.push_back(payload);
  }
  for (const std::uint64_t payload : {2000, 500, 600, 700, 800, 900}) {
    document.payload_bytes.push_back(payload);
  }
  document.prelude_candidates = {
      {synth::parse_prelude("LAGx:3"), "a \"reason\"", true, 2, synth::parse_pipeline("BIT | ZE"),
       5.5},
      {synth::parse_prelude("DICT"), "few values", true, 2, synth::parse_pipeline("BIT | ZE"), 3},
      {{}, "pipelines alone", true, 2, synth::parse_pipeline("LNV1s | ZE"), 4},
      {synth::parse_prelude("ORD"), "signs", false, 2, synth::parse_pipeline("LNV1s | ZE"), 1.5}};
  finish(document);
  return document;
}

/// A race over small_space() on two chunks.
inline Race small_race() {
  return {.margin = 0.001,
          .risk = 0.01,
          .seed = 7,
          .pipelines = 6,
          .distinct = 6,
          .rounds = {{1, 6, 3, 6}, {2, 3, 2, 3}},
          .merged = 1,
          .dropped = 0,
          .expected_lost = 0.25};
}

/// The survivors of a race of small_space(): the pipelines of these ids, with these ratios.
inline Document raced_document(const std::string& name, const std::vector<std::uint64_t>& only,
                               const std::vector<std::uint64_t>& ratios,
                               synth::Precision precision = synth::Precision::Double) {
  Document document = document_with(name, ratios, precision);
  document.space.only = only;
  document.race = small_race();
  finish(document);
  return document;
}

}  // namespace fpsynth::results
