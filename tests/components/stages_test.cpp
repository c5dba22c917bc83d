// Every component, at every word size, on every team: the byte-exact vectors, and byte equality
// with the serial team on blocks of every kind and length.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "components/stage_table.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"

namespace fpsynth {
namespace {

using components::BlockBuffer;
using components::Extent;
using components::ScratchBuffer;
using components::StageTable;
using testing::Content;

constexpr std::byte kPoison{0xa5};

/// A block in a separate allocation, so that a sanitizer detects reads past the slack.
class Block {
 public:
  explicit Block(std::size_t bytes) : buffer_(bytes) {
    std::memset(buffer_.data() - components::kBlockSlack, int(kPoison),
                bytes + 2 * components::kBlockSlack);
  }
  explicit Block(std::span<const std::byte> content) : Block(content.size()) {
    if (!content.empty()) std::memcpy(buffer_.data(), content.data(), content.size());
  }
  std::byte* data() { return buffer_.data(); }
  /// Whether the slack before the block is unchanged: no stage may write there.
  bool front_is_intact() const {
    for (std::size_t i = 1; i <= components::kBlockSlack; ++i) {
      if (buffer_.data()[-std::ptrdiff_t(i)] != kPoison) return false;
    }
    return true;
  }

 private:
  BlockBuffer buffer_;
};

/// Fills scratch memory with garbage, because stages must not depend on what earlier ones left
/// there.
void poison(const components::Scratch& scratch) {
  const std::size_t masks = (scratch.items + 63) / 64 * 8;
  for (std::uint64_t* mask : {scratch.mask, scratch.starts, scratch.runs}) {
    std::memset(mask, int(kPoison), masks);
  }
  std::memset(scratch.bytes, int(kPoison), scratch.items);
}

struct Encoded {
  Extent extent;
  std::vector<std::byte> bytes;
};

Encoded encode(const StageTable& stages, synth::Component component, std::size_t word_bytes,
               std::span<const std::byte> input) {
  const std::size_t words = input.size() / word_bytes;
  const std::size_t bound = synth::worst_case(component, word_bytes, words);
  ScratchBuffer scratch(std::max(bound, words));
  poison(scratch.view());
  Block in(input), out(bound * word_bytes);
  const auto& ops = stages.at(component.family, word_bytes);
  const Extent extent =
      ops.encode(in.data(), words, out.data(), component.parameter, scratch.view());
  EXPECT_LE(extent.words, bound);
  EXPECT_TRUE(out.front_is_intact());
  EXPECT_EQ(0, std::memcmp(in.data(), input.data(), input.size())) << "encode changed its input";
  EXPECT_EQ(extent, ops.measure(in.data(), words, component.parameter, scratch.view()));
  return {extent, {out.data(), out.data() + extent.words * word_bytes}};
}

std::vector<std::byte> decode(const StageTable& stages, synth::Component component,
                              std::size_t word_bytes, const Encoded& encoded, std::size_t words) {
  ScratchBuffer scratch(std::max<std::size_t>(encoded.extent.words, words));
  poison(scratch.view());
  components::Scratch view = scratch.view();
  view.bytes = nullptr;  // decoders must not use it
  Block in(encoded.bytes), out(words * word_bytes);
  const bool good =
      stages.at(component.family, word_bytes)
          .decode(in.data(), encoded.extent, out.data(), words, component.parameter, view);
  EXPECT_TRUE(good);
  EXPECT_TRUE(out.front_is_intact());
  return {out.data(), out.data() + words * word_bytes};
}

std::vector<const StageTable*> all_tables() {
  std::vector<const StageTable*> tables{&components::serial_stages()};
  for (auto* table : components::simd_stages()) tables.push_back(table);
  for (auto* table : components::emulated_stages()) tables.push_back(table);
  return tables;
}

/// A table's name and how to get it. That of a GPU, which opens the GPU, is got by the tests alone
/// that run on it.
struct Team {
  std::string name;
  std::function<const StageTable*()> table;
  friend void PrintTo(const Team& team, std::ostream* out) { *out << team.name; }
};

class Stages : public ::testing::TestWithParam<Team> {
 protected:
  void SetUp() override {
    table_ = GetParam().table();
    if (!table_) GTEST_SKIP() << "no GPU, or a build without CUDA";
    EXPECT_EQ(table_->name(), GetParam().name);
  }
  const StageTable& table() const { return *table_; }

