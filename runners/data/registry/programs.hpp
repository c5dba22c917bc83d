#pragma once
// Programs of the PATH that fetch and unpack data sets: curl, apt-get, pip, tar.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fpsynth::data {

/// What is called with one line per step.
using Say = std::function<void(const std::string&)>;

/// How a program is run.
struct ProgramOptions {
  std::filesystem::path directory;  ///< its working directory; empty for this program's
  std::filesystem::path output;     ///< the file for its output; empty for this program's
  bool output_to_errors = false;    ///< its output goes to standard error, if not to a file
};

/// Runs a program of the PATH, without a shell and without input. Returns its exit status, 128 + N
/// if signal N ended it. Throws Error if it cannot be started.
int run_program(std::vector<std::string> command, const ProgramOptions& options = {});

/// As run_program(), and throws Error if the program fails: "tar ended with status 2".
void need_program(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// Creates a folder and those above it. Throws Error, which names --dir.
void create_folder(const std::filesystem::path& folder);

/// Moves a file within a file system, over an existing one. Throws Error.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace fpsynth::data
