#include "synth/parsing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace fpsynth::synth {

std::vector<Word> split(std::string_view text, std::size_t begin, std::string_view separate) {
  const auto blank = [&](std::size_t i) {
    return text[i] == ',' || std::isspace(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto separates = [&](std::size_t i) { return separate.find(text[i]) != separate.npos; };
  std::vector<Word> words;
  for (std::size_t i = begin; i < text.size();) {
    if (blank(i)) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (!separates(i) && end < text.size() && !separates(end) && !blank(end)) ++end;
    words.push_back({text.substr(i, end - i), i});
    i = end;
  }
  return words;
}

void fail_at(std::string_view text, std::size_t column, std::size_t length,
             const std::string& reason) {
  throw ParseError(fmt::format("{}\n  {}\n  {}{}", reason, text, std::string(column, ' '),
                               std::string(std::max<std::size_t>(length, 1), '^')));
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace fpsynth::synth
