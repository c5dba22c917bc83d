// What most tests include, and the compiler is to read once for all of them
// (target_precompile_headers). Each file still includes what it uses.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
