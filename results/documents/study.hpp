#pragma once
// The marker that keeps two studies from mixing their documents in one directory.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// What all documents of a directory have in common.
struct StudyIdentity {
  std::string name;
  synth::Space space;
  std::vector<synth::Precision> precisions;
  std::string verification = "all";  ///< "all", "top=K" or "none"
  std::uint64_t sample = 1;          ///< one chunk in this many
  friend bool operator==(const StudyIdentity&, const StudyIdentity&) = default;
};

/// DIR/study.json.
std::filesystem::path study_path(const std::filesystem::path& directory);

/// The identity in DIR/study.json, nullopt where there is none. Throws Error for a damaged one.
std::optional<StudyIdentity> read_study(const std::filesystem::path& directory);

/// Makes the directory and its marker, or checks them. Throws Error where the directory holds
/// another study, or documents of an unknown one, naming what differs.
void ensure_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity);

}  // namespace fpsynth::results
