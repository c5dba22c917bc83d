#pragma once
// Errors whose messages are formatted.

#include <fmt/core.h>

#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth {

/// Throws an Error, or another exception, with this message.
template <class Exception = Error, class... Values>
[[noreturn]] void raise(fmt::format_string<Values...> message, Values&&... values) {
  throw Exception(fmt::format(message, std::forward<Values>(values)...));
}

}  // namespace fpsynth
