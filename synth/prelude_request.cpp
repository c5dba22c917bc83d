#include "synth/prelude_request.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

constexpr std::string_view kNone = "none", kFound = "auto";

}  // namespace

PreludeRequest PreludeRequest::parse(std::string_view text) {
  if (upper(text) == upper(kNone)) return {};
  if (upper(text) == upper(kFound)) return {Kind::Found, {}};
  PreludeRequest request{Kind::Named, {}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const Prelude prelude = parse_prelude(part);
    if (prelude.empty()) {
      throw UsageError(
          fmt::format("preludes '{}': '{}' is none; give auto, none, or preludes such as "
                      "\"LAGx:18200, DICT LAGs:2401\" (pipelines alone are always tried)",
                      text, part));
    }
    if (std::ranges::find(request.named, prelude) != request.named.end()) {
      throw UsageError(
          fmt::format("preludes '{}': '{}' is listed twice; remove one", text, to_string(prelude)));
    }
    request.named.push_back(prelude);
    begin = end + 1;
  }
  return request;
}

void PreludeRequest::check(std::size_t word_bytes) const {
  for (const Prelude& prelude : named) {
    const std::string what = defect(prelude, word_bytes);
    if (!what.empty()) throw UsageError(fmt::format("preludes '{}': {}", text(), what));
  }
}

std::string PreludeRequest::text() const {
  if (kind == Kind::None) return std::string(kNone);
  if (kind == Kind::Found) return std::string(kFound);
  std::string list;
  for (const Prelude& prelude : named) {
    if (!list.empty()) list += ", ";
    list += to_string(prelude);
  }
  return list;
}

}  // namespace fpsynth::synth
