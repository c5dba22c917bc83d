#pragma once
// From a file's bytes to the values of a data set: FILE or FILE:VARIABLE, and what the user says
// about raw words.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/file_type.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::data {

/// The user's statements on a file: --type, --endian, --offset, --count, and the same keys of
/// studies; --shape.
struct Reading {
  std::optional<ValueType> type =
      {};                    ///< of raw words; nothing if the file's ending or format tells
  bool big_endian = false;   ///< of raw words
  std::uint64_t offset = 0;  ///< bytes before the first value; a file is raw words if not 0
  std::uint64_t count = 0;   ///< so many values, the first ones; 0 for all
  std::vector<std::uint64_t> shape = {};  ///< of raw words, slowest first; empty if not said
};

/// The names of byte orders, as in --endian and studies.
inline constexpr std::string_view kLittleEndian = "little";
inline constexpr std::string_view kBigEndian = "big";

/// A file, and the name of one of its variables; empty if none was given.
struct Place {
  std::filesystem::path file;
  std::string variable;
};

/// The parts of FILE or FILE:VARIABLE. A file of the whole name wins; then the longest name that
/// is that of a file and followed by a colon. If there is no such file, all of it is the file.
Place place_of(const std::filesystem::path& path);
/// FILE or FILE:VARIABLE.
std::string to_string(const Place& place);

/// The file that is opened for a path: in a directory of Zarr, the one that describes it
/// (zarr.json, .zarray or .zgroup), else the path itself. Throws Error naming the file that
/// describes a directory if map_file() cannot map it, so that whoever opens it waits for no pipe.
std::filesystem::path opened_file(const std::filesystem::path& path);

/// The format of a place, of whose opened_file() these are the bytes; nothing for raw words. Zarr
/// and safetensors go by the file's name, so that damaged metadata is never taken for values;
/// formats go by the first bytes, too, unless the reading says that words begin behind them.
std::optional<Format> format_of(const Place& place, const Reading& reading,
                                std::span<const std::byte> bytes);

/// False if a path leads to nothing. A link is there, whatever it links to. Throws Error, which
/// names the path, if that cannot be known.
bool is_there(const std::filesystem::path& path);

/// The reason why a path cannot be opened, and a way out. `error`: errno.
std::string why_not_opened(const std::filesystem::path& path, int error);

/// The advice on files that a user does not name, such as chunks.
inline constexpr std::string_view kRestore = "restore it from a copy";

/// A whole file, mapped. Throws Error with the cause alone for what is missing, unreadable, no
/// regular file, or empty; `advice` ends it in place of advice on a data set's file.
std::shared_ptr<const MappedFile> map_file(const std::filesystem::path& path,
                                           std::string_view advice = {});
/// The same; its Errors name the file.
std::shared_ptr<const MappedFile> map_named(const std::filesystem::path& path,
                                            std::string_view advice = {});

/// A file's name without its directory and the endings of data files, and the variable's name:
/// "num_plasma" for dir/num_plasma.trace.fpc, "run_wind_u" for run.nc:/wind/u. It can be the name
/// of a file, if the file's can: at most 200 bytes, and no slash or control character.
std::string data_set_name(const Place& place);
std::string data_set_name(const std::filesystem::path& path);

/// Reverses the bytes of each word. The size is a whole number of words.
void swap_words(std::span<std::byte> bytes, Precision precision);

}  // namespace fpsynth::data
