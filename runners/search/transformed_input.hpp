#pragma once
// An input with a prelude applied, on which pipelines are searched; and the trial of a prelude.

#include <cstddef>
#include <cstdint>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/search.hpp"
#include "synth/plan.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

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

/// All pipelines of a plan on a sample of the chunks of an input behind a prelude.
struct Trial {
  synth::Prelude prelude;
  results::Document document;        ///< of the sample, of the transformed data
  double scale = 1;                  ///< bytes of all words / those of the sample's
  std::uint64_t overhead_bytes = 0;  ///< of the whole file: headers, side data and tail

  /// Bytes that the whole file would have if all chunks were as the sample is.
  double estimated_bytes(std::uint64_t id) const {
    return double(document.payload_bytes[id]) * scale + double(overhead_bytes);
  }
  /// The same with the best pipeline; infinite if the search was stopped.
  double estimated_bytes() const;
};

/// Tries about `chunks` chunks at equal distances, without verification. options: the engine,
/// threads, stages, stop and progress. Throws what transform_input() and search() throw.
Trial try_prelude(const data::Input& input, const synth::Prelude& prelude, const synth::Plan& plan,
                  std::uint64_t chunks, const SearchOptions& options);

}  // namespace fpsynth::search
