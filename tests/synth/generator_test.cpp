// The generator's texts: names, amalgamation, templates. What the generated code does is tested in
// tests/runners/generated_test.cpp and tests/cli/cases/generate*.sh.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "synth/generator/amalgamate.hpp"
#include "synth/generator/names.hpp"
#include "synth/generator/project.hpp"
#include "synth/generator/sources.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::synth {
namespace {

ProjectRequest request(std::string_view pipeline, Target target = Target::Cpp) {
  ProjectRequest result;
  result.pipeline = parse_pipeline(pipeline);
  result.name = "mpc6";
  result.target = target;
  result.origin = "From a test.";
  return result;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(GeneratorNames, SafeOnesPass) {
  for (const char* name : {"mpc6", "a", "plasma_single", "LNV6", "x_1", "Codec"}) {
    EXPECT_NO_THROW(check_codec_name(name)) << name;
  }
}

TEST(GeneratorNames, UnsafeOnesAreRefused) {
  const std::string longest(41, 'a');
  for (const char* name :
       {"",       "6mpc", "my codec", "my-codec", "a/b",      "../x",         "a.b",
        "x\n",    "é",    "class",    "int",      "restrict", "co_await",     "_x",
        "x__y",   "std",  "main",     "time",     "index",    "size_t",       "strange",
        "memory", "test", "all",      "install",  "$(id)",    longest.c_str()}) {
    EXPECT_THROW(check_codec_name(name), UsageError) << name;
    ProjectRequest unsafe = request("ZE");
    unsafe.name = name;
    EXPECT_THROW(generate_project(unsafe), UsageError) << name;
  }
}

TEST(Generator, EveryFamilyHasItsHeader) {
  for (std::uint8_t index = 0; index < family_count(); ++index) {
    const Component component{index, std::uint8_t(family(index).parametric ? 7 : 0)};
    const std::string type = stage_type(component);
    const std::string name = type.substr(4, type.find_first_of(",>") - 4);
    EXPECT_NE(source_text(stage_header(component)).find("struct " + name + " "),
              std::string_view::npos)
        << name;
  }
}

TEST(Generator, EmbeddedSourcesAreTheSources) {
  EXPECT_GT(kSources.size(), 30u);
  for (const Source& source : kSources) {
    EXPECT_EQ(source.text, tests::read_bytes(tests::source_file(source.path))) << source.path;
  }
}

TEST(Generator, AmalgamationGivesEveryHeaderOnceAndItsIncludesFirst) {
  Amalgamation all;
  std::string text = all.add("components/ze/ze.hpp");
  text += all.add("components/rle/rle.hpp");
  EXPECT_EQ(count(text, "struct Scratch {"), 1u);
  EXPECT_EQ(count(text, "struct Ze {"), 1u);
  EXPECT_EQ(count(text, "struct Rle {"), 1u);
  EXPECT_LT(text.find("struct Scratch {"), text.find("struct Ze {"));
  EXPECT_EQ(count(text, "#include"), 0u);
  EXPECT_EQ(count(text, "#pragma once"), 0u);
  EXPECT_EQ(all.add("components/ze/ze.hpp"), "");
  EXPECT_NE(all.system_includes().find("#include <cstdint>\n"), std::string::npos);
  EXPECT_EQ(all.undefines(), "#undef FPSYNTH_INLINE\n");
  EXPECT_THROW(all.add("components/no/no.hpp"), std::out_of_range);
}

TEST(Generator, HeadersWithinConditionsStayThere) {
  Amalgamation all;
  const std::string text = all.add("components/teams/simd/native.hpp");
  const auto at = [&](std::string_view what) { return text.find(what); };
  EXPECT_LT(at("struct Portable"), at("#if defined(FPSYNTH_NATIVE_AVX512)"));
  EXPECT_LT(at("#if defined(FPSYNTH_NATIVE_AVX512)"), at("struct Avx512 "));
  EXPECT_LT(at("struct Avx512 "), at("#elif defined(FPSYNTH_NATIVE_AVX2)"));
  EXPECT_LT(at("#elif defined(FPSYNTH_NATIVE_AVX2)"), at("struct Avx2 "));
  EXPECT_LT(at("struct Avx2 "), at("struct Baseline "));
}

TEST(Generator, HeadersHoldWhatThePipelineUsesAndNoMore) {
  const std::string ze = generate_header(request("LNV6s ZE"));
  EXPECT_EQ(count(ze, "struct Lnv "), 1u);
  EXPECT_EQ(count(ze, "struct Ze "), 1u);
  for (const char* other : {"struct Rle ", "struct Bit ", "struct Dim ", "struct Inv ",
                            "struct Nul ", "EmulatedTeam", "SerialTeam {", "Registry"}) {
    EXPECT_EQ(count(ze, other), 0u) << other;
  }
  EXPECT_EQ(count(generate_header(request("DIM64 RLE | ZE")), "struct Rle "), 1u);
}

TEST(Generator, CudaHeadersHoldWhatThePipelineUsesAndNoMore) {
  const std::string ze = generate_header(request("LNV6s ZE", Target::Cuda));
  for (const char* part : {"struct Lnv ", "struct Ze ", "class BlockTeam ", "class CudaHardware ",
                           "struct EncodeBody ", "class CudaDevice ", "class FixedDeviceCodec "}) {
    EXPECT_EQ(count(ze, part), 1u) << part;
  }
  for (const char* other :
       {"struct Rle ", "struct Bit ", "struct Dim ", "Registry", "ListProgram {",
        "EmulatedDevice {", "xxhash", "NATIVE", "NativeTeam", "#include \""}) {
    EXPECT_EQ(count(ze, other), 0u) << other;
  }
}

TEST(Generator, KernelsAreDeviceCodeAlone) {
  const std::string text = generate_kernels(parse_pipeline("LNV6s | RLE"), 4);
  for (const char* part : {"fpsynth_encode(", "fpsynth_decode(", "Chain<std::uint32_t, 1,",
                           "struct Rle ", "struct EncodeBody "}) {
    EXPECT_EQ(count(text, part), 1u) << part;
  }
  for (const char* other : {"cudaMalloc", "std::string ", "class CudaDevice", "DeviceError",
                            "struct Ze ", "#include \""}) {
    EXPECT_EQ(count(text, other), 0u) << other;
  }
}

TEST(Generator, FilesAreWholeAndKnowNoSourceTree) {
  for (const Target target : all_targets()) {
    for (const char* pipeline : {"ZE", "| RLE", "LNV64x DIM64 BIT INV NUL RLE ZE | RLE"}) {
      for (const ProjectFile& file : generate_project(request(pipeline, target))) {
        SCOPED_TRACE(file.name);
        EXPECT_FALSE(file.text.empty());
        EXPECT_EQ(file.name.find('@'), std::string::npos);
        EXPECT_EQ(file.text.find(FPSYNTH_SOURCE_DIR), std::string::npos);
        EXPECT_EQ(count(file.text, "#include \"components"), 0u);
        EXPECT_EQ(count(file.text, "#include \"runners"), 0u);
        EXPECT_EQ(count(file.text, "@NAME@"), 0u);
        EXPECT_EQ(file.text.back(), '\n');
      }
    }
  }
}

TEST(Generator, Hdf5FilterNumbers) {
  ProjectRequest hdf5 = request("ZE", Target::Hdf5);
  for (const unsigned number : {0u, 255u, 65536u}) {
    hdf5.hdf5_filter = number;
    EXPECT_THROW(generate_project(hdf5), UsageError) << number;
  }
  hdf5.hdf5_filter = 311;
  const auto files = generate_project(hdf5);
  const auto plugin = std::ranges::find(files, "mpc6_hdf5.cpp", &ProjectFile::name);
  ASSERT_NE(plugin, files.end());
  EXPECT_EQ(count(plugin->text, "kFilter = 311;"), 1u);
}

}  // namespace
}  // namespace fpsynth::synth
