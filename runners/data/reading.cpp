#include "runners/data/reading.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "components/words/word_type.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

/// Endings of data files that do not say what raw words they hold.
constexpr std::string_view kSafetensors = ".safetensors";
constexpr std::array<std::string_view, 17> kSilentEndings = {
    ".trace", ".bin", ".raw", ".dat",  ".npy", ".h5",  ".hdf5", ".he5",      ".hdf",
    ".nc",    ".nc4", ".cdf", ".fits", ".fit", ".fts", ".zarr", kSafetensors};
constexpr std::size_t kMostNameBytes = 200;  // as results::check_name()

bool is_data_ending(std::string_view ending) {
  return type_of_ending(ending) ||
         std::ranges::find(kSilentEndings, ending) != kSilentEndings.end();
}

/// The files that describe a directory of Zarr, in the order in which zarr-python looks for them.
constexpr std::array<std::string_view, 4> kZarrMetadata = {"zarr.json", ".zarray", ".zgroup",
                                                           ".zmetadata"};

/// The path of what describes a directory of Zarr, be it damaged; empty if nothing does.
std::filesystem::path zarr_metadata(const std::filesystem::path& directory) {
  for (const std::string_view name : kZarrMetadata) {
    std::error_code error;  // also of permissions: opening it says which
    const auto status = std::filesystem::symlink_status(directory / name, error);
    if (status.type() != std::filesystem::file_type::not_found) return directory / name;
  }
  return {};
}

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return !zarr_metadata(path).empty();
  return std::filesystem::exists(status);
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
    std::ranges::reverse(bytes.subspan(at).template first<sizeof(Word)>());
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
  if (!std::filesystem::is_directory(path, error)) {
    if (error != std::errc::filename_too_long) return path;
    raise("cannot read {}: {}", path.string(),
          reason_and_advice(error.value(), "start in a folder nearer to it"));
  }
  const std::filesystem::path metadata = zarr_metadata(path);
  if (metadata.empty()) return path;
  map_named(metadata, kRestore);
  return metadata;
}

std::optional<Format> format_of(const Place& place, const Reading& reading,
                                std::span<const std::byte> bytes) {
  const std::string name = opened_file(place.file).filename().string();
  if (std::ranges::find(kZarrMetadata, name) != kZarrMetadata.end()) return kZarrFormat;
  if (reading.offset > 0 && place.variable.empty()) return std::nullopt;
  if (ending_of(place.file) == kSafetensors) return kSafetensorsFormat;
  return format_of(bytes);
}

bool is_there(const std::filesystem::path& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT) return false;
  raise("{}: {}", path.string(), why_not_opened(path, errno));
}

std::string why_not_opened(const std::filesystem::path& path, int error) {
  std::error_code no_link;
  const std::filesystem::path target = std::filesystem::read_symlink(path, no_link);
  if (no_link) return reason_and_advice(error, "check the path and its permissions");
  return fmt::format(
      "it is a symbolic link to {}: {}", target.string(),
      reason_and_advice(error,
                        "fetch what it links to (git annex get, datalad get, dvc pull), mount the "
                        "disk, or mend the link"));
}

std::shared_ptr<const MappedFile> map_file(const std::filesystem::path& path,
                                           std::string_view advice) {
  const auto advised = [&](std::string_view reason, std::string_view otherwise) {
    return std::string(reason).append(advice.empty() ? otherwise : advice);
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw Error(why_not_opened(path, errno));
  struct stat status;
  const int error = fstat(file, &status) == 0 ? 0 : errno;
  const std::string refusal =
      error != 0                 ? why_not_opened(path, error)
      : S_ISDIR(status.st_mode)  ? advised("it is a directory; ", "name a file in it")
      : !S_ISREG(status.st_mode) ? advised("it is no regular file; ", "copy the data to a file")
      : status.st_size <= 0      ? advised("it is empty; ", "a data set has at least one byte")
                                 : "";
  if (!refusal.empty()) {
    close(file);
    throw Error(refusal);
  }
  return std::make_shared<const MappedFile>(file, path.string());
}

std::shared_ptr<const MappedFile> map_named(const std::filesystem::path& path,
                                            std::string_view advice) {
  return located("cannot read " + path.string(), [&] { return map_file(path, advice); });
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
  words::with_word(synth::word_bytes(precision), [&]<class W>() { swap_all<W>(bytes); });
}

}  // namespace fpsynth::data
