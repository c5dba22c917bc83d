#pragma once
// Amalgamation: several headers become one, in which the text of each appears once.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fpsynth::synth {

/// Takes headers one after the other. Each header is written once, however often it is included.
class Amalgamation {
 public:
  /// `known`: macros, and whether they are defined wherever the result is compiled.
  /// `#if defined(MACRO)` and `#ifndef` on one of them are resolved: only the branch that is
  /// compiled is written.
  explicit Amalgamation(std::map<std::string, bool> known = {}) : known_(std::move(known)) {}

  /// The text of a header (a path from the root of the project), preceded by the headers that it
  /// includes and that were not written before, without `#pragma once` and include lines. A header
  /// included within an #if is written there; its system headers are included in any case. Throws
  /// std::out_of_range for an include that is not embedded, and std::logic_error for a header that
  /// includes a system header within its own #else, or has an #elif after a known condition.
  std::string add(std::string_view header);

  /// The system headers that were included, as #include lines.
  std::string system_includes() const;
  /// #undef lines for the macros that were defined.
  std::string undefines() const;

 private:
  struct Condition {
    std::string line;                 ///< the #if
    bool first = true;                ///< still in its first branch
    std::set<std::string> written{};  ///< headers written in this branch
  };

  /// An #if on a known macro.
  struct Decided {
    std::size_t outer;  ///< the number of conditions around it
    bool taken;         ///< whether the branch that is being read is written
  };

  std::string expand(std::string_view header);
  bool directive(std::string_view line);
  bool skipping() const;
  void include_system(std::string name, std::size_t own_conditions);
  bool written(const std::string& header) const;

  std::set<std::string> written_, system_, guarded_, macros_;
  std::map<std::string, bool> known_;
  std::vector<Condition> conditions_;
  std::vector<Decided> decided_;
  std::size_t skipped_ = 0;  ///< conditions open within a branch that is not taken
};

/// The comment line before a part of generated code.
std::string heading(std::string_view title);

}  // namespace fpsynth::synth
