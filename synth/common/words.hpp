#pragma once
// Words for messages and tables, and messages for errors of the operating system.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fpsynth {

/// "1 chunk", "2 chunks", "0 data sets".
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// `one` for 1, `many` for all other counts: "is" or "are".
constexpr std::string_view by_count(std::uint64_t count, std::string_view one,
                                    std::string_view many) {
  return count == 1 ? one : many;
}

/// The texts of values, which `text_of` gives or which are the values, with a separator between
/// them.
template <class TextOf = std::identity>
std::string joined(const auto& values, std::string_view separator, TextOf text_of = {}) {
  std::string all;
  std::string_view between;
  for (const auto& value : values) {
    fmt::format_to(std::back_inserter(all), "{}{}", between, std::invoke(text_of, value));
    between = separator;
  }
  return all;
}

/// The number of insertions, deletions and replacements that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "; did you mean NAME?" with the name that was probably meant; empty if none is similar.
std::string suggestion(std::string_view typed, const std::vector<std::string>& names);

/// The number that a text of digits alone is; none if it is no such text, or does not fit 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The numbers of a text with a separator between them, as "100x200"; none if one of them is 0, too
/// large or not a number.
std::vector<std::uint64_t> positive_numbers(std::string_view text, char separator);

/// A text as one argument of a shell, quoted if necessary.
std::string shell_word(std::string_view text);

/// The end of a message about a failed system call: the reason and advice, for example "No space
/// left on device; free some space or write elsewhere". `error`: errno. `advice` is used for errors
/// that are not caused by a limit of the system.
std::string reason_and_advice(int error, std::string_view advice);

/// The message for a thread that cannot be started.
std::string no_threads_message(std::string_view reason);

/// The message for the exception that is being handled, a std::exception: of exhausted memory and
/// of a thread that cannot be started with the way out, of others their own. `task`, such as " for
/// data.f64", stands behind "not enough memory".
std::string caught_message(std::string_view task = {});

/// A text of a file as it may be printed: bytes of control characters (C0, DEL, C1, and those that
/// turn the direction of writing) and bytes that are not UTF-8 become `\xNN`, all others stay.
/// Printed raw, they could clear a terminal, change its title or hide what is written. A text that
/// went through it once stays as it is, and so do the characters in `kept`.
std::string printable(std::string_view text, std::string_view kept = {});

}  // namespace fpsynth
