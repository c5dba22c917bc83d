// Reads the measurements on which claims are judged.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/queries/papers/claims.hpp"
#include "results/queries/papers/published.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

Measurement measurement(const JsonValue& row, std::string compressor, Precision precision) {
  const auto figure = [&](const char* key) -> std::uint64_t {
    return row.has(key) && !row[key].is_null() ? row[key].whole() : 0;
  };
  // Of a GPU, the kernels alone.
  const auto speed = [&](const char* way) {
    return row[fmt::format("{}{}_gb_per_s", way, row.has("device") ? "_kernels" : "")].real();
  };
  Measurement one{.compressor = std::move(compressor),
                  .data_set = row["data_set"].some_text(),
                  .precision = precision,
                  .bytes = figure("bytes"),
                  .timed_bytes = figure("timed_bytes"),
                  .threads = figure("threads"),
                  .machine_threads = figure("machine_threads"),
                  .tables = figure("table_bytes"),
                  .chunks = std::max(figure("chunks"), figure("chunk_values")),
                  .ratio = row["ratio"].real(),
                  .compress = speed("compress"),
                  .decompress = speed("decompress"),
                  .gpu = row.has("device")};
  return one;
}

}  // namespace

std::vector<Measurement> measurements(const std::filesystem::path& file) {
  const JsonFile json = JsonFile::read(file, JsonAuthor::Program,
                                       "name a document of `fpsynth compare --out` or of a sweep");
  const JsonValue document = json.root();
  std::vector<Measurement> found;
  if (document["schema"].text() == kTablesSchema) {
    document.version_of(kTablesSchema, kTablesVersion);
    const std::string kind = document["kind"].text();
    if (!kind.starts_with("sweep ")) document["kind"].fail("the document of a sweep");
    const auto tables = document["tables"].some_items();
    for (const JsonValue& row : tables.front()["rows"].items()) {
      if (row["bytes"].is_null()) continue;  // a mean
      found.push_back(
          measurement(row, kind, kind == "sweep holt" ? Precision::Single : Precision::Double));
    }
    if (kind != "sweep gfc") return found;
    for (const JsonValue& row : tables.back()["rows"].items()) {  // of Figure 2
      if (!row.has("leading_zero_bytes") || row["leading_zero_bytes"].whole() != 6) continue;
      found.push_back({.compressor = std::string(kResidualsOfSix),
                       .data_set = row["data_set"].some_text(),
                       .percent = row["share_percent"].real()});
    }
    return found;
  }
  for (const ComparedSet& set : read_comparison(document).sets) {
    for (const ComparedRow& row : set.rows) {
      if (!row.verified) continue;
      found.push_back({.compressor = row.name,
                       .data_set = set.name,
                       .precision = set.precision,
                       .xxh3 = set.xxh3,
                       .pipeline = row.pipeline,
                       .made = set.source == kMadeSource,
                       .bytes = set.bytes,
                       .timed_bytes = row.input_bytes,
                       .dimensionality = set.dimensionality,
                       .dimensionality_is = set.dimensionality_is,
                       .threads = row.threads,
                       .ratio = row.ratio(),
                       .compress = row.gb_per_s(row.compress),
                       .decompress = row.gb_per_s(row.decompress)});
    }
  }
  return found;
}

std::vector<Measurement> measurements(const ThroughputDocument& document) {
  std::vector<Measurement> found;
  if (document.run.backend != "cuda") return found;
  for (const ThroughputRow& row : document.rows) {
    const auto rate = [&](const std::vector<double>& seconds) {
      return gb_per_s(seconds, row.input_bytes);
    };
    found.push_back({.compressor = row.name.substr(0, row.name.find(',')),  // without settings
                     .data_set = document.data.name,
                     .precision = document.data.precision,
                     .bytes = document.data.bytes,
                     .timed_bytes = row.input_bytes,
                     .ratio = row.ratio(),
                     .compress = rate(row.compress.kernel_seconds),
                     .decompress = rate(row.decompress.kernel_seconds),
                     .compress_transfers = rate(row.compress.transfer_seconds),
                     .decompress_transfers = rate(row.decompress.transfer_seconds),
                     .gpu = true});
  }
  return found;
}

std::vector<Measurement> published_measurements() {
  std::vector<Measurement> found;
  for (const Published& figure : PublishedFigures::built_in().figures()) {
    if (figure.table == "V") {  // compression, and behind it decompression
      if (figure.quantity == kCompress) {
        found.push_back({.compressor = figure.compressor,
                         .data_set = figure.data_set,
                         .precision = figure.precision,
                         .timed_bytes = ~std::uint64_t{0},
                         .compress = figure.value,
                         .gpu = figure.hardware.ends_with("without transfers")});
      } else {
        found.back().decompress = figure.value;
      }
    }
    if (figure.quantity != kRatio || figure.data_set == kHarmonicMean) continue;
    Measurement one{.compressor = figure.compressor,
                    .data_set = figure.data_set,
                    .precision = figure.precision,
                    .ratio = figure.value};
    if (figure.paper == "gfc") {
      one.compressor = "sweep gfc";
      one.chunks = std::stoul(figure.parameters);
    }
    if (figure.paper == "gfc" || figure.paper == "holt" || figure.table == "III" ||
        figure.table == "IV") {
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace fpsynth::results
