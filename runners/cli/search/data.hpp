#pragma once
// The data of a search, before it begins.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/documents/study.hpp"
#include "runners/data/study.hpp"

namespace fpsynth::cli {

/// Opens every data set once, so that a bad one is found before hours are spent on the others.
/// Chooses the precision if the user has not. Returns the documents that the study makes, with the
/// chunks of `chunk_words` of which one in `sample` is searched.
/// Throws Error if a data set cannot be searched, and UsageError for a name that cannot be that of
/// a document.
std::vector<results::PlannedDocument> check_data(data::Study& study, std::uint64_t sample,
                                                 std::size_t chunk_words);

}  // namespace fpsynth::cli
