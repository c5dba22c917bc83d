#pragma once
// fpsynth::Error in the source tree. The file included here is installed as <fpsynth/error.hpp>, so
// that the library and its users use the same class.

#include "synth/common/error.hpp"
