#include "synth/common/child_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "synth/common/raise.hpp"

namespace fpsynth {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::initializer_list<const char*> files) {
  const char* const set = std::getenv("TMPDIR");
  const fs::path within = set && *set ? set : "/tmp";
  path_ = make_unique_folder(within, "fpsynth-");
  if (path_.empty()) {
    raise(
        "cannot create a temporary folder in {}: {}; set TMPDIR to a folder that can be written to",
        within.string(), std::strerror(errno));
  }
  for (const char* file : files) names_.emplace_back(path_ / file);
  names_.emplace_back(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path make_unique_folder(const fs::path& within, const char* beginning) {
  std::string name = (within / beginning).string() + "XXXXXX";
  return ::mkdtemp(name.data()) ? fs::path(name) : fs::path();
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int exit_status_of(const std::vector<std::string>& command, const ProgramOptions& options) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!options.output.empty()) {
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, options.output.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
  } else if (options.output_to_errors) {
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  if (options.errors_to_output) {
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  for (const int descriptor : options.descriptors) {  // of the same number: it stays open
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor);
  }
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    raise("cannot run {}: {}", command[0], std::strerror(error));
  }
  if (options.seconds > 0) {
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    pollfd end = {process, POLLIN, 0};
    const auto most = static_cast<int>(std::min(1000 * options.seconds, 2e9));
    if (process >= 0 && ::poll(&end, 1, most) == 0) ::kill(child, SIGKILL);
    if (process >= 0) ::close(process);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) raise("lost {}: {}", command[0], std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool run_program(const std::vector<std::string>& command, const fs::path& log) {
  try {
    return exit_status_of(command, {.output = log, .errors_to_output = true}) == 0;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace fpsynth
