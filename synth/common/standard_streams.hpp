#pragma once
// What the program prints: on standard error without ever failing, on standard output with a
// failure that is remembered.

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace fpsynth {

/// Opens the null device in the place of standard input, output and error where the program was
/// started without them, so that no file that is opened later gets their numbers. Reading or
/// writing them fails as it did. To be called once, at the start of main().
void open_closed_streams();

/// Writes to standard error. Messages end no work: where it is closed, full, a pipe without a
/// reader or a terminal that has gone, nothing happens, and there is no SIGPIPE. For any thread.
void write_error_text(std::string_view text) noexcept;

/// Formats a text and writes it to standard error as write_error_text() does.
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  try {
    write_error_text(fmt::format(format, std::forward<Arguments>(arguments)...));
  } catch (...) {  // no memory for a message
  }
}

/// Writes to standard output at once; for results that come while work goes on, which a failure
/// must not end: output_error() tells of it.
void write_output_text(std::string_view text) noexcept;

/// Flushes standard output. The errno of the first failure to write to it, 0 if all has arrived.
int output_error() noexcept;

}  // namespace fpsynth
