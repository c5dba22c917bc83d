#pragma once
// A small space and data for races.

#include "runners/data/input.hpp"
#include "synth/space.hpp"
#include "tests/runners/search/preludes.hpp"

namespace fpsynth::search {

/// Three stages of some components: with tails of few leaves, races have several waves.
inline synth::Space space_of_race() {
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  space.components.clear();
  for (const char* name : {"NUL", "INV", "BIT", "DIM2", "LNV1s", "LNV2x", "ZE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

/// 69 chunks that differ, the last one short, and a tail.
inline data::Input many_chunks(synth::Precision precision) { return periodic(precision, 70'000); }

}  // namespace fpsynth::search
