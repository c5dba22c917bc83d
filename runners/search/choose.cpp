#include "runners/search/choose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "runners/codec/codec.hpp"
#include "runners/search/search.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {
namespace {

/// The input is compressed in slices of this many bytes, which bounds the memory. Chunks are
/// independent, so the payloads of slices add up to that of the whole.
constexpr std::size_t kSliceBytes = std::size_t{64} << 20;
static_assert(kSliceBytes % (std::ranges::max(synth::kChunkLengths) * 8) == 0,
              "slices consist of whole chunks");

/// Counts the bytes of a container without storing them.
class CountingSink : public codec::PatchableSink {
 public:
  void write(std::span<const std::byte>) override {}
  void patch(std::uint64_t, std::span<const std::byte>) override {}
  void finish() override {}
};

class Chooser {
 public:
  Chooser(const data::Input& input, std::size_t chunk_words, const ChoiceOptions& options)
      : input_(input), word_bytes_(synth::word_bytes(input.native())), options_(options) {
    codec_options_.threads = options.threads;
    codec_options_.stages = options.stages;
    codec_options_.chunk_words = chunk_words;
  }

  /// The containers' sizes on the whole input, smallest first.
  std::vector<Candidate> measured(const std::vector<synth::Pipeline>& pipelines) const {
    std::vector<Candidate> candidates;
    for (const synth::Pipeline& pipeline : pipelines) {
      const double first = double(candidates.size()) / double(pipelines.size());
      Candidate candidate{pipeline, codec::overhead_bytes(pipeline, all().size(), word_bytes_)};
      for_slices([&](std::span<const std::byte> slice, double share) {
        CountingSink sink;
        candidate.bytes +=
            codec::compress(slice, input_.name(), pipeline, word_bytes_, sink, codec_options_) -
            codec::overhead_bytes(pipeline, slice.size(), word_bytes_);
        report(ChoiceProgress::Step::Measuring, first + share / double(pipelines.size()));
      });
      candidates.push_back(candidate);
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::bytes);
    return candidates;
  }

  /// Whether the codec restores the whole input.
  bool restores(const synth::Pipeline& pipeline) const {
    bool good = true;
    try {
      for_slices([&](std::span<const std::byte> slice, double share) {
        if (!good) return;
        codec::ComparingSink sink(slice);
        codec::decompress(codec::compress(slice, pipeline, word_bytes_, codec_options_),
                          input_.name(), sink, codec_options_);
        good = sink.same();
        report(ChoiceProgress::Step::Verifying, share);
      });
    } catch (const Error&) {
      return false;  // the codec refuses its own output
    }
    return good;
  }

 private:
  std::span<const std::byte> all() const { return input_.bytes(); }

  void report(ChoiceProgress::Step step, double share) const {
    if (options_.progress) options_.progress({step, share});
  }

  /// Calls work(slice, share of the input that ends with it).
  template <class Work>
  void for_slices(Work work) const {
    for (std::size_t begin = 0; begin < all().size(); begin += kSliceBytes) {
      const std::size_t end = std::min(all().size(), begin + kSliceBytes);
      work(all().subspan(begin, end - begin), double(end) / double(all().size()));
    }
  }

  const data::Input& input_;
  std::size_t word_bytes_;
  const ChoiceOptions& options_;
  codec::CodecOptions codec_options_;
};

/// The first pipelines of a ranking of which no two are equal by construction.
std::vector<synth::Pipeline> first_distinct(const results::Document& document,
                                            const synth::Plan& plan, std::uint64_t count) {
  std::vector<synth::Pipeline> pipelines;
  std::set<std::uint32_t> leaves;
  for (const std::uint64_t id : document.ranking) {
    if (pipelines.size() == count) break;
    if (leaves.insert(plan.leaf_of_id()[id]).second) pipelines.push_back(plan.space().at(id));
  }
  return pipelines;
}

}  // namespace

Choice choose(const data::Input& input, const synth::Space& space, const ChoiceOptions& options) {
  const synth::Plan plan(space);
  Choice choice;
  choice.pipelines = space.size();
  choice.chunks_total = (input.view().words + space.chunk_words - 1) / space.chunk_words;

  SearchOptions search_options;
  search_options.engine = options.engine;
  search_options.threads = options.threads;
  search_options.stages = options.stages;
  search_options.verification = Verification::parse("none");
  const std::uint64_t chunks = std::max<std::uint64_t>(options.chunks, 1);
  search_options.sample = std::max<std::uint64_t>(1, (choice.chunks_total + chunks - 1) / chunks);
  search_options.progress = [&](const Progress& progress) {
    if (!options.progress) return;
    options.progress({ChoiceProgress::Step::Searching,
                      double(progress.chunks_done) / double(progress.chunks_total)});
  };
  const results::Document document = search(input, plan, search_options);
  choice.chunks_searched = document.run.chunks_done;

  const Chooser chooser(input, space.chunk_words, options);
  choice.candidates = chooser.measured(
      first_distinct(document, plan, std::max<std::uint64_t>(options.candidates, 1)));
  while (!choice.candidates.empty() && !chooser.restores(choice.candidates.front().pipeline)) {
    choice.candidates.erase(choice.candidates.begin());
  }
  input.check_unchanged();
  if (choice.candidates.empty()) {
    throw Error(
        fmt::format("{}: none of the best pipelines restores it, which is a fault of this "
                    "program; name another pipeline, and report it",
                    input.name()));
  }
  return choice;
}

}  // namespace fpsynth::search
