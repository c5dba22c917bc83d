// The headers that every test includes, precompiled for all of them (target_precompile_headers).
// Each test still includes them itself. More headers here would make it slower: GCC maps all of
// them into each file's compilation.

#include <gtest/gtest.h>
