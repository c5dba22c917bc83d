#include "results/throughput/throughput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "results/documents/document_file.hpp"
#include "results/documents/fields.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

constexpr std::string_view kThroughputEnding = ".throughput.json";

}  // namespace

std::string_view to_string(Direction direction) {
  return direction == Direction::Compress ? "compress" : "decompress";
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> spread(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return std::nullopt;
  const double middle = median(seconds);
  const auto [low, high] = std::ranges::minmax(seconds);
  return middle > 0 ? (high - low) / middle : 0;
}

double gb_per_s(const std::vector<double>& seconds, std::uint64_t bytes) {
  const double middle = median(seconds);
  return middle > 0 ? static_cast<double>(bytes) / middle / 1e9 : 0;
}

void Times::list(auto& fields, auto& times, std::uint64_t bytes) {
  fields.derived("gb_per_s", [&] { return gb_per_s(times.seconds, bytes); });
  fields.derived("median_seconds", [&] { return median(times.seconds); });
  fields.derived("spread", [&] { return spread(times.seconds).value_or(0); });
  fields("seconds", times.seconds);
  if (!times.kernel_seconds.empty()) {
    fields.derived("kernel_gb_per_s", [&] { return gb_per_s(times.kernel_seconds, bytes); });
    fields.derived("kernel_spread", [&] { return spread(times.kernel_seconds).value_or(0); });
  }
  fields.optional("kernel_seconds", times.kernel_seconds);
  fields.optional("transfer_seconds", times.transfer_seconds);
  // An edited document is recognized by it.
  fields.check("gb_per_s", [&](const JsonValue& json) {
    const double expected = gb_per_s(times.seconds, bytes);
    if (json.real() != expected) json.fail(fmt::format("{}", expected));
  });
}

namespace {

void list_both(auto& fields, auto& row) {
  fields.object("compress",
                [&](auto& inner) { Times::list(inner, row.compress, row.input_bytes); });
  fields.object("decompress",
                [&](auto& inner) { Times::list(inner, row.decompress, row.input_bytes); });
}

/// Of what is read, a whole number out of a product.
void recover(std::uint64_t& value, double product) { value = std::uint64_t(std::llround(product)); }
void recover(const std::uint64_t&, double) {}

}  // namespace

void ThroughputRow::list(auto& fields, auto& row) {
  fields("name", row.name, "kind", row.kind);
  fields.optional("pipeline", row.pipeline);
  fields("how", row.how, "version", row.version, "threads", row.threads, "input_bytes",
         row.input_bytes, "compressed_bytes", row.compressed_bytes);
  fields.derived("ratio", [&] { return row.ratio(); });
  fields.check("ratio", [](const JsonValue& json) { json.real(); });
  list_both(fields, row);
}

void ThroughputDocument::list(auto& fields, auto& document) {
  fields("dataset", document.data, "run", document.run, "rows", document.rows, "notes",
         document.notes);
}

void ComparedRow::list(auto& fields, auto& row) {
  fields("compressor", row.name);
  fields.optional("pipeline", row.pipeline);
  fields.optional("searched_one_chunk_in", row.one_chunk_in);
  fields.optional("dimensionality", row.dimensionality);
  fields.optional("dimensionality_is", row.dimensionality_is);
  fields("verified", row.verified);
  fields.optional("refused", row.refused);
  fields.optional("failure", row.failure);
  if (!row.verified) return;
  fields("library", row.version, "threads", row.threads, "compressed_bytes", row.compressed_bytes);
  fields.derived("ratio", [&] { return row.ratio(); });
  // The document has the bytes of the original by the ratio, and those of one timing by the speed.
  fields.check("ratio", [&](const JsonValue& json) {
    if (!(json.real() > 0)) json.fail("a ratio above 0");
    recover(row.original_bytes, json.real() * double(row.compressed_bytes));
  });
  fields.check("compress", [&](const JsonValue& json) {
    recover(row.input_bytes, 1e9 * json["gb_per_s"].real() * json["median_seconds"].real());
  });
  list_both(fields, row);
}

void ComparedSet::list(auto& fields, auto& set) {
  fields("name", set.name, "precision", set.precision);
  fields.optional("source", set.source);
  fields("bytes", set.bytes, "xxh3", set.xxh3);
  fields.optional("dimensionality", set.dimensionality);
  fields.optional("dimensionality_is", set.dimensionality_is);
  fields("rows", set.rows);
  fields.optional("type", set.type);
}

void ComparedMeans::list(auto& fields, auto& means) {
  fields("compressor", means.compressor, "precision", means.precision, "data_sets",
         std::uint64_t(means.ratios.size()), "of", means.of, "harmonic_mean_ratio", means.ratio(),
         "mean_compress_gb_per_s", means.compress.arithmetic, "mean_decompress_gb_per_s",
         means.decompress.arithmetic, "harmonic_mean_compress_gb_per_s", means.compress.harmonic,
         "harmonic_mean_decompress_gb_per_s", means.decompress.harmonic);
  if (means.ratios.size() < means.of) return;
  fields.object("on_front", [&](auto& inner) {
    inner("compress", means.compress.on_front, "decompress", means.decompress.on_front);
  });
}

void Missing::list(auto& fields, auto& missing) {
  fields("compressor", missing.compressor, "reason", missing.reason);
}

void Comparison::list(auto& fields, auto& comparison) {
  fields.object("program", [&](auto& inner) {
    inner("version", comparison.program_version, "commit", comparison.commit, "compiler",
          comparison.compiler);
  });
  fields.object("machine", [&](auto& inner) {
    inner("cpu", comparison.cpu, "threads", comparison.machine_threads);
  });
  fields("command", comparison.command, "study", comparison.study, "repetitions",
         comparison.repetitions, "missing", comparison.missing, "data_sets", comparison.sets);
  fields.derived("means", [&] {
    std::vector<ComparedMeans> all;
    for (const synth::Precision precision : synth::kPrecisions) {
      std::ranges::move(comparison.means(precision), std::back_inserter(all));
    }
    return all;
  });
  fields("notes", comparison.notes);
}

std::vector<ComparedMeans> Comparison::means(synth::Precision precision) const {
  std::vector<ComparedMeans> all;
  std::uint64_t of = 0;
  for (const ComparedSet& set : sets) {
    if (set.precision != precision) continue;
    ++of;
    for (const ComparedRow& row : set.rows) {
      if (!row.verified) continue;
      auto found = std::ranges::find(all, row.name, &ComparedMeans::compressor);
      if (found == all.end()) {
        found = all.insert(found, ComparedMeans());
        found->compressor = row.name;
        found->precision = precision;
      }
      found->library = row.version;
      found->threads = std::max(found->threads, row.threads);
      found->ratios[set.name] = row.ratio();
      found->cost += 1 / row.ratio();
      for (const auto& [mean, times] : {std::pair(&found->compress, &row.compress),
                                        std::pair(&found->decompress, &row.decompress)}) {
        mean->arithmetic += row.gb_per_s(*times);  // sums for now
        mean->harmonic += 1 / row.gb_per_s(*times);
        mean->spread = std::max(mean->spread, spread(times->seconds));
      }
    }
  }
  for (ComparedMeans& one : all) {
    one.of = of;
    for (MeanSpeed* const mean : {&one.compress, &one.decompress}) {
      mean->arithmetic /= double(one.ratios.size());
      mean->harmonic = double(one.ratios.size()) / mean->harmonic;
    }
  }
  for (const auto direction : {&ComparedMeans::compress, &ComparedMeans::decompress}) {
    for (ComparedMeans& one : all) {
      const double speed = (one.*direction).arithmetic;
      (one.*direction).on_front = std::ranges::none_of(all, [&](const ComparedMeans& other) {
        const double its = (other.*direction).arithmetic;
        return other.ratios.size() == one.ratios.size() && other.cost <= one.cost && its >= speed &&
               (other.cost < one.cost || its > speed);
      });
    }
  }
  return all;
}

std::string to_json(const Comparison& comparison) {
  FieldWriter fields;
  fields("schema", kComparisonSchema, "version", std::uint64_t{1});
  Comparison::list(fields, comparison);
  return json_text(fields.take(), 1) + "\n";
}

Comparison read_comparison(const JsonValue& document) {
  document.version_of(kComparisonSchema, 1);
  Comparison comparison;
  read_field(document, comparison);
  return comparison;
}

std::filesystem::path throughput_path(const std::filesystem::path& directory, std::string_view name,
                                      synth::Precision precision, std::string_view backend) {
  std::filesystem::path path = document_path(directory, name, precision);
  path.replace_extension();  // .json
  return path += fmt::format(".{}{}", backend, kThroughputEnding);
}

std::vector<std::filesystem::path> throughput_files(const std::filesystem::path& directory) {
  return files_ending(directory, {kThroughputEnding});
}

std::string to_json(const ThroughputDocument& document) {
  LineWriter lines;
  lines("schema", kThroughputSchema);
  lines("version", kThroughputVersion);
  ThroughputDocument::list(lines, document);
  return lines.take() + "\n";
}

void write_throughput(const std::filesystem::path& path, const ThroughputDocument& document) {
  write_whole(path, to_json(document));
}

ThroughputDocument read_throughput(const std::filesystem::path& path) {
  const JsonFile file = JsonFile::read(path, JsonAuthor::Program);
  file.root().version_of(kThroughputSchema, kThroughputVersion);
  ThroughputDocument document;
  read_field(file.root(), document);
  for (ThroughputRow& row : document.rows) row.original_bytes = document.data.bytes;
  file.root().check([&] { validate(document.data); });
  return document;
}

}  // namespace fpsynth::results
