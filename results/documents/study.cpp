#include "results/documents/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/documents/document.hpp"
#include "results/documents/space_json.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json_field.hpp"

namespace fpsynth::results {
namespace {

constexpr std::string_view kStudySchema = "fpsynth-study";
constexpr std::uint64_t kStudyVersion = 1;

std::vector<std::string_view> names(const std::vector<synth::Precision>& precisions) {
  std::vector<std::string_view> texts;
  for (const synth::Precision precision : precisions) texts.push_back(synth::to_string(precision));
  return texts;
}

StudyIdentity identity_from(const Field& top) {
  check_schema(top, kStudySchema, kStudyVersion);
  StudyIdentity identity;
  identity.name = top["study"].text();
  identity.space = space_from_json(top["space"]);
  for (const Field& precision : top["precisions"].items()) {
    identity.precisions.push_back(precision_from(precision));
  }
  identity.verification = top["verification"].text();
  if (!is_verification(identity.verification)) {
    top["verification"].fail("all, none or top=K");
  }
  identity.sample = top["sample"].whole();
  if (identity.sample == 0) top["sample"].fail("a whole number from 1");
  return identity;
}

void write_study(const std::filesystem::path& path, const StudyIdentity& identity) {
  const nlohmann::ordered_json json = {{"schema", kStudySchema},
                                       {"version", kStudyVersion},
                                       {"study", identity.name},
                                       {"space", space_to_json(identity.space)},
                                       {"precisions", names(identity.precisions)},
                                       {"verification", identity.verification},
                                       {"sample", identity.sample}};
  write_whole(path,
              json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

std::string differences(const StudyIdentity& held, const StudyIdentity& wanted) {
  std::vector<std::string> texts;
  const auto compare = [&](std::string_view what, const auto& there, const auto& here) {
    if (there != here) texts.push_back(fmt::format("{} '{}', not '{}'", what, there, here));
  };
  compare("study", held.name, wanted.name);
  if (held.space != wanted.space) {
    const std::string there = held.space.describe(), here = wanted.space.describe();
    texts.push_back(there == here
                        ? fmt::format("other components or cuts in the space of {}", there)
                        : fmt::format("the space '{}', not '{}'", there, here));
  }
  compare("precisions", fmt::format("{}", fmt::join(names(held.precisions), ", ")),
          fmt::format("{}", fmt::join(names(wanted.precisions), ", ")));
  compare("verification", held.verification, wanted.verification);
  compare("sample", held.sample, wanted.sample);
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::filesystem::path study_path(const std::filesystem::path& directory) {
  return directory / "study.json";
}

std::optional<StudyIdentity> read_study(const std::filesystem::path& directory) {
  const std::filesystem::path path = study_path(directory);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const nlohmann::json json = read_json(path);
  try {
    return identity_from(Field(json));
  } catch (const Error& failure) {
    throw Error(fmt::format("{}: {}", path.string(), failure.what()));
  }
}

std::vector<std::filesystem::path> files_ending(const std::filesystem::path& directory,
                                                std::initializer_list<std::string_view> endings) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool named = std::ranges::any_of(
        endings, [&](std::string_view ending) { return name.ends_with(ending); });
    if (named && !name.starts_with('.')) files.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("cannot list {}: {}; check the path and its permissions",
                            directory.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> document_files(const std::filesystem::path& directory) {
  return files_ending(directory, {".double.json", ".single.json"});
}

void ensure_study_directory(const std::filesystem::path& directory, const StudyIdentity& identity) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw Error(
        fmt::format("cannot create the directory {}: {}; check the path and its "
                    "permissions, or write elsewhere",
                    directory.string(), error.message()));
  }
  if (const auto held = read_study(directory)) {
    if (*held == identity) return;
    throw Error(fmt::format(
        "{} holds the results of another study: {}; name another directory, or empty this one",
        directory.string(), differences(*held, identity)));
  }
  if (const auto files = document_files(directory); !files.empty()) {
    throw Error(
        fmt::format("{} holds results ({} and {} more) but no study.json that says of "
                    "which study; name another directory, or empty this one",
                    directory.string(), files.front().filename().string(), files.size() - 1));
  }
  write_study(study_path(directory), identity);
}

}  // namespace fpsynth::results
