#pragma once
// Merges partial results (checkpoints, shards, ranks): the payloads of disjoint chunk ranges add up
// to those of the whole.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// The order in which parts ran: one after the other (a resumed search), so that the times are
/// added, or at the same time (shards, ranks), so that the slowest part counts and the threads are
/// added.
enum class Timing { Sequential, Parallel };

/// Adds parts up one at a time, so that no more than the sum and one of them are in memory.
class Merger {
 public:
  explicit Merger(Timing timing) : timing_(timing) {}
  /// Throws Error as merge() does, but for overlaps.
  void add(const Document& part);
  /// The document of what was added, which must be at least one part. Throws Error if parts
  /// overlap.
  Document whole() const;

 private:
  Timing timing_;
  std::optional<Document> sum_;  ///< its derived fields are those of the first part
};

/// The document of the union of the parts' chunk ranges. Throws Error if the parts differ in data
/// set, space, precision, sample, overhead, verification, race or candidates for preludes, or if
/// they overlap.
Document merge(std::span<const Document> parts, Timing timing);

/// Adds the sums of a part of the same search to a document, whose derived fields are wrong until
/// finish() is called. Neither is checked.
void add_sums(Document& whole, const Document& part);

/// Adds what of `more`, one value or several that were joined, is not in `texts`: parts may come
/// from several machines or builds.
void join_distinct(std::string& texts, std::string_view more);

}  // namespace fpsynth::results
