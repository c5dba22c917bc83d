#pragma once
// The search space: which components may stand in which stage, and where the cut may fall.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "synth/pipeline.hpp"

namespace fpsynth::synth {

/// All components of the registry, in its order; the default space has the first 24.
std::vector<Component> registered_components();

/// A space of pipelines of one length. Ids count the cut first, then the stages from the first to
/// the last: id = (((cut_index·C + s1)·C + s2)·C + s3)·F + f for four stages, with C components
/// and F last components. The default space is the MPC paper's, ids 0..138,239.
struct Space {
  std::vector<Component> components;  ///< of every stage but the last, in id order
  std::vector<Component> last;        ///< of the last stage, in id order
  std::vector<unsigned> cuts;         ///< ascending, each 0..stages
  unsigned stages = 4;                ///< 1..8
  friend bool operator==(const Space&, const Space&) = default;

  /// The 24 components in three stages, ZE or RLE in the fourth, five cuts: 138,240 pipelines.
  static Space paper();

  /// Number of pipelines. Throws Error where it does not fit 64 bits.
  std::uint64_t size() const;
  /// The pipeline with an id; id < size().
  Pipeline at(std::uint64_t id) const;
  /// The id of a pipeline, nullopt if it is not in the space.
  std::optional<std::uint64_t> id_of(const Pipeline& pipeline) const;
  /// Fills a shorter pipeline up to the space's length with NUL in front, which does not change
  /// what it does. If its cut is in front of all stages, NULs may stand on either side of the cut;
  /// then the first cut is taken that the space has. Unchanged if the pipeline is long enough or
  /// the space has no NUL.
  Pipeline padded(Pipeline pipeline) const;
  /// Checks ranges, duplicates and that the last stages reduce. Throws Error naming the value.
  void validate() const;
  /// "4 stages, 24 components, cuts 0-4: 138240 pipelines".
  std::string describe() const;
};

}  // namespace fpsynth::synth
