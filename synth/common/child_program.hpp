#pragma once
// Programs of the system that this one runs, as compilers, and their files.

#include <filesystem>
#include <initializer_list>
#include <list>
#include <string>
#include <vector>

#include "synth/common/ending_signals.hpp"

namespace fpsynth {

/// A new folder for temporary files. Removed with all that it holds by its destructor; by a signal,
/// with the files that are named.
class TemporaryFolder {
 public:
  /// `files`: names of the files that it will hold. Throws Error.
  explicit TemporaryFolder(std::initializer_list<const char*> files);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  std::list<TemporaryName> names_;  ///< of what a signal finds here
};

/// The content of a file; empty if it cannot be read.
std::string file_text(const std::filesystem::path& path);

/// Runs a program, found by PATH unless its name has a slash, with its output in a file. Returns
/// false if it cannot be run or fails.
bool run_program(const std::vector<std::string>& arguments, const std::filesystem::path& log);

}  // namespace fpsynth
