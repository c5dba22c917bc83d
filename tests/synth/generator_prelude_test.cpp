// The parts that a prelude adds to the generator's texts.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "components/preludes/registry.hpp"
#include "synth/common/error.hpp"
#include "synth/generator/project.hpp"
#include "synth/generator/texts.hpp"
#include "synth/parsing.hpp"
#include "tests/support/messages.hpp"
#include "tests/synth/generator_requests.hpp"

namespace fpsynth::synth {
namespace {

using testing::count, testing::mangled_names, testing::request;

TEST(Generator, HeadersContainOnlyTheStepsOfThePrelude) {
  const std::string none = generate_header(request("LNV6s ZE"));
  for (const char* part : {"Prelude", "prelude", "StepDriver", "SideData"}) {
    EXPECT_EQ(count(none, part), 0u) << part;
  }
  const std::string lag = generate_header(request("LAGx:18200 / LNV6s ZE"));
  for (const char* part : {"struct LagXor ", "class StaticPreludeCodec ",
                           "StaticStep<fpsynth::preludes::LagXor, 18200>>;"}) {
    EXPECT_EQ(count(lag, part), 1u) << part;
  }
  for (const char* other : {"struct Ord ", "struct Dict ", "struct Dec ", "Ranked>", "TypeList",
                            "SidePipeline =", "struct Bit ", "std::sort", "#include \""}) {
    EXPECT_EQ(count(lag, other), 0u) << other;
  }
  const std::string dict = generate_header(request("DICT ORD / LNV6s ZE"));
  for (const char* part : {"struct Ord ", "struct Dict ", "using SidePipeline =", "struct Bit "}) {
    EXPECT_EQ(count(dict, part), 1u) << part;
  }
  EXPECT_EQ(count(dict, "struct LagXor "), 0u);
}

TEST(Generator, EveryStepHasItsTypeAndItsHeader) {
  const std::vector<std::string> types = mangled_names(preludes::Steps{});
  ASSERT_EQ(types.size(), prelude_kinds().size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::uint8_t kind = prelude_kinds()[i].wire;
    const std::string_view name = prelude_traits(kind).type;
    EXPECT_EQ(types[i], fmt::format("N7fpsynth8preludes{}{}E", name.size(), name));
    ProjectRequest wanted = request("ZE");
    wanted.method.prelude.steps = {{kind, prelude_traits(kind).range(8).least, {}}};
    if (prelude_traits(kind).shape == preludes::Shape::Selected) {
      wanted.method.prelude.steps.front().divisors = preludes::Divisors(3, 10);
    }
    EXPECT_EQ(count(generate_header(wanted), fmt::format("\nstruct {} ", name)) +
                  count(generate_header(wanted), fmt::format("\nstruct {} :", name)),
              1u + (prelude_traits(kind).suffix.empty() ? 0u : 1u))
        << name;
  }
}

TEST(Generator, PreludesThatCannotBeGeneratedAreRefused) {
  const auto message = [](const ProjectRequest& wanted) {
    return tests::message_of([&] { generate_project(wanted); });
  };
  const std::string waiting = message(request("LAGs:5 GCD:128 / ZE", Target::Cuda));
  EXPECT_TRUE(waiting.starts_with("the processor executes the prelude 'LAGs:5 GCD:128'"))
      << waiting;
  EXPECT_THROW(generate_header(request("DICT / ZE", Target::Cuda)), UsageError);
  for (const Target target : all_targets()) {
    ProjectRequest wanted = request("LAGs:5 DICT DEC:12 / ZE", target);
    EXPECT_EQ(message(wanted) == "no error", target != Target::Cuda);
    wanted.word_bytes = 4;
    EXPECT_TRUE(
        tests::contains(message(wanted), "parameter 12 of DEC; on 4-byte words it is 0 to 9"));
  }
}

TEST(Generator, CudaHeadersHaveStepsWithoutSideData) {
  const std::string header = generate_header(request("ORD LAGs:5 / ZE", Target::Cuda));
  for (const char* other : {"struct SideCoding {", "struct SideData ", "SidePipeline", "StepDriver",
                            "xxhash", "NativeTeam", "struct Dict ", "struct Rle "}) {
    EXPECT_EQ(count(header, other), 0u) << other;
  }
  for (const char* part : {"class StaticPreludeDeviceCodec ", "class StaticDeviceCodec ",
                           "StaticPreludeDeviceCodec<\n    Device, "}) {
    EXPECT_EQ(count(header, part), 1u) << part;
  }
}

TEST(Generator, FilesTellOfThePrelude) {
  const auto text_of = [](const std::vector<ProjectFile>& files, std::string_view name) {
    return std::ranges::find(files, name, &ProjectFile::name)->text;
  };
  const auto plain = generate_project(request("LNV1s | ZE", Target::Hdf5));
  for (const char* name : {"README.md", "FORMAT.md", "mpc6.h", "mpc6_main.cpp", "mpc6_hdf5.cpp"}) {
    EXPECT_EQ(count(lower(text_of(plain, name)), "prelude"), 0u) << name;
    EXPECT_EQ(count(text_of(plain, name), "method"), 0u) << name;
  }
  const auto files = generate_project(request("DICT LAGs:2401 / LNV1s | ZE", Target::Hdf5));
  const std::string readme = text_of(files, "README.md"), format = text_of(files, "FORMAT.md");
  EXPECT_EQ(count(readme, "\nDICT LAGs:2401 / LNV1s | ZE\n"), 1u);
  EXPECT_EQ(count(readme, "- `LAGs:2401`: the difference of each word and the word 2401 before"),
            1u);
  EXPECT_EQ(count(readme, "one HDF5 chunk at a time"), 1u);
  EXPECT_EQ(count(readme, "chunks of 2401 words or fewer"), 1u);
  EXPECT_EQ(count(readme, "are stored in each chunk"), 1u);
  const std::string ordered =
      text_of(generate_project(request("ORD LAGs:1 LAGs:40 / ZE", Target::Hdf5)), "README.md");
  EXPECT_EQ(count(ordered, "`LAGs:40` does\nnothing in chunks of 40 words or fewer"), 1u);
  EXPECT_EQ(count(ordered, "are stored in each chunk"), 0u);
  for (const char* heading :
       {"\n## With a prelude: version 3\n", "\n# Preludes\n", "\n## DICT\n", "\n## LAG\n",
        "\n## ORD\n", "\n## RAT\n", "\n## DEC\n", "\n# Components\n", "\n## LNV\n", "\n## ZE\n"}) {
    EXPECT_EQ(count(format, heading), 1u) << heading;
  }
  // Side data have a pipeline of their own, which the format names.
  const std::string before = "with the pipeline `";
  const std::size_t at = format.find(before) + before.size();
  for (const Component component :
       parse_pipeline(format.substr(at, format.find('`', at) - at)).stages) {
    EXPECT_EQ(count(format, fmt::format("\n## {}\n", family(component.family).name)), 1u);
  }
  for (const char* name : {"mpc6.h", "mpc6.hpp", "mpc6_main.cpp", "mpc6_hdf5.cpp"}) {
    EXPECT_EQ(count(text_of(files, name), "DICT LAGs:2401 /"), 1u) << name;
  }
}

}  // namespace
}  // namespace fpsynth::synth
