#include "runners/search/auto/choose.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "runners/codec/codec.hpp"
#include "runners/codec/compact.hpp"
#include "runners/codec/prelude_files.hpp"
#include "runners/search/auto/contest.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/search.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/memory.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {
namespace {

/// The input is compressed in slices of this many bytes, which bounds the memory. Chunks are
/// independent, so the payloads of slices add up to that of the whole.
constexpr std::size_t kSliceBytes = std::size_t{64} << 20;
/// Longer chunks than those that are searched are tried if they have at most so many bytes.
constexpr std::size_t kLongestBytes = std::size_t{128} << 10;
static_assert(kSliceBytes % (std::ranges::max(synth::kChunkLengths) * 8) == 0,
              "slices consist of whole chunks");

class Chooser {
 public:
  Chooser(const data::Input& input, const ChoiceOptions& options)
      : input_(input), word_bytes_(synth::word_bytes(input.native())), options_(options) {}

  /// Sets the files' sizes on the whole input.
  void measure(std::vector<Candidate>& candidates) const {
    std::vector<Candidate*> by_prelude;
    for (Candidate& candidate : candidates) by_prelude.push_back(&candidate);
    std::ranges::stable_sort(by_prelude, {}, [](auto* one) { return one->method.prelude; });
    std::optional<Behind> behind;
    for (std::size_t i = 0; i < by_prelude.size(); ++i) {
      Candidate& candidate = *by_prelude[i];
      const auto progress = [&](const auto&, const auto&, double share) {
        report(ChoiceProgress::Step::Measuring, (double(i) + share) / double(by_prelude.size()));
      };
      if (options_.compact) {
        candidate.bytes = compact_bytes(candidate);
        progress(0, 0, 1);
        continue;
      }
      if (i == 0 || by_prelude[i - 1]->method.prelude != candidate.method.prelude) {
        behind.reset();
        behind.emplace(behind_of(candidate.method.prelude));
      }
      compress(*behind, candidate, progress);
    }
  }

  /// Returns whether the codec restores the whole input, and sets the file's size.
  bool restores(Candidate& candidate) const {
    const synth::Method& method = candidate.method;
    const codec::CodecOptions options = codec_options(candidate);
    Behind behind = behind_of(method.prelude);
    bool good = true;
    try {
      compress(behind, candidate, [&](const auto& slice, const auto& file, double share) {
        codec::ComparingSink sink(slice);
        codec::decompress(file, input_.name(), sink, options);
        good = good && sink.same();
        report(ChoiceProgress::Step::Verifying, share);
      });
      if (options_.compact) candidate.bytes = compact_bytes(candidate);
      if (!good || !behind.words) return good;
      const std::span<std::byte> words = behind.words->bytes();
      const std::vector<std::span<const std::byte>> side(behind.side.begin(), behind.side.end());
      codec::restore(words, method.prelude, word_bytes_, side, input_.name(), options);
      for (std::size_t at = 0; at < words.size() && good; at += kSliceBytes) {
        const auto part = input_.bytes().subspan(at, std::min(kSliceBytes, words.size() - at));
        good = std::memcmp(words.data() + at, part.data(), part.size()) == 0;
        release_mapped(part);
      }
    } catch (const Error&) {
      return false;  // the codec refuses its own output
    }
    return good;
  }

 private:
  std::uint64_t compact_bytes(const Candidate& candidate) const {
    return codec::compacted(codec::compress(input_.bytes(), candidate.method, word_bytes_,
                                            codec_options(candidate)))
        .size();
  }

  /// The words behind a prelude, without one the input's, and the bytes in front of their
  /// container.
  struct Behind {
    std::span<const std::byte> bytes;
    std::optional<codec::LargeBuffer> words = {};
    codec::SideSections side = {};
    std::uint64_t overhead_bytes = 0;
  };
  Behind behind_of(const synth::Prelude& prelude) const {
    Behind behind{input_.bytes()};
    if (prelude.empty()) return behind;
    try {
      behind.words.emplace(input_.bytes().size());
      std::uint64_t checksum = 0;
      behind.side = codec::transform_to(input_.bytes(), behind.words->bytes(), prelude, word_bytes_,
                                        input_.name(), codec_options({}), &checksum);
      behind.bytes = behind.words->bytes();
      codec::Transformed kept{{}, std::move(behind.side)};
      behind.overhead_bytes = kept.overhead_bytes();
      behind.side = std::move(kept.side);
    } catch (const std::bad_alloc&) {
      codec::refuse_for_memory(input_.name(), prelude, input_.bytes().size());
    }
    return behind;
  }

