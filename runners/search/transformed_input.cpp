#include "runners/search/transformed_input.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "runners/codec/codec.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {
namespace {

codec::CodecOptions codec_options(const SearchOptions& options) {
  codec::CodecOptions codec;
  codec.threads = options.threads;
  codec.stages = options.stages;
  return codec;
}

}  // namespace

TransformedInput transform_input(const data::Input& input, const synth::Prelude& prelude,
                                 const SearchOptions& options) {
  if (prelude.empty()) return {input, 0};
  codec::Transformed transformed = codec::transform(
      input.bytes(), prelude, synth::word_bytes(input.native()), codec_options(options));
  const std::uint64_t overhead = transformed.overhead_bytes();
  return {data::Input(input.name(), std::move(transformed.bytes), input.native()), overhead};
}

bool restores(const data::Input& input, const synth::Prelude& prelude,
              const SearchOptions& options) {
  if (prelude.empty()) return true;
  const std::size_t word_bytes = synth::word_bytes(input.native());
  codec::Transformed transformed =
      codec::transform(input.bytes(), prelude, word_bytes, codec_options(options));
  const std::vector<std::span<const std::byte>> side(transformed.side.begin(),
                                                     transformed.side.end());
  try {
    codec::restore(transformed.bytes, prelude, word_bytes, side, input.name(),
                   codec_options(options));
  } catch (const Error&) {
    return false;  // the codec refuses its own output
  }
  return std::ranges::equal(transformed.bytes, input.bytes());
}

double Trial::estimated_bytes() const {
  return document.run.complete && !document.ranking.empty()
             ? estimated_bytes(document.ranking.front())
             : std::numeric_limits<double>::infinity();
}

Trial try_prelude(const data::Input& input, const synth::Prelude& prelude, const synth::Plan& plan,
                  std::uint64_t chunks, const SearchOptions& options) {
  const TransformedInput transformed = transform_input(input, prelude, options);
  const data::View view = transformed.input.view();
  const std::uint64_t chunk_words = plan.space().chunk_words;
  const std::uint64_t total = results::chunks_of(view.words, 1, chunk_words);
  SearchOptions sampling = options;
  sampling.verification = Verification::parse("none");
  sampling.sample = std::max<std::uint64_t>(1, (total + chunks - 1) / chunks);
  sampling.part.reset();
  sampling.checkpoint = nullptr;
  Trial trial{prelude, search(transformed.input, plan, sampling), 1, transformed.overhead_bytes};
  trial.overhead_bytes += trial.document.overhead_bytes;
  if (trial.document.run.complete) {
    const double all = double(view.words) * double(synth::word_bytes(input.native()));
    trial.scale = all / double(trial.document.sampled_bytes - view.tail);
  }
  return trial;
}

}  // namespace fpsynth::search
