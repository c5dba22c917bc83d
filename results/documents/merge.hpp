#pragma once
// Partial results add up: the payloads of disjoint chunk ranges sum to those
// of the whole. Checkpoints, shards and ranks are merged here.

#include <span>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// How the parts' times add up: one after the other (a resumed search) or side by side (shards,
/// ranks), where the slowest part counts and the threads add up.
enum class Timing { Sequential, Parallel };

/// The document of the union of the parts' chunk ranges. Throws Error where the parts differ in
/// data set, space, precision, sample, overhead or verification, or overlap.
Document merge(std::span<const Document> parts, Timing timing);

}  // namespace fpsynth::results
