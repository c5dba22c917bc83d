#pragma once
// fpsynth search --dry-run: how much work a study is, and how long it would take.

#include <cstdint>

#include "runners/data/study.hpp"
#include "runners/search/prelude_search.hpp"
#include "synth/space.hpp"

namespace fpsynth::cli {

/// Prints the size of the space and how long the study would take, one chunk in `sample`. The size
/// of a large space is computed; its time is that of a smaller one, scaled by the number of stages
/// to run. Throws Error if a search would refuse the space, and what opening the data throws.
void dry_run(const data::Study& study, const synth::Space& space,
             const search::Verification& verification, const search::PreludeOptions& preludes,
             std::uint64_t sample, const search::EngineFactory& make_engine);

}  // namespace fpsynth::cli
