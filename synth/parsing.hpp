#pragma once
// The common parts of the parsers of pipelines and of preludes.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "synth/common/error.hpp"

namespace fpsynth::synth {

/// The text is not a valid pipeline or prelude. The message shows the text with a mark under the
/// wrong word and suggests the nearest name.
class ParseError : public UsageError {
 public:
  using UsageError::UsageError;
};

/// A part of a text, and where it begins.
struct Word {
  std::string_view text;
  std::size_t column;
};

/// The words of text[begin..), separated by blanks and commas. A character of `separate` is a word
/// of its own even without blanks around it.
std::vector<Word> split(std::string_view text, std::size_t begin, std::string_view separate);

/// Throws ParseError: the reason, the text, and a mark under the wrong part of it.
[[noreturn]] void fail_at(std::string_view text, std::size_t column, std::size_t length,
                          const std::string& reason);

/// In capitals, and in small letters.
std::string upper(std::string_view text);
std::string lower(std::string_view text);

}  // namespace fpsynth::synth
