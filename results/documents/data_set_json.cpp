#include "results/documents/data_set_json.hpp"

namespace fpsynth::results {

nlohmann::ordered_json data_set_to_json(const DataSet& data) {
  return {{"name", data.name},     {"bytes", data.bytes},
          {"values", data.values}, {"tail_bytes", data.tail_bytes},
          {"xxh3", data.xxh3},     {"precision", synth::to_string(data.precision)},
          {"source", data.source}};
}

DataSet data_set_from_json(const Field& field) {
  DataSet data;
  data.name = field["name"].text();
  data.bytes = field["bytes"].whole();
  data.values = field["values"].whole();
  data.tail_bytes = field["tail_bytes"].whole();
  data.xxh3 = field["xxh3"].text();
  data.precision = precision_from(field["precision"]);
  data.source = field["source"].text();
  return data;
}

}  // namespace fpsynth::results
