// Every component, at every word size, on every team: the byte-exact vectors, and byte equality
// with the serial team on blocks of every kind and length.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tests/components/cuda_stages.hpp"
#include "tests/components/support.hpp"

namespace fpsynth::components_tests {
namespace {

INSTANTIATE_TEST_SUITE_P(AllTeams, Stages, ::testing::ValuesIn(host_teams()), team_name);
INSTANTIATE_TEST_SUITE_P(GPU_, Stages, ::testing::Values(Team{"cuda", components::cuda_stages}),
                         team_name);

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(std::byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

/// Holds a table to all vectors of a file, and adds their components and word sizes to `checked`.
void check_vectors(const StageTable& table, const std::filesystem::path& path,
                   std::set<std::pair<std::string, std::size_t>>& checked) {
  std::ifstream file(path);
  const auto document = nlohmann::json::parse(file);
  for (const auto& vector : document["vectors"]) {
    const std::string name = vector["component"], key = vector["case"];
    const std::size_t word_bytes = vector["word_bytes"];
    SCOPED_TRACE(name + " " + key + " " + std::to_string(word_bytes));
    const synth::Component component = synth::parse_component(name).value();
    const auto input =
        from_hex(document["inputs"][std::to_string(word_bytes) + "/" + key].get<std::string>());
    const Encoded encoded = encode(table, component, word_bytes, input);
    EXPECT_EQ(encoded.bytes, from_hex(vector["output"].get<std::string>()));
    if (vector.contains("rle_values")) {
      EXPECT_EQ(encoded.extent.values, vector["rle_values"].get<std::uint32_t>());
    }
    EXPECT_EQ(decode(table, component, word_bytes, encoded, input.size() / word_bytes), input);
    checked.insert({name, word_bytes});
  }
}

TEST_P(Stages, VectorsHold) {
  std::set<std::pair<std::string, std::size_t>> checked;
  for (const auto& entry :
       std::filesystem::directory_iterator(FPSYNTH_SOURCE_DIR "/tests/vectors")) {
    if (entry.path().extension() == ".json") check_vectors(table(), entry.path(), checked);
  }
  for (const synth::Component component : synth::registered_components()) {
    if (synth::family(component.family).has_tables) continue;
    for (const std::size_t word_bytes : {1, 2, 4, 8}) {
      EXPECT_TRUE(checked.contains({synth::to_string(component), word_bytes}))
          << synth::to_string(component) << " has no vector of words of " << word_bytes;
    }
  }
}

/// Tests one case in `one_in`.
void expect_equal_to_serial(const StageTable& table, std::size_t one_in) {
  const bool slow = table.name().starts_with("emulated") || table.name() == "cuda";
  std::size_t number = 0;
  for (const synth::Component component : many_components()) {
    for (const std::size_t word_bytes : {1, 2, 4, 8}) {
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

TEST(Stages1024Lanes, EXHAUSTIVE_EqualTheSerialTeamAndDecode) {
  const auto tables = components::emulated_stages();
  const auto table = std::ranges::find(tables, "emulated/1024", &StageTable::name);
  ASSERT_NE(table, tables.end());
  expect_equal_to_serial(**table, 1);
}

/// A table decodes bytes that may be no encoding as the serial team does.
bool decodes_as_serial(const StageTable& table, synth::Component component, std::size_t word_bytes,
                       const Encoded& forged, std::size_t words) {
  ScratchBuffer scratch(std::max<std::size_t>(words, forged.extent.words));
  Block in(forged.bytes), out(words * word_bytes), expected(words * word_bytes);
  const auto decode_with = [&](const StageTable& stages, Block& to) {
    return stages.at(component.family, word_bytes)
        .decode(in.data(), forged.extent, to.data(), words, component.parameter, scratch.view());
  };
  const bool good = decode_with(table, out);
  EXPECT_TRUE(out.front_is_intact());
  EXPECT_EQ(good, decode_with(components::serial_stages(), expected));
  EXPECT_TRUE(!good || std::memcmp(out.data(), expected.data(), words * word_bytes) == 0);
  return good;
}

/// Blocks that may not be valid encodings: all teams return the same result and stay within bounds
/// (the sanitized build of this test detects violations).
TEST_P(Stages, ForgedBlocksAreRejectedOrDecoded) {
  std::size_t results[2] = {};  // rejected, decoded
  for (const char* name :
       {"ZE", "RLE", "RRE", "ZEC", "REC", "CLOG", "RLP", "BINS", "LNV2s", "DIM8", "BIT"}) {
    const synth::Component component = synth::parse_component(name).value();
    for (const std::size_t word_bytes : {1, 2, 4, 8}) {
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::size_t words = 1 + seed * 7 % 90, length = 1 + seed * 13 % 120;
        const auto content = testing::kContents[seed % std::size(testing::kContents)];
        const auto forged = testing::make_block(content, word_bytes, length, seed);
        const Extent extent{std::uint32_t(length), std::uint32_t(seed * 5 % (length + 3))};
        ++results[decodes_as_serial(table(), component, word_bytes, {extent, forged}, words)];
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(results[false], 0u);
  EXPECT_GT(results[true], 0u);
}

/// Runs of every length, also over many mask words; and forged encodings of them: some bytes
/// changed.
TEST_P(Stages, RunsOfAnyLengthAndForgedOnesEqualTheSerialTeam) {
  const bool slow = table().name().starts_with("emulated") || table().name() == "cuda";
  std::mt19937_64 random(13);
  std::size_t results[2] = {};  // rejected, decoded
  for (int round = 0; round < (slow ? 6 : 400); ++round) {
    for (const char* name : {"ZE", "RLE", "RRE", "ZEC", "REC", "CLOG", "RLP", "BINS"}) {
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
        ++results[decodes_as_serial(table(), component, word_bytes, encoded, words)];
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(results[false], 0u);
  EXPECT_GT(results[true], 0u);
}

/// BINS with any byte changed: the header, shares, raw bits, numbers or states.
TEST_P(Stages, BinsWithAChangedByteEqualsTheSerialTeam) {
  const bool slow = table().name().starts_with("emulated") || table().name() == "cuda";
  const synth::Component component = synth::parse_component("BINS").value();
  std::mt19937_64 random(17);
  std::size_t results[2] = {};  // rejected, decoded
  for (const std::size_t word_bytes : {1, 2, 4, 8}) {
    // Groups of words of different lengths, so that there are several codes.
    const std::size_t words = slow ? 200 : 5000;
    std::vector<std::byte> input(words * word_bytes);
    for (std::size_t i = 0; i < words; ++i) {
      const auto bits = std::min<std::size_t>(8 * word_bytes, 3 + i / 64 % 4 * 4);
      const std::uint64_t word = random() % (1ull << bits) & random();
      std::memcpy(&input[i * word_bytes], &word, word_bytes);
    }
    Encoded encoded = encode(components::serial_stages(), component, word_bytes, input);
    ASSERT_LT(encoded.bytes.size(), input.size());
    const std::size_t step = slow ? 1 + encoded.bytes.size() / 60 : 1;
    for (std::size_t at = 0; at < encoded.bytes.size(); at += at < 60 ? 1 : step) {
      const std::byte own = encoded.bytes[at];
      for (const std::byte change : {std::byte{0xff}, std::byte(1 << random() % 8)}) {
        encoded.bytes[at] = own ^ change;
        ++results[decodes_as_serial(table(), component, word_bytes, encoded, words)];
        if (HasFailure()) return;
      }
      encoded.bytes[at] = own;
    }
  }
  EXPECT_GT(results[false], 0u);
  EXPECT_GT(results[true], 0u);
}

/// The longest blocks of bytes are those of 65,536 doubles; all of them may have the same symbol.
TEST_P(Stages, BinsOfTheLongestBlocksEqualTheSerialTeam) {
  if (table().name().starts_with("emulated")) GTEST_SKIP() << "a fiber a lane takes long";
  const synth::Component component = synth::parse_component("BINS").value();
  std::vector<std::byte> input(524288, std::byte{3});
  for (std::size_t i = 0; i < input.size(); i += 32) input[i] = std::byte{2};
  const Encoded expected = encode(components::serial_stages(), component, 1, input);
  const Encoded encoded = encode(table(), component, 1, input);
  ASSERT_EQ(encoded.bytes, expected.bytes);
  ASSERT_EQ(decode(table(), component, 1, encoded, input.size()), input);
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
}  // namespace fpsynth::components_tests
