#pragma once
// The options that say what files hold: --type of all commands that read raw words, and --endian,
// --offset and --count of those that read data sets. (--precision is what values are converted to.)

#include <cstdint>
#include <optional>
#include <string>

#include "runners/cli/arguments.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/reading.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::cli {

/// The values of --type and of the others.
struct TypeOption {
  std::string type;    ///< "f64", "i32", or empty
  std::string endian;  ///< "little", "big", or empty
  std::string shape;   ///< "100x200", or empty
  std::uint64_t offset = 0, count = 0;

  /// The type that the files were said to hold.
  std::optional<synth::ValueType> said() const;
  /// The same, and what the other options say.
  data::Reading reading() const;
};

/// Adds --type. `option` must outlive the parsing.
void add_type(Command command, TypeOption& option);

/// Adds --endian and --offset, beside --type.
void add_byte_order(Command command, TypeOption& option);
/// Adds --shape, for whose help `more` is said, too.
void add_shape(Command command, TypeOption& option, const std::string& more);
/// The same as add_byte_order(), and --count.
void add_reading(Command command, TypeOption& option);

/// Opens a file that is used as it is, to the byte: codec::Input::open(), but for FILE:VARIABLE
/// (and FILE:VARIABLE alone) throws UsageError that says how to extract the variable.
codec::Input open_bytes(const std::string& path);

/// The type of the words of an input that is used as it is, not decoded: what the options say, or
/// else the file's name. Throws what data::held_type() throws, and UsageError for an FPC
/// file if the options say nothing.
synth::ValueType type_of(const codec::Input& input, const TypeOption& option);

/// Adds --force and --verbose, of commands that compress or restore a file.
void add_force_and_verbose(Command command, bool& force, bool& verbose);

/// Prints the summary line of such a command on a terminal, or anywhere if it is `verbose`. Sizes
/// are in bytes; the speed counts original bytes both ways.
void summarize(bool verbose, std::uint64_t original, std::uint64_t compressed, bool compressing,
               Clock::time_point start, bool both_ratios = false);

}  // namespace fpsynth::cli
