#include "synth/generator/texts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace fpsynth::synth {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string fill(std::string_view text, const Values& values) {
  std::string result;
  while (true) {
    const std::size_t at = text.find('@');
    const std::size_t end = at == text.npos ? at : text.find('@', at + 1);
    if (end == text.npos) return result.append(text);
    const auto found = values.find(std::string(text.substr(at + 1, end - at - 1)));
    if (found == values.end()) {
      throw std::logic_error(
          fmt::format("a template has the unknown key {}", text.substr(at, end - at + 1)));
    }
    result.append(text.substr(0, at)).append(found->second);
    text.remove_prefix(end + 1);
  }
}

std::string as_comment(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += end == 0 ? "//\n" : fmt::format("// {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string wrapped(std::string_view text, std::string_view before, std::size_t width) {
  std::string result, line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!line.empty() && line.size() + 1 + end > width) {
      result += line + "\n";
      line.clear();
    }
    line.append(line.empty() ? before : " ").append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + line + "\n";
}

std::string wrapped_comment(std::string_view text) { return wrapped(text, "// ", 100); }

std::string_view section(std::string_view document, std::string_view title) {
  const std::size_t begin = document.find(fmt::format("\n## {}\n", title));
  if (begin == document.npos) throw std::logic_error(fmt::format("no section {}", title));
  document.remove_prefix(begin + 1);
  return document.substr(0, std::min(document.find("\n# "), document.find("\n## ")));
}

}  // namespace fpsynth::synth
