// `gpu check` on an emulated device: all right without a fault, and with one in each part, the step
// that fails and what it names.

#include "runners/check/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <span>
#include <thread>

#include "runners/check/watchdog.hpp"
#include "runners/codec/codec.hpp"
#include "synth/pipeline.hpp"
#include "tests/runners/check/emulated_target.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::check {
namespace {

using tests::contains;

class Recorded : public Report {
 public:
  void begin(const std::vector<Fact>& of_device) override {
    facts = of_device;
    ++begins;
  }
  void add(const Result& result) override { results.push_back(result); }
  void end(Status last, double) override {
    worst = last;
    ++ends;
  }
  std::vector<std::string> of(Status status) const {
    std::vector<std::string> names;
    for (const Result& result : results) {
      if (result.status == status) names.push_back(result.name);
    }
    return names;
  }

  std::vector<Fact> facts;
  std::vector<Result> results;
  Status worst = Status::Skipped;
  int begins = 0, ends = 0;
};

/// No emulated step takes as long.
constexpr double kNoLimit = 3600;

Recorded checked(Part part, Fault fault, const std::vector<Step>& steps = all_steps()) {
  Recorded report;
  const bool good = run([=] { return emulated_target(part, fault); }, report, kNoLimit,
                        [] { ADD_FAILURE() << "nothing hangs"; }, steps);
  EXPECT_EQ(good, report.worst == Status::Passed);
  EXPECT_EQ(report.begins, 1);
  EXPECT_EQ(report.ends, 1);
  return report;
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
  EXPECT_EQ(report.worst, Status::Passed);
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
  EXPECT_EQ(report.worst, Status::Failed);
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
        Case{Part::Codecs, Fault::Flips, "stages", {"encoding kernels", "chunk", "byte"}},
        Case{Part::Codecs, Fault::FlipsDecoded, "stages", {"decoding kernels", "chunk", "byte"}},
        Case{Part::Engines,
             Fault::Shuffles,
             "search roomy",
             {"walking kernel", "BIT", "on chunk 0"}},
        Case{Part::Engines, Fault::Flips, "search cramped", {"walking kernel", "on chunk 0"}},
        Case{
            Part::Codecs, Fault::Flips, "look-back", {"look-back over 12 chunks, 1 of 20", "byte"}},
        Case{Part::Codecs, Fault::FlipsDecoded, "look-back", {"decoding kernels", "chunk 6"}},
        Case{Part::Codecs, Fault::Hashes, "checksums", {"hashing kernel", "of 0 bytes"}},
        Case{Part::Codecs, Fault::Shuffles, "checksums", {"hashing kernel", "of 241 bytes"}},
        Case{Part::Files, Fault::Flips, "prelude", {"encoding kernels", "byte"}},
        Case{Part::Files, Fault::FlipsDecoded, "prelude", {"decoding kernels", "byte", "chunk"}},
        Case{Part::Gfc, Fault::Flips, "GFC", {"encoding kernels", "byte 7040 of chunk 0"}},
        Case{Part::Gfc, Fault::FlipsDecoded, "GFC", {"decoding kernels", "of chunk 0"}},
        Case{Part::Holt, Fault::Flips, "Holt", {"encoding kernels", "of run 12"}},
        Case{Part::Holt, Fault::FlipsDecoded, "Holt", {"decoding kernels", "of run 11"}}));

TEST(Check, OneStepThatFailsDoesNotKeepTheOthersFromRunning) {
  const Recorded report = checked(Part::Gfc, Fault::Flips);
  EXPECT_EQ(report.of(Status::Failed), std::vector<std::string>{"GFC"});
  EXPECT_EQ(report.of(Status::Passed).size() + 1, report.results.size());
  EXPECT_EQ(report.results.back().name, "Holt");
}

TEST(Check, OfALostDeviceRunsNothingMore) {
  const Recorded report = checked(Part::Engines, Fault::Dies);
  EXPECT_EQ(report.of(Status::Failed), std::vector<std::string>{"search roomy doubles verified"});
  EXPECT_EQ(report.of(Status::NotRun).size(), report.results.size() - 6);
  EXPECT_EQ(report.results.back().status, Status::NotRun);
}

TEST(Check, LeavesOutWhatDoesNotFit) {
  const Recorded report = checked(Part::Engines, Fault::Cramped, steps_named("search"));
  EXPECT_EQ(report.worst, Status::Passed);
  EXPECT_EQ(report.of(Status::Skipped),
            (std::vector<std::string>{"search roomy doubles verified",
                                      "search spilled doubles verified"}));
  EXPECT_TRUE(contains(report.results[1].detail,
                       "needs 46 KiB of shared memory in a thread block, and there are 37"))
      << report.results[1].detail;
}

