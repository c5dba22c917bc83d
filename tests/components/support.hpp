#pragma once
// The common parts of the tests of the components: blocks that show accesses around them, the
// stages with the promises that all of them must keep, and the teams.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "components/dispatch.hpp"
#include "components/stage_table.hpp"
#include "synth/space.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/emulated/stages.hpp"

namespace fpsynth::components_tests {

using components::BlockBuffer;
using components::Extent;
using components::ScratchBuffer;
using components::StageTable;
using testing::Content;

inline constexpr std::byte kPoison{0xa5};

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
  /// True if the slack before the block is unchanged: no stage may write there.
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
inline void poison(const components::Scratch& scratch) {
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

inline Encoded encode(const StageTable& stages, synth::Component component, std::size_t word_bytes,
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

/// The search on a GPU has no bytes and tables for its decoders, which are those of the paper's
/// components.
inline components::Scratch scratch_for_decoder(synth::Component component,
                                               const ScratchBuffer& scratch) {
  components::Scratch view = scratch.view();
  if (component.family < components::WalkedFamilies::size) {
    view.bytes = nullptr;
    view.tables = nullptr;
  }
  return view;
}

inline std::vector<std::byte> decode(const StageTable& stages, synth::Component component,
                                     std::size_t word_bytes, const Encoded& encoded,
                                     std::size_t words) {
  ScratchBuffer scratch(std::max<std::size_t>(encoded.extent.words, words));
  poison(scratch.view());
  const components::Scratch view = scratch_for_decoder(component, scratch);
  Block in(encoded.bytes), out(words * word_bytes);
  const bool good =
      stages.at(component.family, word_bytes)
          .decode(in.data(), encoded.extent, out.data(), words, component.parameter, view);
  EXPECT_TRUE(good);
  EXPECT_TRUE(out.front_is_intact());
  return {out.data(), out.data() + words * word_bytes};
}

inline std::vector<const StageTable*> all_tables() {
  std::vector<const StageTable*> tables{&components::serial_stages()};
  for (auto* table : components::simd_stages()) tables.push_back(table);
  for (auto* table : components::emulated_stages()) tables.push_back(table);
  return tables;
}

/// A table's name and the function that returns it. Only tests that run on a GPU call the GPU's,
/// because that opens the GPU.
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

inline std::string team_name(const ::testing::TestParamInfo<Team>& team) {
  std::string name = team.param.name;
  std::ranges::replace(name, '/', '_');
  // One fiber per lane is too slow with sanitizers; 256 lanes take several words each, as 32 do.
  return (name == "emulated_1024" ? "LONG_" : name == "emulated_256" ? "EXHAUSTIVE_" : "") + name;
}
inline std::vector<Team> host_teams() {
  std::vector<Team> teams;
  for (const StageTable* table : all_tables()) {
    teams.push_back({std::string(table->name()), [table] { return table; }});
  }
  return teams;
}

/// The components of the registry and, for DIM and LNV, further n up to 64.
inline std::vector<synth::Component> many_components() {
  std::vector<synth::Component> all = synth::registered_components();
  for (const char* name : {"DIM1", "DIM7", "DIM33", "DIM64", "LNV4s", "LNV7x", "LNV9s", "LNV17x",
                           "LNV33s", "LNV64s", "LNV63x"}) {
    all.push_back(synth::parse_component(name).value());
  }
  return all;
}

/// Runs of one byte, of zeros and of noise, all of random lengths.
inline std::vector<std::byte> runs_of_bytes(std::size_t bytes, std::mt19937_64& random) {
  std::vector<std::byte> block(bytes);
  const std::size_t longest = 1 + random() % (1 + random() % 2000);
  for (std::size_t i = 0; i < bytes;) {
    const std::size_t end = std::min<std::size_t>(bytes, i + 1 + random() % longest);
    const auto kind = random() % 3, value = random();
    for (; i < end; ++i) block[i] = std::byte(kind == 0 ? 0 : kind == 1 ? value : random());
  }
  return block;
}

}  // namespace fpsynth::components_tests
