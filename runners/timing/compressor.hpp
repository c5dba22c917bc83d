#pragma once
// The interface of everything that `compare` and the sweeps time: our compressors and other
// projects' ("peers"). A copy in memory and our pipelines are such compressors; so that they can be
// timed beside a GPU's, each is also a TimedCodec.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/value_type.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::timing {

/// A compressor with its parameters set. One thread at a time may call the functions, any number of
/// times; they use `threads` threads themselves. They throw fpsynth::Error for data that the format
/// cannot hold and for files in other formats.
struct Compressor {
  std::string name;     ///< as in the papers' tables: "bzip2 --best", "pFPC -1M", "GFC", "MPC"
  std::string version;  ///< of the library, or of fpsynth
  int threads = 1;      ///< number that compress and decompress use
  /// No fewer bytes are timed, where the data have them: those of tables, which it clears for each
  /// file, however short.
  std::size_t least_timed_bytes = 0;
  /// Those it can compress.
  std::vector<synth::Precision> precisions = {std::begin(synth::kPrecisions),
                                              std::end(synth::kPrecisions)};
  /// Replaces the contents of `file` by the whole compressed file of `input` (little-endian words
  /// of a precision). Callers that compress repeatedly pass the same vector, so that its memory is
  /// reused.
  std::function<void(std::span<const std::byte> input, synth::Precision,
                     std::vector<std::byte>& file)>
      compress;
  /// Restores the input of a file to `original`, which has the input's size.
  std::function<void(std::span<const std::byte> file, synth::Precision,
                     std::span<std::byte> original)>
      decompress;
  /// The same compressor for another kind of values; empty if words are words to it.
  std::function<Compressor(synth::ValueKind)> of_kind = {};

  bool supports(synth::Precision precision) const {
    return std::ranges::find(precisions, precision) != precisions.end();
  }
};

/// Throws Error unless the original of a file has as many bytes as the buffer for it.
void expect_original_bytes(std::string_view name, std::size_t original, std::size_t buffer);

/// "memcpy", on a number of threads: a plain copy, the first row of every table of throughputs. It
/// shows the cost of memory and of this interface, which is an upper bound for the others.
Compressor memory_copy(int threads = 1);

/// Sections that make the files of `fpsynth compress`, on a number of threads (0: as many as OpenMP
/// has). The last one takes all words that an input has behind the others; of a shorter input,
/// those that it reaches are left. `before`: a prelude of all together. `compact`: as auto has it.
Compressor sections_compressor(std::vector<codec::Section> sections, std::string name,
                               int threads = 0, const synth::Prelude& before = {},
                               bool compact = false);
/// A method with chunks of so many words: one section.
Compressor pipeline_compressor(const synth::Method& method, std::string name, int threads = 0,
                               std::size_t chunk_words = synth::kChunkWords);

/// A compressor as a codec that can be timed. It keeps the memory of the compressed file from run
/// to run.
std::unique_ptr<TimedCodec> timed_compressor(Compressor compressor, synth::Precision precision);

}  // namespace fpsynth::timing
