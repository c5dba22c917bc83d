#include "synth/common/system_reason.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace fpsynth {
namespace {

/// Advice for errors that a limit of the system causes; empty for others.
std::string_view advice_on_limit(int error) {
  switch (error) {
    case ENOSPC:
      return "free some space or write elsewhere";
    case EDQUOT:
      return "free some space, ask for a larger quota or write elsewhere";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f), or write to another file system";
    case EMFILE:
      return "raise the limit on open files (ulimit -n)";
    case ENFILE:
      return "the whole machine has too many; end other programs";
    case ENAMETOOLONG:
      return "give a shorter one";
    case ENOMEM:
      return "free some memory, or raise its limit (ulimit -v)";
    case EBADF:  // a standard stream
      return "start the program with it open";
    case EPIPE:
      return "its reader has ended";
    default:
      return {};
  }
}

}  // namespace

std::string reason_and_advice(int error, std::string_view advice) {
  const std::string_view limit = advice_on_limit(error);
  return fmt::format("{}; {}", std::strerror(error), limit.empty() ? advice : limit);
}

std::string no_memory_message() {
  return "not enough memory; free some, raise its limit (ulimit -v, or that of the job), or use "
         "fewer --threads";
}

std::string no_threads_message(std::string_view reason) {
  return fmt::format(
      "cannot start a thread: {}; raise the limits on processes and memory (ulimit -u, ulimit -v, "
      "or those of the job), or use fewer --threads",
      reason);
}

}  // namespace fpsynth
