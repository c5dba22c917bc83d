#pragma once
// The contest of preludes and pipelines on samples of an input: many on a few blocks, then those
// that are left on more.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runners/search/choice/effort.hpp"
#include "runners/search/choice/samples.hpp"
#include "runners/search/options.hpp"
#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// A method in the contest, with the size of its file as the sample lets expect it.
struct Contender {
  std::size_t prelude = 0;   ///< its number in the contest
  synth::Pipeline pipeline;  ///< without NUL
  std::size_t chunk_words = synth::kChunkWords;
  double bytes = 0;
};

class Contest {
 public:
  using Report = std::function<void(double share)>;

  /// The input and the options must outlive it.
  Contest(const data::Input& input, const EffortNumbers& numbers, const SearchOptions& options)
      : input_(input), numbers_(numbers), options_(options), transformed_(input, options) {}

  /// Tries preludes with short pipelines, in rounds. Returns the best, best first.
  std::vector<synth::Prelude> tried(std::vector<synth::Prelude> preludes, const Report& report);

  /// Enters preludes, whose numbers are their places, with samples of so many blocks.
  void enter(const std::vector<synth::Prelude>& preludes, std::uint64_t blocks);
  /// Searches or races all pipelines behind the preludes. Returns the best, best first.
  std::vector<Contender> searched(const Report& report);
  /// Tries contenders with every length of chunks, in rounds, and others like them. The same.
  std::vector<Contender> narrowed(std::vector<Contender> contenders, const Report& report);

  std::uint64_t blocks_searched() const { return blocks_searched_; }

 private:
  /// Sets the contenders' bytes, as they are on so many blocks.
  void measure(std::span<Contender> contenders, std::uint64_t blocks) const;
  std::vector<Contender> raced(const Report& report);
  /// Contenders that differ from one by a stage.
  std::vector<Contender> like(const Contender& contender) const;
  std::vector<Contender> rounds(std::vector<Contender> contenders, const Report& report);

  const data::Input& input_;
  const EffortNumbers& numbers_;
  const SearchOptions& options_;
  Transformer transformed_;
  std::vector<synth::Prelude> preludes_;
  std::vector<Sample> samples_;  ///< by prelude
  std::uint64_t blocks_searched_ = 0;
};

}  // namespace fpsynth::search
