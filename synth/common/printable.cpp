#include "synth/common/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace fpsynth {
namespace {

/// A character of UTF-8 at the start of a text; no bytes if the text does not start with one.
struct Character {
  std::size_t bytes = 0;
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, lead};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return {};
  char32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t kShortest[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kShortest[bytes - 2] || code > 0x10ffff || surrogate) return {};
  return {bytes, code};
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
         (code >= 0x200e && code <= 0x200f) ||  // marks of direction
         (code >= 0x2028 && code <= 0x202e) ||  // ends of lines, embeddings and overrides
         (code >= 0x2066 && code <= 0x2069);    // isolates
}

}  // namespace

std::string printable(std::string_view text, std::string_view kept) {
  std::string printed;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    const bool stays = !is_control(character.code) || kept.find(text.front()) != kept.npos;
    if (character.bytes != 0 && stays) {
      printed += text.substr(0, bytes);
    } else {
      for (const char byte : text.substr(0, bytes)) {
        printed += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    text.remove_prefix(bytes);
  }
  return printed;
}

}  // namespace fpsynth