  /// Sets the file's size, and calls use(slice of the words, its container, share of the bytes that
  /// ends with it).
  template <class Use>
  void compress(const Behind& behind, Candidate& candidate, const Use& use) const {
    const synth::Pipeline& pipeline = candidate.method.pipeline;
    const auto overhead = [&](std::size_t bytes) {
      return codec::overhead_bytes(pipeline, bytes, word_bytes_);
    };
    const std::span<const std::byte> all = behind.bytes;
    candidate.bytes = behind.overhead_bytes + overhead(all.size());
    for (std::size_t begin = 0; begin < all.size(); begin += kSliceBytes) {
      const auto slice = all.subspan(begin, std::min(kSliceBytes, all.size() - begin));
      const std::vector<std::byte> file =
          codec::compress(slice, pipeline, word_bytes_, codec_options(candidate));
      candidate.bytes += file.size() - overhead(slice.size());
      use(slice, file, double(begin + slice.size()) / double(all.size()));
      release_mapped(slice);
    }
  }

  codec::CodecOptions codec_options(const Candidate& candidate) const {
    codec::CodecOptions options;
    options.threads = options_.threads;
    options.stages = options_.stages;
    options.chunk_words = candidate.chunk_words;
    return options;
  }

  void report(ChoiceProgress::Step step, double share) const {
    if (options_.progress) options_.progress({step, share});
  }

  const data::Input& input_;
  std::size_t word_bytes_;
  const ChoiceOptions& options_;
};

/// The preludes that are to be tried, the empty one first.
std::vector<synth::Prelude> wanted(const data::Input& input, const ChoiceOptions& options,
                                   const EffortNumbers& numbers, Choice& choice) {
  std::vector<synth::Prelude> preludes = {synth::Prelude{}};
  choice.too_large = numbers.preludes > 0 && input.bytes().size() > most_held(options);
  if (numbers.preludes == 0 || choice.too_large || input.view().words == 0) {
    return preludes;
  }
  synth::PreludeRequest request;
  request.kind = synth::PreludeRequest::Kind::Found;
  preludes.clear();
  const StructureOptions structure{.candidates = numbers.preludes,
                                   .sample_words = numbers.structure_words};
  for (const auto& one : wanted_preludes(input, request, structure)) {
    preludes.push_back(one.prelude);
  }
  choice.preludes = preludes.size() - 1;
  return preludes;
}

/// The methods of an effort that are tried on the whole input. Sets the figures of the effort in
/// the choice.
std::vector<Candidate> finalists(const data::Input& input, const ChoiceOptions& options,
                                 EffortNumbers numbers, const SearchOptions& search_options,
                                 Choice& choice) {
  numbers.space = numbers.space.for_words(synth::word_bytes(input.native()));
  const bool large = input.bytes().size() > options.largest_tried;
  const std::uint64_t most = large ? numbers.of_large : numbers.candidates;
  if (large && !numbers.narrowing.empty()) numbers.narrowing.push_back({kLargeBlocks, most});
  const auto report = [&](ChoiceProgress::Step step) {
    return [&, step](double share) {
      if (options.progress) options.progress({step, share});
    };
  };
  choice.pipelines = choice.preludes = 0;
  for (const synth::Space& space : numbers.spaces(numbers.space.stages)) {
    choice.pipelines += space.size();
  }
  Contest contest(input, numbers, search_options, options.largest_tried);
  choice.finalists =
      contest.tried(wanted(input, options, numbers, choice), report(ChoiceProgress::Step::Trying));
  std::uint64_t blocks = std::max(numbers.blocks, numbers.race_blocks);
  for (const ContestRound& round : numbers.narrowing) blocks = std::max(blocks, round.blocks);
  contest.enter(choice.finalists, blocks);
  std::vector<Contender> best =
      contest.narrowed(contest.searched(report(ChoiceProgress::Step::Searching)),
                       report(ChoiceProgress::Step::Narrowing));
  choice.blocks_searched = contest.blocks_searched();
  choice.blocks_total = Places(input.view().words, 0).all();
  // Of one prelude first no more than half: many of its pipelines are nearly the same.
  std::vector<Candidate> candidates, others;
  std::vector<std::uint64_t> of_prelude(choice.finalists.size());
  for (const Contender& contender : best) {
    const bool half = 2 * of_prelude[contender.prelude]++ >= most;
    (half ? others : candidates)
        .push_back(
            {{choice.finalists[contender.prelude], contender.pipeline}, contender.chunk_words});
  }
  candidates.insert(candidates.end(), others.begin(), others.end());
  if (candidates.size() > most) candidates.resize(most);
  return candidates;
}

/// Sorts the candidates of an effort by size and weight; those larger than what the last of the
/// smaller efforts chooses come last.
void sort(std::span<Candidate> candidates, const EffortNumbers& numbers,
          const std::vector<std::uint64_t>& smaller_bytes) {
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    const bool larger = !smaller_bytes.empty() && candidate.bytes > smaller_bytes.back();
    return std::pair(larger, double(candidate.bytes) * numbers.weight(candidate.method.pipeline));
  });
}

}  // namespace

