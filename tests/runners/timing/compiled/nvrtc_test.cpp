// NVRTC needs no GPU; tests that need NVRTC are skipped without it.

#include "runners/timing/compiled/nvrtc.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "synth/common/error.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

using tests::contains;
using tests::message_of;

TEST(NvrtcMissing, SaysWhatToInstall) {
  const std::vector<std::string> names = {"libnvrtc-of-nowhere.so"};
  const std::string found = message_of([&] { Nvrtc::load(names); });
  EXPECT_TRUE(contains(found, "libnvrtc-of-nowhere.so"));
  EXPECT_TRUE(contains(found, "CUDA_HOME"));
}

TEST(NvrtcMissing, AnotherLibraryIsRefused) {
  const std::vector<std::string> names = {"libc.so.6"};
  EXPECT_TRUE(contains(message_of([&] { Nvrtc::load(names); }), "nvrtcVersion"));
}

class NvrtcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_.emplace(Nvrtc::load());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    for (const auto& name : nvrtc_->architectures()) {
      for (const char* wanted : {"sm_80", "sm_90"}) {
        if (name == wanted) architectures_.push_back(name);
      }
    }
    ASSERT_FALSE(architectures_.empty());
  }

  static DeviceSource source() {
    DeviceSource source;
    source.text =
        "#include \"scale.hpp\"\n"
        "extern \"C\" __global__ void scale(unsigned* x) { x[threadIdx.x] *= kScale; }\n";
    source.headers = {{"scale.hpp", "constexpr unsigned kScale = FACTOR;\n"}};
    source.options = {"-std=c++20", "-DFACTOR=3"};
    return source;
  }

  std::optional<Nvrtc> nvrtc_;
  std::vector<std::string> architectures_;
};

TEST_F(NvrtcTest, CompilesForEveryArchitecture) {
  for (const std::string& architecture : architectures_) {
    const auto cubin = nvrtc_->compile(source(), architecture);
    ASSERT_GT(cubin.size(), 4u);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(cubin.data()), 4), "\177ELF");
  }
}

TEST_F(NvrtcTest, SaysWhatIsWrongWithASource) {
  DeviceSource wrong = source();
  wrong.text += "int broken = nothing_of_that_name;\n";
  const std::string found = message_of([&] { nvrtc_->compile(wrong, architectures_.front()); });
  EXPECT_TRUE(contains(found, "kernels.cu(3)"));
  EXPECT_TRUE(contains(found, "nothing_of_that_name"));
  EXPECT_TRUE(contains(message_of([&] { nvrtc_->compile(source(), "sm_1"); }), "it supports"));
}

}  // namespace
}  // namespace fpsynth::timing
