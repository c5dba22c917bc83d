// The GPUs that a program has code for, and the messages about drivers and devices.

#include "runners/device/device.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fpsynth::device {
namespace {

TEST(Compatibility, WithoutADriverItIsTheDriverThatIsMissing) {
  EXPECT_EQ(why_no_gpu(0, 13000, "CUDA driver version is insufficient for CUDA runtime version"),
            "this machine has no NVIDIA driver");
}

TEST(Compatibility, OfAnOldDriverBothVersionsAreNamed) {
  const std::string why = why_no_gpu(11040, 13000, "insufficient");
  EXPECT_NE(why.find("CUDA 11.4"), why.npos) << why;
  EXPECT_NE(why.find("CUDA 13.0"), why.npos) << why;
  EXPECT_NE(why.find("driver 580 or newer"), why.npos) << why;
  EXPECT_NE(why_no_gpu(11040, 12080, "").find("driver 525 or newer"), why.npos);
}

TEST(Compatibility, GpusThatACompilerHasDroppedNeedAnEarlierOne) {
  const std::string old = way_to_code_for(7, 0, 13000);
  EXPECT_NE(old.find("compute capability is 7.0; build with CUDA 12.x"), old.npos) << old;
  EXPECT_NE(old.find("CMAKE_CUDA_ARCHITECTURES=70"), old.npos) << old;
  for (const auto& [major, minor, runtime] : {std::array{7, 0, 12080}, std::array{7, 5, 13000}}) {
    const std::string way = way_to_code_for(major, minor, runtime);
    EXPECT_EQ(way.find("CUDA 12"), way.npos) << way;
  }
}

TEST(Compatibility, OtherErrorsAreInTheWordsOfCuda) {
  EXPECT_EQ(why_no_gpu(12080, 12060, "out of memory"), "no NVIDIA GPU can be used (out of memory)");
}

TEST(Compatibility, MachineCodeIsOfOneMajorNumberAndPtxOfAllLaterOnes) {
  const char* const usual = "80-real,90-real,90-virtual";
  EXPECT_EQ(code_for(usual, 7, 5), DeviceCode::None);
  EXPECT_EQ(code_for(usual, 8, 0), DeviceCode::Machine);
  EXPECT_EQ(code_for(usual, 8, 9), DeviceCode::Machine);
  EXPECT_EQ(code_for(usual, 9, 0), DeviceCode::Machine);
  EXPECT_EQ(code_for(usual, 10, 0), DeviceCode::Ptx);
  EXPECT_EQ(code_for(usual, 12, 0), DeviceCode::Ptx);
  EXPECT_EQ(code_for("90-real,90-virtual,100-real,120-real", 10, 3), DeviceCode::Machine);
  EXPECT_EQ(code_for("90-real,90-virtual,100-real,120-real", 11, 0), DeviceCode::Ptx);
  EXPECT_EQ(code_for("89", 8, 6), DeviceCode::None);
  EXPECT_EQ(code_for("89", 8, 9), DeviceCode::Machine);
  EXPECT_EQ(code_for("89", 12, 0), DeviceCode::Ptx);
  EXPECT_EQ(code_for("80-virtual", 8, 0), DeviceCode::Ptx);
}

TEST(Compatibility, CodeOfOneArchitectureOrFamilyIsForNoOther) {
  EXPECT_EQ(code_for("90a-real", 9, 0), DeviceCode::Machine);
  EXPECT_EQ(code_for("90a", 10, 0), DeviceCode::None);
  EXPECT_EQ(code_for("100f", 10, 3), DeviceCode::Machine);
  EXPECT_EQ(code_for("100f", 12, 0), DeviceCode::None);
}

TEST(Compatibility, WhereNothingIsKnownNothingIsSaid) {
  EXPECT_EQ(code_for("native", 12, 0), DeviceCode::Machine);
  EXPECT_EQ(code_for("", 12, 0), DeviceCode::None);
}

TEST(CompilingNote, NamesTheDeviceAndTheWayToBuildForIt) {
  DeviceInfo old, later;
  old.name = "old";
  later.index = 1;
  later.name = "later";
  later.major = 12;
  later.compiles_ptx = true;
  EXPECT_EQ(compiling_note({old}), "");
  EXPECT_EQ(compiling_note({}), "");
  const std::string note = compiling_note({old, later});
  EXPECT_NE(note.find("GPU 1 (later, compute capability 12.0)"), note.npos) << note;
  EXPECT_NE(note.find("-DCMAKE_CUDA_ARCHITECTURES=120"), note.npos) << note;
}

}  // namespace
}  // namespace fpsynth::device
