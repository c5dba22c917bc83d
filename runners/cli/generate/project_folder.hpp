#pragma once
// The folder of a generated project.

#include <filesystem>
#include <string>
#include <vector>

#include "synth/generator/project.hpp"

namespace fpsynth::cli {

/// Writes a project's files, all of them or none. A folder that is not empty gets them only if
/// `force`: they then take the place of a generated project's files, whatever its name and target,
/// and other files are kept; one of these that has a new file's name is an error. Returns what was
/// removed because the new project has no such file. Throws Error naming the path and the reason.
std::vector<std::filesystem::path> write_project(const std::vector<synth::ProjectFile>& files,
                                                 const std::filesystem::path& folder, bool force);

}  // namespace fpsynth::cli
