#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <span>
#include <system_error>

#include "runners/hdf5_filter/options.hpp"
#include "runners/repack/chunks.hpp"
#include "runners/repack/repack.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::repack {
namespace {

namespace fs = std::filesystem;
using data::Extents;

constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 20;

/// The names of a data set as h5repack takes them: all, because it knows the data set by one of
/// them.
std::string names_of(const data::StoredDataset& dataset) {
  std::vector<std::string> names;
  for (const std::string& name : dataset.names) {
    if (name.find(',') == name.npos && name.size() < 256) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> command_for(const fs::path& file, const fs::path& out,
                                     const std::vector<Planned>& plan) {
  // The file that it writes to is locked by this program, and known to nobody else.
  std::vector<std::string> command = {
      "/usr/bin/env", "HDF5_PLUGIN_PATH=" + data::stored_functions().plugin_path(),
      "HDF5_USE_FILE_LOCKING=FALSE", "h5repack", "--enable-error-stack"};
  for (const Planned& one : plan) {
    if (!one.left.empty()) continue;
    const std::string names = names_of(one.dataset);
    const std::vector<unsigned> values =
        hdf5::pack({.method = one.sampled.method, .chunk_words = one.sampled.chunk_words});
    command.insert(command.end(),
                   {"-f",
                    fmt::format("{}:UD={},1,{},{}", names, hdf5::kFilterId, values.size(),
                                fmt::join(values, ",")),
                    "-l", fmt::format("{}:CHUNK={}", names, fmt::join(one.chunk, "x"))});
  }
  // Names that begin with a dash are no options behind a folder.
  for (const fs::path& path : {file, out}) command.push_back(fs::absolute(path).string());
  return command;
}

/// The first line of a text that has the word "error", or its first.
std::string reason_in(const std::string& text) {
  const std::size_t error = std::min(text.find("rror"), text.size());
  const std::size_t before = text.rfind('\n', error);
  const std::size_t begin = error == text.size() || before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// Compares all values of a data set, and adds up what gzip makes of them.
void verify_values(data::StoredFile& before, data::StoredFile& after, Planned& one,
                   const data::StoredDataset& written, const std::function<void(double)>& done) {
  const data::StoredDataset& dataset = one.dataset;
  const std::uint64_t most = std::max<std::uint64_t>(kBlockBytes / dataset.word_bytes, 1);
  std::vector<std::byte> mine, theirs;
  std::uint64_t values = 0;
  one.gzip = 0;
  for_blocks(dataset.extents, one.chunk, dataset.chunk, most,
             [&](const Extents& origin, const Extents& block) {
               mine.resize(volume(block) * dataset.word_bytes);
               theirs.resize(mine.size());
               before.read(dataset, origin, block, mine);
               after.read(written, origin, block, theirs);
               if (mine != theirs) {
                 throw Error(
                     fmt::format("its values from {} on are others in the new file, which "
                                 "is a fault of this program; report it",
                                 fmt::join(origin, ",")));
               }
               one.gzip += data::stored_functions().deflated_bytes(mine, dataset.word_bytes, block,
                                                                   one.chunk, kGzipLevel);
               values += volume(block);
               done(double(values) / double(volume(dataset.extents)));
             });
}

}  // namespace

void write(const fs::path& file, const fs::path& out, const std::vector<Planned>& plan,
           const Options& options) {
  const TemporaryFolder folder({"log"});
  const ProgramOptions program = {.output = folder / "log", .errors_to_output = true};
  const std::vector<std::string> command = command_for(file, out, plan);
  auto ended = std::async(std::launch::async, [&] { return exit_status_of(command, program); });
  while (ended.wait_for(std::chrono::milliseconds(200)) == std::future_status::timeout) {
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(out, error);
    if (options.progress && !error) {
      options.progress(fmt::format("h5repack wrote {:.1f} MiB", double(bytes) / (1 << 20)), -1);
    }
  }
  const int status = ended.get();
  constexpr int kNotFound = 127;
  if (status == kNotFound) {
    throw Error("there is no h5repack, which copies the file; install the package hdf5-tools");
  }
  if (status != 0) {
    throw Error(fmt::format("{}: h5repack ended with status {}: {}", file.string(), status,
                            reason_in(content_of(folder / "log"))));
  }
}

void verify(const fs::path& file, const fs::path& out, std::vector<Planned>& plan,
            const Options& options) {
  const data::StoredFunctions& functions = data::stored_functions();
  const auto before = functions.open(file), after = functions.open(out);
  const std::vector<data::StoredDataset> written = after->datasets();
  std::vector<std::string> verified;
  for (Planned& one : plan) {
    const std::string name = one.dataset.name();
    const auto found = std::ranges::find(written, name, &data::StoredDataset::name);
    const auto fail = [&](const std::string& what) {
      throw Error(fmt::format("{}:{}: {}", file.string(), name, what));
    };
    if (found == written.end()) fail("h5repack did not copy it; report it");
    one.bytes = found->stored_bytes;
    if (!one.left.empty()) continue;
    if (found->extents != one.dataset.extents || found->chunk != one.chunk ||
        found->filters != "fpsynth") {
      fail(fmt::format("h5repack did not give it the filter, but {}",
                       found->filters.empty() ? "none" : found->filters));
    }
    try {
      verify_values(*before, *after, one, *found, [&](double share) {
        if (options.progress) options.progress("verifying " + name, share);
      });
    } catch (const Error& error) {
      fail(error.what());
    }
    verified.push_back(name);
  }
  try {
    functions.compare(file, out, verified);
  } catch (const Error& error) {
    throw Error(
        fmt::format("{}: h5repack made another file of it: {}", file.string(), error.what()));
  }
}

}  // namespace fpsynth::repack
