#pragma once
// The JSON form of a data set: the same in every kind of document.

#include <nlohmann/json.hpp>

#include "results/documents/document.hpp"
#include "synth/common/json_field.hpp"

namespace fpsynth::results {

nlohmann::ordered_json data_set_to_json(const DataSet& data);
/// Throws Error naming the field; the data set is not validated.
DataSet data_set_from_json(const Field& field);

}  // namespace fpsynth::results
