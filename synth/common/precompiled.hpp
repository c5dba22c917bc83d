// The headers of libraries that most sources include, precompiled where that is worth it
// (fpsynth_precompile in CMakeLists.txt). Each source still includes what it uses.

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
