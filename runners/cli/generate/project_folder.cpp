#include "runners/cli/generate/project_folder.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>

#include "synth/common/child_program.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::error_code& error) {
  throw Error(fmt::format("cannot write {}: {}", path.string(),
                          reason_and_advice(error.value(), "check the path and its permissions")));
}

fs::path parent_of(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a trailing slash
  return path.parent_path();
}

/// Makes a private folder within another one, which is made where there is none.
fs::path make_staging_folder(const fs::path& within) {
  std::error_code error;
  fs::create_directories(within, error);
  if (error) fail(within, error);
  fs::path folder = make_unique_folder(within, ".fpsynth-");
  if (folder.empty()) fail(within, {errno, std::generic_category()});
  return folder;
}

/// Throws if the folder cannot become the project's.
void check_folder(const fs::path& folder, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw Error(fmt::format("{} exists and is no folder; name another", folder.string()));
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) fail(folder, error);
  if (!empty && !force) {
    throw Error(
        fmt::format("{} exists and is not empty; give --force to replace the generated "
                    "project in it, or another folder",
                    folder.string()));
  }
}

/// The files that a generated project in the folder may have; none without such a project.
std::vector<std::string> files_of_project_in(const fs::path& folder) {
  std::ifstream in(folder / synth::kProjectMark, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::optional<std::string> name = synth::name_of_project(text);
  return name ? synth::project_files(*name) : std::vector<std::string>();
}

}  // namespace

std::vector<fs::path> write_project(const std::vector<synth::ProjectFile>& files,
                                    const fs::path& folder, bool force) {
  check_folder(folder, force);
  const std::vector<std::string> old = files_of_project_in(folder);
  for (const synth::ProjectFile& file : files) {
    if (fs::exists(fs::symlink_status(folder / file.name)) && !std::ranges::count(old, file.name)) {
      throw Error(
          fmt::format("{} is no file of a generated project, and --force replaces nothing else; "
                      "name another folder",
                      (folder / file.name).string()));
    }
  }
  const SignalsHeld until_it_is_gone;
  // On the file system that the files will be on: the folder may be a link, or one is mounted
  // there.
  const bool there = fs::exists(folder);
  const TemporaryFolder staging(make_staging_folder(there ? folder : parent_of(folder)));
  // Not the private folder itself becomes the project's, but one with the mode of any new folder.
  const fs::path project = staging.path() / "project";
  std::error_code error;
  fs::create_directory(project, error);
  if (error) fail(project, error);
  for (const synth::ProjectFile& file : files) {
    std::ofstream out(project / file.name, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) fail(project / file.name, {errno, std::generic_category()});
  }
  if (!there) {
    fs::rename(project, folder, error);
    if (error) fail(folder, error);
    return {};
  }
  for (const synth::ProjectFile& file : files) {
    fs::rename(project / file.name, folder / file.name, error);
    if (error) fail(folder / file.name, error);
  }
  std::vector<fs::path> removed;
  for (const std::string& name : old) {
    if (std::ranges::count(files, name, &synth::ProjectFile::name)) continue;
    if (fs::remove(folder / name, error)) removed.push_back(folder / name);
    if (error) fail(folder / name, error);
  }
  return removed;
}

}  // namespace fpsynth::cli
