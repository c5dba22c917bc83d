// The headers of libraries that most sources include, precompiled where that is worth it
// (fpsynth_precompile in CMakeLists.txt). Each source still includes what it uses.

// The literal operator of the JSON library without its body, for which every source would
// instantiate the library's parser: 0.6 s of GCC each.
#define _json(text, size) \
  _json(text, size);      \
  template <class = void> \
  nlohmann::json body_of_json_literal(text, size)
#include <nlohmann/json.hpp>
#undef _json

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
