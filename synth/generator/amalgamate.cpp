#include "synth/generator/amalgamate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "synth/generator/texts.hpp"

namespace fpsynth::synth {
namespace {

/// "ze" of "components/ze/ze.hpp".
std::string_view stem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.find('.'));
}

/// The path between the quotes or angle brackets of an include line.
std::string included(std::string_view line) {
  const std::size_t begin = line.find_first_of("\"<") + 1;
  return std::string(line.substr(begin, line.find_first_of("\">", begin) - begin));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + (text[end] != '\n')));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Removes empty #if blocks and repeated blank lines.
std::string tidy(std::string_view text) {
  std::vector<std::string_view> kept;
  for (const std::string_view line : lines_of(text)) {
    if (line.empty() && (kept.empty() || kept.back().empty())) continue;
    if (line == "#endif" && !kept.empty() && kept.back().starts_with("#if")) {
      kept.pop_back();
      continue;
    }
    kept.push_back(line);
  }
  std::string result;
  for (const std::string_view line : kept) result.append(line).append("\n");
  return result;
}

}  // namespace

std::string heading(std::string_view title) {
  const std::string line = fmt::format("// ---- {} ", title);
  return line + std::string(100 - line.size(), '-') + "\n";
}

std::string Amalgamation::add(std::string_view header) {
  return written(std::string(header)) ? std::string() : tidy(expand(header));
}

bool Amalgamation::written(const std::string& header) const {
  return written_.contains(header) ||
         std::ranges::any_of(conditions_, [&](const Condition& condition) {
           return condition.written.contains(header);
         });
}

std::string Amalgamation::expand(std::string_view header) {
  (conditions_.empty() ? written_ : conditions_.back().written).insert(std::string(header));
  const std::size_t outer = conditions_.size();
  std::string before, own;
  for (const std::string_view line : lines_of(source_text(header))) {
    if (line == "#pragma once" || directive(line)) continue;
    if (line.starts_with("#include \"")) {
      if (const std::string other = included(line); !written(other)) {
        (conditions_.empty() ? before : own) += expand(other);
      }
      continue;
    }
    if (line.starts_with("#include <")) {
      include_system(included(line), conditions_.size() - outer);
      continue;
    }
    if (line.starts_with("#if")) {
      conditions_.push_back({std::string(line)});
    } else if (line.starts_with("#el")) {
      conditions_.back().first = false;
      conditions_.back().written.clear();
    } else if (line.starts_with("#endif")) {
      conditions_.pop_back();
    } else if (line.starts_with("#define ")) {
      const std::string_view rest = line.substr(8);
      macros_.emplace(rest.substr(0, rest.find_first_of(" (")));
    }
    own.append(line).append("\n");
  }
  return before + "\n" + heading(stem(header)) + own;
}

bool Amalgamation::skipping() const {
  return std::ranges::any_of(decided_, [](const Decided& one) { return !one.taken; });
}

/// True if the line is left out: it is the directive of a condition whose outcome is known, or in a
/// branch of such a condition that is not taken.
bool Amalgamation::directive(std::string_view line) {
  constexpr std::string_view kBegin = "#if defined(", kNot = "#ifndef ";
  const bool inner = !decided_.empty() && decided_.back().outer < conditions_.size();
  if (skipped_ > 0 || (skipping() && line.starts_with("#if"))) {
    if (line.starts_with("#if")) ++skipped_;
    if (line.starts_with("#endif")) --skipped_;
    return true;
  }
  const bool negated = line.starts_with(kNot);
  if (negated || (line.starts_with(kBegin) && line.ends_with(")"))) {
    const auto name = negated ? line.substr(kNot.size())
                              : line.substr(kBegin.size(), line.size() - kBegin.size() - 1);
    const auto found = known_.find(std::string(name));
    if (found == known_.end()) return false;
    decided_.push_back({conditions_.size(), found->second != negated});
    return true;
  }
  if (decided_.empty() || inner) return false;
  if (line.starts_with("#elif")) throw std::logic_error("an #elif after a known condition");
  if (line == "#else") {
    decided_.back().taken = !decided_.back().taken;
    return true;
  }
  if (line.starts_with("#endif")) {
    decided_.pop_back();
    return true;
  }
  return skipping();
}

void Amalgamation::include_system(std::string name, std::size_t own_conditions) {
  if (own_conditions == 0) {
    system_.insert(std::move(name));
    return;
  }
  if (own_conditions > 1 || !conditions_.back().first) {
    throw std::logic_error(fmt::format("<{}> is included within more than one #if", name));
  }
  guarded_.insert(fmt::format("{}\n#include <{}>\n#endif\n", conditions_.back().line, name));
}

std::string Amalgamation::system_includes() const {
  std::string plain, headers;
  for (const std::string& name : system_) {
    (name.ends_with(".h") ? headers : plain) += fmt::format("#include <{}>\n", name);
  }
  std::string result = headers + (headers.empty() || plain.empty() ? "" : "\n") + plain;
  for (const std::string& guarded : guarded_) result += "\n" + guarded;
  return result;
}

std::string Amalgamation::undefines() const {
  std::string result;
  for (const std::string& macro : macros_) result += fmt::format("#undef {}\n", macro);
  return result;
}

}  // namespace fpsynth::synth
