#include "results/throughput/throughput_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/documents/document_file.hpp"
#include "results/documents/space_json.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEnding = ".throughput.json";

Json run_to_json(const ThroughputRun& run) {
  return {{"program_version", run.program_version},
          {"commit", run.commit},
          {"compiler", run.compiler},
          {"backend", run.backend},
          {"device", run.device},
          {"instruction_set", run.instruction_set},
          {"threads", run.threads},
          {"repetitions", run.repetitions},
          {"input_bytes", run.input_bytes},
          {"copies", run.copies},
          {"cache_bytes", run.cache_bytes}};
}

ThroughputRun run_from(const JsonValue& value) {
  ThroughputRun run;
  run.program_version = value["program_version"].text();
  run.commit = value["commit"].text();
  run.compiler = value["compiler"].text();
  run.backend = value["backend"].text();
  run.device = value["device"].text();
  run.instruction_set = value["instruction_set"].text();
  run.threads = value["threads"].whole();
  run.repetitions = value["repetitions"].whole();
  run.input_bytes = value["input_bytes"].whole();
  run.copies = value["copies"].whole();
  run.cache_bytes = value["cache_bytes"].whole();
  return run;
}

// Medians, spreads and speeds are computed from the seconds; they are written for other programs.
Json times_to_json(const Times& times, std::uint64_t bytes) {
  Json json = {{"gb_per_s", gb_per_s(times.seconds, bytes)},
               {"median_seconds", median(times.seconds)},
               {"spread", spread(times.seconds).value_or(0)},
               {"seconds", times.seconds}};
  if (!times.kernel_seconds.empty()) {
    json["kernel_gb_per_s"] = gb_per_s(times.kernel_seconds, bytes);
    json["kernel_spread"] = spread(times.kernel_seconds).value_or(0);
    json["kernel_seconds"] = times.kernel_seconds;
  }
  if (!times.transfer_seconds.empty()) json["transfer_seconds"] = times.transfer_seconds;
  return json;
}

std::vector<double> reals(const JsonValue& value) {
  std::vector<double> values;
  for (const JsonValue& item : value.items()) values.push_back(item.real());
  return values;
}

Times times_from(const JsonValue& value, std::uint64_t bytes) {
  Times times;
  times.seconds = reals(value["seconds"]);
  if (value.has("kernel_seconds")) times.kernel_seconds = reals(value["kernel_seconds"]);
  if (value.has("transfer_seconds")) times.transfer_seconds = reals(value["transfer_seconds"]);
  // This value is read only to detect edited documents.
  if (value["gb_per_s"].real() != gb_per_s(times.seconds, bytes)) {
    value["gb_per_s"].fail(fmt::format("{}", gb_per_s(times.seconds, bytes)));
  }
  return times;
}

Json row_to_json(const ThroughputDocument& document, const ThroughputRow& row) {
  Json json = {{"name", row.name}, {"kind", row.kind}};
  if (!row.pipeline.empty()) json["pipeline"] = row.pipeline;
  json["how"] = row.how;
  json["version"] = row.version;
  json["threads"] = row.threads;
  json["input_bytes"] = row.input_bytes;
  json["compressed_bytes"] = row.compressed_bytes;
  json["ratio"] = document.ratio(row);
  json["compress"] = times_to_json(row.compress, row.input_bytes);
  json["decompress"] = times_to_json(row.decompress, row.input_bytes);
  return json;
}

ThroughputRow row_from(const JsonValue& value) {
  ThroughputRow row;
  row.name = value["name"].text();
  row.kind = value["kind"].text();
  if (value.has("pipeline")) row.pipeline = value["pipeline"].text();
  row.how = value["how"].text();
  row.version = value["version"].text();
  row.threads = value["threads"].whole();
  row.input_bytes = value["input_bytes"].whole();
  row.compressed_bytes = value["compressed_bytes"].whole();
  value["ratio"].real();
  row.compress = times_from(value["compress"], row.input_bytes);
  row.decompress = times_from(value["decompress"], row.input_bytes);
  return row;
}

Direction direction_from(const JsonValue& value) {
  for (const Direction direction : kDirections) {
    if (value.text() == to_string(direction)) return direction;
  }
  value.fail("compress or decompress");
}

Json stage_to_json(const StageCost& cost) {
  return {{"component", synth::to_string(cost.component)},
          {"word_bytes", cost.word_bytes},
          {"direction", to_string(cost.direction)},
          {"fixed_ns", cost.fixed},
          {"ns_per_in_byte", cost.per_in_byte},
          {"ragged_fixed_ns", cost.ragged_fixed},
          {"ragged_ns_per_in_byte", cost.ragged_per_in_byte},
          {"ns_per_out_byte", cost.per_out_byte},
          {"ns_per_root_control", cost.per_root_control}};
}

StageCost stage_from(const JsonValue& value) {
  const auto component = synth::parse_component(value["component"].text());
  if (!component) value["component"].fail("a component");
  return {*component,
          value["word_bytes"].whole(),
          direction_from(value["direction"]),
          value["fixed_ns"].real(),
          value["ns_per_in_byte"].real(),
          value["ragged_fixed_ns"].real(),
          value["ragged_ns_per_in_byte"].real(),
          value["ns_per_out_byte"].real(),
          value["ns_per_root_control"].real()};
}

Json codec_to_json(const CodecCost& cost) {
  return {{"threads", cost.threads},
          {"direction", to_string(cost.direction)},
          {"fixed_ns", cost.fixed},
          {"per_stage_second", cost.per_stage_second},
          {"ns_per_out_byte", cost.per_out_byte}};
}

CodecCost codec_from(const JsonValue& value) {
  return {value["threads"].whole(), direction_from(value["direction"]), value["fixed_ns"].real(),
          value["per_stage_second"].real(), value["ns_per_out_byte"].real()};
}

