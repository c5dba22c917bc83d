// Compiles generated CUDA code with nvcc, if it is installed. codec/gpu/static_codec_test.cpp tests
// the kernels' results lane by lane. Takes about 20 s of one core; the exhaustive sample of the
// space 90 s.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/device/device.hpp"
#include "synth/generator/project.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/files.hpp"

namespace fpsynth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWordBytes[] = {8, 4, 2};

struct CodecSpec {
  synth::Method method;
  std::size_t word_bytes;
};

synth::ProjectRequest request_of(const CodecSpec& wanted, const std::string& name) {
  synth::ProjectRequest request;
  request.method = wanted.method;
  request.word_bytes = wanted.word_bytes;
  request.name = name;
  request.target = synth::Target::Cuda;
  return request;
}

/// Runs a shell command. Returns its output if it fails.
std::optional<std::string> failure_of(const std::string& command) {
  const tests::TemporaryFolder folder;
  const fs::path log = folder / "log";
  if (std::system(fmt::format("{} >{} 2>&1", command, log.string()).c_str()) == 0) return {};
  return command + "\n" + tests::read_bytes(log).substr(0, 4000);
}

class GeneratedCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("CUDACXX");
    for (const std::string& nvcc : {std::string(named ? named : ""), std::string("nvcc"),
                                    std::string("/usr/local/cuda/bin/nvcc")}) {
      if (nvcc.empty() || failure_of(nvcc + " --version")) continue;
      nvcc_ = nvcc;
      if (!failure_of(nvcc + " --help | grep Ofast-compile")) quick_ = "--Ofast-compile=max ";
      return;
    }
    GTEST_SKIP() << "no nvcc: neither in CUDACXX nor in PATH nor in /usr/local/cuda";
  }

  /// Compiles the device code of codecs that share a source, and checks that all kernels exist.
  void expect_to_compile(const std::vector<CodecSpec>& codecs, const std::string& flags) {
    const tests::TemporaryFolder folder;
    std::string source;
    for (std::size_t i = 0; i < codecs.size(); ++i) {
      const std::string name = fmt::format("codec{}", i);
      tests::write_bytes(folder / (name + ".cuh"),
                         synth::generate_header(request_of(codecs[i], name)));
      source += fmt::format(
          "#include \"{0}.cuh\"\n"
          "auto compress_{0} = &{0}::Codec::compress;\n"
          "auto decompress_{0} = &{0}::Codec::decompress;\n"
          "auto original_size_{0} = &{0}::Codec::original_size;\n"
          "auto workspace_bytes_{0} = &{0}::Codec::workspace_bytes;\n",
          name);
    }
    tests::write_bytes(folder / "codecs.cu", source);
    const fs::path out = folder / "codecs.out";
    const auto failure = failure_of(
        fmt::format("{} -std=c++20 --expt-relaxed-constexpr -Werror all-warnings {} {} -o {}",
                    nvcc_, flags, (folder / "codecs.cu").string(), out.string()));
    ASSERT_FALSE(failure) << *failure;
    const std::string text = tests::read_bytes(out);
    for (std::size_t i = 0; i < codecs.size(); ++i) {
      for (const char* body : {"12EncodeKernel", "12DecodeKernel"}) {
        EXPECT_TRUE(has_kernel(text, fmt::format("codec{}", i), body)) << i << ", " << body;
      }
    }
  }

  /// True if PTX or machine code has the kernel of a body in a codec's namespace. (A mangled name
  /// contains each name after its length.)
  static bool has_kernel(const std::string& code, const std::string& codec, const char* body) {
    const std::string begin = fmt::format("_ZN{}{}7fpsynth6device6kernelI", codec.size(), codec);
    for (auto at = code.find(begin); at != code.npos; at = code.find(begin, at + 1)) {
      const std::string name = code.substr(at + begin.size(), 40);
      if (name.substr(0, name.find('I')).find(body) != name.npos) return true;
    }
    return false;
  }

  std::string nvcc_;
  std::string quick_;  ///< flags to optimize little; empty if nvcc has none
};

std::vector<CodecSpec> parsed(std::initializer_list<const char*> texts) {
  std::vector<CodecSpec> codecs;
  for (const char* text : texts) {
    codecs.push_back({synth::parse_method(text), kWordBytes[codecs.size() % 3]});
  }
  return codecs;
}

