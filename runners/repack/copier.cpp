#include "runners/repack/copier.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>
#include <sstream>
#include <system_error>

#include "runners/hdf5_filter/options.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::repack {
namespace {

namespace fs = std::filesystem;

/// All names of a data set, because h5repack knows it by one of them.
std::string names_of(const data::StoredDataset& dataset) { return joined(dataset.names, ","); }

std::vector<std::string> options_for(const Planned& one) {
  const std::string names = names_of(one.dataset);
  const std::vector<unsigned> values =
      hdf5::pack({.method = one.sampled.method, .chunk_words = one.sampled.chunk_words});
  return {"-f",
          fmt::format("{}:UD={},1,{},{}", names, hdf5::kFilterId, values.size(),
                      fmt::join(values, ",")),
          "-l", fmt::format("{}:CHUNK={}", names, fmt::join(one.chunk, "x"))};
}

/// The last words of the tool and the innermost cause of the library in stacks of errors, or the
/// last line where there are none.
std::string last_words(const std::string& log) {
  std::string line, plain, tool, library;
  bool of_tool = false;
  for (std::istringstream lines(log); std::getline(lines, line);) {
    const std::size_t words = line.find("(): ");
    if (line.find("-DIAG:") != line.npos) {
      of_tool = line.starts_with("H5tools");
    } else if (line.starts_with("  #") && words != line.npos) {
      (of_tool ? tool : library) = line.substr(words + 4);
    } else if (!line.empty() && line[0] != ' ' && line != "Error occurred while repacking") {
      plain = line;
    }
  }
  if (tool.empty() && library.empty()) return plain.empty() ? "it gave no reason" : plain;
  return tool + (tool.empty() || library.empty() ? "" : ": ") + library;
}

[[noreturn]] void disk_is_full(const fs::path& file) {
  raise("cannot write {}: {}", file.string(), reason_and_advice(ENOSPC, ""));
}

}  // namespace

bool on_command_line(const data::StoredDataset& dataset) {
  const std::string names = names_of(dataset);
  return names.find_first_of(" \n") != names.npos || names.size() + kMostOptionBytes > 1023;
}

void refuse_full_disk(const fs::path& path, const fs::path& target, std::uint64_t bytes) {
  // libhdf5 gives up before the last of them.
  constexpr std::uint64_t kRoomBytes = 64 << 10;
  std::error_code error;
  const fs::space_info space = fs::space(fs::absolute(path).parent_path(), error);
  if (!error && space.available < bytes + kRoomBytes) disk_is_full(target);
}

Copier::Copier() {
  refuse_full_disk(folder_ / "options", folder_.path());
  if (exit_status_of({"/bin/sh", "-c", "command -v h5repack"}, {.output = folder_ / "log"}) == 0) {
    return;
  }
  throw Error("there is no h5repack, which copies the file; install the package hdf5-tools");
}

void Copier::write(const fs::path& file, const fs::path& out, const Plan& plan,
                   const Options& options) {
  // The file that it writes to is locked by this program, and known to nobody else.
  std::vector<std::string> arguments = {
      "/usr/bin/env",
      "HDF5_PLUGIN_PATH=" + data::stored_functions().plugin_path(),
      "HDF5_USE_FILE_LOCKING=FALSE",
      "h5repack",
      "--enable-error-stack",
      "-e",
      folder_ / "options"};
  if (plan.large_attributes) arguments.push_back("--low=1");
  std::string in_file;
  Step step{.what = "h5repack writes " + options.target.string()};
  for (const Planned& one : plan.datasets) {
    step.all += one.expected();
    if (!one.left.empty()) continue;
    const std::vector<std::string> its = options_for(one);
    if (on_command_line(one.dataset)) {
      arguments.insert(arguments.end(), its.begin(), its.end());
    } else {
      in_file += fmt::format("{} {}\n{} {}\n", its[0], its[1], its[2], its[3]);
    }
  }
  write_whole(folder_ / "options", in_file);
  // Names that begin with a dash are no options behind a folder.
  for (const fs::path& path : {file, out}) arguments.push_back(fs::absolute(path).string());
  auto ended = std::async(std::launch::async, [&] {
    return exit_status_of(arguments, {.output = folder_ / "log", .errors_to_output = true});
  });
  while (ended.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout) {
    std::error_code error;
    step.done = std::min<std::uint64_t>(fs::file_size(out, error), step.all);
    if (!error) options.progress(step);
  }
  const int status = ended.get();
  if (status == 0) return;
  const std::string log = content_of(folder_ / "log");
  if (log.find("errno = 28,") != log.npos) disk_is_full(options.target);
  refuse_full_disk(out, options.target);
  raise("{}: h5repack ended with status {}: {}", file.string(), status, last_words(log));
}

}  // namespace fpsynth::repack
