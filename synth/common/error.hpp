#pragma once
// The one exception that the program turns into a message and an exit status.

#include <stdexcept>
#include <string>

namespace fpsynth {

/// Something the user can mend: the message names the file, the value and the way out.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int status = 1)
      : std::runtime_error(message), status_(status) {}
  /// Exit status of the program: 1 for a failure at run time, 2 for a wrong call.
  int status() const { return status_; }

 private:
  int status_;
};

/// A wrong call: exit status 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, 2) {}
};

}  // namespace fpsynth
