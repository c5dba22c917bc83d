#pragma once
// study.json, which identifies the study of a directory, so that two studies cannot mix their
// documents in it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"
#include "synth/space.hpp"

namespace fpsynth::results {

/// A document that a study makes.
struct PlannedDocument {
  std::string data_set;
  synth::Precision precision = synth::Precision::Double;
  std::uint64_t chunks = 0;  ///< of the whole search, after sampling

  static void list(auto& fields, auto& document) {
    fields.some("data_set", document.data_set);
    fields("precision", document.precision);
    fields.some("chunks", document.chunks);
  }
  friend auto operator<=>(const PlannedDocument&, const PlannedDocument&) = default;
};

/// The properties that all documents of a directory share.
struct StudyIdentity {
  std::string name;
  synth::Space space;
  std::vector<synth::Precision> precisions;
  std::string verification = "all";  ///< "all", "top=K" or "none"
  std::uint64_t sample = 1;          ///< one chunk in this many
  std::string preludes = "none";     ///< as search::PreludeOptions::text(); not written if "none"
  std::string strategy = "exhaustive";  ///< or what a race's options are; likewise
  /// Extents of HDF5 chunks in which the data are searched, or "file"; empty if they are not.
  std::string hdf5_chunk = {};
  /// The share of the chunks that is searched here, such as "3/64"; empty for all of them.
  std::string shard = {};
  /// The documents of the whole study, so that what a shard lacks is known: of a shard alone,
  /// sorted.
  std::vector<PlannedDocument> documents = {};

  /// With the mark that a shard is finished, which is not read with the others.
  static void list(auto& fields, auto& identity, bool finished);
  friend bool operator==(const StudyIdentity&, const StudyIdentity&) = default;
};

/// DIR/study.json.
std::filesystem::path study_path(const std::filesystem::path& directory);

/// The identity in DIR/study.json; nullopt if the file does not exist. Throws Error if it is
/// damaged.
std::optional<StudyIdentity> read_study(const std::filesystem::path& directory);

/// The differences between two identities, that of a directory and another one, as text; empty if
/// nothing does.
std::string differences(const StudyIdentity& held, const StudyIdentity& wanted);

/// Notes in DIR/study.json, which must exist, that all documents of the directory's shard are there
/// with its share of the chunks. Throws Error.
void mark_finished(const std::filesystem::path& directory);
/// True if DIR/study.json notes that. Throws Error if the file is damaged.
bool is_marked_finished(const std::filesystem::path& directory);

/// True if a directory, which need not be there, has this study. Throws Error, which names the
/// differences, if it contains another study, or documents of an unknown one.
bool check_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity);
/// Checks the directory, and creates its study.json if it has none; the caller holds the
/// directory's DirectoryLock. Throws Error likewise.
void ensure_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity);

}  // namespace fpsynth::results
