#include "runners/data/file_type.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "synth/common/raise.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_view_literals;

/// Beside those that are the code of a type.
constexpr std::array kSingleEndings = {".sp"sv, ".float"sv};
constexpr std::array kDoubleEndings = {".d64"sv, ".dp"sv, ".double"sv, ".fpc"sv};

struct Signature {
  std::string_view magic;  ///< the first bytes of the file
  Format format;
};

constexpr std::string_view kExtract =
    "write one of its variables to a raw file first: fpsynth data decode FILE:VARIABLE OUT";
constexpr Format kNetcdf = {"a netCDF file", kExtract, FileKind::Netcdf3};
constexpr Format kHdf5 = {"an HDF5 file (netCDF-4 files are)", kExtract, FileKind::Hdf5};
constexpr Format kGzip = {"a gzip file", "unpack it first, with gunzip"};
constexpr Format kText = {"text with numbers, as CSV is",
                          "write them to a raw file: numpy.loadtxt(FILE).tofile(OUT)"};
constexpr Format kTiff = {"a TIFF image",
                          "write its values to a raw file, for example with Python's tifffile"};

constexpr Signature kSignatures[] = {
    {"\x93NUMPY"sv,
     {"a NumPy array (.npy)", "write its values to a raw file first: fpsynth data decode FILE OUT",
      FileKind::Npy}},
    {"PK\x03\x04"sv,
     {"a ZIP archive (NumPy's .npz is one)",
      "unpack it first, with unzip: each array of an .npz is a .npy file"}},
    {"CDF\x01"sv, kNetcdf},
    {"CDF\x02"sv, kNetcdf},
    {"CDF\x05"sv, kNetcdf},
    {"SIMPLE  ="sv, {"a FITS file", kExtract, FileKind::Fits}},
    {"GRIB"sv, {"a GRIB file", "write its values to a raw file, for example with wgrib2 -bin"}},
    {"\x0e\x03\x13\x01"sv,
     {"an HDF4 file", "write one of its data sets to a raw file, with hdp dumpsds -b"}},
    {"MATLAB 5.0 MAT-file"sv,
     {"a MATLAB file", "write its values to a raw file, with fwrite or Python's scipy.io"}},
    {"BZh"sv, {"a bzip2 file", "unpack it first, with bunzip2"}},
    {"\xfd"
     "7zXZ\0"sv,
     {"an xz file", "unpack it first, with unxz"}},
    {"\x28\xb5\x2f\xfd"sv, {"a Zstandard file", "unpack it first, with unzstd"}},
    {"\x04\x22\x4d\x18"sv, {"an LZ4 file", "unpack it first, with unlz4"}},
    // codec::kMagic, which may not be included here: its folder depends on this one.
    {"FPSY"sv, {"what fpsynth compress wrote", "restore the original first: fpsynth decompress"}},
    {"II*\0"sv, kTiff},
    {"MM\0*"sv, kTiff},
    {"II+\0"sv, kTiff},
    {"MM\0+"sv, kTiff},
    {"\x89PNG\r\n\x1a\n"sv,
     {"a PNG image", "write its values to a raw file, for example with Python's imageio"}},
};

