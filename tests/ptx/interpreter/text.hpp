#pragma once
// Helpers for splitting text.

#include <algorithm>
#include <string_view>
#include <vector>

namespace fpsynth::ptx {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}
/// Removes the text up to the first of `marks`, or all of it. Returns it without the mark.
inline std::string_view take(std::string_view& text, std::string_view marks) {
  const auto end = std::min(text.find_first_of(marks), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
/// Operands are separated by commas, and the two results of a shuffle by a bar.
inline std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (depth > 0 || (c != ',' && c != '|')) continue;
    const auto part = trimmed(text.substr(begin, i - begin));
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

}  // namespace fpsynth::ptx
