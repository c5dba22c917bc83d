#pragma once
// Signals that end the program: they remove temporary files, and long work is saved first.

#include <csignal>
#include <string>

#include "synth/common/error.hpp"

namespace fpsynth {

/// Must be called once, at the start of main(). Afterwards, all signals that end the program, and
/// calls of exit() by libraries, first remove the temporary files that are being written. SIGXFSZ
/// is ignored, so that a write past the limit on the size of files fails with EFBIG. Signals that
/// the program inherited as ignored (nohup) stay ignored.
void prepare_ending_signals();

/// Removes the files of all TemporaryNames, then the empty folders among them. Safe in signal
/// handlers.
void remove_temporary_files() noexcept;

/// Registers a temporary file or folder for remove_temporary_files() until it is destroyed. Up to
/// 32 at a time; further names are not stored.
class TemporaryName {
 public:
  explicit TemporaryName(const std::string& path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

 private:
  std::size_t slot_;
};

/// Blocks the signals that a user or a scheduler sends, in this thread, until the end of the scope.
/// For short work that would leave temporary files if it were interrupted.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// Installs a handler for SIGINT, SIGTERM and SIGHUP, except those that the program inherited as
/// ignored; without a handler, they end the program again.
void on_interrupt_call(void (*handler)(int));

/// Makes SIGINT and SIGTERM end the program again. SIGHUP keeps its handler, because a terminal
/// that closes may send it several times.
void end_on_next_interrupt();

/// A signal asked the program to end, and its work is saved. main() prints the message and then
/// ends the program by the signal, as shells expect of an interrupted program.
class Interrupted : public Error {
 public:
  Interrupted(const std::string& message, int signal) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Ends the program by a signal.
[[noreturn]] void end_by(int signal);

/// Must be called before main() returns. An exit() before this call comes from a library that
/// cannot continue (OpenMP without threads); it gets a message with the likely reasons.
void ends_by_itself();

}  // namespace fpsynth
