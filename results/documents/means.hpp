#pragma once
// Ids of pipelines across documents, and what pipelines achieve over several of them.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// 0 if there are no ratios or one of them is 0.
double harmonic_mean(std::span<const double> ratios);

/// The first `count` ids by ascending cost, ties by id. Ids with an infinite cost are left out.
std::vector<std::uint64_t> lowest(std::span<const double> costs, std::size_t count);

/// The id that a method of a space has if the space is not a list: what tables print, so that a
/// pipeline has the same id whatever else a race has left. Of other spaces, the id itself.
std::uint64_t whole_id(const synth::Space& space, std::uint64_t id);

/// Over the pipelines, without preludes, that all of some documents have: of searches of whole
/// spaces, all; of races, those that were left in each.
class Means {
 public:
  /// The documents, of one space but for lists and preludes, must outlive it.
  explicit Means(std::vector<const Document*> documents);

  const std::vector<const Document*>& documents() const { return documents_; }
  /// The pipelines. Only if costs() is not empty.
  const synth::Space& space() const { return space_; }
  /// Mean of compressed / original bytes over the documents, by id of space(): the reciprocal of
  /// the harmonic mean of the ratios. Infinity if it failed in one of them. Empty if there is no
  /// document, or no pipeline that all have.
  const std::vector<double>& costs() const { return costs_; }
  /// The pipeline with the lowest finite cost, the first of several.
  std::optional<std::uint64_t> best() const;
  /// The reciprocal of a cost: the harmonic mean of the ratios.
  double ratio(std::uint64_t id) const { return 1 / costs_[id]; }
  /// The id of a pipeline; nullopt if not all documents have it, or if it failed in one of them.
  std::optional<std::uint64_t> find(const synth::Pipeline& pipeline) const;
  /// The number of pipelines of a lower cost.
  std::uint64_t count_better(std::uint64_t id) const;
  /// The id of a pipeline of space() in one of the documents.
  std::uint64_t id_in(const Document& document, std::uint64_t id) const;

 private:
  std::vector<const Document*> documents_;
  synth::Space space_;
  std::vector<double> costs_;
};

}  // namespace fpsynth::results
