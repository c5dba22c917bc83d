#pragma once
// The description of a data set in documents, and the way back to its bytes.

#include <filesystem>
#include <span>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::data {

using results::kSyntheticSource;

/// A document's description of an input in its current precision.
results::DataSet description_of(const Input& input);

/// The same of input.in(precision), of which only a small part is in memory at a time. Throws Error
/// as in() does.
results::DataSet description_of(const Input& input, Precision precision);

/// The data that a document describes, in its precision. A synthetic set is generated again. A
/// file is searched by its name in `folders` and their subfolders, then at its old path, then in
/// the folder that the environment variable FPSYNTH_DATA names. The first one with the document's
/// checksum is used. Throws Error if there is none.
Input open_described(const results::DataSet& data,
                     std::span<const std::filesystem::path> folders = {});

}  // namespace fpsynth::data
