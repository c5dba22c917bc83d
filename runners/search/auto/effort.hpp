#pragma once
// The work that is spent on the choice of a method.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runners/search/structure/structure.hpp"
#include "synth/space.hpp"

namespace fpsynth::search {

enum class Effort { Quick, Normal, Thorough };
inline constexpr Effort kEfforts[] = {Effort::Quick, Effort::Normal, Effort::Thorough};

/// "quick", "normal", "thorough".
std::string_view to_string(Effort effort);
/// Throws UsageError.
Effort parse_effort(std::string_view text);

/// True if a component has tables for each block, as BINS has, whose search takes as long as that
/// of some fifty others.
bool has_tables(const synth::Component& component);

/// A round of a contest: all that are in it are tried on the same blocks, and the best are left.
struct ContestRound {
  std::uint64_t blocks = 0;
  std::size_t left = 0;
  friend bool operator==(const ContestRound&, const ContestRound&) = default;
};

/// Those of the last round of large inputs, in which the whole is not compressed.
inline constexpr std::uint64_t kLargeBlocks = 512;

/// The numbers of an effort. Blocks have as many words as the longest chunk.
struct EffortNumbers {
  /// The pipelines; its chunks are those on which they are searched.
  synth::Space space;
  /// Last components that have tables: behind all pipelines of fewer than `table_stages` stages on
  /// words, they are searched beside `space`.
  std::vector<synth::Component> with_tables;
  unsigned table_stages = 0;
  /// Methods with tables that are left in a round, and from which others grow each time, at most.
  std::size_t tables_left = 0, table_parents = 0;
  /// Lengths of chunks with which the best of them are tried, too.
  std::vector<std::size_t> chunk_lengths;
  std::uint64_t preludes = 0;  ///< that the data may suggest, at most; 0: pipelines alone
  /// The words on which their sizes are estimated before they are tried.
  std::uint64_t structure_words = StructureOptions().sample_words;
  double cut_bits = 0.05;            ///< of a word, that a cut between sections must seem to save
  unsigned trying_stages = 0;        ///< of the pipelines with which preludes are tried
  std::vector<ContestRound> trying;  ///< rounds of the preludes
  std::uint64_t blocks = 0;          ///< on which all pipelines are searched behind those left
  /// Rounds of the methods. The first ones to be left are a pool, from which others grow.
  std::vector<ContestRound> narrowing;
  /// Times that methods like the best ones of the pool, longer by a stage or with another one, are
  /// tried; and the number of the best ones, each time others.
  unsigned extensions = 0;
  std::size_t parents = 0;
  std::uint64_t candidates = 0;  ///< methods that are tried on the whole input
  std::uint64_t of_large = 1;    ///< of a large one, which ContestRound kLargeBlocks chooses
  double least_saving = 0;  ///< the share of the file that a stage must save to be worth its time
  /// The pipelines of a race on so many blocks, behind the best preludes, whose survivors join the
  /// pool; 0: none.
  unsigned race_stages = 0;
  std::uint64_t race_blocks = 0;
  std::size_t race_preludes = 0;

  static EffortNumbers of(Effort effort);
  /// A factor of the size of a file, so that the smaller product is the better method: more with
  /// each stage, and five times that with one that has tables.
  double weight(const synth::Pipeline& pipeline) const;
  /// The spaces that are searched, with pipelines of at most so many stages.
  std::vector<synth::Space> spaces(unsigned most_stages) const;
};

/// The numbers of all efforts up to one, the smallest first; with a length of chunks, of that one
/// alone.
std::vector<EffortNumbers> numbers_up_to(Effort largest, std::optional<std::size_t> chunk_words);

}  // namespace fpsynth::search
