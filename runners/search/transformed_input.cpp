#include "runners/search/transformed_input.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "runners/search/parts.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {
TransformedInput transform_input(const data::Input& input, const synth::Prelude& prelude,
                                 const SearchOptions& options) {
  if (prelude.empty()) return {input, 0};
  const std::size_t word_bytes = synth::word_bytes(input.native());
  const std::vector<Part> parts = parts_of(input);
  std::vector<std::byte> words;
  if (parts.size() > 1) words.resize(input.bytes().size());
  const std::uint64_t overhead = sum_over(
      parts, options, [&](Part part, std::size_t number, const codec::CodecOptions& codec) {
        codec::Transformed transformed = codec::transform(part, prelude, word_bytes, codec);
        const std::uint64_t bytes = transformed.overhead_bytes();
        if (parts.size() == 1) {
          words = std::move(transformed.bytes);
        } else {
          std::ranges::copy(transformed.bytes,
                            words.begin() + std::ptrdiff_t(number * part.size()));
        }
        return bytes;
      });
  return {input.with_words(std::move(words)), overhead};
}

bool restores(const data::Input& input, const synth::Prelude& prelude,
              const SearchOptions& options) {
  if (prelude.empty()) return true;
  const std::size_t word_bytes = synth::word_bytes(input.native());
  const std::uint64_t wrong = sum_over(
      parts_of(input), options,
      [&](Part part, std::size_t, const codec::CodecOptions& codec) -> std::uint64_t {
        codec::Transformed transformed = codec::transform(part, prelude, word_bytes, codec);
        const std::vector<std::span<const std::byte>> side(transformed.side.begin(),
                                                           transformed.side.end());
        try {
          codec::restore(transformed.bytes, prelude, word_bytes, side, input.name(), codec);
        } catch (const Error&) {
          return 1;  // the codec refuses its own output
        }
        return std::ranges::equal(transformed.bytes, part) ? 0 : 1;
      });
  return wrong == 0;
}

double Trial::estimated_bytes() const {
  return document.run.complete && !document.ranking.empty()
             ? estimated_bytes(document.ranking.front())
             : std::numeric_limits<double>::infinity();
}

Trial try_prelude(const data::Input& input, const synth::Prelude& prelude, const synth::Plan& plan,
                  std::uint64_t chunks, const SearchOptions& options) {
  const TransformedInput transformed = transform_input(input, prelude, options);
  const results::Cutting cutting = transformed.input.cutting(plan.space().chunk_words);
  SearchOptions sampling = options;
  sampling.verification = Verification::parse("none");
  sampling.sample = std::max<std::uint64_t>(1, (cutting.chunks() + chunks - 1) / chunks);
  while (!cutting.takes_all_places(sampling.sample)) ++sampling.sample;
  sampling.part.reset();
  sampling.peers = nullptr;
  sampling.checkpoint = nullptr;
  Trial trial{prelude, search(transformed.input, plan, sampling), 1, transformed.overhead_bytes};
  trial.overhead_bytes += trial.document.overhead_bytes;
  if (trial.document.run.complete) {
    trial.scale = double(cutting.words()) / double(cutting.words_in(sampling.sample));
  }
  return trial;
}

}  // namespace fpsynth::search
