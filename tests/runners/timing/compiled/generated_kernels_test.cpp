// Compiles generated kernels with NVRTC, which needs no GPU; without NVRTC the tests are skipped.
// Takes some 3 s of one core per pipeline and architecture, 12 s in all; the exhaustive sample has
// 16 pipelines.

#include "runners/timing/compiled/nvrtc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "runners/codec/codec.hpp"
#include "runners/codec/device_codec.hpp"
#include "synth/common/error.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

namespace fs = std::filesystem;
using tests::contains, tests::message_of;

TEST(GeneratedKernels, SayWhichHeadersAreMissing) {
  const tests::TemporaryFolder empty;
  const std::vector<fs::path> folders = {empty / "include", empty / "cccl"};
  const std::string said = message_of([&] { libcudacxx_folder(folders); });
  EXPECT_TRUE(contains(said, folders[1].string()));
  EXPECT_TRUE(contains(said, "CUDA_HOME"));
  fs::create_directories(folders[1] / "cuda");
  tests::write_bytes(folders[1] / "cuda" / "atomic", "");
  EXPECT_EQ(libcudacxx_folder(folders), folders[1]);
}

/// Else the library of one version compiles the headers of another.
TEST(GeneratedKernels, TakeLibraryAndHeadersOfTheSameToolkit) {
  const char* const before = std::getenv("CUDA_HOME");
  const std::optional<std::string> home =
      before ? std::optional<std::string>(before) : std::nullopt;
  ::setenv("CUDA_HOME", "/opt/some-cuda", 1);
  const auto libraries = Nvrtc::library_names();
  const auto headers = cuda_header_folders();
  home ? ::setenv("CUDA_HOME", home->c_str(), 1) : ::unsetenv("CUDA_HOME");
  EXPECT_EQ(libraries.front(), "/opt/some-cuda/lib64/libnvrtc.so");
  EXPECT_EQ(headers.front(), "/opt/some-cuda/include/cccl");
  const auto place = [&](const char* name) { return std::ranges::find(libraries, name); };
  EXPECT_LT(place("/usr/local/cuda/lib64/libnvrtc.so"), place("libnvrtc.so"));
  EXPECT_NE(place("libnvrtc.so"), libraries.end());
}

TEST(GeneratedKernels, AreNotGivenToACompilerWithoutTheirLanguage) {
  EXPECT_NO_THROW(refuse_old_nvrtc(12, 0));
  const std::string said = message_of([] { refuse_old_nvrtc(11, 8); });
  EXPECT_TRUE(contains(said, "NVRTC 11.8"));
  EXPECT_TRUE(contains(said, "CUDA 12 or later"));
}

class GeneratedKernelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_.emplace(Nvrtc::load());
      libcudacxx_ = libcudacxx_folder(cuda_header_folders());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  DeviceSource source(const char* pipeline, std::size_t word_bytes) const {
    return kernel_source(synth::parse_pipeline(pipeline), word_bytes, libcudacxx_);
  }

  std::optional<Nvrtc> nvrtc_;
  fs::path libcudacxx_;
};

void expect_kernels(std::span<const std::byte> cubin, const std::string& what) {
  const std::string text(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  EXPECT_TRUE(text.starts_with("\177ELF")) << what;
  for (const char* name : {".text.fpsynth_encode", ".text.fpsynth_decode"}) {
    EXPECT_NE(text.find(name), text.npos) << what << " has no " << name;
  }
}

TEST_F(GeneratedKernelsTest, CompileForEveryArchitecture) {
  for (const char* architecture : {"sm_80", "sm_90"}) {
    expect_kernels(nvrtc_->compile(source("LNV6s BIT LNV1s ZE", 8), architecture), architecture);
  }
}

TEST_F(GeneratedKernelsTest, CompileWithEveryFamily) {
  expect_kernels(nvrtc_->compile(source("NUL RLE DIM5 | INV LNV2x RLE", 4), "sm_90"), "sm_90");
}

class ExhaustiveGeneratedKernels : public GeneratedKernelsTest,
                                   public ::testing::WithParamInterface<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, ExhaustiveGeneratedKernels, ::testing::Range<std::uint64_t>(0, 4));

TEST_P(ExhaustiveGeneratedKernels, EXHAUSTIVE_SampleOfTheSpaceCompiles) {
  const synth::Space space = synth::Space::paper();
  for (std::uint64_t i = 4 * GetParam(); i < 4 * GetParam() + 4; ++i) {
    const synth::Pipeline pipeline = space.at(i * 104729 % space.size());
    const char* const architecture = i % 4 < 2 ? "sm_80" : "sm_90";
    expect_kernels(
        nvrtc_->compile(kernel_source(pipeline, i % 2 ? 4 : 8, libcudacxx_), architecture),
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
    for (const std::size_t word_bytes : {8, 4}) {
      const synth::Pipeline pipeline = synth::parse_pipeline(text);
      const auto cubin = nvrtc_->compile(source(text, word_bytes), architecture);
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
