#pragma once
// Messages for errors of the operating system, with advice.

#include <string>
#include <string_view>

namespace fpsynth {

/// The end of a message about a failed system call: the reason and advice, for example "No space
/// left on device; free some space or write elsewhere". `error`: errno. `advice` is used for errors
/// that are not caused by a limit of the system.
std::string reason_and_advice(int error, std::string_view advice);

/// The messages for exhausted memory and for a thread that cannot be started.
std::string no_memory_message();
std::string no_threads_message(std::string_view reason);

}  // namespace fpsynth