 private:
  const StageTable* table_ = nullptr;
};

std::string team_name(const ::testing::TestParamInfo<Team>& team) {
  std::string name = team.param.name;
  std::ranges::replace(name, '/', '_');
  // One fiber per lane is too slow with sanitizers.
  const bool many_lanes = name == "emulated_256" || name == "emulated_1024";
  return many_lanes ? name + "_Long" : name;
}
std::vector<Team> host_teams() {
  std::vector<Team> teams;
  for (const StageTable* table : all_tables()) {
    teams.push_back({std::string(table->name()), [table] { return table; }});
  }
  return teams;
}
INSTANTIATE_TEST_SUITE_P(AllTeams, Stages, ::testing::ValuesIn(host_teams()), team_name);
INSTANTIATE_TEST_SUITE_P(Gpu, Stages, ::testing::Values(Team{"cuda", components::cuda_stages}),
                         team_name);

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(std::byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST_P(Stages, VectorsHold) {
  std::ifstream file(FPSYNTH_SOURCE_DIR "/tests/vectors/components.json");
  const auto document = nlohmann::json::parse(file);
  std::size_t checked = 0;
  for (const auto& vector : document["vectors"]) {
    const std::string name = vector["component"], key = vector["case"];
    const std::size_t word_bytes = vector["word_bytes"];
    SCOPED_TRACE(name + " " + key + " " + std::to_string(word_bytes));
    const synth::Component component = synth::parse_component(name).value();
    const auto input =
        from_hex(document["inputs"][std::to_string(word_bytes) + "/" + key].get<std::string>());
    const Encoded encoded = encode(table(), component, word_bytes, input);
    EXPECT_EQ(encoded.bytes, from_hex(vector["output"].get<std::string>()));
    if (vector.contains("rle_values")) {
      EXPECT_EQ(encoded.extent.values, vector["rle_values"].get<std::uint32_t>());
    }
    EXPECT_EQ(decode(table(), component, word_bytes, encoded, input.size() / word_bytes), input);
    ++checked;
  }
  EXPECT_EQ(checked, 576u);
}

/// The components of the registry and, for DIM and LNV, further n up to 64.
std::vector<synth::Component> many_components() {
  std::vector<synth::Component> all = synth::registered_components();
  for (const char* name : {"DIM1", "DIM7", "DIM33", "DIM64", "LNV4s", "LNV7x", "LNV9s", "LNV17x",
                           "LNV33s", "LNV64s", "LNV63x"}) {
    all.push_back(synth::parse_component(name).value());
  }
  return all;
}

/// Tests one case in `one_in`.
void expect_equal_to_serial(const StageTable& table, std::size_t one_in) {
  const bool slow = table.name().starts_with("emulated") || table.name() == "cuda";
  std::size_t number = 0;
  for (const synth::Component component : many_components()) {
    for (const std::size_t word_bytes : {1, 4, 8}) {
      for (const std::size_t words : testing::block_lengths(word_bytes)) {
        for (const Content content : testing::kContents) {
          // The emulated teams shuffle all lanes at every barrier; the GPU copies every block.
          if (slow && (words > 1025 || (words > 130 && content != Content::LongRuns &&
                                        content != Content::Pairs && content != Content::Sparse))) {
            continue;
          }
          if (number++ % one_in) continue;
          SCOPED_TRACE(synth::to_string(component) + " " + to_string(content) + ", " +
                       std::to_string(words) + " words of " + std::to_string(word_bytes));
          const auto input = testing::make_block(content, word_bytes, words);
          const Encoded expected =
              encode(components::serial_stages(), component, word_bytes, input);
          const Encoded encoded = encode(table, component, word_bytes, input);
          ASSERT_EQ(encoded.extent, expected.extent);
          ASSERT_EQ(encoded.bytes, expected.bytes);
          ASSERT_EQ(decode(table, component, word_bytes, encoded, words), input);
        }
      }
    }
  }
  EXPECT_GE(number, 5000u);
}

TEST_P(Stages, EqualTheSerialTeamAndDecode) {
  // 7 divides neither the number of lengths nor that of contents, so every one of them is tested.
  expect_equal_to_serial(table(), table().name() == "emulated/1024" ? 7 : 1);
}

TEST(Stages1024Lanes, ExhaustiveEqualTheSerialTeamAndDecode) {
  const auto tables = components::emulated_stages();
  const auto table = std::ranges::find(tables, "emulated/1024", &StageTable::name);
  ASSERT_NE(table, tables.end());
  expect_equal_to_serial(**table, 1);
}

/// Blocks that may not be valid encodings: all teams return the same result and stay within bounds
/// (the sanitized build of this test detects violations).
TEST_P(Stages, ForgedBlocksAreRejectedOrDecoded) {
  std::size_t rejected = 0, decoded = 0;
  for (const char* name : {"ZE", "RLE", "LNV2s", "DIM8", "BIT"}) {
    const synth::Component component = synth::parse_component(name).value();
    for (const std::size_t word_bytes : {1, 4, 8}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::size_t words = 1 + seed * 7 % 90, length = 1 + seed * 13 % 120;
        const auto content = testing::kContents[seed % std::size(testing::kContents)];
        const auto forged = testing::make_block(content, word_bytes, length, seed);
        ScratchBuffer scratch(std::max(words, length));
        Block in(forged), out(words * word_bytes);
        const Extent extent{std::uint32_t(length), std::uint32_t(seed * 5 % (length + 3))};
        Block expected(words * word_bytes);
        const auto decode_with = [&](const StageTable& stages, Block& to) {
          return stages.at(component.family, word_bytes)
              .decode(in.data(), extent, to.data(), words, component.parameter, scratch.view());
        };
        const bool good = decode_with(table(), out);
        ASSERT_TRUE(out.front_is_intact());
        ASSERT_EQ(good, decode_with(components::serial_stages(), expected));
        (good ? decoded : rejected) += 1;
        if (good) {
          ASSERT_EQ(0, std::memcmp(out.data(), expected.data(), words * word_bytes));
        }
      }
    }
  }
  EXPECT_GT(rejected, 0u);
  EXPECT_GT(decoded, 0u);
}

/// Runs of one byte, of zeros and of noise, all of random lengths.
std::vector<std::byte> runs_of_bytes(std::size_t bytes, std::mt19937_64& random) {
  std::vector<std::byte> block(bytes);
  const std::size_t longest = 1 + random() % (1 + random() % 2000);
  for (std::size_t i = 0; i < bytes;) {
    const std::size_t end = std::min<std::size_t>(bytes, i + 1 + random() % longest);
    const auto kind = random() % 3, value = random();
    for (; i < end; ++i) block[i] = std::byte(kind == 0 ? 0 : kind == 1 ? value : random());
  }
  return block;
}

/// Runs of every length, also over many mask words; and forged encodings of them: some bytes
/// changed.
TEST_P(Stages, RunsOfAnyLengthAndForgedOnesEqualTheSerialTeam) {
  const bool slow = table().name().starts_with("emulated") || table().name() == "cuda";
  std::mt19937_64 random(13);
  std::size_t rejected = 0, decoded = 0;
  for (int round = 0; round < (slow ? 6 : 400); ++round) {
    for (const char* name : {"ZE", "RLE"}) {
      const synth::Component component = synth::parse_component(name).value();
      const std::size_t word_bytes = std::array{1, 1, 4, 8}[random() % 4];
      const std::size_t words = 1 + random() % (slow ? 300 : 13000 / word_bytes);
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(words) + " words of " +
                   std::to_string(word_bytes));
      const auto input = runs_of_bytes(words * word_bytes, random);
      Encoded encoded = encode(components::serial_stages(), component, word_bytes, input);
      const Encoded same = encode(table(), component, word_bytes, input);
      ASSERT_EQ(same.extent, encoded.extent);
      ASSERT_EQ(same.bytes, encoded.bytes);
      ASSERT_EQ(decode(table(), component, word_bytes, same, words), input);
      for (int change = 0; change < 8; ++change) {
        // More often near the end, where the tokens are.
        const std::size_t last = encoded.bytes.size() - 1, back = random() % (last + 1);
        encoded.bytes[last - (change % 2 ? back : back % 64)] ^= std::byte(1 << random() % 8);
        Block in(encoded.bytes), out(input.size()), expected(input.size());
        ScratchBuffer scratch(std::max<std::size_t>(words, encoded.extent.words));
        const auto decode_with = [&](const StageTable& stages, Block& to) {
          return stages.at(component.family, word_bytes)
              .decode(in.data(), encoded.extent, to.data(), words, 0, scratch.view());
        };
        const bool good = decode_with(table(), out);
        ASSERT_TRUE(out.front_is_intact());
        ASSERT_EQ(good, decode_with(components::serial_stages(), expected));
        (good ? decoded : rejected) += 1;
        if (good) {
          ASSERT_EQ(0, std::memcmp(out.data(), expected.data(), input.size()));
        }
      }
    }
  }
  EXPECT_GT(rejected, 0u);
  EXPECT_GT(decoded, 0u);
}

/// verify() finds a byte that differs wherever it is, and then leaves the complement.
TEST_P(Stages, VerifyFindsEveryByteAndLeavesTheComplement) {
  for (const std::size_t bytes : {1, 2, 63, 64, 65, 200}) {
    const auto input = testing::make_block(Content::Pairs, 1, bytes);
    Block in(input), decoded(bytes);
    for (std::size_t wrong = 0; wrong <= bytes; ++wrong) {
      std::memcpy(decoded.data(), input.data(), bytes);
      if (wrong < bytes) decoded.data()[wrong] ^= std::byte{0x10};
      ASSERT_EQ(table().verify(in.data(), bytes, decoded.data()), wrong == bytes) << wrong;
      ASSERT_TRUE(decoded.front_is_intact());
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(decoded.data()[i], ~input[i]);
    }
  }
}

/// The counts of a block decide the length that each reducer gives it, as words and as bytes.
TEST_P(Stages, CountsGiveTheLengthsOfReducers) {
  const bool slow = table().name().starts_with("emulated") || table().name() == "cuda";
  std::mt19937_64 random(11);
  std::size_t compared = 0;
  const auto check = [&](std::span<const std::byte> input, std::size_t word_bytes) {
    Block in(input);
    ScratchBuffer scratch(input.size());
    poison(scratch.view());
    const std::size_t words = input.size() / word_bytes;
    const auto counts = table().count(in.data(), words, word_bytes, scratch.view());
    ASSERT_TRUE(in.front_is_intact());
    for (std::size_t family = 0; family < synth::family_count(); ++family) {
      for (const std::size_t size : {word_bytes, std::size_t{1}}) {
        const auto& serial = components::serial_stages().at(family, size);
        const auto measured = table().at(family, size).measured;
        ASSERT_EQ(measured == nullptr, serial.measured == nullptr);
        if (!measured) continue;
        const std::size_t n = input.size() / size;
        ASSERT_EQ(measured(size == word_bytes ? counts.words : counts.bytes, n),
                  serial.measure(in.data(), n, 1, scratch.view()))
            << "family " << family << ", " << n << " words of " << size;
        ++compared;
      }
    }
  };
  for (const std::size_t word_bytes : {1, 4, 8}) {
    for (const std::size_t words : testing::block_lengths(word_bytes)) {
      if (slow && words > 130) continue;
      for (const Content content : testing::kContents) {
        check(testing::make_block(content, word_bytes, words), word_bytes);
        if (HasFatalFailure()) return;
      }
    }
    for (int round = 0; round < (slow ? 4 : 200); ++round) {
      const std::size_t words = 1 + random() % (slow ? 300 : 3000);
      check(runs_of_bytes(words * word_bytes, random), word_bytes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(compared, 1000u);
}

/// What is counted of a stage's output without producing it is what the output has.
TEST_P(Stages, OutputsAreCountedWithoutBeingProduced) {
  if (!table().counts_outputs())
    GTEST_SKIP() << table().name() << " produces outputs to count them";
  std::size_t known = 0, unknown = 0;
  const auto check = [&](std::span<const std::byte> input, std::size_t word_bytes) {
    BlockBuffer block(input.size()), steps[2];
    std::ranges::copy(input, block.data());
    for (BlockBuffer& step : steps) step = BlockBuffer(input.size());
    ScratchBuffer scratch(2 * input.size());
    poison(scratch.view());
    const std::size_t words = input.size() / word_bytes;
    components::CountedBlock counted;
    counted.block = block.data();
    counted.differences = steps[0].data();
    counted.exclusive_ors = steps[1].data();
    table().prepare(counted, words, word_bytes, scratch.view());
    for (const std::size_t size : {word_bytes, std::size_t{1}}) {
      for (const synth::Component component : many_components()) {
        const auto& ops = table().at(component.family, size);
        teams::BlockCounts counts;
        if (!ops.count_output || !ops.count_output(counted, input.size() / size,
                                                   component.parameter, scratch.view(), counts)) {
          ++unknown;
          continue;
        }
        ++known;
        const Encoded encoded = encode(components::serial_stages(), component, size, input);
        Block output(encoded.bytes);
        ASSERT_EQ(counts, components::serial_stages().count(
                              output.data(), encoded.bytes.size() / size, size, scratch.view()))
            << synth::to_string(component) << ", " << words << " words of " << word_bytes
            << ", stage on " << size;
      }
    }
  };
  std::mt19937_64 random(12);
  for (const std::size_t word_bytes : {1, 4, 8}) {
    for (const std::size_t words : testing::block_lengths(word_bytes)) {
      for (const Content content : testing::kContents) {
        check(testing::make_block(content, word_bytes, words), word_bytes);
        if (HasFatalFailure()) return;
      }
    }
    for (int round = 0; round < 40; ++round) {
      const std::size_t words = round % 2 ? 1024 * 8 / word_bytes : 1 + random() % 3000;
      check(runs_of_bytes(words * word_bytes, random), word_bytes);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(known, 20000u);
  EXPECT_GE(unknown, 1000u);
}

/// Runs a component on the serial team.
std::vector<std::byte> run_serial(synth::Component component, std::size_t word_bytes,
                                  const std::vector<std::byte>& input) {
  return encode(components::serial_stages(), component, word_bytes, input).bytes;
}

TEST(Commuting, StagesGiveTheSameBlockInEitherOrder) {
  std::size_t pairs = 0;
  for (const synth::Component a : many_components()) {
    for (const synth::Component b : many_components()) {
      if (!synth::commute(a.family, b.family)) continue;
      ++pairs;
      for (const std::size_t word_bytes : {1, 4, 8}) {
        for (const std::size_t words : {1, 2, 7, 63, 64, 65, 130, 257}) {
          for (const Content content : {Content::Random, Content::LongRuns, Content::Sparse}) {
            const auto block = testing::make_block(content, word_bytes, words);
            ASSERT_EQ(run_serial(b, word_bytes, run_serial(a, word_bytes, block)),
                      run_serial(a, word_bytes, run_serial(b, word_bytes, block)))
                << synth::to_string(a) << ", " << synth::to_string(b) << ", " << words
                << " words of " << word_bytes;
          }
        }
      }
    }
  }
  EXPECT_GE(pairs, 72u + 16);  // LNVs and LNVx with themselves, INV with DIM and BIT
}

TEST(Rle, GrowsNoMoreThanTheBound) {
  // a a b b ... on bytes is the worst case: one value and two tokens for two words.
  const auto component = synth::parse_component("RLE").value();
  const auto input = testing::make_block(Content::Pairs, 1, 101);
  EXPECT_EQ(encode(components::serial_stages(), component, 1, input).extent.words,
            synth::worst_case(component, 1, 101));
}

TEST(Simd, EnvironmentVariableForcesALevel) {
  for (const StageTable* table : components::simd_stages()) {
    ASSERT_EQ(0, setenv("FPSYNTH_SIMD", std::string(table->name()).c_str(), 1));
    EXPECT_EQ(&components::default_stages(), table);
  }
  ASSERT_EQ(0, setenv("FPSYNTH_SIMD", "serial", 1));
  EXPECT_EQ(&components::default_stages(), &components::serial_stages());
  ASSERT_EQ(0, setenv("FPSYNTH_SIMD", "mmx", 1));
  EXPECT_THROW(components::default_stages(), std::runtime_error);
  ASSERT_EQ(0, unsetenv("FPSYNTH_SIMD"));
  EXPECT_EQ(&components::default_stages(), components::simd_stages().front());
}

/// The levels differ in code, not only in name: no two tables share an entry point.
TEST(Simd, LevelsAreDifferentCode) {
  const auto tables = components::simd_stages();
  for (std::size_t i = 1; i < tables.size(); ++i) {
    for (std::size_t family = 0; family < synth::family_count(); ++family) {
      EXPECT_NE(tables[i - 1]->at(family, 1).encode, tables[i]->at(family, 1).encode);
    }
  }
}

}  // namespace
}  // namespace fpsynth