TEST_F(GeneratedCuda, PipelinesOfEveryKindCompile) {
  expect_to_compile(parsed({"LNV6s BIT LNV1s ZE", "LNV2s LNV2s LNV2x | ZE", "| RLE",
                            "NUL INV DIM5 RLE", "ZE BIT | DIM8 RLE", "DIM64 LNV64s | LNV63x ZE",
                            "RLE RLE RLE RLE | RLE RLE RLE RLE", "BIT DIM32 | NUL ZE", "LNV1x ZE",
                            "| LNV8s BIT ZE", "INV | RLE", "DIM2 LNV3x INV ZE"}),
                    quick_ + "-ptx -arch=sm_90");
}

TEST_F(GeneratedCuda, PreludesOfEveryKindCompile) {
  expect_to_compile(
      parsed({"LAGx:18200 / LNV1s ZE | RLE", "ORD / ZE", "LAGs:1 LAGs:2401 / LNV1s | ZE",
              "LAGs:5000 ORD LAGx:281474976710656 / RLE", "LAGs:1 DIM:7 / RLE"}),
      quick_ + "-ptx -arch=sm_90");
}

class ExhaustiveGeneratedCuda : public GeneratedCuda,
                                public ::testing::WithParamInterface<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Parts, ExhaustiveGeneratedCuda, ::testing::Range<std::uint64_t>(0, 4));

TEST_P(ExhaustiveGeneratedCuda, EXHAUSTIVE_SampleOfTheSpace) {
  const synth::Space space = synth::Space::paper();
  std::vector<CodecSpec> codecs;
  for (std::uint64_t k = 0; k < 8; ++k) {
    codecs.push_back(
        {{{}, space.at((8 * GetParam() + k) * 99991 % space.size())}, kWordBytes[k % 3]});
  }
  expect_to_compile(codecs, GetParam() % 2 ? "-cubin -arch=sm_80" : "-cubin -arch=sm_90");
}

/// A project as a user builds it, on a machine with a GPU: it gives the library's bytes, both ways.
TEST_F(GeneratedCuda, GPU_RunsAProject) {
  std::string why;
  const auto devices = device::cuda_devices(&why, {}, 1);
  if (devices.empty()) GTEST_SKIP() << why;
  // "native" takes CMake 3.24.
  const int architecture = 10 * devices.front().major + devices.front().minor;
  const tests::TemporaryFolder folder;
  const std::string at = folder.path().string();
  for (const CodecSpec& wanted :
       parsed({"LNV6s BIT LNV1s ZE", "RLE LNV2s | DIM8 RLE", "ORD LAGs:1 LAGs:1000 / LNV1s ZE"})) {
    const fs::path project = folder / "project";
    fs::create_directory(project);
    for (const auto& file : synth::generate_project(request_of(wanted, "codec"))) {
      tests::write_bytes(project / file.name, file.text);
    }
    const auto failure = failure_of(
        fmt::format("cmake -S {0}/project -B {0}/project/build -DCMAKE_CUDA_ARCHITECTURES={1} "
                    "-DCMAKE_CUDA_COMPILER={2} && cmake --build {0}/project/build",
                    at, architecture, nvcc_));
    ASSERT_FALSE(failure) << *failure;
    for (const std::size_t bytes : {1, 7, 240, 241, 8191, 8192, 8193, 200001, 5000003}) {
      auto original = testing::make_block(testing::Content::Smooth, 8, bytes / 8 + 1);
      original.resize(bytes);
      const auto container = codec::compress(original, wanted.method, wanted.word_bytes);
      const auto text = [](const std::vector<std::byte>& of) {
        return std::string(reinterpret_cast<const char*>(of.data()), of.size());
      };
      tests::write_bytes(folder / "in", text(original));
      const auto failed =
          failure_of(fmt::format("{0}/project/build/codec compress --force {0}/in {0}/out && "
                                 "{0}/project/build/codec decompress --force {0}/out {0}/back",
                                 at));
      ASSERT_FALSE(failed) << *failed;
      ASSERT_EQ(tests::read_bytes(folder / "out"), text(container)) << bytes << " bytes";
      ASSERT_EQ(tests::read_bytes(folder / "back"), text(original)) << bytes << " bytes";
      std::string damaged = text(container);
      damaged[damaged.size() / 2] = char(damaged[damaged.size() / 2] ^ 1);
      tests::write_bytes(folder / "bad", damaged);
      EXPECT_TRUE(failure_of(
          fmt::format("{0}/project/build/codec decompress --force {0}/bad {0}/back", at)));
    }
    fs::remove_all(project);
  }
}

}  // namespace
}  // namespace fpsynth
