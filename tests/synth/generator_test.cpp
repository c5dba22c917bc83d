// The generator's texts: names, amalgamation, templates. tests/runners/generated_test.cpp and
// tests/cli/cases/generate*.sh test the generated code.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "components/registry.hpp"
#include "synth/generator/amalgamate.hpp"
#include "synth/generator/project.hpp"
#include "synth/generator/texts.hpp"
#include "tests/support/files.hpp"
#include "tests/synth/generator_requests.hpp"

namespace fpsynth::synth {
namespace {

using testing::count, testing::mangled_names, testing::request;

TEST(GeneratorNames, SafeOnesPass) {
  for (const char* name :
       {"mpc6", "a", "plasma_single", "Lnv6", "x_1", "Codec", "cube", "isotope"}) {
    EXPECT_NO_THROW(check_codec_name(name)) << name;
  }
}

TEST(GeneratorNames, UnsafeOnesAreRejected) {
  const std::string longest(41, 'a');
  for (const char* name :
       {"",       "6mpc",      "my codec", "my-codec", "a/b",        "../x",          "a.b",
        "x\n",    "é",         "class",    "int",      "restrict",   "co_await",      "_x",
        "x__y",   "std",       "main",     "time",     "index",      "size_t",        "strange",
        "memory", "test",      "all",      "install",  "$(id)",      longest.c_str(), "NULL",
        "EOF",    "INT32_MAX", "SIZE_MAX", "I",        "assert",     "errno",         "c",
        "xxhash", "isnan",     "float4",   "fsync",    "PRIx64",     "XXH64_digest",  "cudaMalloc",
        "x_",     "plugins",   "Makefile", "codegen",  "CMakeFiles", "rebuild_cache"}) {
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

TEST(Generator, TheRegistryNamesTheTypesOfTheFamilies) {
  const std::vector<std::string> types = mangled_names(components::Families{});
  ASSERT_EQ(types.size(), family_count());
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::string_view name = family(index).type;
    EXPECT_EQ(types[index], fmt::format("N7fpsynth10components{}{}E", name.size(), name));
  }
}

TEST(Generator, EmbeddedSourcesAreTheSources) {
  EXPECT_GT(kSources.size(), 30u);
  for (const Source& source : kSources) {
    EXPECT_EQ(source.text, tests::read_bytes(tests::source_file(source.path))) << source.path;
  }
}

TEST(Generator, AmalgamationWritesEveryHeaderOnceAfterItsIncludes) {
  Amalgamation all;
  std::string text = all.add("components/ze/ze.hpp");
  text += all.add("components/rle/rle.hpp");
  EXPECT_EQ(count(text, "struct Scratch {"), 1u);
  EXPECT_EQ(count(text, "struct Ze : BitmapReducer<Ze, NonzeroWords, PlainBitmap> {"), 1u);
  EXPECT_EQ(count(text, "struct Rle : Reducer<Rle> {"), 1u);
  EXPECT_EQ(count(text, "struct Reducer {"), 1u);
  EXPECT_LT(text.find("struct Scratch {"), text.find("struct Ze : "));
  EXPECT_LT(text.find("struct Reducer {"), text.find("struct Ze : "));
  EXPECT_EQ(count(text, "#include"), 0u);
  EXPECT_EQ(count(text, "#pragma once"), 0u);
  EXPECT_EQ(all.add("components/ze/ze.hpp"), "");
  EXPECT_NE(all.system_includes().find("#include <cstdint>\n"), std::string::npos);
  EXPECT_EQ(all.undefines(),
            "#undef FPSYNTH_INLINE\n#undef FPSYNTH_INLINED\n#undef FPSYNTH_ROLLED\n"
            "#undef FPSYNTH_UNROLL\n");
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

TEST(Generator, OnlyTheCompiledBranchOfAKnownConditionIsWritten) {
  const auto bits = [](std::map<std::string, bool> known) {
    return Amalgamation(std::move(known)).add("components/words/bits.hpp");
  };
  const std::string host =
      bits({{"__CUDACC__", false}, {"__CUDA_ARCH__", false}, {"FPSYNTH_INLINE", false}});
  EXPECT_EQ(count(host, "\n#if"), 0u);
  EXPECT_EQ(count(host, "__clzll"), 0u);
  EXPECT_EQ(count(host, "std::countl_zero(word)"), 2u);
  EXPECT_EQ(count(host, "#define FPSYNTH_INLINE inline"), 1u);
  const std::string device = bits({{"__CUDACC__", true}});
  EXPECT_EQ(count(device, "#define FPSYNTH_INLINE __host__"), 1u);
  EXPECT_EQ(count(device, "#define FPSYNTH_INLINE inline"), 0u);
  // The condition itself, and the one in its other branch.
  EXPECT_EQ(count(device, "\n#if"), count(bits({}), "\n#if") - 2);
  EXPECT_EQ(count(generate_header(request("BIT | RLE")), "CUDA_ARCH"), 0u);
}

TEST(Generator, HeadersContainOnlyWhatThePipelineUses) {
  const std::string ze = generate_header(request("LNV6s ZE"));
  EXPECT_EQ(count(ze, "struct Lnv "), 1u);
  EXPECT_EQ(count(ze, "struct Ze "), 1u);
  for (const char* other :
       {"struct LnvXor ", "struct Rle ", "struct Bit ", "struct Dim ", "struct Inv ", "struct Nul ",
        "EmulatedTeam", "SerialTeam {", "Registry"}) {
    EXPECT_EQ(count(ze, other), 0u) << other;
  }
  EXPECT_EQ(count(generate_header(request("DIM64 RLE | ZE")), "struct Rle "), 1u);
}

TEST(Generator, CudaHeadersContainOnlyWhatThePipelineUses) {
  const std::string ze = generate_header(request("LNV6s ZE", Target::Cuda));
  for (const char* part :
       {"struct Lnv ", "struct Ze ", "class BlockTeam ", "class CudaHardware ",
        "struct EncodeKernel ", "class CudaDevice ", "class StaticDeviceCodec "}) {
    EXPECT_EQ(count(ze, part), 1u) << part;
  }
  for (const char* other :
       {"struct Rle ", "struct Bit ", "struct Dim ", "Registry", "InterpretedProgram {",
        "EmulatedDevice {", "xxhash", "NATIVE", "NativeTeam", "#include \""}) {
    EXPECT_EQ(count(ze, other), 0u) << other;
  }
}

TEST(Generator, KernelsAreDeviceCodeOnly) {
  const std::string text = generate_kernels(parse_pipeline("LNV6s | RLE"), 4);
  for (const char* part : {"fpsynth_encode(", "fpsynth_decode(", "StaticPipeline<std::uint32_t, 1,",
                           "struct Rle ", "struct EncodeKernel "}) {
    EXPECT_EQ(count(text, part), 1u) << part;
  }
  for (const char* other : {"cudaMalloc", "std::string ", "class CudaDevice", "DeviceError",
                            "struct Ze ", "#include \""}) {
    EXPECT_EQ(count(text, other), 0u) << other;
  }
}

/// A prelude whose text is as long as one can be, in front of a pipeline.
constexpr const char* kLongPrelude =
    "LAGs:281474976710656 LAGx:281474976710656 LAGs:281474976710656 / "
    "LNV64s DIM64 LNV64x BIT INV NUL | LNV6s RLE";
/// One that keeps values beside the words.
constexpr const char* kSideData = "LAGs:7 DEC:15 DICT / LNV1s | ZE";

void expect_complete(const ProjectRequest& wanted) {
  for (const ProjectFile& file : generate_project(wanted)) {
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

bool refused(const char* method, Target target) {
  return target == Target::Cuda && has_side_data(parse_method(method).prelude);
}

TEST(Generator, FilesAreCompleteAndIndependentOfTheSourceTree) {
  for (const Target target : all_targets()) {
    for (const char* method :
         {"ZE", "| RLE", "LNV64x DIM64 BIT INV NUL RLE ZE | RLE", kLongPrelude, kSideData}) {
      if (refused(method, target)) continue;
      expect_complete(request(method, target));
      if (target == Target::Cuda) continue;
      ProjectRequest several = request("LNV1s ZE", target);
      several.others = {request(method).method};
      expect_complete(several);
    }
  }
}

/// The words that look like names of files with code or documentation, except those in angle
/// brackets.
std::set<std::string> file_names_in(const std::string& text) {
  static const std::regex name(R"((^|[^\w./<@-])([\w./@-]+\.(hpp|cuh|cpp|cc|cu|md|h|txt))\b)");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    names.insert((*at)[2]);
  }
  return names;
}

// A project is self-contained: its files name only files of the project or of the user.
TEST(Generator, FilesNameOnlyFilesOfTheProject) {
  const std::set<std::string> known = {"xxhash.h", "in.h5", "out.h5", "components/README.md",
                                       "components/preludes/README.md"};
  for (const Target target : all_targets()) {
    for (const char* method :
         {"ZE", "LNV6s LNV2x DIM8 BIT INV NUL RLE | RLE", "ORD LAGs:5 LAGx:7 / LNV1s | ZE",
          "DEC:2 DICT LAGs:5 / LNV1s | ZE"}) {
      if (refused(method, target)) continue;
      const auto files = generate_project(request(method, target));
      for (const ProjectFile& file : files) {
        for (const std::string& name : file_names_in(file.text)) {
          EXPECT_TRUE(known.contains(name) || std::ranges::count(files, name, &ProjectFile::name))
              << file.name << " of " << to_string(target) << " names " << name;
        }
      }
    }
  }
}

// The limit holds for names of any length.
TEST(Generator, LinesOfCodeHaveAtMostAHundredCharacters) {
  for (const Target target : all_targets()) {
    for (const auto& [method, length] : {std::pair(kLongPrelude, 1u), std::pair(kLongPrelude, 20u),
                                         std::pair(kLongPrelude, 40u), std::pair(kSideData, 40u)}) {
      if (refused(method, target)) continue;
      ProjectRequest wanted = request(method, target);
      wanted.name = std::string(length, 'x');
      for (const ProjectFile& file : generate_project(wanted)) {
        const bool code = !file.name.ends_with(".md") && file.name != kProjectMark;
        if (!code || file.name.find(".cmake") != file.name.npos) continue;
        for (std::size_t at = 0, end = 0; at < file.text.size(); at = end + 1) {
          end = std::min(file.text.find('\n', at), file.text.size());
          EXPECT_LE(end - at, 100u) << file.name << ": " << file.text.substr(at, end - at);
        }
      }
    }
  }
}

TEST(Generator, FormatDefinesTheComponentsOfThePipeline) {
  for (std::uint8_t index = 0; index < family_count(); ++index) {
    const Component component{index, std::uint8_t(family(index).parametric ? 7 : 0)};
    ProjectRequest wanted = request("ZE");
    wanted.method.pipeline.stages.insert(wanted.method.pipeline.stages.begin(),
                                         {component, component});
    const auto files = generate_project(wanted);
    const std::string& text = std::ranges::find(files, "FORMAT.md", &ProjectFile::name)->text;
    EXPECT_EQ(count(text, fmt::format("\n## {}\n", family(index).name)), 1u);
    EXPECT_EQ(count(text, "\n## ZE\n"), 1u);
    EXPECT_EQ(count(text, "\n## RLE\n"), std::size_t(family(index).name == "RLE"));
  }
}

TEST(Generator, ReadmesNameTheRequestedPrecision) {
  ProjectRequest wanted = request("ZE");
  wanted.word_bytes = 4;
  const auto files = generate_project(wanted);
  const std::string& text = std::ranges::find(files, "README.md", &ProjectFile::name)->text;
  EXPECT_EQ(count(text, "std::vector<float> data"), 1u);
  EXPECT_EQ(count(text, "double"), 0u);
}

TEST(Generator, ProjectsAreRecognizedByTheirMark) {
  for (const Target target : all_targets()) {
    const auto files = generate_project(request("LNV64s DIM64 BIT | LNV6s RLE", target));
    const auto mark = std::ranges::find(files, kProjectMark, &ProjectFile::name);
    ASSERT_NE(mark, files.end());
    EXPECT_EQ(name_of_project(mark->text), "mpc6");
    const auto names = project_files("mpc6");
    for (const ProjectFile& file : files) EXPECT_TRUE(std::ranges::count(names, file.name));
  }
  for (const char* text : {"", "project(mpc6)", "# mpc6: mine\nGenerated by fpsynth",
                           "# ../mpc6: Generated by fpsynth", "# : Generated by fpsynth"}) {
    EXPECT_EQ(name_of_project(text), std::nullopt) << text;
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
