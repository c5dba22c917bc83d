#include "runners/search/choose.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "runners/codec/codec.hpp"
#include "runners/search/prelude_search.hpp"
#include "runners/search/transformed_input.hpp"
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

/// A method, and the size of its file as estimated from the sample.
struct Estimate {
  synth::Method method;
  double bytes = 0;
};

/// Counts the bytes of a container without storing them.
class CountingSink : public codec::PatchableSink {
 public:
  void write(std::span<const std::byte>) override {}
  void patch(std::uint64_t, std::span<const std::byte>) override {}
  void finish() override {}
};

class Chooser {
 public:
  Chooser(const data::Input& input, std::size_t chunk_words, const ChoiceOptions& options,
          const SearchOptions& search_options)
      : input_(input),
        word_bytes_(synth::word_bytes(input.native())),
        options_(options),
        search_options_(search_options) {
    codec_options_.threads = options.threads;
    codec_options_.stages = options.stages;
    codec_options_.chunk_words = chunk_words;
  }

  /// The files' sizes on the whole input, smallest first.
  std::vector<Candidate> measured(const std::vector<synth::Method>& methods) const {
    std::vector<Candidate> candidates;
    for (const synth::Prelude& prelude : preludes_of(methods)) {
      const TransformedInput made = transform_input(input_, prelude, search_options_);
      const std::span<const std::byte> bytes = made.input.bytes();
      for (const synth::Method& method : methods) {
        if (method.prelude != prelude) continue;
        const double first = double(candidates.size()) / double(methods.size());
        Candidate candidate{method,
                            made.overhead_bytes +
                                codec::overhead_bytes(method.pipeline, bytes.size(), word_bytes_)};
        for_slices(bytes, [&](std::span<const std::byte> slice, double share) {
          CountingSink sink;
          candidate.bytes += codec::compress(slice, input_.name(), method.pipeline, word_bytes_,
                                             sink, codec_options_) -
                             codec::overhead_bytes(method.pipeline, slice.size(), word_bytes_);
          report(ChoiceProgress::Step::Measuring, first + share / double(methods.size()));
        });
        candidates.push_back(candidate);
      }
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::bytes);
    return candidates;
  }

