#pragma once
// The codecs that the metadata of Zarr name. Throw Error, which names the file and the field.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runners/data/formats/zarr_metadata.hpp"
#include "synth/common/json.hpp"

namespace fpsynth::data {

/// Throws Error for a member that is not known, unless it says that it need not be understood.
void check_understood(const JsonValue& object, std::span<const std::string_view> known);
/// The name of an extension point: "gzip", or {"name": "gzip", "configuration": ...}.
std::string name_of(const JsonValue& value);
/// The configuration of an extension point of which these members are known; nothing if it has
/// none.
std::optional<JsonValue> configuration_of(const JsonValue& value,
                                          std::span<const std::string_view> known);

/// Sets the codecs of an array whose type, shape and chunks are set, or why they are not read: its
/// filters and its compressor, and whether its first index counts fastest; or a list of version 3.
void set_codecs_of_version_2(ZarrArray& array, const JsonValue& root, bool by_columns);
void set_codecs_of_version_3(ZarrArray& array, const JsonValue& list);

}  // namespace fpsynth::data
