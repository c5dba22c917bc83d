#pragma once
// The best methods that searches found beside other compressors, out of documents of `fpsynth
// compare`.

#include <filesystem>
#include <string_view>
#include <vector>

#include "results/queries/table.hpp"

namespace fpsynth::results {

/// The searches that the best methods of a comparison may be of: of pipelines alone, with preludes,
/// with preludes in the wide space, and with longer chunks in races.
inline constexpr std::string_view kSearchedIn[] = {"pipelines", "preludes", "wide", "longer"};

/// A document of `fpsynth compare`.
struct ComparedFile {
  std::filesystem::path path;
  std::string_view ours = {};  ///< of kSearchedIn: only the best searched count; else the others do
};

/// Three tables: the ratios on each input, a data set in a precision, with the speeds of the best
/// of ours on one core; the means of all methods that were timed on one core, over the inputs that
/// all of them have; and on how many inputs the best of ours is ahead. Inputs with other values
/// than in the first document that has them are left out, with a note. Throws Error if a document
/// is damaged.
std::vector<Table> peers(const std::vector<ComparedFile>& files);

}  // namespace fpsynth::results
