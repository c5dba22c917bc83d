#include "synth/common/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fpsynth {
namespace {

/// Advice for errors that a limit of the system causes; empty for others.
std::string_view advice_on_limit(int error) {
  switch (error) {
    case ENOSPC:
      return "free some space or write elsewhere";
    case EDQUOT:
      return "free some space, ask for a larger quota or write elsewhere";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f), or write to another file system";
    case EMFILE:
      return "raise the limit on open files (ulimit -n)";
    case ENFILE:
      return "the whole machine has too many; end other programs";
    case ENAMETOOLONG:
      return "give a shorter one";
    case ENOMEM:
      return "free some memory, or raise its limit (ulimit -v)";
    case EBADF:  // a standard stream
      return "start the program with it open";
    case EPIPE:
      return "its reader has ended";
    default:
      return {};
  }
}

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

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

std::vector<std::uint64_t> positive_numbers(std::string_view text, char separator) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
    end = std::min(text.find(separator, begin), text.size());
    numbers.push_back(whole_number(text.substr(begin, end - begin)).value_or(0));
    if (numbers.back() == 0) return {};
  }
  return numbers;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
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

std::string suggestion(std::string_view typed, const std::vector<std::string>& names) {
  const auto distance = [&](const std::string& name) { return edit_distance(typed, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (nearest == names.end() || distance(*nearest) > std::max<std::size_t>(2, typed.size() / 3)) {
    return {};
  }
  return fmt::format("; did you mean {}?", *nearest);
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string reason_and_advice(int error, std::string_view advice) {
  const std::string_view limit = advice_on_limit(error);
  return fmt::format("{}; {}", std::strerror(error), limit.empty() ? advice : limit);
}

std::string no_threads_message(std::string_view reason) {
  return fmt::format(
      "cannot start a thread: {}; raise the limits on processes and memory (ulimit -u, ulimit -v, "
      "or those of the job), or use fewer --threads",
      reason);
}

std::string caught_message(std::string_view task) {
  const auto no_memory = [&] {
    return fmt::format(
        "not enough memory{}; free some, raise its limit (ulimit -v, or that of the job), or use "
        "fewer --threads",
        task);
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // a size beyond any memory
    return no_memory();
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return error.what();
    return no_threads_message(error.code().message());
  } catch (const std::exception& error) {
    return error.what();
  }
}

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
