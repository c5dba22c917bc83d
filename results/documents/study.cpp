#include "results/documents/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/documents/fields.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

constexpr std::string_view kStudySchema = "fpsynth-study";
constexpr std::uint64_t kStudyVersion = 1;

StudyIdentity identity_from(const JsonValue& top) {
  top.version_of(kStudySchema, kStudyVersion);
  StudyIdentity identity;
  FieldReader fields(top);
  StudyIdentity::list(fields, identity, false);
  return identity;
}

/// `finished` is of a shard alone.
void write_study(const std::filesystem::path& path, const StudyIdentity& identity,
                 bool finished = false) {
  FieldWriter fields;
  fields("schema", kStudySchema);
  fields("version", kStudyVersion);
  StudyIdentity::list(fields, identity, finished);
  write_whole(path, json_text(fields.take(), 1) + "\n");
}

/// A document of one list that the other lacks or has with other chunks; "none" if there is none.
std::string one_of(const std::vector<PlannedDocument>& documents,
                   const std::vector<PlannedDocument>& others) {
  for (const PlannedDocument& document : documents) {
    if (std::ranges::find(others, document) == others.end()) {
      return fmt::format("{} ({}, {})", document.data_set, synth::to_string(document.precision),
                         counted(document.chunks, "chunk"));
    }
  }
  return "none";
}

}  // namespace

void StudyIdentity::list(auto& fields, auto& identity, bool finished) {
  const StudyIdentity usual;
  fields("study", identity.name);
  fields("space", identity.space);
  fields("precisions", identity.precisions);
  fields("verification", identity.verification);
  fields.check("verification", [&](const JsonValue& json) {
    if (!is_verification(identity.verification)) json.fail("all, none or top=K");
  });
  fields.some("sample", identity.sample);
  fields.optional_some("preludes", identity.preludes, usual.preludes);
  fields.optional_some("strategy", identity.strategy, usual.strategy);
  fields.optional_some("hdf5_chunk", identity.hdf5_chunk);
  fields.optional_some("shard", identity.shard);
  if (identity.shard.empty()) return;
  fields.derived("finished", [&] { return finished; });
  fields.some("documents", identity.documents);
}

std::filesystem::path study_path(const std::filesystem::path& directory) {
  return directory / "study.json";
}

std::string differences(const StudyIdentity& held, const StudyIdentity& wanted) {
  std::vector<std::string> texts;
  const auto compare = [&](std::string_view what, const auto& old, const auto& current) {
    if (old != current) texts.push_back(fmt::format("{} '{}', not '{}'", what, old, current));
  };
  compare("study", held.name, wanted.name);
  if (held.space != wanted.space) {
    const std::string old = held.space.describe(), current = wanted.space.describe();
    texts.push_back(old == current ? fmt::format("other components or cuts in the space of {}", old)
                                   : fmt::format("space '{}', not '{}'", old, current));
  }
  const auto precisions = [](const StudyIdentity& of) {
    return joined(of.precisions, ", ", [](auto one) { return synth::to_string(one); });
  };
  compare("precisions", precisions(held), precisions(wanted));
  compare("verification", held.verification, wanted.verification);
  compare("sample", held.sample, wanted.sample);
  compare("preludes", held.preludes, wanted.preludes);
  compare("strategy", held.strategy, wanted.strategy);
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  compare("HDF5 chunks", or_none(held.hdf5_chunk), or_none(wanted.hdf5_chunk));
  compare("shard", or_none(held.shard), or_none(wanted.shard));
  // Those of a shard are listed; a directory that is no shard's has no list to differ from.
  if (!held.shard.empty() && !wanted.shard.empty() && held.documents != wanted.documents) {
    const std::string only = one_of(held.documents, wanted.documents),
                      instead = one_of(wanted.documents, held.documents);
    texts.push_back(fmt::format("data set '{}', not '{}'", only, instead));
  }
  return joined(texts, "; ");
}

std::optional<StudyIdentity> read_study(const std::filesystem::path& directory) {
  const std::filesystem::path path = study_path(directory);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const JsonFile file = JsonFile::read(path, JsonAuthor::Program);
  if (!file.root().has("schema")) {  // a study file of the user's, perhaps
    raise(
        "{} is not the study.json that a search writes; name another directory with --out, or move "
        "the file elsewhere",
        path.string());
  }
  return identity_from(file.root());
}

void mark_finished(const std::filesystem::path& directory) {
  if (is_marked_finished(directory)) return;
  const auto path = study_path(directory);
  write_study(path, identity_from(JsonFile::read(path, JsonAuthor::Program).root()), true);
}

bool is_marked_finished(const std::filesystem::path& directory) {
  const JsonFile file = JsonFile::read(study_path(directory), JsonAuthor::Program);
  return file.root().has("finished") && file.root()["finished"].flag();
}

bool check_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity) {
  if (const auto held = read_study(directory)) {
    if (*held == identity) return true;
    raise(
        "{} holds the results of a search that was run with {}; all results of a directory are run "
        "alike, to be compared: give this search a directory of its own with --out {}, or search "
        "as before",
        directory.string(), differences(*held, identity),
        shell_word((directory / "").parent_path().string() + "-2"));
  }
  if (const auto files = document_files(directory); !files.empty()) {
    raise(
        "{} contains results ({}{}) but no study.json, so their study is unknown; name another "
        "directory, or empty this one",
        directory.string(), files.front().filename().string(),
        files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "");
  }
  return false;
}

void ensure_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity) {
  if (check_study_directory(directory, identity)) return;
  write_study(study_path(directory), identity);
}

}  // namespace fpsynth::results
