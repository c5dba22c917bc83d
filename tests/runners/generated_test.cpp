// Generated headers, compiled as a user would: they write the library's bytes and read them. A few
// dozen codecs share a source file, which also tests that they can coexist.
//
// Takes about 40 s of one core; the exhaustive tests, of a few hundred pipelines, a third of them
// behind a prelude, 250 s.

#include <dlfcn.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runners/codec/codec.hpp"
#include "synth/generator/project.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/files.hpp"

namespace fpsynth {
namespace {

namespace fs = std::filesystem;

/// The functions that a compiled source exports for each of its codecs.
struct Entry {
  std::size_t (*bound)(std::size_t);
  int (*compress)(const std::byte*, std::size_t, std::byte*, std::size_t, std::size_t&, int);
  int (*decompress)(const std::byte*, std::size_t, std::byte*, std::size_t, std::size_t&, int);
};

struct CodecSpec {
  synth::Method method;
  std::size_t word_bytes;
  std::size_t chunk_words = synth::kChunkWords;
};

std::string describe(const CodecSpec& wanted) {
  return fmt::format("{} on {}-byte words", synth::to_string(wanted.method), wanted.word_bytes);
}

/// Writes the codecs' headers and one source that includes all of them.
fs::path write_source(const fs::path& folder, const std::vector<CodecSpec>& codecs) {
  std::string includes, entries;
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    synth::ProjectRequest request;
    request.method = codecs[i].method;
    request.word_bytes = codecs[i].word_bytes;
    request.chunk_words = codecs[i].chunk_words;
    request.name = fmt::format("codec{}", i);
    tests::write_bytes(folder / (request.name + ".hpp"), synth::generate_header(request));
    includes += fmt::format("#include \"{}.hpp\"\n", request.name);
    entries += fmt::format("    entry<codec{0}::Codec>,\n", i);
  }
  const fs::path source = folder / "codecs.cpp";
  tests::write_bytes(source, includes + R"(
struct Entry {
  std::size_t (*bound)(std::size_t);
  int (*compress)(const std::byte*, std::size_t, std::byte*, std::size_t, std::size_t&, int);
  int (*decompress)(const std::byte*, std::size_t, std::byte*, std::size_t, std::size_t&, int);
};
template <class Codec>
int compress(const std::byte* in, std::size_t bytes, std::byte* out, std::size_t capacity,
             std::size_t& written, int threads) {
  return int(Codec::compress(in, bytes, out, capacity, written, threads));
}
template <class Codec>
int decompress(const std::byte* in, std::size_t bytes, std::byte* out, std::size_t capacity,
               std::size_t& written, int threads) {
  return int(Codec::decompress(in, bytes, out, capacity, written, threads));
}
template <class Codec>
constexpr Entry entry{Codec::bound, compress<Codec>, decompress<Codec>};
extern "C" const Entry entries[];
constexpr Entry entries[] = {
)" + entries + "};\n");
  return source;
}

/// Compiled and loaded codecs.
class Compiled {
 public:
  Compiled(const std::vector<CodecSpec>& codecs, const std::string& flags) {
    const fs::path source = write_source(folder_.path(), codecs);
    const fs::path library = folder_ / "codecs.so", log = folder_ / "log";
    const std::string command = fmt::format(
        FPSYNTH_CXX
        " -std=c++20 -Wall -Wextra -Wshadow -Wpedantic -Werror {} -fPIC -shared {} -o {} >{} 2>&1",
        flags, source.string(), library.string(), log.string());
    if (std::system(command.c_str()) != 0) {
      ADD_FAILURE() << command << "\n" << tests::read_bytes(log).substr(0, 4000);
      return;
    }
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
      ADD_FAILURE() << ::dlerror();
      return;
    }
    entries_ = {static_cast<const Entry*>(::dlsym(handle_, "entries")), codecs.size()};
  }
  ~Compiled() {
    if (handle_) ::dlclose(handle_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  std::span<const Entry> entries() const { return entries_; }

 private:
  tests::TemporaryFolder folder_;
  void* handle_ = nullptr;
  std::span<const Entry> entries_;
};

/// Originals with lengths around every boundary of the container, and contents that exercise the
/// stages differently.
std::vector<std::vector<std::byte>> originals(std::size_t word_bytes) {
  using testing::Content;
  std::vector<std::vector<std::byte>> result;
  for (const auto& [content, words, tail] : {std::tuple{Content::Random, 0, 1},
                                             {Content::Random, 1, 0},
                                             {Content::Specials, 70, 3},
                                             {Content::Zeros, 1024, 0},
                                             {Content::Smooth, 3000, 1},
                                             {Content::LongRuns, 20 * 1024, 0},
                                             {Content::Random, 1025, 2},
                                             {Content::Alternating, 1023, 0}}) {
    auto original = testing::make_block(content, word_bytes, std::size_t(words));
    for (int i = 0; i < tail; ++i) original.push_back(std::byte(0xe0 + i));
    result.push_back(std::move(original));
  }
  return result;
}

void expect_same(const Entry& codec, const CodecSpec& wanted, std::span<const std::byte> original) {
  codec::CodecOptions options;
  options.threads = 1;
  options.chunk_words = wanted.chunk_words;
  const auto container = codec::compress(original, wanted.method, wanted.word_bytes, options);
  ASSERT_GE(codec.bound(original.size()), container.size());
  std::size_t written = 0;
  // With the bound's capacity, and with exactly the needed capacity: the last blocks are then not
  // written in place. From and to any address.
  for (const std::size_t capacity : {codec.bound(original.size()), container.size()}) {
    for (const std::size_t shift : {0, 1}) {
      std::vector<std::byte> in(shift), out(capacity + shift, std::byte{0xaa});
      in.insert(in.end(), original.begin(), original.end());
      ASSERT_EQ(codec.compress(in.data() + shift, original.size(), out.data() + shift, capacity,
                               written, 1),
                0);
      ASSERT_EQ(written, container.size());
      ASSERT_TRUE(
          std::equal(container.begin(), container.end(), out.begin() + std::ptrdiff_t(shift)));
      std::vector<std::byte> packed(shift), back(original.size() + shift, std::byte{0x55});
      packed.insert(packed.end(), container.begin(), container.end());
      ASSERT_EQ(codec.decompress(packed.data() + shift, container.size(), back.data() + shift,
                                 original.size(), written, 1),
                0);
      ASSERT_EQ(written, original.size());
      ASSERT_TRUE(std::ranges::equal(std::span(back).subspan(shift), original));
    }
  }
  std::vector<std::byte> out(container.size()), back(original.size());
  EXPECT_EQ(codec.compress(original.data(), original.size(), out.data(), container.size() - 1,
                           written, 1),
            2);
  EXPECT_EQ(codec.decompress(container.data(), container.size(), back.data(), original.size() - 1,
                             written, 1),
            2);
  EXPECT_NE(codec.decompress(container.data(), container.size() - 1, back.data(), original.size(),
                             written, 1),
            0);
}

void expect_library_bytes(const std::vector<CodecSpec>& codecs, const std::string& flags) {
  const Compiled compiled(codecs, flags);
  const auto entries = compiled.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const auto& original : originals(codecs[i].word_bytes)) {
      SCOPED_TRACE(fmt::format("{}, {} bytes", describe(codecs[i]), original.size()));
      expect_same(entries[i], codecs[i], original);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Every truncation and every bit flip of the container: an error, or the original.
void expect_damage_to_be_found(const Entry& codec, const CodecSpec& wanted,
                               std::span<const std::byte> original) {
  codec::CodecOptions options;
  options.threads = 1;
  const auto container = codec::compress(original, wanted.method, wanted.word_bytes, options);
  const auto status = [&](std::span<const std::byte> damaged, std::vector<std::byte>& out) {
    const std::vector<std::byte> exact(damaged.begin(), damaged.end());
    std::size_t written = 0;
    return codec.decompress(exact.data(), exact.size(), out.data(), out.size(), written, 1);
  };
  std::vector<std::byte> out(original.size());
  for (std::size_t size = 0; size < container.size(); ++size) {
    EXPECT_NE(status(std::span(container).first(size), out), 0) << size << " bytes";
  }
  for (std::size_t bit = 0; bit < 8 * container.size(); ++bit) {
    std::vector<std::byte> flipped = container;
    flipped[bit / 8] ^= std::byte(1 << bit % 8);
    if (status(flipped, out) == 0) {
      EXPECT_TRUE(std::ranges::equal(out, original)) << "bit " << bit;
    }
  }
}

/// 24 pipelines of the paper's space. Every component occurs once in every stage except the last;
/// cuts, last stages and word sizes take turns.
std::vector<CodecSpec> over_the_space(unsigned round) {
  const synth::Space space = synth::Space::paper();
  const std::size_t count = space.components.size();
  std::mt19937 random(round);
  std::vector<std::vector<std::size_t>> orders(space.stages - 1, std::vector<std::size_t>(count));
  for (auto& order : orders) {
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
  }
  std::vector<CodecSpec> result;
  for (std::size_t i = 0; i < count; ++i) {
    CodecSpec wanted;
    for (const auto& order : orders)
      wanted.method.pipeline.stages.push_back(space.components[order[i]]);
    wanted.method.pipeline.stages.push_back(space.last[(i / 10 + round) % space.last.size()]);
    wanted.method.pipeline.cut = space.cuts[(i + round) % space.cuts.size()];
    wanted.word_bytes = (i / 5 + round) % 2 ? 4 : 8;
    result.push_back(std::move(wanted));
  }
  return result;
}

TEST(Generated, ComponentsInEveryStageGiveTheLibrarysBytes) {
  expect_library_bytes(over_the_space(0), "-O0");
}

TEST(Generated, PipelinesBeyondTheSpace) {
  std::vector<CodecSpec> codecs;
  for (const char* text :
       {"ZE", "| RLE", "NUL | ZE", "DIM64 LNV64s LNV63x | DIM33 LNV17s RLE",
        "RLE RLE RLE RLE RLE RLE RLE RLE", "| RLE RLE RLE RLE RLE RLE ZE ZE",
        "LNV1s BIT NUL INV RLE | DIM7 ZE RLE", "LNV2s RRE CLOG | BIT ZEC REC", "| CLOG", "REC",
        "CLOG | RRE ZEC", "RLP BIT | DIM8 RLP", "LNV1s BINS", "CLOG | BINS"}) {
    for (const std::size_t word_bytes : {4, 8}) {
      codecs.push_back({synth::parse_method(text), word_bytes});
    }
  }
  for (const std::size_t chunk_words : {2048, 4096}) {
    codecs.push_back({synth::parse_method("LNV6s BIT | ZE RLE"), 8, chunk_words});
    codecs.push_back({synth::parse_method("LAGs:3 / LNV6s BIT | ZE RLE"), 4, chunk_words});
  }
  expect_library_bytes(codecs, "-O0");
}

/// Every kind of step alone at either word size, and among others; lags within the originals, as
/// long as one of them, and longer than all.
std::vector<CodecSpec> with_preludes() {
  std::vector<CodecSpec> codecs;
  for (const char* text :
       {"LAGs:1 / ZE", "LAGx:1023 / LNV1s | RLE", "ORD / LNV1s | ZE", "DICT / | RLE",
        "DEC:2 / LNV1s BIT ZE", "RAT:256:10:100 / LNV1s BIT ZE", "SIG:3 / BIT ZE"}) {
    for (const std::size_t word_bytes : {4, 8}) {
      codecs.push_back({synth::parse_method(text), word_bytes});
    }
  }
  for (const char* text :
       {"LAGs:20480 LAGx:281474976710656 / ZE", "ORD LAGs:1 LAGx:18200 / LNV1s ZE | RLE",
        "DEC:0 DICT LAGs:2401 / | DIM8 RLE", "DICT DICT DICT / ZE", "LAGs:5 DEC:9 ORD / ZE",
        "RAT:1024:7:9007199254740992:57.25 LAGs:1 LAGs:2 LAGs:3 ORD / ZE"}) {
    codecs.push_back({synth::parse_method(text), codecs.size() % 2 ? 4u : 8u});
  }
  return codecs;
}

TEST(Generated, PreludesGiveTheLibrarysBytes) { expect_library_bytes(with_preludes(), "-O0"); }

TEST(Generated, DamagedContainersWithPreludesAreErrors) {
  const std::vector<CodecSpec> codecs = {{synth::parse_method("LAGx:3 ORD / LNV1s ZE"), 4},
                                         {synth::parse_method("DICT LAGs:2 / BIT | RLE"), 8},
                                         {synth::parse_method("MATCH LAGs:2 / BIT | RLE"), 8},
                                         {synth::parse_method("LPC:256 / BIT | RLE"), 4},
                                         {synth::parse_method("REV:2 / BIT | RLE"), 8},
                                         {synth::parse_method("DEC:1 / LNV1s ZE"), 4},
                                         {synth::parse_method("RAT:128:1:10 / LNV1s ZE"), 4},
                                         {synth::parse_method("DEC:1 DICT LAGs:2 / LNV1s ZE"), 8}};
  const Compiled compiled(codecs, "-O1");
  for (std::size_t i = 0; i < compiled.entries().size(); ++i) {
    SCOPED_TRACE(describe(codecs[i]));
    auto original = testing::make_block(testing::Content::Specials, codecs[i].word_bytes, 70);
    original.push_back(std::byte{0xe0});
    expect_damage_to_be_found(compiled.entries()[i], codecs[i], original);
  }
}

/// A prelude of one step or more of any kind, with short lags.
synth::Prelude some_prelude(std::mt19937& random, std::size_t word_bytes) {
  synth::Prelude prelude;
  const std::size_t steps = 1 + random() % preludes::kMostSteps;
  while (prelude.steps.size() < steps) {
    const auto kinds = synth::prelude_kinds();
    const synth::PreludeTraits& traits = kinds[random() % kinds.size()];
    synth::PreludeStep step{traits.wire, 0, {}};
    const preludes::ParameterRange range = traits.range(word_bytes);
    if (traits.parametric) {
      const std::uint64_t most = std::min<std::uint64_t>(range.most, 3000);
      step.parameter = range.least + random() % (most - range.least + 1);
    }
    if (range.powers_of_two) step.parameter = std::bit_floor(step.parameter);
    if (traits.shape == preludes::Shape::Selected) {
      const std::size_t divisors = 1 + random() % preludes::kMostDivisors;
      while (step.divisors.count < divisors) {
        const std::size_t count = step.divisors.count;
        step.divisors.add((count > 0 ? step.divisors.of[count - 1] : 0) + 1 + random() % 100);
      }
    }
    prelude.steps.push_back(step);
  }
  return prelude;
}

class ExhaustiveGenerated : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Rounds, ExhaustiveGenerated, ::testing::Range(1u, 14u));

TEST_P(ExhaustiveGenerated, EXHAUSTIVE_FewHundredPipelines) {
  std::vector<CodecSpec> codecs = over_the_space(GetParam());
  std::mt19937 random(GetParam());
  for (std::size_t i = 0; i < codecs.size(); i += 3) {
    codecs[i].method.prelude = some_prelude(random, codecs[i].word_bytes);
  }
  expect_library_bytes(codecs, GetParam() % 2 ? "-O1" : "-O1 -march=native");
}

}  // namespace
}  // namespace fpsynth
