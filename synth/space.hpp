#pragma once
// The search space: which components each stage may use, which cuts are allowed, and what preludes
// stand in front of the pipelines.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::synth {

/// All components of the registry, in its order; the default space has the first 24.
std::vector<Component> registered_components();
/// Those that may be the last stage, in their order.
std::vector<Component> reducers(const std::vector<Component>& components);

/// A space of pipelines of one length. Ids count the cut first, then the stages from the first to
/// the last: id = (((cut_index·C + s1)·C + s2)·C + s3)·F + f for four stages, with C components
/// and F last components. The default space is the MPC paper's, ids 0..138,239. With preludes, ids
/// count them first: id = prelude_index·pipelines() + the pipeline's id, so that those without a
/// prelude are the same in every space of the same pipelines.
struct Space {
  std::vector<Component> components;      ///< of every stage but the last, in id order
  std::vector<Component> last;            ///< of the last stage, in id order
  std::vector<unsigned> cuts;             ///< ascending, each 0..stages
  unsigned stages = 4;                    ///< 1..8
  std::size_t chunk_words = kChunkWords;  ///< of the chunks that pipelines run on: 1024, 2048, 4096
  /// If not empty, these pipelines alone, by their ids in whole(), ascending: what a race has left,
  /// or any other list. Ids of this space are then positions in it.
  std::vector<std::uint64_t> only = {};
  /// In front of the pipelines, in id order: the empty one, then those of one data set.
  std::vector<Prelude> preludes{Prelude{}};
  friend bool operator==(const Space&, const Space&) = default;

  /// The 24 components in three stages, ZE or RLE in the fourth, five cuts: 138,240 pipelines.
  static Space paper();

  /// Number of ids: of methods, and without preludes of pipelines. Throws Error if it does not fit
  /// in 64 bits.
  std::uint64_t size() const;
  /// Number of pipelines behind each prelude. Throws the same.
  std::uint64_t pipelines() const;
  /// The pipeline of an id; id < size().
  Pipeline at(std::uint64_t id) const;
  /// The pipeline of an id with the prelude in front of it.
  Method method_at(std::uint64_t id) const;
  /// The method of an id, written in digits, or that parse_method() reads. Throws UsageError.
  Method method_named(std::string_view text) const;
  /// The id of a pipeline without a prelude, of a method; nullopt if it is not in the space.
  std::optional<std::uint64_t> id_of(const Pipeline& pipeline) const;
  std::optional<std::uint64_t> id_of(const Method& method) const;
  /// The id of a pipeline that has an id in whole(); nullopt if it is not in the list.
  std::optional<std::uint64_t> id_here(std::uint64_t whole) const;
  /// True if there are preludes besides the empty one.
  bool has_preludes() const { return preludes.size() > 1; }
  /// The same pipelines without preludes.
  Space without_preludes() const;
  /// The space of all pipelines, from which `only` takes some.
  Space whole() const;
  /// The space for words of so many bytes: of bytes that of cut 0, where all stages are on bytes.
  Space for_words(std::size_t word_bytes) const;
  /// All pipelines with one stage fewer; stages > 1.
  Space shorter() const;
  /// Prepends NULs to a shorter pipeline up to the space's length, which does not change its
  /// output. If its cut is before all stages, NULs may be on either side of the cut; the first cut
  /// that the space contains is then used. Returns the pipeline unchanged if it is long enough or
  /// the space has no NUL.
  Pipeline padded(Pipeline pipeline) const;
  /// Checks ranges, duplicates, that the last stages reduce, that the first prelude is empty and
  /// that a list is ascending. Throws Error naming the value.
  void validate() const;
  /// "4 stages, 24 components, 2 last, cuts 0 1 2 3 4: 138240 pipelines", with the length of the
  /// chunks if it is not kChunkWords, "; 70 of them" of a list; then the preludes.
  std::string describe() const;
};

}  // namespace fpsynth::synth
