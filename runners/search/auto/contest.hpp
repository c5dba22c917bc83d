#pragma once
// The contest of preludes and pipelines on samples of an input: many on a few blocks, then those
// that are left on more.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runners/search/auto/effort.hpp"
#include "runners/search/auto/samples.hpp"
#include "runners/search/options.hpp"
#include "synth/pipeline.hpp"
#include "synth/plan.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// A method in the contest. `bytes`: the size of its file, estimated from the sample, times its
/// weight.
struct Contender {
  std::size_t prelude = 0;   ///< its number in the contest
  synth::Pipeline pipeline;  ///< without NUL
  std::size_t chunk_words = synth::kChunkWords;
  double bytes = 0;
};

/// The pipelines of a plan, which are measured together.
class Field {
 public:
  Field(const synth::Space& space, std::size_t word_bytes, const EffortNumbers& numbers,
        const SearchOptions& options);

  std::size_t size() const { return ids_.size(); }
  /// The pipelines that differ, each once, without NUL.
  synth::Pipeline at(std::size_t i) const {
    return synth::without_identities(plan_.space().at(ids_[i]));
  }
  /// The number of a pipeline of the space, which has this id.
  std::size_t number_of(std::uint64_t id) const { return plan_.leaf_of_id()[id]; }
  std::size_t chunk_words() const { return plan_.space().chunk_words; }
  /// The sizes of files, by sample and pipeline, estimated from `blocks` blocks, times the
  /// pipelines' weights.
  std::vector<std::vector<double>> sizes(std::span<const Sample* const> samples,
                                         std::uint64_t blocks) const;

 private:
  synth::Plan plan_;
  std::size_t word_bytes_;
  std::unique_ptr<Engine> engine_;
  std::vector<std::uint64_t> ids_;     ///< by leaf
  std::vector<std::uint32_t> frames_;  ///< by leaf: bytes of a chunk's frame
  std::vector<double> weights_;        ///< by leaf
};

class Contest {
 public:
  using Report = std::function<void(double share)>;

  /// The input and the options must outlive it. `largest`: as Sampler has it.
  Contest(const data::Input& input, const EffortNumbers& numbers, const SearchOptions& options,
          std::uint64_t largest)
      : input_(input), numbers_(numbers), options_(options), sample_of_(input, largest, options) {}

  /// Tries preludes with short pipelines, in rounds. Returns the best, best first.
  std::vector<synth::Prelude> tried(std::vector<synth::Prelude> preludes, const Report& report);

  /// Enters preludes, whose numbers are their places, with samples of `blocks` blocks.
  void enter(const std::vector<synth::Prelude>& preludes, std::uint64_t blocks);
  /// Searches all pipelines behind the preludes, and races longer ones if that is wanted. Returns
  /// the best, in no order.
  std::vector<Contender> searched(const Report& report);
  /// Tries contenders with every length of chunks, in rounds, and others like them. Returns the
  /// best, best first.
  std::vector<Contender> narrowed(const std::vector<Contender>& contenders, const Report& report);

  std::uint64_t blocks_searched() const { return blocks_searched_; }

 private:
  /// Sets the contenders' bytes, estimated from `blocks` blocks.
  void measure(std::span<Contender> contenders, std::uint64_t blocks) const;
  /// As measure(), then level().
  void estimate(std::span<Contender> contenders, std::uint64_t blocks);
  /// Makes the best contender of each prelude, by the bytes that they have now, its reference.
  void set_references(std::span<const Contender> contenders);
  /// Multiplies bytes that were measured on `blocks` blocks by a factor of their prelude: the
  /// reference's bytes on the whole sample divided by its bytes on these blocks. Few blocks behind
  /// one prelude hold other parts of the data than behind another.
  void level(std::span<Contender> contenders, std::uint64_t blocks);
  std::vector<Contender> raced(const Report& report) const;
  /// Contenders that differ from one by a stage.
  std::vector<Contender> like(const Contender& contender) const;

  const data::Input& input_;
  const EffortNumbers& numbers_;
  const SearchOptions& options_;
  Sampler sample_of_;
  std::vector<synth::Prelude> preludes_;
  std::vector<Sample> samples_;  ///< by prelude
  /// By prelude: a contender with its bytes on all of the sample.
  std::vector<Contender> references_;
  /// By the number of blocks: the factors of level(), by prelude.
  std::map<std::uint64_t, std::vector<double>> levels_;
  std::uint64_t blocks_searched_ = 0;
};

}  // namespace fpsynth::search
