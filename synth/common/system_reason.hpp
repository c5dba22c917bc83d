#pragma once
// What the system's error numbers mean to somebody who wants to go on.

#include <string>
#include <string_view>

namespace fpsynth {

/// The end of a message on a failed call of the system: its reason and the way out, such as "No
/// space left on device; free some space or write elsewhere". `error`: errno. `way_out`: for errors
/// that say nothing of limits, which only the caller understands.
std::string reason_and_way_out(int error, std::string_view way_out);

/// The messages where memory ran out, and where no thread could be started.
std::string no_memory_message();
std::string no_threads_message(std::string_view reason);

}  // namespace fpsynth