class Hanging : public ::testing::TestWithParam<std::pair<Part, const char*>> {};
TEST_P(Hanging, KernelsAreNamedByTheirStep) {
  const auto [part, name] = GetParam();
  Recorded report;
  int hangs = 0;
  auto target = emulated_target(part, Fault::Hangs);
  EXPECT_FALSE(run([&] { return std::move(target); }, report, 0.5,
                   [&] {
                     ++hangs;
                     end_hanging_kernels();  // instead of the process
                   },
                   steps_named(name)));
  EXPECT_EQ(hangs, 1);
  EXPECT_EQ(report.ends, 1);
  EXPECT_EQ(report.worst, Status::Hung);
  ASSERT_EQ(report.results.size(), 2u) << "nothing is said after the end";
  EXPECT_EQ(report.results[0].name, "open");
  EXPECT_TRUE(report.results[1].name.starts_with(name)) << report.results[1].name;
  EXPECT_EQ(report.results[1].status, Status::Hung);
}
INSTANTIATE_TEST_SUITE_P(
    InEachPart, Hanging,
    ::testing::Values(std::pair{Part::Codecs, "code"}, std::pair{Part::Engines, "search"},
                      std::pair{Part::Codecs, "look-back"}, std::pair{Part::Files, "prelude"},
                      std::pair{Part::Gfc, "GFC"}, std::pair{Part::Holt, "Holt"}));

TEST(Check, SaysThatADeviceCannotBeOpened) {
  Recorded report;
  EXPECT_THROW(run([]() -> std::unique_ptr<Target> { throw device::DeviceError("none"); }, report,
                   kNoLimit, [] {}),
               device::DeviceError);
  EXPECT_TRUE(report.results.empty());

  std::atomic<bool> opens = true;
  EXPECT_FALSE(run(
      [&] {
        while (opens) std::this_thread::yield();
        return emulated_target();
      },
      report, 0.01, [&] { opens = false; }));
  EXPECT_EQ(report.begins, 1);
  ASSERT_EQ(report.results.size(), 1u);
  EXPECT_EQ(report.results[0].name, "open");
  EXPECT_EQ(report.results[0].status, Status::Hung);
}

TEST(Watchdog, CallsForEachWorkThatTakesTooLong) {
  std::atomic<int> calls = 0;
  const auto hung = [&] { ++calls; };
  { const Watchdog watchdog(kNoLimit, hung); }
  for (int i = 1; i <= 2; ++i) {
    const Watchdog watchdog(0, hung);
    while (calls < i) std::this_thread::yield();
  }
  { const Watchdog watchdog(kNoLimit, hung); }
  EXPECT_EQ(calls, 2);
}

/// Every byte of a file with a prelude has a place.
TEST(Differences, AreFoundInEveryPartOfAFile) {
  const auto input = sample(2100, 8);
  const auto file = codec::compress(input, synth::parse_method("DICT LAGs:7 / LNV1s ZE"), 8);
  std::set<std::string> places;
  for (std::size_t at = 0; at < file.size(); at += 3) {
    auto other = file;
    other[at] ^= std::byte{1};
    try {
      expect_same("file: encoding kernels", other, file, in_file(file));
      ADD_FAILURE() << at;
    } catch (const Difference& error) {
      std::string text = error.what();
      EXPECT_TRUE(contains(text, "byte " + std::to_string(at) + " of ")) << text;
      text.resize(text.find(": byte"));
      std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
      places.insert(text);
    }
  }
  EXPECT_EQ(places, (std::set<std::string>{
                        "file: encoding kernels differ in the header",
                        "file: encoding kernels differ in byte  of the side data of DICT",
                        "file: encoding kernels differ in the frame of chunk ",
                        "file: encoding kernels differ in byte  of the block of chunk "}));
  EXPECT_NO_THROW(expect_same("file", file, file, in_file(file)));
  EXPECT_EQ(difference(std::span(file).first(10), file),
            "10 bytes, not " + std::to_string(file.size()));
}

TEST(Samples, AreTheSameEveryTimeAndHaveDecimalsRunsAndNoise) {
  for (const std::size_t word_bytes : {8, 4, 1}) {
    EXPECT_EQ(sample(700, word_bytes, 100), sample(700, word_bytes, 100));
    EXPECT_EQ(sample(700, word_bytes, 100).size(), 700 * word_bytes);
  }
}

}  // namespace
}  // namespace fpsynth::check
