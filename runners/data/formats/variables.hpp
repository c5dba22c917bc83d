#pragma once
// Variables of files of scientific formats: what is in a file, and the values of one of them. A
// format has a reader each, in a file of its own; the table of readers is in readers.cpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/data/file_type.hpp"
#include "runners/data/reading.hpp"

namespace fpsynth::data {

struct Attribute {
  std::string name, value;
};

/// One variable of a file.
struct Variable {
  std::string name;                  ///< as in FILE:VARIABLE; empty for the only one of a .npy file
  std::string alias;                 ///< another name for it, or empty
  std::string type;                  ///< "float64", "int16", "compound", ...; any
  std::optional<ValueType> held;     ///< nothing if its values cannot be read
  std::string refusal;               ///< why, if it is not the type
  std::string note;                  ///< said to the user once its values are read
  bool damaged = false;              ///< whether it is a part of the file that cannot be listed
  std::vector<std::uint64_t> shape;  ///< the extents as the format lists them; empty for one value
  std::string storage;               ///< "big-endian, deflate"; may be empty
  std::uint64_t bytes_elsewhere = 0;  ///< the size of other files that hold values of it
  std::vector<std::string> files;     ///< these, and folders of which all files belong to it
  bool big_endian = false;            ///< the byte order of its values, where variables have one
  std::vector<std::uint64_t> hdf5_chunk;  ///< extents of HDF5's chunks; empty if it has none
  std::uint64_t hdf5_fill = 0;            ///< bits of the value that HDF5 pads chunks with
  bool fortran_order = false;         ///< the first index of `shape` counts fastest, not the last
  std::vector<Attribute> attributes;  ///< fill values, scale factors, units; values are as stored

  /// The entry of a damaged part of a file, whose other variables can still be read.
  static Variable damaged_part(std::string name, std::string reason);

