#pragma once
// The common parts of the tests of the search.

#include <gtest/gtest.h>

#include <vector>

#include "components/stage_table.hpp"
#include "runners/data/input.hpp"
#include "runners/search/gpu/device_engine.hpp"
#include "runners/search/search.hpp"
#include "synth/pipeline.hpp"
#include "synth/plan.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/kernels/walks.hpp"

namespace fpsynth::search {

inline const synth::Plan& paper_plan() {
  static const synth::Plan plan(synth::Space::paper());
  return plan;
}

/// All components in two stages, for tests that do not need the whole space.
inline const synth::Plan& small_plan() {
  static const synth::Plan plan([] {
    synth::Space space = synth::Space::paper();
    space.stages = 2;
    space.cuts = {0, 1, 2};
    return space;
  }());
  return plan;
}

/// Components that the paper's space lacks, and some of its own, in `stages` (up to 4) stages.
inline synth::Space wide_space(unsigned stages = 2) {
  synth::Space space = synth::Space::paper();
  space.stages = stages;
  space.cuts.resize(stages + 1);
  space.components.clear();
  for (const char* name : {"NUL", "BIT", "LNV1s", "ZE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  const auto all = synth::registered_components();
  for (std::size_t i = components::kPaperComponents; i < all.size(); ++i) {
    space.components.push_back(all[i]);
    if (synth::family(all[i].family).reduces) space.last.push_back(all[i]);
  }
  return space;
}

/// The engine on devices for tests, one for each of `devices`.
template <class Device = device::EmulatedDevice>
EngineFactory engine_on(std::vector<typename Device::Options> devices) {
  return [devices](const synth::Plan& plan, std::size_t word_bytes, Mode mode) {
    return std::make_unique<DeviceEngine<Device>>(
        std::vector<Device>(devices.begin(), devices.end()), plan, word_bytes, mode);
  };
}

/// An emulated device that transposes wrongly: what it encodes, it does not decode to its input.
inline device::EmulatedDevice::Options faulty() {
  device::EmulatedDevice::Options options;
  options.faulty_shuffles = true;
  return options;
}

/// The serial table with a broken decoder for INV on 64-bit words.
class BrokenInversion {
 public:
  using Decode = decltype(components::StageOps::decode);
  explicit BrokenInversion(Decode decode = spoil) {
    const auto inverter = synth::parse_component("INV")->family;
    for (std::size_t family = 0; family < synth::family_count(); ++family) {
      for (const std::size_t size : {1, 2, 4, 8}) {
        ops_.push_back(components::serial_stages().at(family, size));
        if (family == inverter && size == 8) ops_.back().decode = decode;
      }
    }
  }
  components::StageTable table() const {
    return {"broken", ops_.data(), components::serial_stages().block_ops()};
  }

  /// Inverts one bit.
  static bool spoil(const std::byte* in, components::Extent extent, std::byte* out,
                    std::size_t words, unsigned parameter, const components::Scratch& scratch) {
    const auto inverter = synth::parse_component("INV")->family;
    const auto& good = components::serial_stages().at(inverter, 8);
    good.decode(in, extent, out, words, parameter, scratch);
    out[words / 2] ^= std::byte{4};
    return true;
  }
  /// Writes nothing. Earlier siblings have decoded the same block to that memory.
  static bool do_nothing(const std::byte*, components::Extent, std::byte*, std::size_t, unsigned,
                         const components::Scratch&) {
    return true;
  }
  static bool forget_the_last_word(const std::byte* in, components::Extent extent, std::byte* out,
                                   std::size_t words, unsigned parameter,
                                   const components::Scratch& scratch) {
    --extent.words;
    const auto inverter = synth::parse_component("INV")->family;
    return components::serial_stages()
        .at(inverter, 8)
        .decode(in, extent, out, words - 1, parameter, scratch);
  }

 private:
  std::vector<components::StageOps> ops_;
};

inline data::Input input_of(std::vector<std::byte> bytes, synth::Precision precision) {
  return data::Input("test", std::move(bytes), precision);
}

/// Chunks of different contents, the last one short, and a tail.
inline data::Input several_chunks(synth::Precision precision) {
  const std::size_t word_bytes = synth::word_bytes(precision);
  std::vector<std::byte> bytes;
  for (const testing::Content content :
       {testing::Content::Smooth, testing::Content::LongRuns, testing::Content::Specials}) {
    const auto block = testing::make_block(content, word_bytes, 1024);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  const auto rest = testing::make_block(testing::Content::Sparse, word_bytes, 77);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  bytes.insert(bytes.end(), {std::byte{1}, std::byte{2}, std::byte{3}});
  return input_of(bytes, precision);
}

/// Compares everything in a result that does not depend on when and how it was computed.
inline void expect_same_findings(const results::Document& a, const results::Document& b) {
  EXPECT_EQ(a.payload_bytes, b.payload_bytes);
  EXPECT_EQ(a.ranking, b.ranking);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.overhead_bytes, b.overhead_bytes);
  EXPECT_EQ(a.sampled_bytes, b.sampled_bytes);
  EXPECT_EQ(a.chunk_ranges, b.chunk_ranges);
  EXPECT_EQ(a.run.edges_verified, b.run.edges_verified);
}

}  // namespace fpsynth::search
