#pragma once
// The texts from which generated projects are made: the library's headers and documents that a
// codec needs, and the templates in this directory, all embedded in the program at build time; how
// templates are filled in; and the values that a prelude gives them.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "synth/prelude.hpp"

namespace fpsynth::synth {

struct Source {
  std::string_view path;  ///< from the root of the project: "components/ze/ze.hpp"
  std::string_view text;
};
extern const std::span<const Source> kSources;

/// The text of a path. Throws std::out_of_range, which names the path, if it is not embedded.
std::string_view source_text(std::string_view path);

/// The values of keys in templates. A value that is not empty is also true.
using Values = std::map<std::string, std::string, std::less<>>;

/// Replaces every @KEY@ by its value, in which keys are not replaced. Conditional sections are
/// @IF KEY@ ... @ELSE@ ... @END@, with or without an @ELSE@, and may be nested. @WRAP N BEFORE@ ...
/// @END@ is text in lines of up to N characters, each behind BEFORE. The line of a directive that
/// is alone on it is left out. Throws std::logic_error for a key without a value and for sections
/// that do not end.
std::string fill(std::string_view text, const Values& values);

/// Prepends "// " to every line, or "//" to an empty one.
std::string as_comment(std::string_view text);
/// The text, whose words blanks and line ends separate, in lines of up to `width` characters, each
/// behind `before`.
std::string wrapped(std::string_view text, std::string_view before, std::size_t width);

/// A section of a Markdown document, including its heading. Throws std::logic_error if there is
/// none of that title.
std::string_view section(std::string_view document, std::string_view title);
/// The sections of these titles, each once, with an empty line between them, of the embedded
/// document at `path`, which errors name.
std::string sections(std::string_view path, const std::vector<std::string_view>& titles);

/// True if a step of the prelude takes values out of the words, which containers hold beside them.
bool has_side_data(const Prelude& prelude);

/// The headers that the codec of a prelude needs besides those of its pipeline, in order. None for
/// the empty prelude. `cuda`: of a project for GPUs.
std::vector<std::string> prelude_headers(const Prelude& prelude, bool cuda);

/// The components with which containers of the prelude compress side data, from FORMAT.md; none if
/// no step has any.
std::vector<Component> side_components(const Prelude& prelude);

/// The values of the templates' keys that depend on the prelude.
Values prelude_values(const Method& method);

}  // namespace fpsynth::synth
