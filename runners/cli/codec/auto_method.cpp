#include "runners/cli/chosen_method.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runners/cli/studies.hpp"
#include "runners/data/input.hpp"
#include "runners/search/choice/samples.hpp"
#include "runners/search/choose.hpp"
#include "runners/search/prelude_search.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using Step = search::ChoiceProgress::Step;

/// Shows the steps of a choice and the time left of the current one.
class ChoiceLine {
 public:
  void show(const search::ChoiceProgress& progress) {
    if (progress.step != step_) {
      step_ = progress.step;
      start_ = Clock::now();
    }
    const double seconds = seconds_since(start_);
    const double left = progress.share > 0 ? seconds * (1 - progress.share) / progress.share : 0;
    line_.show(
        fmt::format("{}  {:5.1f} %  ETA {}", text(), 100 * progress.share, study::duration(left)));
  }

 private:
  std::string text() const {
    switch (step_) {
      case Step::Trying:
        return "trying preludes on a sample";
      case Step::Searching:
        return "searching a sample";
      case Step::Narrowing:
        return "narrowing down";
      case Step::Measuring:
        return "measuring the best on the whole input";
      case Step::Verifying:
        break;
    }
    return "verifying the best on the whole input";
  }

  study::ProgressLine line_;
  Step step_ = Step::Searching;
  Clock::time_point start_ = Clock::now();
};

double percent_more(const search::Candidate& candidate, const search::Candidate& best) {
  return 100 * (double(candidate.bytes) / double(best.bytes) - 1);
}

std::string name_of(const search::Candidate& candidate) {
  return fmt::format("{} (chunks of {} words)", synth::to_string(candidate.method),
                     candidate.chunk_words);
}

void tell(const search::Choice& choice, double original, bool verbose) {
  const search::Candidate& best = choice.candidates.front();
  print_error("auto: {}, ratio {:.3f}; all of the input was decoded and compared\n", name_of(best),
              original / double(best.bytes));
  if (choice.too_large) {
    print_error(
        "auto: too large to hold in memory three times, as preludes need it: tried without\n");
  }
  std::string preludes;
  if (choice.preludes > 0) preludes = fmt::format("{}, ", counted(choice.preludes, "prelude"));
  print_error("auto: tried {}{} pipelines on {} of {} of {} words, and {} on all", preludes,
              choice.pipelines, choice.blocks_searched, counted(choice.blocks_total, "part"),
              search::kBlockWords, counted(choice.candidates.size(), "method"));
  if (choice.candidates.size() > 1) {
    const search::Candidate& next = choice.candidates[1];
    print_error("; the next, {}, makes {:.2f} % more bytes", name_of(next),
                percent_more(next, best));
  }
  print_error("\n");
  if (!verbose) return;
  for (const synth::Prelude& prelude : choice.finalists) {
    print_error("auto: all pipelines behind {}\n",
                prelude.empty() ? "no prelude" : synth::to_string(prelude));
  }
  for (const search::Candidate& candidate : choice.candidates) {
    print_error("auto: {:>14} bytes  +{:.2f} %  {}\n", candidate.bytes,
                percent_more(candidate, best), name_of(candidate));
  }
}

}  // namespace

search::EffortNumbers AutoOptions::numbers(const std::optional<std::string>& chunk_words) const {
  search::EffortNumbers numbers = search::EffortNumbers::of(search::parse_effort(effort));
  if (chunk_words) {
    numbers.space.chunk_words = std::stoul(*chunk_words);
    numbers.chunk_lengths = {numbers.space.chunk_words};
  }
  if (chunks) {
    numbers.blocks = *chunks;
    if (numbers.race_blocks > 0) numbers.race_blocks = *chunks;
    for (auto& round : numbers.narrowing) round.blocks = std::max(round.blocks, *chunks);
  }
  if (candidates) {
    numbers.candidates = *candidates;
    for (auto& round : numbers.narrowing)
      round.left = std::max<std::size_t>(round.left, *candidates);
  }
  if (preludes) numbers.preludes = *preludes;
  if (no_preludes) numbers.preludes = 0;
  return numbers;
}

void add_auto(Command command, AutoOptions& options) {
  std::vector<std::string> efforts;
  for (const search::Effort effort : search::kEfforts) efforts.emplace_back(to_string(effort));
  command
      .add_option("--effort", options.effort,
                  "auto: quick (half a second), normal (some seconds) or thorough (minutes)")
      .one_of(efforts)
      .show_default();
  command
      .add_option(
          "--chunks", options.chunks,
          "auto: search all pipelines on this many parts of 4096 words; the effort's number "
          "if left out, as of what follows")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command
      .add_option("--candidates", options.candidates,
                  "auto: try so many of the best methods on the whole input")
      .range(std::uint64_t{1}, std::uint64_t{1000});
  command
      .add_option("--prelude-candidates", options.preludes,
                  "auto: try so many preludes, which IN suggests, on the sample")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostCandidates);
  command.add_flag("--no-preludes", options.no_preludes, "auto: pipelines alone");
}

search::Candidate auto_method(const data::Input& input, const search::EngineFactory& engine,
                              int threads, const search::EffortNumbers& numbers, bool verbose) {
  if (input.view().words == 0) {
    print_error("auto: {} holds no whole word of {} bytes, so any pipeline will do\n", input.name(),
                synth::word_bytes(input.native()));
    return {numbers.space.at(0), numbers.space.chunk_words, 0};
  }
  search::ChoiceOptions options;
  options.engine = engine;
  options.threads = threads;
  options.numbers = numbers;
  ChoiceLine line;
  options.progress = [&](const search::ChoiceProgress& progress) { line.show(progress); };
  const search::Choice choice = search::choose(input, options);
  tell(choice, double(input.bytes().size()), verbose);
  return choice.candidates.front();
}

}  // namespace fpsynth::cli
