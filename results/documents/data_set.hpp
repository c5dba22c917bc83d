#pragma once
// The description of a data set, which is the same in every kind of document.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/documents/cutting.hpp"
#include "synth/common/precision.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::results {

using synth::kPaperPrecisions;
using synth::kPrecisions;

/// The source of synthetic sets.
inline constexpr const char* kSyntheticSource = "made by fpsynth";

/// A data set in one precision.
struct DataSet {
  std::string name;
  std::uint64_t bytes = 0;   ///< original bytes in this precision, including the tail
  std::uint64_t values = 0;  ///< whole words
  std::string xxh3;          ///< XXH3-64 of the original bytes, 16 lower-case hex digits
  synth::Precision precision = synth::Precision::Double;  ///< of words of the size of its own
  std::string type;    ///< of integers, "int32"; empty for floats, whose precision says it
  std::string source;  ///< FILE or FILE:VARIABLE as it was named, or how the data was made
  std::string file;    ///< the same with an absolute path; empty if none, and in old documents
  std::uint64_t tail_bytes = 0;         ///< bytes after the last whole word
  bool big_endian = false;              ///< a raw file's words are big-endian
  std::uint64_t offset = 0;             ///< bytes of a raw file before its values
  std::uint64_t count = 0;              ///< so many of the file's values, the first ones; 0 for all
  std::optional<Hdf5Chunks> hdf5 = {};  ///< in which the values were searched, each by itself

  Cutting cutting(std::size_t chunk_words) const {
    if (hdf5) return {hdf5->count(), hdf5->words(), chunk_words};
    return {1, values, chunk_words};
  }
  /// The values among the first `words` words that are cut; all but what pads HDF5 chunks.
  std::uint64_t values_in(std::uint64_t words) const {
    return hdf5 ? hdf5->values_in(words / hdf5->words(), words % hdf5->words()) : words;
  }

  static void list(auto& fields, auto& data) {
    fields("name", data.name, "bytes", data.bytes, "values", data.values, "tail_bytes",
           data.tail_bytes);
    fields("xxh3", data.xxh3);
    fields("precision", data.precision, "source", data.source);
    fields.optional("type", data.type);
    fields.optional("file", data.file);
    fields.optional_word("endian", "big", data.big_endian);
    fields.optional_some("offset", data.offset);
    fields.optional_some("count", data.count);
    fields.optional("hdf5", data.hdf5);
  }
  friend bool operator==(const DataSet&, const DataSet&) = default;
};

/// The number of chunks of `chunk_words` words in so many values that are searched if one in
/// `sample` is.
std::uint64_t chunks_of(std::uint64_t values, std::uint64_t sample,
                        std::size_t chunk_words = synth::kChunkWords);

/// The precision of the data for people, or the type of integers: "double", "int32".
std::string_view precision_text(const DataSet& data);

/// "num_plasma (double)".
std::string label(const DataSet& data);

/// Throws Error if a field is inconsistent, alone or with another field; it names the field, as a
/// member of "dataset".
void validate(const DataSet& data);
/// Throws UsageError if a name of data or of a study cannot be a file name; `of` is "data set" or
/// "study". Names have at most 200 bytes: endings and those of temporary files come behind them.
void check_name(std::string_view of, std::string_view name);

}  // namespace fpsynth::results
