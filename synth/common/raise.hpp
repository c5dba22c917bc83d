#pragma once
// Errors whose messages are formatted.

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth {

/// Throws an Error, or another exception, with this message.
template <class Exception = Error, class... Values>
[[noreturn]] void raise(fmt::format_string<Values...> message, Values&&... values) {
  throw Exception(fmt::format(message, std::forward<Values>(values)...));
}

/// Returns work(), and puts a text in front of the messages of its Errors.
auto located(std::string_view text, auto work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", text, error.what()), error.status());
  }
}

}  // namespace fpsynth
