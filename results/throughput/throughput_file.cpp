#include "results/throughput/throughput.hpp"

#include <fmt/format.h>

#include "results/documents/document_file.hpp"
#include "results/documents/fields.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {

namespace {

constexpr std::string_view kThroughputEnding = ".throughput.json";

}  // namespace

void Times::list(auto& fields, auto& times, std::uint64_t bytes) {
  fields.derived("gb_per_s", [&] { return results::gb_per_s(times.seconds, bytes); });
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

void ThroughputRow::list(auto& fields, auto& row, double ratio) {
  fields("name", row.name, "kind", row.kind);
  fields.optional("pipeline", row.pipeline);
  fields("how", row.how, "version", row.version, "threads", row.threads, "input_bytes",
         row.input_bytes, "compressed_bytes", row.compressed_bytes);
  fields.derived("ratio", [&] { return ratio; });
  fields.check("ratio", [](const JsonValue& json) { json.real(); });
  fields.object("compress",
                [&](auto& inner) { Times::list(inner, row.compress, row.input_bytes); });
  fields.object("decompress",
                [&](auto& inner) { Times::list(inner, row.decompress, row.input_bytes); });
}

void ThroughputDocument::list(auto& fields, auto& document) {
  fields("dataset", document.data, "run", document.run);
  fields.objects("rows", document.rows, [&](auto& inner, auto& row) {
    ThroughputRow::list(inner, row, document.ratio(row));
  });
  fields("notes", document.notes);
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
  validate(document);
  LineWriter lines;
  lines("schema", kThroughputSchema);
  lines("version", kThroughputVersion);
  ThroughputDocument::list(lines, document);
  return lines.take() + "\n";
}

void write_throughput(const std::filesystem::path& path, const ThroughputDocument& document) {
  std::string text;
  try {
    text = to_json(document);
  } catch (const Error& error) {
    throw Error(fmt::format("cannot write {}: {}", path.string(), error.what()));
  }
  write_whole(path, text);
}

ThroughputDocument read_throughput(const std::filesystem::path& path) {
  const JsonFile file = JsonFile::read(path, JsonAuthor::Program);
  file.root().version_of(kThroughputSchema, kThroughputVersion);
  ThroughputDocument document;
  read_field(file.root(), document);
  file.root().check([&] { validate(document); });
  return document;
}

}  // namespace fpsynth::results
