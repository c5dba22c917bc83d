#pragma once
// A data set as documents describe it, and back from there to its bytes.

#include <filesystem>
#include <span>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::data {

/// The source of synthetic sets in documents.
inline constexpr const char* kSyntheticSource = "made by fpsynth";

/// What a document says of an input, in the precision that it is in.
results::DataSet description_of(const Input& input);

/// The data that a document describes, in its precision. A synthetic set is made again; a file is
/// looked for by its name in `folders` and what is below them, then where it was, then in the
/// folder that the environment variable FPSYNTH_DATA names. The first one with the document's
/// checksum is taken. Throws Error where there is none.
Input open_described(const results::DataSet& data,
                     std::span<const std::filesystem::path> folders = {});

}  // namespace fpsynth::data
