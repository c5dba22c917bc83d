#pragma once
// fpsynth::Error in the source tree. What is installed as <fpsynth/error.hpp> is the file included
// here, so that the library and its users mean the same class.

#include "synth/common/error.hpp"
