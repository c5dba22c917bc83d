// `gpu check` on an emulated device: all right without a fault, and with one in each part, the step
// that fails and what it names.

#include "runners/check/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>

#include "tests/runners/check/emulated_target.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::check {
namespace {

using tests::contains;

struct Recorded {
  std::vector<std::string> of(Status status) const {
    std::vector<std::string> names;
    for (const Result& result : results) {
      if (result.status == status) names.push_back(result.name);
    }
    return names;
  }
  Report report() {
    return [this](const Result& result, const std::vector<Fact>& of_device) {
      facts = of_device;
      results.push_back(result);
    };
  }

  std::vector<Fact> facts;
  std::vector<Result> results;
  bool good = false;
};

/// No emulated step takes as long.
constexpr double kNoLimit = 3600;

Recorded checked(Part part, Fault fault, const std::vector<Step>& steps = all_steps()) {
  Recorded recorded;
  recorded.good = run([=] { return emulated_target(part, fault); }, recorded.report(), kNoLimit,
                      [] { ADD_FAILURE() << "nothing hangs"; }, steps);
  return recorded;
}

/// The steps whose names begin so.
std::vector<Step> steps_named(const std::string& beginning) {
  std::vector<Step> steps = all_steps();
  std::erase_if(steps, [&](const Step& step) { return !step.name.starts_with(beginning); });
  EXPECT_FALSE(steps.empty()) << beginning;
  return steps;
}

TEST(Check, OfADeviceWithoutFaultsPasses) {
  const Recorded report = checked(Part::None, Fault::None);
  EXPECT_TRUE(report.good);
  EXPECT_EQ(report.of(Status::Passed).size(), report.results.size());
  EXPECT_GE(report.results.size(), 25u);
  EXPECT_FALSE(report.facts.empty());
}

/// A fault in a part, the steps that run there, and what each of them names.
struct Case {
  Part part;
  Fault fault;
  const char* steps;
  std::vector<const char*> says;
};

class Faults : public ::testing::TestWithParam<Case> {};
TEST_P(Faults, AreNamedByTheStepsThatMeetThem) {
  const Case& a_case = GetParam();
  const Recorded report = checked(a_case.part, a_case.fault, steps_named(a_case.steps));
  EXPECT_FALSE(report.good);
  EXPECT_EQ(report.results.at(0).name, "open");
  for (const Result& result : std::span(report.results).subspan(1)) {
    EXPECT_EQ(result.status, Status::Failed) << result.name;
    for (const char* text : a_case.says) {
      EXPECT_TRUE(contains(result.detail, text)) << result.name << ": " << result.detail;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    InEachPart, Faults,
    ::testing::Values(
        Case{Part::Files, Fault::Flips, "stages", {" ZE, ", "encodes differently: byte "}},
        Case{Part::Files, Fault::FlipsDecoded, "stages", {": decodes differently: byte "}},
        Case{Part::Engines, Fault::Shuffles, "search", {"the walk in layout 0", "BIT"}},
        Case{Part::Engines, Fault::Flips, "search", {"the walk in layout 0"}},
        Case{Part::Files, Fault::Flips, "look-back", {"in chunks of 20: encodes"}},
        Case{Part::Files, Fault::FlipsDecoded, "look-back", {"decodes differently: byte"}},
        Case{Part::Files, Fault::Hashes, "checksums", {", 0 bytes of ", "encodes differently"}},
        Case{Part::Files, Fault::Shuffles, "checksums", {", 241 bytes of ", "encodes differently"}},
        Case{Part::Files, Fault::Flips, "prelude", {"encodes differently: byte "}},
        // Behind the others, the processor restores the words, and overwrites some.
        Case{Part::Files, Fault::FlipsDecoded, "prelude LAG", {"decodes differently: byte "}},
        Case{Part::Gfc, Fault::Flips, "GFC", {"encodes differently: byte "}},
        Case{Part::Gfc, Fault::FlipsDecoded, "GFC", {"decodes differently: byte "}},
        Case{Part::Holt, Fault::Flips, "Holt", {"encodes differently: byte "}},
        Case{Part::Holt, Fault::FlipsDecoded, "Holt", {"decodes differently: byte "}}));

TEST(Check, OneStepThatFailsDoesNotKeepTheOthersFromRunning) {
  const Recorded report = checked(Part::Gfc, Fault::Flips);
  EXPECT_EQ(report.of(Status::Failed), std::vector<std::string>{"GFC"});
  EXPECT_EQ(report.of(Status::Passed).size() + 1, report.results.size());
  EXPECT_EQ(report.results.back().name, "Holt");
}

TEST(Check, OfALostDeviceRunsNothingMore) {
  const Recorded report = checked(Part::Engines, Fault::Dies);
  EXPECT_EQ(report.of(Status::Failed), std::vector<std::string>{"search doubles verified"});
  EXPECT_EQ(report.of(Status::NotRun).size(), report.results.size() - 6);
  EXPECT_EQ(report.results.back().status, Status::NotRun);
}

TEST(Check, LeavesOutWhatDoesNotFit) {
  const Recorded report = checked(Part::Engines, Fault::Cramped, steps_named("search doubles"));
  EXPECT_TRUE(report.good);
  EXPECT_TRUE(report.of(Status::Skipped).empty());
  EXPECT_TRUE(contains(report.results[1].detail,
                       "needs 38 KiB of shared memory in a thread block, and there are 37"));
}

class Hanging : public ::testing::TestWithParam<std::pair<Part, const char*>> {};
TEST_P(Hanging, KernelsAreNamedByTheirStep) {
  const auto [part, name] = GetParam();
  Recorded report;
  int hangs = 0;
  const Target target = emulated_target(part, Fault::Hangs);
  EXPECT_FALSE(run([&] { return target; }, report.report(), 0.5,
                   [&] {
                     ++hangs;
                     end_hanging_kernels();  // instead of the process
                   },
                   steps_named(name)));
  EXPECT_EQ(hangs, 1);
  ASSERT_EQ(report.results.size(), 2u) << "nothing is said after the end";
  EXPECT_EQ(report.results[0].name, "open");
  EXPECT_TRUE(report.results[1].name.starts_with(name)) << report.results[1].name;
  EXPECT_EQ(report.results[1].status, Status::Hung);
}
INSTANTIATE_TEST_SUITE_P(InEachPart, Hanging,
                         ::testing::Values(std::pair{Part::Files, "stages"},
                                           std::pair{Part::Engines, "search"},
                                           std::pair{Part::Gfc, "GFC"},
                                           std::pair{Part::Holt, "Holt"}));

TEST(Check, SaysThatADeviceCannotBeOpened) {
  Recorded report;
  EXPECT_THROW(
      run([]() -> Target { throw device::DeviceError("none"); }, report.report(), kNoLimit, [] {}),
      device::DeviceError);
  EXPECT_TRUE(report.results.empty());

  std::atomic<bool> opens = true;
  EXPECT_FALSE(run(
      [&] {
        while (opens) std::this_thread::yield();
        return emulated_target();
      },
      report.report(), 0.01, [&] { opens = false; }));
  EXPECT_EQ(report.of(Status::Hung), std::vector<std::string>{"open"});
  EXPECT_TRUE(report.facts.empty());
}

}  // namespace
}  // namespace fpsynth::check
