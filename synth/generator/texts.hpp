#pragma once
// Operations on the texts of generated projects.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace fpsynth::synth {

/// In small letters.
std::string lower(std::string_view text);

/// The values of keys in templates.
using Values = std::map<std::string, std::string>;

/// Replaces every @KEY@ by its value. Keys within values are not replaced. Throws std::logic_error
/// for a key without one.
std::string fill(std::string_view text, const Values& values);

/// Prepends "// " to every line, or "//" to an empty one.
std::string as_comment(std::string_view text);
/// The text in lines of up to `width` characters, each behind `before`.
std::string wrapped(std::string_view text, std::string_view before, std::size_t width);
/// The text as a comment, in lines of up to 100 characters.
std::string wrapped_comment(std::string_view text);

/// A section of a Markdown document, including its heading. Throws std::logic_error if there is
/// none of that title.
std::string_view section(std::string_view document, std::string_view title);

}  // namespace fpsynth::synth
