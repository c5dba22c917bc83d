#pragma once

#include <string>

namespace fpsynth::device {

/// The processor's name as the operating system gives it, "unknown CPU" if it does not.
std::string cpu_name();

}  // namespace fpsynth::device
