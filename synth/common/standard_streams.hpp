#pragma once
// Printing. Standard error never fails; a failure of standard output is stored and reported at the
// end of the program.

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace fpsynth {

/// Opens the null device for each of descriptors 0 to 2 that is closed, so that no file that is
/// opened later gets the number of a standard stream. Reading or writing such a stream still fails.
/// Must be called once, at the start of main().
void open_closed_streams();

/// From now on, neither stream is written to by the functions of this file. For processes that work
/// beside another one, which prints for all.
void silence_streams() noexcept;

/// Writes to standard error. If that fails (closed, full, a pipe without a reader, a lost
/// terminal), the text is dropped and no SIGPIPE is raised. Any thread may call it.
void write_error_text(std::string_view text) noexcept;

/// Formats a text and writes it to standard error as write_error_text() does.
template <class... Arguments>
void print_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  try {
    write_error_text(fmt::format(format, std::forward<Arguments>(arguments)...));
  } catch (...) {  // no memory for a message
  }
}

/// Writes to standard output and flushes it. For results that are printed during work that must not
/// end if printing fails. output_error() returns the failure.
void write_output_text(std::string_view text) noexcept;

/// Flushes standard output. Returns the errno of the first failure to write to it, 0 if all output
/// was written.
int output_error() noexcept;

}  // namespace fpsynth
