#pragma once
// Signals that end the program: the temporary files that they leave nothing of, and work that is
// saved first.

#include <csignal>
#include <string>

#include "synth/common/error.hpp"

namespace fpsynth {

/// For main(), once at its start: every signal that would end the program, and a library's call of
/// exit(), first remove the temporary files that are being written; and writing past the limit on
/// the size of files becomes an error of the write (no SIGXFSZ). What the program was told to
/// ignore (nohup) stays so.
void prepare_ending_signals();

/// Removes the files of all TemporaryNames, then those of their folders that are empty. Safe in
/// signal handlers.
void remove_temporary_files() noexcept;

/// A temporary file's or folder's name for remove_temporary_files(), while this exists. A few dozen
/// at a time, more of them are not kept.
class TemporaryName {
 public:
  explicit TemporaryName(const std::string& path);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

 private:
  std::size_t place_;
};

/// Keeps the signals that a person or a scheduler sends from this thread, until the end of the
/// scope: for short work that leaves something behind where it is cut off.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

/// Calls `handler` for Ctrl-C, SIGTERM and a hang-up, but for those that the program was told to
/// ignore.
void on_interrupt_call(void (*handler)(int));

/// From now on Ctrl-C and SIGTERM end the program again; a hang-up, which may come several times
/// for one reason, does not.
void end_on_next_interrupt();

/// The program was asked to end, and what it had done is saved: main() prints the message and then
/// ends by the signal, as the shell expects of a program that was interrupted.
class Interrupted : public Error {
 public:
  Interrupted(const std::string& message, int signal) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Ends the program by a signal.
[[noreturn]] void end_by(int signal);

/// Tells that main() returns: an exit() before that is one of a library that cannot go on, for
/// which a message gives the likely reasons.
void ends_by_itself();

}  // namespace fpsynth
