#include "synth/common/child_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "synth/common/error.hpp"

namespace fpsynth {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::initializer_list<const char*> files) {
  std::string name = (fs::temp_directory_path() / "fpsynth-XXXXXX").string();
  if (!::mkdtemp(name.data())) {
    throw Error(fmt::format("cannot create a temporary folder in {}: {}; set TMPDIR",
                            fs::temp_directory_path().string(), std::strerror(errno)));
  }
  path_ = name;
  for (const char* file : files) names_.emplace_back(path_ / file);
  names_.emplace_back(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string file_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool run_program(const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, pointers.front(), &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace fpsynth
