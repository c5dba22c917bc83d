#pragma once
// Refusals of documents whose fields contradict each other. (Apart from data_set.hpp, which device
// code includes: nvcc does not compile the formatting library.)

#include <fmt/core.h>

#include <string_view>

namespace fpsynth::results {

/// Throws Error: a document's field is inconsistent, alone or with another field.
[[noreturn]] void contradiction(std::string_view field, std::string_view what);

/// Throws this Error unless `good`, which is to be false for a figure that is not a number, too.
template <class... Values>
void check_field(bool good, std::string_view field, fmt::format_string<const Values&...> what,
                 const Values&... values) {
  if (!good) contradiction(field, fmt::format(what, values...));
}

}  // namespace fpsynth::results
