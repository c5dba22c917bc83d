#include "synth/generator/texts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fpsynth::synth {
namespace {

class Template {
 public:
  Template(std::string_view text, const Values& values) : text_(text), values_(values) {}

  std::string filled() {
    std::string result = section();
    if (!ended_by_.empty()) refuse("ends a section that does not begin:", ended_by_);
    return result;
  }

 private:
  /// Fills the text up to the @ELSE@ or @END@ of a section, or to the end; ended_by_ says which.
  std::string section() {
    std::string result;
    while (true) {
      const std::size_t begin = text_.find('@', at_);
      const std::size_t end = begin == text_.npos ? begin : text_.find('@', begin + 1);
      result.append(text_.substr(at_, end == text_.npos ? end : begin - at_));
      ended_by_ = {};
      if (end == text_.npos) return result;
      const std::string_view key = text_.substr(begin + 1, end - begin - 1);
      at_ = end + 1;
      const bool ends = key == "ELSE" || key == "END";
      const bool begins = key.starts_with("IF ") || key.starts_with("WRAP ");
      if (!ends && !begins) {
        result.append(value(key));
        continue;
      }
      const bool alone = begin == 0 || text_[begin - 1] == '\n';
      if (alone && text_.substr(at_).starts_with('\n')) ++at_;
      if (ends) {
        ended_by_ = key;
        return result;
      }
      result.append(key.starts_with("IF ") ? chosen(key.substr(3)) : wrapped_section(key));
    }
  }

  std::string chosen(std::string_view condition) {
    std::string yes = section(), no;
    if (ended_by_ == "ELSE") no = section();
    if (ended_by_ != "END") refuse("does not end the section of", condition);
    return value(condition).empty() ? no : yes;
  }

  std::string wrapped_section(std::string_view key) {
    const std::string text = section();
    if (ended_by_ != "END") refuse("does not end the section of", key);
    const std::string_view line = key.substr(key.find(' ') + 1);
    const std::size_t blank = std::min(line.find(' '), line.size() - 1);
    return wrapped(text, line.substr(blank + 1), std::stoul(std::string(line)));
  }

  std::string_view value(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) refuse("has the unknown key", key);
    return found->second;
  }

  [[noreturn]] static void refuse(std::string_view what, std::string_view key) {
    throw std::logic_error(fmt::format("a template {} @{}@", what, key));
  }

  std::string_view text_;
  const Values& values_;
  std::size_t at_ = 0;
  std::string_view ended_by_;
};

}  // namespace

std::string_view source_text(std::string_view path) {
  const auto found = std::ranges::find(kSources, path, &Source::path);
  if (found == kSources.end()) {
    throw std::out_of_range(fmt::format("{} is not among the embedded sources", path));
  }
  return found->text;
}

std::string fill(std::string_view text, const Values& values) {
  return Template(text, values).filled();
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
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end == 0) {
      text.remove_prefix(1);
      continue;
    }
    if (!line.empty() && line.size() + 1 + end > width) {
      result += line + "\n";
      line.clear();
    }
    line.append(line.empty() ? before : " ").append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + line + "\n";
}

std::string_view section(std::string_view document, std::string_view title) {
  const std::size_t begin = document.find(fmt::format("\n## {}\n", title));
  if (begin == document.npos) throw std::logic_error(fmt::format("no section \"## {}\"", title));
  document.remove_prefix(begin + 1);
  return document.substr(0, std::min(document.find("\n# "), document.find("\n## ")));
}

std::string sections(std::string_view path, const std::vector<std::string_view>& titles) try {
  const std::string_view document = source_text(path);
  std::string result;
  std::set<std::string_view> written;
  for (const std::string_view title : titles) {
    if (!written.insert(title).second) continue;
    const std::string_view text = section(document, title);
    if (!result.empty()) result += "\n\n";
    result += text.substr(0, text.find_last_not_of('\n') + 1);
  }
  return result;
} catch (const std::logic_error& error) {
  throw std::logic_error(fmt::format("{}: {}", path, error.what()));
}

}  // namespace fpsynth::synth
