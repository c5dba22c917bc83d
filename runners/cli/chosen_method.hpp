#pragma once
// Methods that commands choose: the winner of an earlier search (--best DATASET --runs DIR), or one
// that is searched for the input (`compress auto`).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runners/cli/arguments.hpp"
#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "runners/search/auto/choose.hpp"
#include "synth/common/precision.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {

/// The options --best and --runs.
struct BestOption {
  std::optional<std::string> best;  ///< a data set
  std::optional<std::string> runs;  ///< the directory of a study's results

  /// Throws UsageError unless exactly one of a pipeline and --best is given; `doing` is "generate".
  void check(const std::string& pipeline, const std::string& doing) const;
};
void add_best(Command command, BestOption& option);
/// --chunk-words, for commands that have --best.
void add_chunk_words(Command command, std::optional<std::string>& option);

struct BestPipeline {
  synth::Method method;
  synth::Precision precision = synth::Precision::Double;  ///< that was searched
  double ratio = 0;                                       ///< that the search found
  std::string origin;                                     ///< a sentence on what it found
  std::size_t chunk_words = synth::kChunkWords;           ///< that the search ran on
  std::vector<std::uint64_t> hdf5_chunk = {};             ///< extents, if it was within HDF5 chunks
};

/// The first method of the ranking for the data set that the option names, which must have been
/// given. `precision` may be left out if the set was searched in one only. Throws UsageError if
/// there is no such set, and Error if the directory has no results or none of the set yet.
BestPipeline best_pipeline(const BestOption& option, std::optional<synth::Precision> precision);

/// The first `count` methods of different sizes, fewer if there are no more: for the data set that
/// the option names; without one, pipelines by harmonic mean over all data sets. The origin of the
/// first is that of all. Throws as best_pipeline() does.
std::vector<BestPipeline> best_pipelines(const BestOption& option,
                                         std::optional<synth::Precision> precision,
                                         std::size_t count);

/// The method that was typed: its text, or an id of the paper's space, which it then says on
/// standard error. Throws UsageError.
synth::Method typed_method(const std::string& text);
/// Those that were typed: one, or with semicolons between them one for each section.
std::vector<synth::Method> typed_methods(const std::string& text);

/// Typed instead of a pipeline.
inline constexpr const char* kAuto = "auto";

struct AutoOptions {
  std::string effort = "normal";
  std::optional<std::uint64_t> chunks, candidates, preludes;  ///< the effort's, if not given
  bool no_preludes = false;

  /// Sets the numbers of the effort, and of those smaller than it, with what is given; with a
  /// length of chunks, of that one alone.
  void set(search::ChoiceOptions& options, const std::optional<std::string>& chunk_words) const;
};
/// The values of --effort.
std::vector<std::string> effort_names();
void add_auto(Command command, AutoOptions& options);

/// The option --sections.
struct SectionsOption {
  std::string text = "auto";

  /// The words of each section of an input that is named so: those that were typed, and as a last
  /// one the rest. All are in one for "none", and nothing is known of them for "auto". Throws
  /// UsageError for another text, and for more words than the input has or sections than a file.
  std::optional<std::vector<std::uint64_t>> lengths(const data::Input& input) const;
};
void add_sections(Command command, SectionsOption& option);

/// The sections of an input, with one method each, or the same. Throws UsageError, as
/// SectionsOption does, and for another number of methods.
std::vector<codec::Section> typed_sections(const data::Input& input,
                                           const std::vector<synth::Method>& methods,
                                           std::size_t chunk_words, const SectionsOption& sections);

/// Sections, and the prelude of all of them together, if there is one.
struct WantedSections {
  std::vector<codec::Section> sections;
  synth::Prelude before = {};
};

/// The sections of an input and their methods, as search::choose_for() or choose_sections() finds
/// them. Shows progress, then prints on standard error which they are and
/// by how much each method beats the next one, with `verbose` all candidates. For an input without
/// a whole word, any pipeline. `threads` as in search::ChoiceOptions. Throws what choose() throws.
WantedSections auto_sections(const data::Input& input, const search::EngineFactory& engine,
                             int threads, const AutoOptions& automatic,
                             const std::optional<std::string>& chunk_words,
                             const SectionsOption& sections, bool verbose);

}  // namespace fpsynth::cli
