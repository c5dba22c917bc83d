#include "runners/data/description.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

#include "runners/data/synthetic/synthetic_sets.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::data {

namespace {

namespace fs = std::filesystem;

/// The absolute path of FILE or FILE:VARIABLE.
std::string absolute_path(const fs::path& path) {
  if (path.empty()) return {};
  const Place place = place_of(path);
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(place.file, error), error);
  return error ? path.string() : to_string({found, place.variable});
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
    raise("cannot list {}: {}; name another directory with --data", folder.string(),
          error.message());
  }
  return files;
}

/// The meanings that FILE or FILE:VARIABLE may have where the file is not: all of it is the file,
/// or what stands before a colon is.
std::vector<Place> meanings_of(const std::string& text) {
  std::vector<Place> meanings = {{text, {}}};
  for (std::size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    if (at > 0) meanings.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return meanings;
}

/// The possible places of a document's data, the likeliest first.
std::vector<Place> places_of(const results::DataSet& data, std::span<const fs::path> folders) {
  const std::vector<Place> meanings = meanings_of(data.file.empty() ? data.source : data.file);
  std::vector<Place> places;
  for (const fs::path& folder : folders) {
    for (const Place& meant : meanings) {
      for (fs::path& file : files_below(folder, meant.file.filename())) {
        places.push_back({std::move(file), meant.variable});
      }
    }
  }
  if (!data.file.empty()) places.push_back(place_of(data.file));
  places.push_back(place_of(data.source));  // if the whole tree was moved, and for old documents
  if (const char* folder = std::getenv("FPSYNTH_DATA"); folder && *folder) {
    for (const Place& meant : meanings) {
      places.push_back({fs::path(folder) / meant.file.filename(), meant.variable});
    }
  }
  return places;
}

bool holds(const Input& input, const results::DataSet& data) {
  return description_of(input).xxh3 == data.xxh3;
}

/// The data of a document from a place. Documents do not say which type was given for a raw file,
/// so each is tried. Throws Error if none of them has the document's checksum.
Input open_file(const Place& place, const results::DataSet& data) {
  std::vector<std::optional<ValueType>> types = {Precision::Double, std::nullopt};
  if (data.precision == Precision::Single) types.insert(types.begin(), Precision::Single);
  if (!place.variable.empty()) types = {std::nullopt};  // the file tells
  std::optional<Error> error;
  for (const auto type : types) {
    try {
      const Input input = open_place(place, {.type = type,
                                             .big_endian = data.big_endian,
                                             .offset = data.offset,
                                             .count = data.count});
      Input found = input.in(data.precision).named(data.name);
      if (holds(found, data)) return found;
      error = Error(fmt::format("{} does not hold the data that was searched: its checksum differs",
                                to_string(place)));
    } catch (const Error& problem) {
      if (!error) error = problem;
    }
  }
  throw *error;
}

/// XXH3 of an input in a precision, converted a piece at a time.
std::uint64_t checksum(const Input& input, Precision precision) {
  if (precision == input.native()) {
    return XXH3_64bits(input.bytes().data(), input.bytes().size());
  }
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  const std::size_t size = size_in(input, precision);
  for (std::size_t begin = 0; begin < size; begin += kPiece) {
    const std::vector<std::byte> piece =
        bytes_in(input, precision, begin, std::min(begin + kPiece, size));
    XXH3_64bits_update(state.get(), piece.data(), piece.size());
  }
  return XXH3_64bits_digest(state.get());
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
  raise("{}: no synthetic set of this program has the checksum of what was searched; search again",
        label(data));
}

}  // namespace

results::DataSet description_of(const Input& input) {
  return description_of(input, input.native());
}

results::DataSet description_of(const Input& input, Precision precision) {
  if (input.in_chunks_of() && precision == input.native()) return *input.in_chunks_of();
  const std::size_t bytes = size_in(input, precision), word = synth::word_bytes(precision);
  return {.name = input.name(),
          .bytes = bytes,
          .values = bytes / word,
          .xxh3 = fmt::format("{:016x}", checksum(input, precision)),
          .precision = precision,
          .type = std::string(input.type().is_of_precision() ? "" : synth::to_string(input.type())),
          .source = input.path().empty() ? kSyntheticSource : input.path().string(),
          .file = absolute_path(input.path()),
          .tail_bytes = bytes % word,
          .big_endian = input.reading().big_endian,
          .offset = input.reading().offset,
          .count = input.reading().count};
}

Input open_described(const results::DataSet& data, std::span<const fs::path> folders) {
  if (data.source == kSyntheticSource) return make_described(data);
  std::string tried, wrong;
  for (const Place& place : places_of(data, folders)) {
    std::error_code error;
    if (!fs::exists(place.file, error)) {
      if (!place.variable.empty()) continue;  // the whole name stands for it
      const std::string text = absolute_path(place.file);
      if (tried.find(text) == tried.npos) tried += (tried.empty() ? "" : " and not at ") + text;
      continue;
    }
    try {
      return open_file(place, data);
    } catch (const Error& found) {
      wrong = found.what();
    }
  }
  if (wrong.empty()) wrong = fmt::format("its file is not at {}", tried);
  raise(
      "{}: {}; restore the file, name the directory that it is in with --data DIR, or search again",
      label(data), wrong);
}

}  // namespace fpsynth::data
