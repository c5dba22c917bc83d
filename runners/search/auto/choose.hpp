#pragma once
// The choice of a method for one input that is to be compressed, or for each of its sections: a
// search on a sample of its chunks, behind the preludes that suit it, then the best methods on all
// of it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "components/stage_table.hpp"
#include "runners/data/input.hpp"
#include "runners/search/auto/effort.hpp"
#include "runners/search/engine.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

struct ChoiceProgress {
  enum class Step {
    Trying,     ///< preludes, with shorter pipelines, on the sample
    Searching,  ///< all pipelines on the sample, behind each of the best preludes
    Narrowing,  ///< the best of them, and others like them, on larger samples
    Measuring,  ///< the candidates on the whole input
    Verifying,  ///< the winner, compressed and decompressed
  };
  Step step = Step::Searching;
  double share = 0;  ///< of the step, 0 to 1
};

struct ChoiceOptions {
  /// Creates the engine that walks the sample; null: the CPU's, with `threads` and `stages`.
  EngineFactory engine;
  int threads = 0;  ///< 0: as many as OpenMP has
  EffortNumbers numbers = EffortNumbers::of(Effort::Normal);
  /// Those of smaller efforts, the smallest first, whose winners no file is to be larger than.
  std::vector<EffortNumbers> smaller = {};
  /// Most bytes of an input with preludes, behind which it is held in memory; 0: half of the
  /// machine's memory.
  std::uint64_t largest_with_preludes = 0;
  /// The sections that choose_sections() looks for: between cuts, the columns of a table.
  bool cuts = true, columns = false;
  /// True if files are to be compact (codec::compacted()); choose_for() leaves it to small inputs.
  bool compact = false;
  /// Of larger inputs, samples alone decide, and EffortNumbers::of_large methods are tried on all.
  std::uint64_t largest_tried = std::uint64_t{32} << 20;
  /// The stages that the processor runs; null: components::default_stages().
  const components::StageTable* stages = nullptr;
  /// Called now and then by the calling thread.
  std::function<void(const ChoiceProgress&)> progress;
};

/// The most bytes of an input that is held in memory for preludes.
std::uint64_t most_held(const ChoiceOptions& options);

struct Candidate {
  synth::Method method;
  std::size_t chunk_words = synth::kChunkWords;
  std::uint64_t bytes = 0;  ///< of the file that codec::compress() makes of the whole input
  std::size_t effort = 0;   ///< the number of the smallest effort that tries it
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Choice {
  /// Those of the effort and of smaller ones. The smallest container first, times
  /// EffortNumbers::weight(), then in the order of the sample's ranking; those that are larger than
  /// what a smaller effort chooses come last. The first one's chunks have been decoded and compared
  /// with the input, all of them, and its prelude undone. Not empty.
  std::vector<Candidate> candidates;
  std::vector<std::uint64_t> smaller_bytes;  ///< of the files that smaller efforts choose
  // Of the effort alone:
  std::uint64_t pipelines = 0;  ///< searched, all that the space has
  std::uint64_t preludes = 0;   ///< tried, without the empty one
  /// The preludes behind which all pipelines were searched, best first.
  std::vector<synth::Prelude> finalists;
  bool too_large = false;                               ///< for preludes
  std::uint64_t blocks_searched = 0, blocks_total = 0;  ///< of kBlockWords words
};

/// Chooses, from pipelines alone and behind preludes, the method to compress `input` with. An
/// effort is spent where it pays: on samples first, and on what led there. Memory: without
/// preludes, as much for every input; with them, the input once. Throws Error if the input has no
/// whole word, if it changes meanwhile, and if no candidate restores it.
Choice choose(const data::Input& input, const ChoiceOptions& options);

/// A run of words of an input, and the choice of its method.
struct ChosenSection {
  std::uint64_t words = 0;
  Choice choice;
};

struct SectionChoice {
  synth::Prelude before;  ///< of all words together: makes rows of a table columns
  /// In their order, all words of the input; one if sections do not pay.
  std::vector<ChosenSection> sections;
  std::uint64_t bytes = 0;  ///< of the file that codec::compress_sections() makes of the input
  std::vector<std::uint64_t> smaller_bytes;  ///< of those that smaller efforts choose
  /// The best for all of the input in one, if there are several sections that were looked for.
  std::optional<Candidate> single;
};

/// Chooses the method of each section behind a prelude on all words; what an effort tries is shared
/// among them. `lengths`: their words, all those of the input, which has some. Throws what choose()
/// throws.
SectionChoice choose_for(const data::Input& input, std::span<const std::uint64_t> lengths,
                         const ChoiceOptions& options, const synth::Prelude& before = {});

/// Looks, with little effort, for sections with a method each that save a relevant share of the
/// bytes, where the statistics of the words change. If there are several, spends the whole effort
/// on them and on the input in one, and returns the sections if they still save that share, or save
/// anything and saved that share with a smaller effort. So it does with the columns of a table, if
/// find_columns() says that it is one. Throws what choose() throws.
SectionChoice choose_sections(const data::Input& input, const ChoiceOptions& options);

}  // namespace fpsynth::search
