// What most files that read and write JSON documents include, and the compiler is to read once for
// all files of a target (target_precompile_headers). Each file still includes what it uses.

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
