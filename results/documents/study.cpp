#include "results/documents/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/documents/space_json.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

constexpr std::string_view kStudySchema = "fpsynth-study";
constexpr std::uint64_t kStudyVersion = 1;

std::vector<std::string_view> names(const std::vector<synth::Precision>& precisions) {
  std::vector<std::string_view> texts;
  for (const synth::Precision precision : precisions) texts.push_back(synth::to_string(precision));
  return texts;
}

StudyIdentity identity_from(const JsonValue& top) {
  top.version_of(kStudySchema, kStudyVersion);
  StudyIdentity identity;
  identity.name = top["study"].text();
  identity.space = space_from_json(top["space"]);
  for (const JsonValue& precision : top["precisions"].items()) {
    identity.precisions.push_back(precision.precision());
  }
  identity.verification = top["verification"].text();
  if (!is_verification(identity.verification)) {
    top["verification"].fail("all, none or top=K");
  }
  identity.sample = top["sample"].whole(1);
  if (top.has("preludes")) identity.preludes = top["preludes"].some_text();
  if (top.has("strategy")) identity.strategy = top["strategy"].some_text();
  if (!top.has("shard")) return identity;
  identity.shard = top["shard"].some_text();
  for (const JsonValue& document : top["documents"].some_items()) {
    identity.documents.push_back({document["data_set"].some_text(),
                                  document["precision"].precision(), document["chunks"].whole(1)});
  }
  return identity;
}

/// `finished` is of a shard alone.
void write_study(const std::filesystem::path& path, const StudyIdentity& identity,
                 bool finished = false) {
  nlohmann::ordered_json json = {{"schema", kStudySchema},
                                 {"version", kStudyVersion},
                                 {"study", identity.name},
                                 {"space", space_to_json(identity.space)},
                                 {"precisions", names(identity.precisions)},
                                 {"verification", identity.verification},
                                 {"sample", identity.sample}};
  if (identity.preludes != StudyIdentity().preludes) json["preludes"] = identity.preludes;
  if (identity.strategy != StudyIdentity().strategy) json["strategy"] = identity.strategy;
  if (!identity.shard.empty()) {
    json["shard"] = identity.shard;
    json["finished"] = finished;
    json["documents"] = nlohmann::ordered_json::array();
    for (const PlannedDocument& document : identity.documents) {
      json["documents"].push_back({{"data_set", document.data_set},
                                   {"precision", synth::to_string(document.precision)},
                                   {"chunks", document.chunks}});
    }
  }
  write_whole(path, json_text(json, 1) + "\n");
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
  compare("precisions", fmt::format("{}", fmt::join(names(held.precisions), ", ")),
          fmt::format("{}", fmt::join(names(wanted.precisions), ", ")));
  compare("verification", held.verification, wanted.verification);
  compare("sample", held.sample, wanted.sample);
  compare("preludes", held.preludes, wanted.preludes);
  compare("strategy", held.strategy, wanted.strategy);
  compare("shard", held.shard.empty() ? "none" : held.shard,
          wanted.shard.empty() ? "none" : wanted.shard);
  // Those of a shard are listed; a directory that is no shard's has no list to differ from.
  if (!held.shard.empty() && !wanted.shard.empty() && held.documents != wanted.documents) {
    const std::string only = one_of(held.documents, wanted.documents),
                      instead = one_of(wanted.documents, held.documents);
    texts.push_back(fmt::format("data set '{}', not '{}'", only, instead));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::optional<StudyIdentity> read_study(const std::filesystem::path& directory) {
  const std::filesystem::path path = study_path(directory);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const JsonFile file = JsonFile::read(path, JsonAuthor::Program);
  if (!file.root().has("schema")) {  // a study file of the user's, perhaps
    throw Error(
        fmt::format("{} is not the study.json that a search writes; name another directory with "
                    "--out, or move the file elsewhere",
                    path.string()));
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

void make_study_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw Error(
        fmt::format("cannot create the directory {}: {}; check the path and its "
                    "permissions, or write elsewhere",
                    directory.string(), error.message()));
  }
}

void ensure_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity) {
  if (const auto held = read_study(directory)) {
    if (*held == identity) return;
    throw Error(fmt::format(
        "{} contains the results of another study: {}; name another directory, or empty this one",
        directory.string(), differences(*held, identity)));
  }
  if (const auto files = document_files(directory); !files.empty()) {
    throw Error(
        fmt::format("{} contains results ({}{}) but no study.json, so their study is unknown; "
                    "name another directory, or empty this one",
                    directory.string(), files.front().filename().string(),
                    files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : ""));
  }
  write_study(study_path(directory), identity);
}

}  // namespace fpsynth::results
