#pragma once
// Merges partial results (checkpoints, shards, ranks): the payloads of disjoint chunk ranges add up
// to those of the whole.

#include <span>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// How the parts ran: one after the other (a resumed search), so that the times are added, or at
/// the same time (shards, ranks), so that the slowest part counts and the threads are added.
enum class Timing { Sequential, Parallel };

/// The document of the union of the parts' chunk ranges. Throws Error if the parts differ in data
/// set, space, precision, sample, overhead or verification, or if they overlap.
Document merge(std::span<const Document> parts, Timing timing);

/// Adds the sums of a part of the same search to a document, whose derived fields are wrong until
/// finish() is called. Neither is checked.
void add_sums(Document& whole, const Document& part);

}  // namespace fpsynth::results
