#pragma once
// Words for messages and tables.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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

/// The number of insertions, deletions and replacements that turn one text into the other.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    current[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      current[j + 1] =
          std::min({previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] != b[j])});
    }
    std::swap(previous, current);
  }
  return previous[b.size()];
}

/// "; did you mean NAME?" with the name that was probably meant; empty if none is similar.
inline std::string suggestion(std::string_view typed, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(typed, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest == names.end() || distance(*nearest) > std::max<std::size_t>(2, typed.size() / 3)) {
    return {};
  }
  return fmt::format("; did you mean {}?", *nearest);
}

/// A text as one argument of a shell, quoted if necessary.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace fpsynth
