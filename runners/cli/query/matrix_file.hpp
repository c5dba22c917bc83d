#pragma once
// The sizes of all pipelines on all data sets of a study as one HDF5 file, for other programs.
//
// M results (a data set in a precision) and N pipelines, as data sets of the root group:
//
//   compressed_bytes  uint64 [M][N], chunked and deflated: the bytes of the file that `compress`
//                     writes, or 0 if the pipeline did not give the data back
//   data_set, precision, xxh3, verification       [M] texts
//   original_bytes, searched_bytes, one_chunk_in  [M] uint64; the ratio is searched / compressed
//   id, pipeline      [N] uint64, and texts; of races, the pipelines that all of them have left,
//   with
//                     their ids in the whole space
//
// Texts are UTF-8 of a fixed length, padded with zeros. Attributes of the root group: schema
// ("fpsynth-matrix"), version (1), space, program, command, and a line that explains it. The file
// holds no times: the same results and command give the same bytes.

#include <filesystem>
#include <string>

#include "results/documents/runs.hpp"

namespace fpsynth::cli {

/// Writes the matrix of all documents that have at least one searched byte, and returns its number
/// of pipelines. The file is complete or does not exist. Throws Error if it cannot be written, if
/// nothing was searched, or if races left no pipeline in common. In builds without HDF5 this
/// function does not exist; matrix.cpp has its address, or null.
std::uint64_t write_matrix(const std::filesystem::path& path, const results::Runs& runs,
                           const std::string& command);

}  // namespace fpsynth::cli
