// What every test includes, and the compiler reads once for all of them
// (target_precompile_headers). Each test still includes it. More headers here would make it slower:
// GCC maps all of them into each file's compilation.

#include <gtest/gtest.h>
