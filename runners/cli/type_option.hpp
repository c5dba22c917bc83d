#pragma once
// The option --type of all commands that read raw words: what the files hold. (--precision is what
// values are converted to.)

#include <optional>
#include <string>

#include "runners/cli/arguments.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::cli {

/// The values of --type and of its older name, if a command has one.
struct TypeOption {
  std::string type;        ///< "f64", "f32", or empty
  std::string older;       ///< "double", "single", or empty
  std::string older_name;  ///< the older option: "--native"

  /// What the files were said to hold. Throws UsageError if both names are given and differ.
  std::optional<synth::Precision> said() const;
};

/// Adds --type. `option` must outlive the parsing.
void add_type(Command command, TypeOption& option);
/// Adds --type and the name that it had before, such as "--native", whose values are double and
/// single.
void add_type(Command command, TypeOption& option, const std::string& older_name);

/// The type of the words of an input that is used as it is, not decoded: what the options say, or
/// else the file's name. Throws what said() and data::held_type() throw, and UsageError for an FPC
/// file if the options say nothing.
synth::Precision type_of(const codec::Input& input, const TypeOption& option);

}  // namespace fpsynth::cli
