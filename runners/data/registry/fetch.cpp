#include "runners/data/registry/fetch.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <system_error>
#include <vector>

#include "synth/common/atomic_file.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {
namespace {

/// Explains the exit statuses of curl that the user can act on.
std::string meaning(int status) {
  switch (status) {
    case 5:
    case 6:
      return "the host's name is unknown; check the network";
    case 7:
      return "the host does not answer; check the network";
    case 22:
      return "the server has no such file";
    case 23:
      return "the disk is full or not writable";
    case 28:
      return "it took too long";
    case 60:
      return "the server's certificate is not trusted";
    case 127:
      return "it is not installed";
    default:
      return "see curl's message";
  }
}

/// Downloads to `partial`, continuing after the bytes that it has.
void download(const Dataset& set, const std::filesystem::path& partial,
              const std::filesystem::path& folder) {
  std::error_code error;
  const std::uint64_t there = std::filesystem::file_size(partial, error);
  if (!error && set.file_bytes > 0 && there == set.file_bytes) return;  // curl calls that an error
  std::vector<std::string> command = {
      "curl",    "--fail",   "--location",        "--proto", "=https,http,ftp",
      "--retry", "3",        "--connect-timeout", "30",      "--continue-at",
      "-",       "--output", partial.string(),    "--url",   set.address};
  if (isatty(STDERR_FILENO)) {
    command.push_back("--progress-bar");
  } else {
    command.insert(command.end(), {"--silent", "--show-error"});
  }
  std::string failure;
  try {
    const int status = exit_status_of(command);
    if (status != 0)
      failure = fmt::format("curl ended with status {}: {}", status, meaning(status));
  } catch (const Error& cannot_run) {
    failure = cannot_run.what();
  }
  if (!failure.empty()) {
    throw Error(fmt::format("cannot download the data set {}: {}. Fetch again to continue, or {}",
                            set.name, failure, instructions(set, folder)));
  }
}

}  // namespace

std::filesystem::path fetch(const Dataset& set, const std::filesystem::path& folder,
                            const Say& say) {
  if (const auto there = locate(set, folder)) {
    verify_dataset(set, folder);
    say(fmt::format("{}: is there, {}", set.name, there->string()));
    return *there;
  }
  if (set.address.empty()) {
    throw Error(fmt::format("the data set {} cannot be fetched automatically; {}", set.name,
                            instructions(set, folder)));
  }
  const std::filesystem::path target = folder / set.file;
  const std::filesystem::path partial_folder = folder / "partial";
  const std::filesystem::path partial = partial_folder / set.file;
  create_folder(target.parent_path(), kNameAnotherFolder);
  create_folder(partial.parent_path(), kNameAnotherFolder);
  say(fmt::format("{}: downloading {}", set.name, set.address));
  download(set, partial, folder);

  std::error_code error;
  try {
    const std::uint64_t size = std::filesystem::file_size(partial, error);
    if (!error && set.file_bytes > 0 && size != set.file_bytes) {
      throw Error(fmt::format("{} has {} bytes instead of {}", set.address, size, set.file_bytes));
    }
    verify_dataset(set, partial_folder);
  } catch (const Error& wrong) {
    std::filesystem::remove(partial, error);  // continuing would never repair it
    throw Error(fmt::format("what was downloaded for {} is not that data set and was removed: {}",
                            set.name, wrong.what()));
  }
  move_file(partial, target);
  // This only removes empty folders.
  std::filesystem::remove(partial.parent_path(), error);
  std::filesystem::remove(partial_folder, error);
  say(fmt::format("{}: {}", set.name, target.string()));
  return target;
}

std::filesystem::path decode(const Dataset& set, const std::filesystem::path& folder) {
  if (!set.fpc) {
    throw Error(
        fmt::format("{} needs no decoding: its file holds the values as they are", set.name));
  }
  const std::filesystem::path target = decoded_path(set, folder);
  std::error_code error;
  if (std::filesystem::file_size(target, error) == set.bytes && !error) return target;
  const Input input = open_dataset(set, folder);
  AtomicFile file(target);
  file.write(input.bytes());
  file.commit();
  return target;
}

}  // namespace fpsynth::data
