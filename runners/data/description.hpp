#pragma once
// A data set as documents describe it, and back from there to its bytes.

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::data {

/// The source of synthetic sets in documents.
inline constexpr const char* kSyntheticSource = "made by fpsynth";

/// What a document says of an input, in the precision that it is in.
results::DataSet description_of(const Input& input);

/// The data that a document describes, in its precision: the file that it names, or the synthetic
/// set of its name. Throws Error where the file is missing or no longer holds these bytes.
Input open_described(const results::DataSet& data);

}  // namespace fpsynth::data
