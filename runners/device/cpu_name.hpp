#pragma once

#include <string>

namespace fpsynth::device {

/// The processor's name according to the operating system, or "unknown CPU".
std::string cpu_name();

}  // namespace fpsynth::device
