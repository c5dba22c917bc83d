#pragma once
// The contents of a data file: raw words of a type that the user or the file's name says; or
// another format, which is detected by its first bytes and never read as raw words.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "synth/common/value_type.hpp"

namespace fpsynth::data {

using synth::Precision;
using synth::ValueType;

/// The types of raw words for messages: "f64, f32, ... or u8".
std::string type_codes();

/// The ending of a file's name, with its dot, in lower case; empty if there is none.
std::string ending_of(const std::filesystem::path& path);
/// The type of the words in files with an ending (in lower case); nothing if it does not tell.
std::optional<ValueType> type_of_ending(std::string_view ending);
/// True if a file has the name of an FPC file (*.fpc). The contents of FPC files do not show it.
bool is_fpc_name(const std::filesystem::path& path);

/// Kinds of files whose variables can be read (runners/data/formats/).
enum class FileKind { Other, Npy, Hdf5, Netcdf3, Fits, Zarr, Safetensors };

/// A format whose files do not hold raw words.
struct Format {
  std::string_view name;     ///< "a gzip file"
  std::string_view way_out;  ///< how to extract raw words: "unpack it first, with gunzip"
  FileKind kind = FileKind::Other;
};
/// The formats of Zarr, which the names of its metadata show, and of files that end in
/// .safetensors, however damaged.
extern const Format kZarrFormat, kSafetensorsFormat;
/// The format that the first bytes of a file show: arrays, images, archives, text with numbers, or
/// the output of `fpsynth compress`. Nothing for all else. Accepts any number of arbitrary bytes.
std::optional<Format> format_of(std::span<const std::byte> bytes);

/// The type of the raw words of `bytes`: `said` if given, else what the ending of `name` says,
/// which is a path or "standard input". All code that reads raw words calls this. Throws Error for
/// bytes of another format, even if `said` is given, and UsageError if nothing says the type; both
/// name the file and say what to do.
ValueType held_type(const std::string& name, std::span<const std::byte> bytes,
                    std::optional<ValueType> said);

}  // namespace fpsynth::data
