#include "runners/search/search.hpp"

#include "runners/codec/format/container.hpp"
#include "runners/search/prelude_search.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done) {
  return search_with_preludes(input, plan, {}, options, done);
}

results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options) {
  results::Document document;
  const std::size_t word_bytes = synth::word_bytes(data.precision);
  const results::Cutting cutting = data.cutting(space.chunk_words);
  document.overhead_bytes =
      data.hdf5 ? cutting.share_of(
                      cutting.parts * codec::overhead_bytes(
                                          space.at(0), cutting.part_words * word_bytes, word_bytes),
                      options.sample)
                : codec::overhead_bytes(space.at(0), data.bytes, word_bytes);
  document.data = std::move(data);
  document.space = space;
  document.run.program_version = synth::kVersion;
  document.run.commit = synth::kCommit;
  document.run.compiler = synth::kCompiler;
  document.run.verification = options.verification.text();
  document.run.sample = options.sample;
  document.race = options.race;
  return document;
}

std::span<const std::byte> chunk_of(const data::Input& input, std::size_t chunk_words,
                                    std::uint64_t sample, std::uint64_t index) {
  const auto [begin, words] = input.cutting(chunk_words).at(index * sample);
  const std::size_t word_bytes = synth::word_bytes(input.native());
  return input.bytes().subspan(begin * word_bytes, words * word_bytes);
}

std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words) {
  std::vector<std::byte> bytes;
  const std::uint64_t chunks = input.cutting(chunk_words).chunks(sample);
  for (std::uint64_t index = 0; index < chunks; ++index) {
    const auto chunk = chunk_of(input, chunk_words, sample, index);
    bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  }
  const auto tail = input.bytes().last(input.view().tail);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

}  // namespace fpsynth::search
