#pragma once
// An emulated device as a target of `gpu check`, with a fault in what runs on it.

#include <string>
#include <utility>

#include "runners/check/check.hpp"

namespace fpsynth::check {

/// Kinds of faults. Each is the device's: the code that runs on it is the program's.
enum class Fault {
  None,
  Flips,         ///< results that kernels leave in memory have one bit inverted
  FlipsDecoded,  ///< those of kernels that decode
  Hashes,        ///< the first checksum of each launch is wrong
  Shuffles,      ///< shuffles between lanes lose a bit
  Hangs,         ///< kernels do not end
  HangsDecoding,
  Dies,     ///< the first launch fails, and everything after it
  Cramped,  ///< thread blocks have little shared memory
};

/// The parts of a target that have a fault; the others have none.
enum class Part { None, Engines, Files, Gfc, Holt };

Target emulated_target(Part part = Part::None, Fault fault = Fault::None);

/// Ends the kernels that hang, for tests that go on.
void end_hanging_kernels();

/// "engines:flips", as the tests' program takes it. Throws UsageError.
std::pair<Part, Fault> parse_fault(const std::string& text);

}  // namespace fpsynth::check