/// Further checks for short signatures, with which words may begin by chance.
bool confirmed(std::string_view magic, std::string_view text) {
  if (magic != "BZh"sv) return true;
  // The level, then the mark of a block or of the end of the file.
  return text.size() >= 10 && text[3] >= '1' && text[3] <= '9' &&
         (text.substr(4, 6) == "1AY&SY"sv || text.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"sv);
}

/// The header after the two bytes of magic: deflate, no reserved flags, a known level and a known
/// system.
bool is_gzip(std::string_view text) {
  if (text.size() < 10 || !text.starts_with("\x1f\x8b\x08"sv)) return false;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  return (at(3) & 0xe0) == 0 && (at(8) == 0 || at(8) == 2 || at(8) == 4) &&
         (at(9) <= 13 || at(9) == 255);
}

/// HDF5 allows other data before the signature, of a length of 512 * 2^k bytes.
bool is_hdf5(std::string_view text) {
  constexpr std::string_view kMagic = "\x89HDF\r\n\x1a\n"sv;
  for (std::size_t at = 0; at < text.size(); at = at == 0 ? 512 : 2 * at) {
    if (text.substr(at, kMagic.size()) == kMagic) return true;
    if (at > text.size() / 2) return false;  // and 2 * at could overflow
  }
  return false;
}

/// An object of JSON that says its version of Zarr.
bool is_zarr(std::string_view text) {
  if (!text.starts_with('{')) return false;
  text = text.substr(0, std::size_t{1} << 20);
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != text.npos && text[next] == '"' && text.find("\"zarr_format\"") != text.npos;
}

/// A length, and an object of JSON of that length.
bool is_safetensors(std::string_view text) {
  std::uint64_t length = 0;
  if (text.size() < sizeof length) return false;
  std::memcpy(&length, text.data(), sizeof length);
  text.remove_prefix(sizeof length);
  if (length > text.size() || !text.starts_with('{')) return false;
  text = text.substr(0, length);
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != text.npos && (text[next] == '"' || text[next] == '}') &&
         text[text.find_last_not_of(' ')] == '}';
}

/// Digits and separators, and only printable characters in the first KiB. Words have bytes of all
/// kinds.
bool is_text_with_numbers(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf"sv)) text.remove_prefix(3);  // the byte order mark of UTF-8
  text = text.substr(0, 1024);
  bool digits = false, separators = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space && (c < '!' || c > '~')) return false;
    digits = digits || (c >= '0' && c <= '9');
    separators = separators || space || c == ',' || c == ';';
  }
  return digits && separators;
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& endings, std::string_view ending) {
  return std::ranges::find(endings, ending) != endings.end();
}

}  // namespace

const Format kZarrFormat = {"an array or a group of Zarr", kExtract, FileKind::Zarr};
const Format kSafetensorsFormat = {"a safetensors file", kExtract, FileKind::Safetensors};

std::string type_codes() {
  std::string codes;
  for (const synth::NamedType& type : synth::kValueTypes) {
    if (!codes.empty()) codes += &type == std::end(synth::kValueTypes) - 1 ? " or " : ", ";
    codes += type.code;
  }
  return codes;
}

std::string ending_of(const std::filesystem::path& path) {
  return synth::lower(path.extension().string());
}

std::optional<ValueType> type_of_ending(std::string_view ending) {
  const bool dotted = ending.starts_with('.');
  const auto type = synth::type_called(ending.substr(dotted ? 1 : 0), &synth::NamedType::code);
  if (dotted && type) return type;
  if (contains(kSingleEndings, ending)) return Precision::Single;
  if (contains(kDoubleEndings, ending)) return Precision::Double;
  return std::nullopt;
}

bool is_fpc_name(const std::filesystem::path& path) { return ending_of(path) == ".fpc"; }

std::optional<Format> format_of(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Signature& signature : kSignatures) {
    if (text.starts_with(signature.magic) && confirmed(signature.magic, text)) {
      return signature.format;
    }
  }
  if (is_gzip(text)) return kGzip;
  if (is_hdf5(text)) return kHdf5;
  if (is_zarr(text)) return kZarrFormat;
  if (is_safetensors(text)) return kSafetensorsFormat;
  if (is_text_with_numbers(text)) return kText;
  return std::nullopt;
}

ValueType held_type(const std::string& name, std::span<const std::byte> bytes,
                    std::optional<ValueType> said) {
  if (const auto format = format_of(bytes)) {
    raise("{} is {}, and no raw words; {}", name, format->name, format->way_out);
  }
  if (said) return *said;
  if (const auto type = type_of_ending(ending_of(name))) return *type;
  raise<UsageError>(
      "{}: nothing says the type of its values; say it with --type, {} (in a study: \"type\")",
      name, type_codes());
}

}  // namespace fpsynth::data
