#include "synth/common/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace fpsynth {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// The number in a file; kUnknown if there is none, as where cgroups say "max".
std::uint64_t number_in(const std::filesystem::path& path) {
  std::uint64_t number = 0;
  return std::ifstream(path) >> number ? number : kUnknown;
}

/// The smallest limit of this process's cgroup and those around it, of version 2 or 1.
std::uint64_t cgroup_limit() {
  std::uint64_t least = kUnknown;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool second = line.starts_with("0::");
    const std::size_t at = second ? 3 : line.find(":memory:/") + 8;
    if (!second && at == 7) continue;  // of another controller
    const std::filesystem::path root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* const name = second ? "memory.max" : "memory.limit_in_bytes";
    std::filesystem::path group = std::filesystem::path(line.substr(at)).relative_path();
    while (true) {
      least = std::min(least, number_in(root / group / name));
      if (group.empty()) break;
      group = group.parent_path();
    }
  }
  return least;
}

std::uint64_t found() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  std::uint64_t memory = cgroup_limit();
  if (pages > 0 && bytes > 0)
    memory = std::min(memory, std::uint64_t(pages) * std::uint64_t(bytes));
  rlimit space;
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    memory = std::min<std::uint64_t>(memory, space.rlim_cur);
  }
  return memory;
}

}  // namespace

std::uint64_t usable_memory() {
  static const std::uint64_t memory = found();
  return memory;
}

}  // namespace fpsynth
