// Compiles generated kernels with nvcc, which needs no GPU; without nvcc the tests are skipped.
// Takes some 7 s of one core per pipeline and architecture; the exhaustive sample has 16 pipelines.

#include "runners/timing/compiled/compiler.hpp"

#include <gtest/gtest.h>

#include "runners/codec/codec.hpp"
#include "runners/codec/device_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

using tests::contains, tests::message_of;

TEST(GeneratedKernels, SayWhatTheCompilerSays) {
  const Compiler nvcc{"cat /nowhere", "1"};
  const std::string said =
      message_of([&] { compiled_kernels(nvcc, synth::parse_pipeline("LNV1s ZE"), 8, "sm_90"); });
  EXPECT_TRUE(contains(said, "cat /nowhere does not compile"));
  EXPECT_FALSE(Compiler::of("/nowhere/nvcc"));
}

class GeneratedKernelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvcc_ = find_nvcc();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::vector<std::byte> compiled(const char* pipeline, std::size_t word_bytes,
                                  const std::string& architecture) const {
    return compiled_kernels(nvcc_, synth::parse_pipeline(pipeline), word_bytes, architecture);
  }

  Compiler nvcc_;
};

void expect_kernels(std::span<const std::byte> cubin, const std::string& what) {
  const std::string text(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  EXPECT_TRUE(text.starts_with("\177ELF")) << what;
  for (const char* name : {".text.fpsynth_encode", ".text.fpsynth_decode"}) {
    EXPECT_NE(text.find(name), text.npos) << what << " has no " << name;
  }
}

TEST_F(GeneratedKernelsTest, CompileForEveryArchitecture) {
  for (const auto& [architecture, word_bytes] : {std::pair{"sm_80", 8}, std::pair{"sm_90", 2}}) {
    expect_kernels(compiled("LNV6s BIT LNV1s ZE", std::size_t(word_bytes), architecture),
                   architecture);
  }
}

TEST_F(GeneratedKernelsTest, CompileWithEveryFamily) {
  expect_kernels(compiled("NUL RLE DIM5 | INV LNV2x RLE", 4, "sm_90"), "sm_90");
}

class ExhaustiveGeneratedKernels : public GeneratedKernelsTest,
                                   public ::testing::WithParamInterface<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, ExhaustiveGeneratedKernels, ::testing::Range<std::uint64_t>(0, 4));

TEST_P(ExhaustiveGeneratedKernels, EXHAUSTIVE_SampleOfTheSpaceCompiles) {
  const synth::Space space = synth::Space::paper();
  for (std::uint64_t i = 4 * GetParam(); i < 4 * GetParam() + 4; ++i) {
    const synth::Pipeline pipeline = space.at(i * 104729 % space.size());
    const char* const architecture = i % 4 < 2 ? "sm_80" : "sm_90";
    expect_kernels(compiled_kernels(nvcc_, pipeline, i % 2 ? 4 : 8, architecture),
                   synth::to_string(pipeline));
  }
}

/// On a GPU, the kernels give the library's bytes.
TEST_F(GeneratedKernelsTest, GPU_GivesTheLibrarysBytes) {
  std::string why;
  const auto devices = device::cuda_devices(&why);
  if (devices.empty()) GTEST_SKIP() << why;
  const device::DeviceInfo& info = devices.front();
  const std::string architecture = "sm_" + std::to_string(info.major) + std::to_string(info.minor);
  for (const char* text : {"LNV6s BIT LNV1s ZE", "LNV2s LNV2s LNV2x | ZE", "RLE | DIM5 RLE"}) {
    for (const std::size_t word_bytes : {8, 4, 2}) {
      const synth::Pipeline pipeline = synth::parse_pipeline(text);
      const auto cubin = compiled(text, word_bytes, architecture);
      const auto codec = codec::cuda_loaded_codec(pipeline, word_bytes, info, cubin);
      for (const std::size_t words : {1, 1023, 1024, 300000}) {
        const auto original = testing::make_block(testing::Content::Smooth, word_bytes, words);
        const auto expected = codec::compress(original, pipeline, word_bytes);
        const auto in = codec->buffer(original.size());
        const auto out = codec->buffer(codec->bound(original.size()));
        in->write(original);
        codec->encode(in->data(), original.size(), out->data(), codec->bound(original.size()),
                      nullptr);
        ASSERT_EQ(out->read(codec->finish_encode()), expected) << text << ", " << words;
        in->write(std::vector<std::byte>(original.size()));
        codec->decode(out->data(), expected.size(),
                      codec->header(out->data(), expected.size(), nullptr), in->data(), nullptr);
        codec->finish_decode();
        ASSERT_EQ(in->read(original.size()), original) << text << ", " << words;
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::timing
