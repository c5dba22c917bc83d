#include "runners/data/reading.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "runners/data/file_type.hpp"
#include "synth/common/error.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

/// Endings of data files that do not say what raw words they hold.
constexpr std::array<std::string_view, 16> kSilentEndings = {
    ".trace", ".bin", ".raw", ".dat", ".npy",  ".h5",  ".hdf5", ".he5",
    ".hdf",   ".nc",  ".nc4", ".cdf", ".fits", ".fit", ".fts",  ".zarr"};
constexpr std::size_t kMostNameBytes = 200;  // as results::check_name()

bool is_data_ending(std::string_view ending) {
  return type_of_ending(ending) ||
         std::ranges::find(kSilentEndings, ending) != kSilentEndings.end();
}

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) &&
         !std::filesystem::is_directory(opened_file(path), error);
}

/// A variable's name as a part of a file's. Printable characters of all scripts stay.
std::string plain(std::string_view variable) {
  while (variable.starts_with('/')) variable.remove_prefix(1);
  std::string name(variable);
  for (char& c : name) {
    if (c == ' ' || c == '/' || c == '\\' || c == ':') c = '_';
  }
  name = printable(name);  // whose backslashes each begin an escape of four characters
  for (std::size_t at = 0; (at = name.find('\\', at)) != name.npos;) name.replace(at, 4, 1, '_');
  return name;
}

template <class Word>
void swap_all(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if constexpr (sizeof(Word) == 8) {
      word = __builtin_bswap64(word);
    } else {
      word = __builtin_bswap32(word);
    }
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace

Place place_of(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (is_file(path)) return {path, {}};
  for (std::size_t colon = text.rfind(':'); colon != text.npos && colon > 0;
       colon = text.rfind(':', colon - 1)) {
    if (is_file(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {path, {}};
}

std::filesystem::path opened_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  for (const char* const name : {"zarr.json", ".zarray", ".zgroup"}) {
    if (std::filesystem::exists(path / name, error)) return path / name;
  }
  return path;
}

std::shared_ptr<const MappedFile> map_file(const std::filesystem::path& path) {
  constexpr std::string_view kAdvice = "check the path and its permissions";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw Error(reason_and_advice(errno, kAdvice));
  struct stat status;
  const int error = fstat(file, &status) == 0 ? 0 : errno;
  const std::string refusal =
      error != 0                 ? reason_and_advice(error, kAdvice)
      : S_ISDIR(status.st_mode)  ? "it is a directory; name a file in it"
      : !S_ISREG(status.st_mode) ? "it is no regular file; copy the data to a file"
      : status.st_size <= 0      ? "it is empty; a data set has at least one byte"
                                 : "";
  if (!refusal.empty()) {
    close(file);
    throw Error(refusal);
  }
  return std::make_shared<const MappedFile>(file, path.string());
}

std::string to_string(const Place& place) {
  return place.variable.empty() ? place.file.string() : place.file.string() + ":" + place.variable;
}

std::string data_set_name(const std::filesystem::path& path) {
  return data_set_name(place_of(path));
}

std::string data_set_name(const Place& place) {
  std::filesystem::path stem = place.file.filename();
  while (is_data_ending(ending_of(stem))) stem = stem.stem();
  std::string name = stem.string();
  if (place.variable.empty()) return name;
  name += '_';
  name += plain(place.variable);
  if (name.size() > kMostNameBytes) {
    std::size_t end = kMostNameBytes;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // UTF-8
    name.resize(end);
  }
  return name;
}

void swap_words(std::span<std::byte> bytes, Precision precision) {
  precision == Precision::Double ? swap_all<std::uint64_t>(bytes) : swap_all<std::uint32_t>(bytes);
}

}  // namespace fpsynth::data
