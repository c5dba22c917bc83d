#pragma once
// The program's version, which every result document contains.

namespace fpsynth::synth {

extern const char* const kVersion;   ///< of the project, such as 0.1.0
extern const char* const kCommit;    ///< of the sources when they were configured, or "unknown"
extern const char* const kCuda;      ///< nvcc's version, empty in a program without device code
extern const char* const kCompiler;  ///< "GNU 12.2.0, Release"

}  // namespace fpsynth::synth
