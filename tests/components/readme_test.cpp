// The table in components/README.md matches the registry.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "synth/space.hpp"

namespace fpsynth {
namespace {

TEST(Readme, ListsTheRegistry) {
  std::ifstream file(FPSYNTH_SOURCE_DIR "/components/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const auto components = synth::registered_components();
  for (std::size_t index = 0; index < components.size(); ++index) {
    const auto& family = synth::family(components[index].family);
    EXPECT_NE(text.str().find(fmt::format("\n| {} | {} | {}{} | {} |", index,
                                          synth::to_string(components[index]), family.name,
                                          family.suffix, family.wire)),
              std::string::npos)
        << synth::to_string(components[index]);
    EXPECT_NE(text.str().find(fmt::format("\n## {}\n", family.name)), std::string::npos)
        << family.name;
  }
  EXPECT_EQ(text.str().find(fmt::format("\n| {} |", components.size())), std::string::npos);
}

}  // namespace
}  // namespace fpsynth
