#pragma once
// The folder of a generated project.

#include <filesystem>
#include <string>
#include <vector>

#include "synth/generator/project.hpp"

namespace fpsynth::cli {

/// Writes a project's files, all of them or none. A folder that is not empty is written to
/// only if `force`. The files then replace those of a generated project, whatever its name and
/// target. Other files are kept; one that has a new file's name is an error. Returns the files that
/// were removed because the new project lacks them. Throws Error naming the path and the reason.
std::vector<std::filesystem::path> write_project(const std::vector<synth::ProjectFile>& files,
                                                 const std::filesystem::path& folder, bool force);

}  // namespace fpsynth::cli
