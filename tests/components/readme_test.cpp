// The table in components/README.md matches the registry.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "synth/prelude.hpp"
#include "synth/space.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth {
namespace {

using tests::contains;

TEST(Readme, ListsTheRegistry) {
  const std::string text = tests::read_bytes(tests::source_file("components/README.md"));
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
    EXPECT_TRUE(contains(text, row + " |"));
    EXPECT_TRUE(contains(text, fmt::format("\n## {}\n", family.name)));
  }
}

TEST(Readme, ListsTheStepsOfPreludes) {
  const std::string text = tests::read_bytes(tests::source_file("components/preludes/README.md"));
  const std::string format =
      tests::read_bytes(tests::source_file("runners/codec/format/FORMAT.md"));
  for (const synth::PreludeTraits& traits : synth::prelude_kinds()) {
    const std::size_t kind = traits.wire;
    const std::string name = fmt::format("{}{}", traits.name, traits.suffix);
    const std::string parameter =
        !traits.parametric                          ? ""
        : traits.shape == preludes::Shape::Lagged   ? ":L"
        : traits.shape == preludes::Shape::Selected ? ":B:m1:…:mk"
        : traits.shape == preludes::Shape::Permuted ? ":n"
        : traits.shape == preludes::Shape::Matched  ? ":r"
        : traits.shape == preludes::Shape::Divided || traits.shape == preludes::Shape::Predicted
            ? ":B"
            : ":d";
    EXPECT_TRUE(contains(text, fmt::format("\n| {}{} | {} | ", name, parameter, kind)));
    EXPECT_TRUE(contains(text, fmt::format("\n## {}\n", traits.name)));
    EXPECT_TRUE(contains(format, fmt::format("\n| {} | {}{} | ", kind, name, parameter)));
  }
}

}  // namespace
}  // namespace fpsynth