std::uint64_t most_held(const ChoiceOptions& options) {
  return options.largest_with_preludes ? options.largest_with_preludes : usable_memory() / 2;
}

Choice choose(const data::Input& input, const ChoiceOptions& options) {
  refuse_no_words(input);
  SearchOptions search_options;
  search_options.engine = options.engine;
  search_options.threads = options.threads;
  search_options.stages = options.stages;
  std::vector<EffortNumbers> efforts = options.smaller;
  efforts.push_back(options.numbers);
  Choice choice;
  std::vector<Candidate>& candidates = choice.candidates;
  std::vector<std::size_t> counts;  // of the candidates of an effort and of smaller ones
  for (const EffortNumbers& numbers : efforts) {
    for (Candidate& one : finalists(input, options, numbers, search_options, choice)) {
      const auto same = [&](const Candidate& other) {
        return other.method == one.method && other.chunk_words == one.chunk_words;
      };
      if (std::ranges::any_of(candidates, same)) continue;
      one.effort = counts.size();
      candidates.push_back(std::move(one));
    }
    counts.push_back(candidates.size());
  }
  const Chooser chooser(input, options);
  const bool single = candidates.size() == 1;  // it is measured while it is decoded
  const bool one_chunk = input.view().words <= synth::kLongestSearched;
  if (!single) chooser.measure(candidates);
  for (std::size_t i = 0; i < efforts.size() && !candidates.empty(); ++i) {
    if (i > 0) choice.smaller_bytes.push_back(candidates.front().bytes);
    sort(std::span(candidates).first(counts[i]), efforts[i], choice.smaller_bytes);
    const Candidate& best = candidates.front();
    const bool longest = best.chunk_words == synth::kLongestSearched;
    if (single || efforts[i].chunk_lengths.size() == 1 || !longest || one_chunk) continue;
    // The codes of a block are its own: fewer and longer blocks may save more than they lose.
    std::vector<Candidate> longer;
    for (const std::size_t words : synth::kChunkLengths) {
      const std::size_t bytes = words * synth::word_bytes(input.native());
      if (words <= synth::kLongestSearched || bytes > kLongestBytes) continue;
      longer.push_back(best);
      longer.back().chunk_words = words;
    }
    chooser.measure(longer);
    const auto smallest = std::ranges::min_element(longer, {}, &Candidate::bytes);
    if (smallest->bytes >= best.bytes) continue;
    candidates.insert(candidates.begin(), *smallest);
    for (std::size_t later = i; later < counts.size(); ++later) ++counts[later];
  }
  while (!candidates.empty() && !chooser.restores(candidates.front())) {
    candidates.erase(candidates.begin());
  }
  if (single && !candidates.empty()) {
    std::ranges::fill(choice.smaller_bytes, candidates.front().bytes);
  }
  input.check_unchanged();
  if (candidates.empty()) {
    raise(
        "{}: none of the best pipelines restores it, which is a fault of this program; name "
        "another pipeline, and report it",
        input.name());
  }
  return choice;
}

}  // namespace fpsynth::search