  /// The number of values. Throws Error if it has no 64-bit size in bytes.
  std::uint64_t values() const;
  /// The extents in the order in which values are stored, slowest first.
  std::vector<std::uint64_t> stored_shape() const;
};

/// Values of a variable, little-endian, in stored order.
struct Values {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< of their memory; null if they are bytes of the file
};

/// Memory that values are read into.
struct Memory {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;
};

/// An open file. Its functions throw Error with the cause alone: variables.cpp adds the names.
class VariableFile {
 public:
  virtual ~VariableFile() = default;
  /// All variables, of every type, in the file's order.
  virtual std::vector<Variable> variables() = 0;
  /// The variable of a name or alias; nothing if there is none.
  virtual std::optional<Variable> find(std::string_view name);
  /// "this is a group, not a variable": what has a name with which find() finds nothing; empty if
  /// nothing has it.
  virtual std::string instead_of_variable(std::string_view) { return ""; }
  /// Reads the values of a variable of this file whose type is read and that has at least one value
  /// into memory of their size.
  virtual void read(const Variable& variable, std::span<std::byte> values) = 0;
  /// A note for the user on the values that read() read; empty if there is nothing to say.
  virtual std::string note() const { return ""; }
  /// The values of such a variable where the file has them as they are wanted; nothing otherwise.
  virtual std::span<const std::byte> in_file(const Variable&) { return {}; }
};

/// Opens a file of a format. `bytes`, all of the file, outlive the result.
using OpenVariables = std::unique_ptr<VariableFile>(const std::filesystem::path& path,
                                                    std::span<const std::byte> bytes);

/// The functions that read a format. Each module defines its own as `fpsynth_reader`.
struct ReaderFunctions {
  OpenVariables* open;
  std::string (*version)();  ///< "HDF5 1.10.8"; null without a library
};
extern "C" {
extern const ReaderFunctions fpsynth_reader;
}

struct Reader {
  FileKind kind;
  const char* library;         ///< "libhdf5"; null if no library is needed
  const char* module;          ///< that has the format; null if the program has it
  const ReaderFunctions* own;  ///< of the program; null if a module has them
  /// Throws Error, which says what to install, if its library is missing.
  const ReaderFunctions& functions() const;
};
std::span<const Reader> readers();

/// The variables of a file of a readable format, whose bytes are `bytes`; if the place names one,
/// that one alone, or none. Throws Error naming the file if it is damaged, or if this build lacks
/// the library.
std::vector<Variable> list_variables(const Place& place, std::span<const std::byte> bytes,
                                     FileKind kind);
/// A variable and its values. An empty name: the only one with floating-point values, or where
/// there is none the only one with integers. Throws Error, which names the file, the variable and
/// the cause, also if there is no such variable, if its values are of another type, or if there are
/// several (it lists them).
std::pair<Variable, Values> read_variable(const Place& place, std::span<const std::byte> bytes,
                                          FileKind kind);

/// Throws Error if a reading says what can only be said of raw words, of a file that is `what` ("a
/// NumPy array").
void refuse_raw(const Place& place, const Reading& reading, std::string_view what);
/// Throws Error if it says another type than the file has.
void refuse_type(const Place& place, const Reading& reading, ValueType held);

/// The same in the calling process, with the memory that `allocate` gives; see reading_process.hpp.
/// Their Errors are the cause alone.
std::vector<Variable> list_here(const Place& place, std::span<const std::byte> bytes,
                                FileKind kind);
std::pair<Variable, Values> read_here(const Place& place, std::span<const std::byte> bytes,
                                      FileKind kind,
                                      const std::function<Memory(std::size_t)>& allocate);

/// The name of a type by a format's code for it; "of the type 7" if there is none.
using TypeName = std::pair<int, const char*>;
std::string type_name(int code, std::span<const TypeName> names);
/// The bits between the sign and the fraction of floats of a type.
constexpr std::size_t exponent_bits(ValueType type) {
  if (type.kind == synth::ValueKind::Brain) return 8;
  return type.precision == Precision::Double ? 11 : type.precision == Precision::Single ? 8 : 5;
}
/// A number of an attribute, which the file has in this precision.
std::string number_text(double number, bool single);
/// Adds the attributes of a variable that find(name) finds.
template <class Names, class Find>
void add_attributes(Variable& variable, const Names& names, Find find) {
  for (const auto& name : names) {
    if (std::optional<std::string> value = find(std::string(name))) {
      variable.attributes.push_back({std::string(name), std::move(*value)});
    }
  }
}

inline constexpr std::string_view kReadTypes =
    "floats of 16 to 64 bits and integers of 8 to 64 bits";
/// The reason why values of another type are not read.
std::string type_refusal(std::string_view type);

/// "100x200"; "1 value" if there are no dimensions.
std::string shape_text(const std::vector<std::uint64_t>& shape);

extern const ReaderFunctions kNpyReader, kZarrReader, kSafetensorsReader;

/// The attributes by which netCDF and HDF5 files say what values mean.
inline constexpr std::string_view kAttributes[] = {"units",         "long_name",    "_FillValue",
                                                   "missing_value", "scale_factor", "add_offset"};

/// The header of a .npy file, whose reader needs no library. Of a structured type, the shape is not
/// known.
struct NpyHeader : Variable {
  std::size_t data = 0;  ///< where the values begin, in bytes of the file
};

/// The header at the start of any bytes. Throws Error with the cause alone if there is none, or a
/// damaged one.
NpyHeader parse_npy_header(std::span<const std::byte> bytes);
/// Sets the type and byte order of a header from a descr of NumPy such as "<f8".
void set_npy_type(NpyHeader& header, const std::string& descr);
/// The values of a file whose header this is. Throws Error with the cause alone if they are of
/// another type than can be read, if there are fewer of them, or more.
std::span<const std::byte> npy_values(std::span<const std::byte> file, const NpyHeader& header);
/// The bytes in front of values of this type and shape.
std::string npy_header(ValueType type, bool big_endian, bool fortran_order,
                       const std::vector<std::uint64_t>& shape);

}  // namespace fpsynth::data
