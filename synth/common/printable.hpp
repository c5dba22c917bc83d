#pragma once
// Texts that come from files, for terminals.

#include <string>
#include <string_view>

namespace fpsynth {

/// A text of a file as it may be printed: bytes of control characters (C0, DEL, C1, and those that
/// turn the direction of writing) and bytes that are not UTF-8 become `\xNN`, all others stay.
/// Printed raw, they could clear a terminal, change its title or hide what is written. A text that
/// went through it once stays as it is.
std::string printable(std::string_view text);

}  // namespace fpsynth
