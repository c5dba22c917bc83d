// Reader and writer of throughput documents.

#include <fmt/format.h>

#include "results/documents/data_set_json.hpp"
#include "results/documents/space_json.hpp"
#include "results/throughput/throughput.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json_field.hpp"

namespace fpsynth::results {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

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

ThroughputRun run_from(const Field& field) {
  ThroughputRun run;
  run.program_version = field["program_version"].text();
  run.commit = field["commit"].text();
  run.compiler = field["compiler"].text();
  run.backend = field["backend"].text();
  run.device = field["device"].text();
  run.instruction_set = field["instruction_set"].text();
  run.threads = field["threads"].whole();
  run.repetitions = field["repetitions"].whole();
  run.input_bytes = field["input_bytes"].whole();
  run.copies = field["copies"].whole();
  run.cache_bytes = field["cache_bytes"].whole();
  return run;
}

// Medians, spreads and speeds follow from the seconds; they are there for other readers.
Json times_to_json(const Times& times, std::uint64_t bytes) {
  Json json = {{"gb_per_s", gb_per_s(times.seconds, bytes)},
               {"median_seconds", median(times.seconds)},
               {"spread", spread(times.seconds)},
               {"seconds", times.seconds}};
  if (!times.kernel_seconds.empty()) {
    json["kernel_gb_per_s"] = gb_per_s(times.kernel_seconds, bytes);
    json["kernel_spread"] = spread(times.kernel_seconds);
    json["kernel_seconds"] = times.kernel_seconds;
  }
  if (!times.transfer_seconds.empty()) json["transfer_seconds"] = times.transfer_seconds;
  return json;
}

std::vector<double> reals(const Field& field) {
  std::vector<double> values;
  for (const Field& item : field.items()) values.push_back(item.real());
  return values;
}

Times times_from(const Field& field, std::uint64_t bytes) {
  Times times;
  times.seconds = reals(field["seconds"]);
  if (field.has("kernel_seconds")) times.kernel_seconds = reals(field["kernel_seconds"]);
  if (field.has("transfer_seconds")) times.transfer_seconds = reals(field["transfer_seconds"]);
  // Read only to catch edited documents.
  if (field["gb_per_s"].real() != gb_per_s(times.seconds, bytes)) {
    field["gb_per_s"].fail(fmt::format("{}", gb_per_s(times.seconds, bytes)));
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

ThroughputRow row_from(const Field& field) {
  ThroughputRow row;
  row.name = field["name"].text();
  row.kind = field["kind"].text();
  if (field.has("pipeline")) row.pipeline = field["pipeline"].text();
  row.how = field["how"].text();
  row.version = field["version"].text();
  row.threads = field["threads"].whole();
  row.input_bytes = field["input_bytes"].whole();
  row.compressed_bytes = field["compressed_bytes"].whole();
  field["ratio"].real();
  row.compress = times_from(field["compress"], row.input_bytes);
  row.decompress = times_from(field["decompress"], row.input_bytes);
  return row;
}

Direction direction_from(const Field& field) {
  for (const Direction direction : kDirections) {
    if (field.text() == to_string(direction)) return direction;
  }
  field.fail("compress or decompress");
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

StageCost stage_from(const Field& field) {
  const auto component = synth::parse_component(field["component"].text());
  if (!component) field["component"].fail("a component");
  return {*component,
          field["word_bytes"].whole(),
          direction_from(field["direction"]),
          field["fixed_ns"].real(),
          field["ns_per_in_byte"].real(),
          field["ragged_fixed_ns"].real(),
          field["ragged_ns_per_in_byte"].real(),
          field["ns_per_out_byte"].real(),
          field["ns_per_root_control"].real()};
}

Json codec_to_json(const CodecCost& cost) {
  return {{"threads", cost.threads},
          {"direction", to_string(cost.direction)},
          {"fixed_ns", cost.fixed},
          {"per_stage_second", cost.per_stage_second},
          {"ns_per_out_byte", cost.per_out_byte}};
}

CodecCost codec_from(const Field& field) {
  return {field["threads"].whole(), direction_from(field["direction"]), field["fixed_ns"].real(),
          field["per_stage_second"].real(), field["ns_per_out_byte"].real()};
}

Json check_to_json(const PredictionCheck& check) {
  return {{"pipeline", check.pipeline},
          {"threads", check.threads},
          {"compress_predicted_gb_per_s", check.compress_predicted},
          {"compress_timed_gb_per_s", check.compress_timed},
          {"decompress_predicted_gb_per_s", check.decompress_predicted},
          {"decompress_timed_gb_per_s", check.decompress_timed}};
}

PredictionCheck check_from(const Field& field) {
  return {field["pipeline"].text(),
          field["threads"].whole(),
          field["compress_predicted_gb_per_s"].real(),
          field["compress_timed_gb_per_s"].real(),
          field["decompress_predicted_gb_per_s"].real(),
          field["decompress_timed_gb_per_s"].real()};
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
  for (const Item& item : items) texts.push_back(text_of(convert(item)));
  return lines(texts);
}

std::string model_text(const std::optional<CostModel>& model) {
  if (!model) return "null";
  return fmt::format(
      "{{\n\"seed\": {},\n\"chunks\": {},\n\"pipelines\": {},\n\"chunk_bytes\": {},\n"
      "\"stages\": {},\n\"codec\": {},\n\"checks\": {},\n\"errors\": {}\n}}",
      model->seed, model->chunks, model->pipelines, text_of(model->chunk_bytes),
      lines(model->stages, stage_to_json), lines(model->codec, codec_to_json),
      lines(model->checks, check_to_json), lines(prediction_errors(model->checks), error_to_json));
}

CostModel model_from(const Field& field) {
  CostModel model;
  model.seed = field["seed"].whole();
  model.chunks = field["chunks"].whole();
  model.pipelines = field["pipelines"].whole();
  model.chunk_bytes = field["chunk_bytes"].real();
  for (const Field& item : field["stages"].items()) model.stages.push_back(stage_from(item));
  for (const Field& item : field["codec"].items()) model.codec.push_back(codec_from(item));
  for (const Field& item : field["checks"].items()) model.checks.push_back(check_from(item));
  // The errors follow from the checks, if these are good.
  for (const PredictionCheck& check : model.checks) {
    if (!(check.compress_predicted > 0 && check.decompress_predicted > 0)) {
      field["checks"].fail("positive speeds");
    }
  }
  const std::size_t errors = prediction_errors(model.checks).size();
  if (field["errors"].items().size() != errors) {
    field["errors"].fail(fmt::format("{} entries", errors));
  }
  return model;
}

std::string predictions_text(const std::optional<Predictions>& predictions) {
  if (!predictions) return "null";
  return fmt::format(
      "{{\n\"space\": {},\n\"chunks\": {},\n\"compress_stage_ns\": [{}],\n"
      "\"decompress_stage_ns\": [{}]\n}}",
      text_of(space_to_json(predictions->space)), predictions->chunks,
      fmt::join(predictions->compress, ","), fmt::join(predictions->decompress, ","));
}

Predictions predictions_from(const Field& field) {
  return {space_from_json(field["space"]), field["chunks"].whole(),
          field["compress_stage_ns"].wholes(), field["decompress_stage_ns"].wholes()};
}

ThroughputDocument document_from(const Field& top) {
  check_schema(top, kThroughputSchema, kThroughputVersion);
  ThroughputDocument document;
  document.data = data_set_from_json(top["dataset"]);
  document.run = run_from(top["run"]);
  for (const Field& row : top["rows"].items()) document.rows.push_back(row_from(row));
  if (!top["model"].is_null()) document.model = model_from(top["model"]);
  if (!top["predictions"].is_null()) {
    document.predictions = predictions_from(top["predictions"]);
  }
  for (const Field& note : top["notes"].items()) document.notes.push_back(note.text());
  validate(document);
  return document;
}

}  // namespace

std::string to_json(const ThroughputDocument& document) {
  validate(document);
  std::vector<std::string> rows;
  for (const ThroughputRow& row : document.rows) {
    rows.push_back(text_of(row_to_json(document, row)));
  }
  return fmt::format(
      "{{\n\"schema\": \"{}\",\n\"version\": {},\n\"dataset\": {},\n\"run\": {},\n"
      "\"rows\": {},\n\"model\": {},\n\"predictions\": {},\n\"notes\": {}\n}}\n",
      kThroughputSchema, kThroughputVersion, text_of(data_set_to_json(document.data)),
      text_of(run_to_json(document.run)), lines(rows), model_text(document.model),
      predictions_text(document.predictions), text_of(document.notes));
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
  return read_json_as(path, document_from);
}

}  // namespace fpsynth::results
