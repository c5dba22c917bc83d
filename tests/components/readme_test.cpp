// The table in components/README.md matches the registry.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "synth/prelude.hpp"
#include "synth/space.hpp"

namespace fpsynth {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(FPSYNTH_SOURCE_DIR "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Readme, ListsTheRegistry) {
  const std::string text = contents("components/README.md");
  const auto components = synth::registered_components();
  for (auto at = components.begin(); at != components.end();) {
    const auto& family = synth::family(at->family);
    std::string row = fmt::format("\n| {}{}{} | {} | {}", family.name, family.parametric ? "n" : "",
                                  family.suffix, family.wire, at - components.begin());
    const auto end = std::ranges::find_if(
        at, components.end(), [&](const auto& other) { return other.family != at->family; });
    if (family.parametric) {
      row += fmt::format(" to {}: n = {}", end - components.begin() - 1, at->parameter);
      while (++at != end) row += fmt::format(", {}", at->parameter);
    }
    at = end;
    EXPECT_NE(text.find(row + " |"), std::string::npos) << row;
    EXPECT_NE(text.find(fmt::format("\n## {}\n", family.name)), std::string::npos) << family.name;
  }
}

TEST(Readme, ListsTheStepsOfPreludes) {
  const std::string text = contents("components/preludes/README.md");
  const std::string format = contents("runners/codec/format/FORMAT.md");
  for (const synth::PreludeTraits& traits : synth::prelude_kinds()) {
    const std::size_t kind = traits.wire;
    const std::string name = fmt::format("{}{}", traits.name, traits.suffix);
    const std::string parameter = !traits.parametric                          ? ""
                                  : traits.shape == preludes::Shape::Lagged   ? ":L"
                                  : traits.shape == preludes::Shape::Selected ? ":B:m1:…:mk"
                                  : traits.shape == preludes::Shape::Permuted ? ":n"
                                  : traits.shape == preludes::Shape::Divided  ? ":B"
                                                                              : ":d";
    EXPECT_NE(text.find(fmt::format("\n| {}{} | {} | ", name, parameter, kind)), text.npos) << name;
    EXPECT_NE(text.find(fmt::format("\n## {}\n", traits.name)), text.npos) << name;
    EXPECT_NE(format.find(fmt::format("\n| {} | {}{} | ", kind, name, parameter)), text.npos)
        << name;
  }
}

}  // namespace
}  // namespace fpsynth
