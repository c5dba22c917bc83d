#pragma once
// The files of configs/datasets/, which the build embeds in the program
// (runners/CMakeLists.txt).

#include <span>
#include <string_view>

namespace fpsynth::data {

struct Embedded {
  std::string_view name, text;
};
extern const std::span<const Embedded> kEmbeddedDatasets;

}  // namespace fpsynth::data
