#include "synth/common/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

namespace fpsynth {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// A file of the kernel; empty if it cannot be read. The locales of streams would be a tenth of an
/// HDF5 filter.
std::string text_of(const std::filesystem::path& path) {
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (!file) return {};
  std::string text(1 << 16, 0);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// The number in a file; kUnknown if there is none, as where cgroups say "max".
std::uint64_t number_in(const std::filesystem::path& path) {
  const std::string text = text_of(path);
  std::uint64_t number = kUnknown;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The smallest limit of this process's cgroup and those around it, of version 2 or 1.
std::uint64_t cgroup_limit() {
  std::uint64_t least = kUnknown;
  const std::string groups = text_of("/proc/self/cgroup");
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end + 1) {
    end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
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
