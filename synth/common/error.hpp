#pragma once
// The exceptions that the program turns into a message and an exit status.

#include <stdexcept>
#include <string>

namespace fpsynth {

/// An error that the user can correct: the message names the file and the value and says what to
/// do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int status = 1)
      : std::runtime_error(message), status_(status) {}
  /// Exit status of the program: 1 for a failure at run time, 2 for a usage error.
  int status() const { return status_; }

 private:
  int status_;
};

/// A usage error, such as an unknown option: exit status 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, 2) {}
};

}  // namespace fpsynth
