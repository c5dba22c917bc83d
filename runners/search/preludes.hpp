#pragma once
// The search of preludes and pipelines together: candidates are tried on a sample of the chunks of
// the data that they transform, and the best few, beside no prelude, are searched on all chunks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "runners/search/search.hpp"
#include "runners/search/structure/structure.hpp"
#include "synth/plan.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

using Part = std::span<const std::byte>;

/// The parts of an input that are compressed each by itself: all bytes, or those of each HDF5
/// chunk.
std::vector<Part> parts_of(const data::Input& input);

/// The parts of a sample, from which the sizes that a search counts can be checked: for one chunk
/// in `sample`, the chunks and the tail as one part, or each chunk of those within HDF5 chunks.
struct SampledParts {
  SampledParts(const data::Input& input, std::size_t chunk_words, std::uint64_t sample);

  std::vector<std::byte> bytes;  ///< of the parts, if the input has not got them in one piece
  std::vector<Part> parts;
};

/// The sum of work(part, number of the part, options of the codec for it) over all parts, on
/// options.threads threads. Throws what `work` throws.
std::uint64_t sum_over(
    std::span<const Part> parts, const SearchOptions& options,
    const std::function<std::uint64_t(Part, std::size_t, const codec::CodecOptions&)>& work);

/// Bytes of the containers of the parts that are neither frames nor blocks.
std::uint64_t overhead_of(std::span<const Part> parts, const synth::Pipeline& pipeline,
                          std::size_t word_bytes);

/// True if the codec makes files of exactly `file_bytes` in all from parts of data, each cut into
/// chunks of `chunk_words`, and restores the parts from these files.
bool decodes(std::span<const Part> parts, const synth::Method& method, std::size_t word_bytes,
             std::size_t chunk_words, std::uint64_t file_bytes, const SearchOptions& options);

struct TransformedInput {
  /// The input with its words transformed, in memory; with the empty prelude the input itself.
  data::Input input;
  /// Bytes in front of the container of `input` in a file: the prelude's header and its side data.
  std::uint64_t overhead_bytes = 0;
};

/// Applies a prelude to an input, with options.threads and options.stages. Needs memory of twice
/// the input's size, and keeps memory of its size. Throws Error if memory is insufficient or the
/// prelude does not suit the input's words.
TransformedInput transform_input(const data::Input& input, const synth::Prelude& prelude,
                                 const SearchOptions& options);

/// Applies the prelude and undoes it. Returns whether that restored the whole input.
bool restores(const data::Input& input, const synth::Prelude& prelude,
              const SearchOptions& options);

struct PreludeOptions {
  static constexpr std::uint64_t kMostCandidates = 1000;
  static constexpr std::uint64_t kMostFinalists = 100;

  synth::PreludeRequest request;
  std::uint64_t candidates = 32;  ///< that the data may suggest, at most
  std::uint64_t finalists = 4;    ///< preludes that are searched on all chunks, at most
  std::uint64_t chunks = 64;      ///< on which candidates are tried, about, at equal distances
  /// A text that is equal for searches with the same preludes: the request, and the numbers of
  /// candidates and finalists if they are not the default ones.
  std::string text() const;

  /// Called by the calling thread before each candidate, with the number of those that were tried.
  std::function<void(std::size_t tried, std::size_t candidates)> trying;
  /// Tells if a finalist, undone, gives back the whole input. If not given, restores() does.
  std::function<bool(const data::Input&, const synth::Prelude&, const SearchOptions&)> restores;
};

/// The preludes to be tried, and why: the empty one, then those of a request, named ones, or those
/// that find_structure() suggests, with these options. Throws Error if a named one does not suit
/// the input's words.
std::vector<results::PreludeCandidate> wanted_preludes(const data::Input& input,
                                                       const synth::PreludeRequest& request,
                                                       const StructureOptions& options);

/// Preludes that were tried in front of a space's pipelines.
struct TriedPreludes {
  std::vector<results::PreludeCandidate> candidates;  ///< best first; empty if it was stopped
  std::vector<synth::Prelude> finalists;              ///< the empty one first
  results::Run run;                                   ///< how and on what the first one was tried
};

/// Tries the wanted preludes on a sample of the chunks of the transformed data. In large spaces
/// they are tried with shorter pipelines. Throws Error as search() does.
TriedPreludes try_preludes(const data::Input& input, const synth::Space& space,
                           const PreludeOptions& preludes, const SearchOptions& options);

/// search(), with preludes in front of the plan's pipelines as well. The finalists are the named
/// candidates that are best on the sample, or the suggested ones that are better there than no
/// prelude; every finalist is undone and compared with the whole input. The chunks are searched in
/// parts, behind all finalists after each other, so that what a document counts is of the same
/// chunks behind each. `done` brings its finalists along. A part (options.part) is searched behind
/// the finalists of the whole; a prelude that does not give back the input counts as a failure with
/// the last chunk, once in all parts together. Memory: the input as often as there are
/// finalists, but of more than kMostKept bytes in all only twice.
results::Document search_with_preludes(const data::Input& input, const synth::Plan& plan,
                                       const PreludeOptions& preludes, const SearchOptions& options,
                                       const results::Document* done = nullptr);

/// Transformed inputs are kept between the parts of a search if they are not larger than this;
/// otherwise they are made again for each part.
inline constexpr std::size_t kMostKept = std::size_t{1} << 30;

}  // namespace fpsynth::search