  /// Returns whether the codec restores the whole input.
  bool restores(const synth::Method& method) const {
    if (!search::restores(input_, method.prelude, search_options_)) return false;
    const TransformedInput made = transform_input(input_, method.prelude, search_options_);
    bool good = true;
    try {
      for_slices(made.input.bytes(), [&](std::span<const std::byte> slice, double share) {
        if (!good) return;
        codec::ComparingSink sink(slice);
        codec::decompress(codec::compress(slice, method.pipeline, word_bytes_, codec_options_),
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
  /// The different preludes of the methods, in the order of their first method.
  static std::vector<synth::Prelude> preludes_of(const std::vector<synth::Method>& methods) {
    std::vector<synth::Prelude> preludes;
    for (const synth::Method& method : methods) {
      if (std::ranges::find(preludes, method.prelude) == preludes.end()) {
        preludes.push_back(method.prelude);
      }
    }
    return preludes;
  }

  void report(ChoiceProgress::Step step, double share) const {
    if (options_.progress) options_.progress({step, share});
  }

  /// Calls work(slice, share of the bytes that ends with it).
  template <class Work>
  static void for_slices(std::span<const std::byte> all, Work work) {
    for (std::size_t begin = 0; begin < all.size(); begin += kSliceBytes) {
      const std::size_t end = std::min(all.size(), begin + kSliceBytes);
      work(all.subspan(begin, end - begin), double(end) / double(all.size()));
    }
  }

  const data::Input& input_;
  std::size_t word_bytes_;
  const ChoiceOptions& options_;
  const SearchOptions& search_options_;
  codec::CodecOptions codec_options_;
};

/// The first methods of a trial, without those that equal an earlier one by construction.
std::vector<Estimate> first_distinct(const Trial& trial, const synth::Plan& plan,
                                     std::uint64_t count) {
  std::vector<Estimate> estimates;
  std::set<std::uint32_t> leaves;
  for (const std::uint64_t id : trial.document.ranking) {
    if (estimates.size() == count) break;
    if (!leaves.insert(plan.leaf_of_id()[id]).second) continue;
    estimates.push_back({{trial.prelude, plan.space().at(id)}, trial.estimated_bytes(id)});
  }
  return estimates;
}

std::uint64_t quarter_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) / 4 : 0;
}

/// The preludes with which all pipelines are worth trying, the empty one first. With such a
/// prelude, the best of the pipelines with one stage fewer is better than without it.
std::vector<synth::Prelude> choose_preludes(const data::Input& input, const synth::Space& space,
                                            const ChoiceOptions& options,
                                            const SearchOptions& search_options, Choice& choice) {
  std::vector<synth::Prelude> finalists = {synth::Prelude{}};
  const std::uint64_t most =
      options.largest_with_preludes ? options.largest_with_preludes : quarter_of_memory();
  choice.too_large = options.preludes > 0 && input.bytes().size() > most;
  if (options.preludes == 0 || choice.too_large || choice.chunks_total == 0) return finalists;
  synth::PreludeRequest request;
  request.kind = synth::PreludeRequest::Kind::Found;
  const std::vector<WantedPrelude> wanted = wanted_preludes(input, request, options.preludes);
  choice.preludes = wanted.size() - 1;
  if (choice.preludes == 0) return finalists;
  const synth::Plan plan(space.stages > 1 ? space.shorter() : space);
  double alone = 0;
  std::vector<std::pair<double, synth::Prelude>> better;
  for (std::size_t tried = 0; tried < wanted.size(); ++tried) {
    if (options.progress) {
      options.progress({ChoiceProgress::Step::Trying, double(tried) / double(wanted.size())});
    }
    const synth::Prelude& prelude = wanted[tried].prelude;
    const double bytes =
        try_prelude(input, prelude, plan, options.chunks, search_options).estimated_bytes();
    if (tried == 0) alone = bytes;
    if (bytes < alone) better.emplace_back(bytes, prelude);
  }
  std::ranges::stable_sort(better, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [bytes, prelude] : better) {
    if (finalists.size() <= options.finalists) finalists.push_back(prelude);
  }
  return finalists;
}

}  // namespace

Choice choose(const data::Input& input, const synth::Space& space, const ChoiceOptions& options) {
  const synth::Plan plan(space);
  Choice choice;
  choice.pipelines = space.size();
  choice.chunks_total = input.cutting(space.chunk_words).chunks();

  SearchOptions search_options;
  search_options.engine = options.engine;
  search_options.threads = options.threads;
  search_options.stages = options.stages;
  choice.finalists = choose_preludes(input, space, options, search_options, choice);

  const std::uint64_t chunks = std::max<std::uint64_t>(options.chunks, 1);
  const std::uint64_t count = std::max<std::uint64_t>(options.candidates, 1);
  std::vector<Estimate> estimates;
  for (std::size_t index = 0; index < choice.finalists.size(); ++index) {
    if (options.progress) {
      search_options.progress = [&](const Progress& progress) {
        const double share = double(progress.chunks_done) / double(progress.chunks_total);
        options.progress({ChoiceProgress::Step::Searching,
                          (double(index) + share) / double(choice.finalists.size())});
      };
    }
    const Trial trial = try_prelude(input, choice.finalists[index], plan, chunks, search_options);
    choice.chunks_searched = trial.document.run.chunks_done;
    for (Estimate& estimate : first_distinct(trial, plan, count)) {
      estimates.push_back(std::move(estimate));
    }
  }
  std::ranges::stable_sort(estimates, {}, &Estimate::bytes);
  std::vector<synth::Method> best;
  for (const Estimate& estimate : estimates) {
    if (best.size() < count) best.push_back(estimate.method);
  }

  const Chooser chooser(input, space.chunk_words, options, search_options);
  choice.candidates = chooser.measured(best);
  while (!choice.candidates.empty() && !chooser.restores(choice.candidates.front().method)) {
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
