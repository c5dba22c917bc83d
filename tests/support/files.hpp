#pragma once
// Files for tests: a temporary folder, and the project's own files.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fpsynth::tests {

/// A new empty folder, removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A file of the source tree, e.g. "tests/vectors/components.json".
std::filesystem::path source_file(std::string_view path);

/// The bytes of a file. Throws std::runtime_error naming the file if it cannot be read.
std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, std::string_view bytes);

/// The number of entries of a folder.
std::size_t files_in(const std::filesystem::path& folder);

}  // namespace fpsynth::tests
