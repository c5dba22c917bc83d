#include "runners/repack/choice.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/data/input.hpp"
#include "runners/data/reading.hpp"
#include "runners/repack/chunks.hpp"
#include "synth/common/value_type.hpp"
#include "synth/space.hpp"

namespace fpsynth::repack {
namespace {

using data::Extents;
using synth::Precision;

/// The most bytes of a sample, and of the part of it behind which preludes are tried; one chunk at
/// least.
constexpr std::uint64_t kSampleBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kPreludeBytes = std::uint64_t{1} << 20;

class Sample {
 public:
  Sample(data::StoredFile& file, const data::StoredDataset& dataset, const Extents& chunk)
      : dataset_(dataset), chunk_(chunk), bytes_(volume(chunk) * dataset.word_bytes) {
    const std::uint64_t all = chunks_of(dataset.extents, chunk);
    count_ = std::clamp<std::uint64_t>(kSampleBytes / bytes_, 1, all);
    values_.resize(count_ * bytes_);
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t index = (2 * i + 1) * all / (2 * count_);
      file.read(dataset, origin_of(index, dataset.extents, chunk), chunk,
                std::span(values_).subspan(i * bytes_, bytes_));
    }
    stored_ = values_;
    if (dataset.big_endian) data::swap_words(values_, precision());
  }

  std::uint64_t bytes() const { return values_.size(); }

  /// The chunks one behind another, of which those in the middle have at most so many bytes.
  data::Input input(std::uint64_t most) const {
    const std::uint64_t count = std::clamp<std::uint64_t>(most / bytes_, 1, count_);
    const std::uint64_t first = (count_ - count) / 2;
    Extents shape = chunk_;
    shape[0] *= count;
    // Integers are told from floats, because not all preludes are for them.
    const auto type = synth::type_called(dataset_.type, &synth::NamedType::name);
    return data::Input::borrowed(dataset_.name(),
                                 std::span(values_).subspan(first * bytes_, count * bytes_),
                                 type.value_or(precision()))
        .shaped(shape);
  }

  /// The bytes that the filter stores; of a chunk that it would make larger, those of the chunk.
  std::uint64_t packed(const synth::Method& method, const codec::CodecOptions& options) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const auto chunk = std::span(values_).subspan(i * bytes_, bytes_);
      sum += std::min<std::uint64_t>(
          codec::compress(chunk, method, dataset_.word_bytes, options).size(), bytes_);
    }
    return sum;
  }

  std::uint64_t gzip() const {
    Extents extents = chunk_;
    extents[0] *= count_;
    return data::stored_functions().deflated_bytes(stored_, dataset_.word_bytes, extents, chunk_,
                                                   kGzipLevel);
  }

 private:
  Precision precision() const {
    return dataset_.word_bytes == 8 ? Precision::Double : Precision::Single;
  }

  const data::StoredDataset& dataset_;
  const Extents& chunk_;
  std::uint64_t bytes_, count_ = 0;         ///< of a chunk; chunks
  std::vector<std::byte> values_, stored_;  ///< little-endian, and in the order of the file
};

}  // namespace

Sampled choose(data::StoredFile& file, const data::StoredDataset& dataset, const Extents& chunk,
               const std::optional<synth::Method>& given, const search::ChoiceOptions& options,
               std::size_t chunk_words) {
  const Sample sample(file, dataset, chunk);
  std::vector<search::Candidate> candidates;
  if (given) {
    synth::check(given->prelude, dataset.word_bytes);
    candidates.push_back({*given, chunk_words, 0});
  } else {
    const auto search = [&](const data::Input& input, std::uint64_t preludes) {
      search::ChoiceOptions now = options;
      now.numbers.preludes = preludes;
      for (search::EffortNumbers& numbers : now.smaller) {
        numbers.preludes = std::min(numbers.preludes, preludes);
      }
      for (const search::Candidate& candidate : search::choose(input, now).candidates) {
        candidates.push_back(candidate);
      }
    };
    search(sample.input(kSampleBytes), 0);
    const std::uint64_t preludes = options.numbers.preludes;
    if (preludes > 0) search(sample.input(kPreludeBytes), preludes);
  }
  codec::CodecOptions codec;
  codec.threads = options.threads;
  Sampled best;
  for (const auto& [method, words, bytes] : candidates) {
    codec.chunk_words = words;
    const std::uint64_t packed = sample.packed(method, codec);
    if (best.bytes == 0 || packed < best.packed) best = {method, words, sample.bytes(), packed, 0};
  }
  best.gzip = sample.gzip();
  return best;
}

}  // namespace fpsynth::repack
