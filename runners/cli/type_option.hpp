#pragma once
// The option --type, which all commands have that read raw words: what the files hold. What values
// are converted to is another thing, --precision.

#include <optional>
#include <string>

#include "runners/cli/arguments.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::cli {

/// What --type was given, and its older name where a command has one.
struct TypeOption {
  std::string type;        ///< "f64", "f32", or empty
  std::string older;       ///< "double", "single", or empty
  std::string older_name;  ///< of that option: "--native"

  /// What the files were said to hold. Throws UsageError where both names are given and differ.
  std::optional<synth::Precision> said() const;
};

/// Adds --type. `option` must outlive the parsing.
void add_type(Command command, TypeOption& option);
/// Adds --type and the name that it had before, such as "--native", whose values are double and
/// single.
void add_type(Command command, TypeOption& option, const std::string& older_name);

/// What the words of an input are that is taken as it is, not decoded: what was said, or else what
/// its name says. Throws what said() and data::held_type() throw, and UsageError for an FPC file of
/// which nobody said it.
synth::Precision type_of(const codec::Input& input, const TypeOption& option);

}  // namespace fpsynth::cli
