#include "runners/data/description.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "runners/data/synthetic_sets.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

namespace {

namespace fs = std::filesystem;

std::string absolute_path(const fs::path& path) {
  if (path.empty()) return {};
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path.string() : found.string();
}

std::string label(const results::DataSet& data) {
  return fmt::format("{} ({})", data.name, synth::to_string(data.precision));
}

/// Files of this name in a folder and its subfolders, in no particular order.
std::vector<fs::path> files_below(const fs::path& folder, const fs::path& name) {
  std::vector<fs::path> files;
  std::error_code error;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, kOptions, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == name) files.push_back(entry->path());
  }
  if (error) {
    throw Error(fmt::format("cannot list {}: {}; name another directory with --data",
                            folder.string(), error.message()));
  }
  return files;
}

/// The possible paths of a document's file, the likeliest first.
std::vector<fs::path> places_of(const results::DataSet& data, std::span<const fs::path> folders) {
  const fs::path name = fs::path(data.file.empty() ? data.source : data.file).filename();
  std::vector<fs::path> places;
  for (const fs::path& folder : folders) {
    for (fs::path& file : files_below(folder, name)) places.push_back(std::move(file));
  }
  if (!data.file.empty()) places.emplace_back(data.file);
  places.emplace_back(data.source);  // if the whole tree was moved, and for old documents
  if (const char* folder = std::getenv("FPSYNTH_DATA"); folder && *folder) {
    places.push_back(fs::path(folder) / name);
  }
  return places;
}

bool holds(const Input& input, const results::DataSet& data) {
  return description_of(input).xxh3 == data.xxh3;
}

Input open_file(const fs::path& file, const results::DataSet& data) {
  // The size tells the type that was given for the file: doubles unless it is that of singles.
  Input input = open_input(file, Precision::Double);
  const bool singles = data.precision == Precision::Single && input.bytes().size() == data.bytes;
  if (singles) input = open_input(file, Precision::Single);
  return input.in(data.precision).named(data.name);
}

/// Finds a synthetic set by its checksum, because a study may have given it another name.
Input make_described(const results::DataSet& data) {
  for (const SyntheticSet& set : synthetic_sets()) {
    const bool renamed = std::ranges::find(synthetic_sets(), data.name, &SyntheticSet::name) ==
                         synthetic_sets().end();
    if (!renamed && set.name != data.name) continue;
    Input input = make_input(set, 8 * data.values).in(data.precision).named(data.name);
    if (holds(input, data)) return input;
  }
  throw Error(fmt::format(
      "{}: no synthetic set of this program has the checksum of what was searched; search again",
      label(data)));
}

}  // namespace

results::DataSet description_of(const Input& input) {
  const View view = input.view();
  return {.name = input.name(),
          .bytes = view.bytes.size(),
          .values = view.words,
          .xxh3 = fmt::format("{:016x}", XXH3_64bits(view.bytes.data(), view.bytes.size())),
          .precision = input.native(),
          .source = input.path().empty() ? kSyntheticSource : input.path().string(),
          .file = absolute_path(input.path()),
          .tail_bytes = view.tail};
}

Input open_described(const results::DataSet& data, std::span<const fs::path> folders) {
  if (data.source == kSyntheticSource) return make_described(data);
  const std::vector<fs::path> places = places_of(data, folders);
  std::string tried, wrong;
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::exists(place, error)) {
      const std::string text = absolute_path(place);
      if (tried.find(text) == tried.npos) tried += (tried.empty() ? "" : " and not at ") + text;
      continue;
    }
    try {
      Input input = open_file(place, data);
      if (holds(input, data)) return input;
      wrong = fmt::format("{} does not hold the data that was searched: its checksum differs",
                          place.string());
    } catch (const Error& found) {
      wrong = found.what();
    }
  }
  if (wrong.empty()) wrong = fmt::format("its file is not at {}", tried);
  throw Error(fmt::format(
      "{}: {}; restore the file, name the directory that it is in with --data DIR, or search again",
      label(data), wrong));
}

}  // namespace fpsynth::data
