#include "runners/search/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "synth/common/error.hpp"

namespace fpsynth::search {

Verification Verification::parse(std::string_view text) {
  if (!results::is_verification(text)) {
    throw UsageError(fmt::format("verification '{}': give all, none or top=K with K from 1", text));
  }
  if (text == "all") return {Kind::All, 0};
  if (text == "none") return {Kind::None, 0};
  std::uint64_t top = 0;
  const std::string_view number = text.substr(text.find('=') + 1);
  std::from_chars(number.data(), number.data() + number.size(), top);
  return {Kind::Top, top};
}

std::string Verification::text() const {
  if (kind == Kind::Top) return fmt::format("top={}", top);
  return kind == Kind::All ? "all" : "none";
}

results::ChunkRange SearchOptions::part_of(std::uint64_t chunks) const {
  if (!part) return {0, chunks};
  const std::uint64_t end = std::min(part->end, chunks);
  return {std::min(part->begin, end), end};
}

}  // namespace fpsynth::search
