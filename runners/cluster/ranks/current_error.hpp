#pragma once
// What one rank tells the others of an exception.

#include <exception>
#include <new>
#include <string>

#include "synth/common/words.hpp"

namespace fpsynth::cluster {

/// The message of the exception in flight.
inline std::string current_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return no_memory_message();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace fpsynth::cluster
