#pragma once
// The messages of errors.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "synth/common/error.hpp"

namespace fpsynth::tests {

/// The message of the error that an action throws; "no error" if it throws none. An error of
/// another type passes through, and fails the test.
template <class Expected = Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  return "no error";
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace fpsynth::tests
