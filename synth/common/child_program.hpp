#pragma once
// Programs of the PATH that this one runs (compilers), and the folders of their files.

#include <filesystem>
#include <initializer_list>
#include <list>
#include <string>
#include <vector>

#include "synth/common/ending_signals.hpp"

namespace fpsynth {

/// A folder for temporary files. Removed with all that it holds by its destructor; by a signal,
/// with the files that are named.
class TemporaryFolder {
 public:
  /// A new folder. `files`: names of the files that it will hold. Throws Error.
  explicit TemporaryFolder(std::initializer_list<const char*> files);
  /// A folder that exists; signals leave it.
  explicit TemporaryFolder(std::filesystem::path folder) : path_(std::move(folder)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  std::list<TemporaryName> names_;  ///< that signals remove
};

/// Makes a folder of a new name within another one: `beginning` and six characters. Returns an
/// empty path, and the reason in errno, if it cannot.
std::filesystem::path make_unique_folder(const std::filesystem::path& within,
                                         const char* beginning);

/// The content of a file; empty if it cannot be read.
std::string content_of(const std::filesystem::path& path);

/// The settings with which a program is run.
struct ProgramOptions {
  std::filesystem::path output = {};  ///< the file for its output; empty for this program's
  bool output_to_errors = false;      ///< its output goes to standard error, if not to a file
  bool errors_to_output = false;      ///< its errors go where its output goes
  std::vector<int> descriptors = {};  ///< that it inherits, of the same numbers
  double seconds = 0;                 ///< after which signal 9 ends it; 0: none
};

/// Runs a program, found by PATH unless its name has a slash, without a shell and without input.
/// Returns its exit status, 128 + N if signal N ended it. Throws Error if it cannot be started.
int exit_status_of(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// Runs a program with its output and its errors in a file. Returns false if it cannot be started
/// or fails.
bool run_program(const std::vector<std::string>& command, const std::filesystem::path& log);

}  // namespace fpsynth