Json check_to_json(const PredictionCheck& check) {
  return {{"pipeline", check.pipeline},
          {"threads", check.threads},
          {"compress_predicted_gb_per_s", check.compress_predicted},
          {"compress_timed_gb_per_s", check.compress_timed},
          {"decompress_predicted_gb_per_s", check.decompress_predicted},
          {"decompress_timed_gb_per_s", check.decompress_timed}};
}

PredictionCheck check_from(const JsonValue& value) {
  return {value["pipeline"].text(),
          value["threads"].whole(),
          value["compress_predicted_gb_per_s"].real(),
          value["compress_timed_gb_per_s"].real(),
          value["decompress_predicted_gb_per_s"].real(),
          value["decompress_timed_gb_per_s"].real()};
}

Json error_to_json(const PredictionError& error) {
  return {{"threads", error.threads},
          {"direction", to_string(error.direction)},
          {"pipelines", error.pipelines},
          {"median", error.median},
          {"percentile_90", error.percentile_90},
          {"worst", error.worst}};
}

std::string lines(const std::vector<std::string>& items) {
  return items.empty() ? "[]" : fmt::format("[\n{}\n]", fmt::join(items, ",\n"));
}

template <class Item>
std::string lines(const std::vector<Item>& items, Json (*convert)(const Item&)) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(json_text(convert(item)));
  return lines(texts);
}

std::string model_text(const std::optional<CostModel>& model) {
  if (!model) return "null";
  return fmt::format(
      "{{\n\"seed\": {},\n\"chunks\": {},\n\"pipelines\": {},\n\"chunk_bytes\": {},\n"
      "\"stages\": {},\n\"codec\": {},\n\"checks\": {},\n\"errors\": {}\n}}",
      model->seed, model->chunks, model->pipelines, json_text(model->chunk_bytes),
      lines(model->stages, stage_to_json), lines(model->codec, codec_to_json),
      lines(model->checks, check_to_json), lines(prediction_errors(model->checks), error_to_json));
}

CostModel model_from(const JsonValue& value) {
  CostModel model;
  model.seed = value["seed"].whole();
  model.chunks = value["chunks"].whole();
  model.pipelines = value["pipelines"].whole();
  model.chunk_bytes = value["chunk_bytes"].real();
  for (const JsonValue& item : value["stages"].items()) model.stages.push_back(stage_from(item));
  for (const JsonValue& item : value["codec"].items()) model.codec.push_back(codec_from(item));
  for (const JsonValue& item : value["checks"].items()) model.checks.push_back(check_from(item));
  // The errors are computed from the checks, which must have positive speeds.
  for (const PredictionCheck& check : model.checks) {
    if (!(check.compress_predicted > 0 && check.decompress_predicted > 0)) {
      value["checks"].fail("positive speeds");
    }
  }
  const std::size_t errors = prediction_errors(model.checks).size();
  if (value["errors"].items().size() != errors) {
    value["errors"].fail(fmt::format("{} entries", errors));
  }
  return model;
}

std::string predictions_text(const std::optional<Predictions>& predictions) {
  if (!predictions) return "null";
  return fmt::format(
      "{{\n\"space\": {},\n\"chunks\": {},\n\"compress_stage_ns\": [{}],\n"
      "\"decompress_stage_ns\": [{}]\n}}",
      json_text(space_to_json(predictions->space)), predictions->chunks,
      fmt::join(predictions->compress, ","), fmt::join(predictions->decompress, ","));
}

Predictions predictions_from(const JsonValue& value) {
  return {space_from_json(value["space"]), value["chunks"].whole(),
          value["compress_stage_ns"].wholes(), value["decompress_stage_ns"].wholes()};
}

ThroughputDocument document_from(const JsonValue& top) {
  top.version_of(kThroughputSchema, kThroughputVersion);
  ThroughputDocument document;
  document.data = data_set_from_json(top["dataset"]);
  document.run = run_from(top["run"]);
  for (const JsonValue& row : top["rows"].items()) document.rows.push_back(row_from(row));
  if (!top["model"].is_null()) document.model = model_from(top["model"]);
  if (!top["predictions"].is_null()) {
    document.predictions = predictions_from(top["predictions"]);
  }
  for (const JsonValue& note : top["notes"].items()) document.notes.push_back(note.text());
  top.check([&] { validate(document); });
  return document;
}

}  // namespace

std::filesystem::path throughput_path(const std::filesystem::path& directory, std::string_view name,
                                      synth::Precision precision, std::string_view backend) {
  std::filesystem::path path = document_path(directory, name, precision);
  path.replace_extension();  // .json
  return path += fmt::format(".{}{}", backend, kEnding);
}

std::vector<std::filesystem::path> throughput_files(const std::filesystem::path& directory) {
  return files_ending(directory, {kEnding});
}

std::string to_json(const ThroughputDocument& document) {
  validate(document);
  std::vector<std::string> rows;
  for (const ThroughputRow& row : document.rows) {
    rows.push_back(json_text(row_to_json(document, row)));
  }
  return fmt::format(
      "{{\n\"schema\": \"{}\",\n\"version\": {},\n\"dataset\": {},\n\"run\": {},\n"
      "\"rows\": {},\n\"model\": {},\n\"predictions\": {},\n\"notes\": {}\n}}\n",
      kThroughputSchema, kThroughputVersion, json_text(data_set_to_json(document.data)),
      json_text(run_to_json(document.run)), lines(rows), model_text(document.model),
      predictions_text(document.predictions), json_text(document.notes));
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
  return document_from(JsonFile::read(path, JsonAuthor::Program).root());
}

}  // namespace fpsynth::results
