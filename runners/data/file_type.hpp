#pragma once
// What a data file holds: raw words, doubles or singles, as somebody says or the file's name does;
// or something else, which is known by its first bytes and never taken for raw words.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "synth/common/precision.hpp"

namespace fpsynth::data {

using synth::Precision;

/// The types of raw words, by the names that --type and studies know them by.
inline constexpr std::string_view kDoubleType = "f64";
inline constexpr std::string_view kSingleType = "f32";
/// Nothing for a name that is none of these.
std::optional<Precision> type_named(std::string_view name);

/// The ending of a file's name, with its dot, in lower case; empty where there is none.
std::string ending_of(const std::filesystem::path& path);
/// What files with an ending (in lower case) hold; nothing where it does not say.
std::optional<Precision> type_of_ending(std::string_view ending);
/// Whether a file is called an FPC file (*.fpc). Nothing in these files says that they are.
bool is_fpc_name(const std::filesystem::path& path);

/// A format whose files are no raw words.
struct Format {
  std::string_view name;     ///< "a gzip file"
  std::string_view way_out;  ///< how raw words come out of it: "unpack it first, with gunzip"
};
/// The format that the first bytes of a file show: of arrays, images, archives, text with numbers,
/// or what `fpsynth compress` writes. Nothing for all else. Takes any bytes, and any number of
/// them.
std::optional<Format> format_of(std::span<const std::byte> bytes);

/// What the raw words of `bytes` are: `said` if given, else what the ending of `name` says, which
/// is a path or "standard input". Everything that reads raw words asks here. Throws Error for bytes
/// of another format, whatever is said, and UsageError where nothing tells doubles from singles;
/// both name the file and the way out.
Precision held_type(const std::string& name, std::span<const std::byte> bytes,
                    std::optional<Precision> said);

}  // namespace fpsynth::data
