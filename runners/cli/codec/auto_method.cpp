#include "runners/cli/chosen_method.hpp"

#include <fmt/core.h>

#include <string>

#include "runners/cli/studies.hpp"
#include "runners/data/input.hpp"
#include "runners/search/choose.hpp"
#include "runners/search/prelude_search.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/space.hpp"

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

void tell_of_preludes(const search::Choice& choice) {
  if (choice.too_large) {
    print_error(
        "auto: too large to hold in memory three times, as preludes need it: tried without\n");
  }
  if (choice.preludes == 0) return;
  std::string tried;
  for (std::size_t i = 1; i < choice.finalists.size(); ++i) {
    tried += (i > 1 ? ", " : "") + synth::to_string(choice.finalists[i]);
  }
  print_error("auto: {} tried on the sample, {}\n", counted(choice.preludes, "prelude"),
              tried.empty() ? "none better than pipelines alone"
                            : fmt::format("all pipelines behind the best: {}", tried));
}

void tell(const search::Choice& choice, double original, bool verbose) {
  const search::Candidate& best = choice.candidates.front();
  print_error("auto: {}, ratio {:.3f}; all of the input was decoded and compared\n",
              synth::to_string(best.method), original / double(best.bytes));
  tell_of_preludes(choice);
  print_error("auto: the best of {} pipelines on {} of {}, then of {} on all of them",
              choice.pipelines, choice.chunks_searched, counted(choice.chunks_total, "chunk"),
              choice.candidates.size());
  if (choice.candidates.size() == 1) {
    print_error("\n");
    return;
  }
  const search::Candidate& next = choice.candidates[1];
  print_error("; the next, {}, makes {:.2f} % more bytes\n", synth::to_string(next.method),
              percent_more(next, best));
  if (!verbose) return;
  for (const search::Candidate& candidate : choice.candidates) {
    print_error("auto: {:>14} bytes  +{:.2f} %  {}\n", candidate.bytes,
                percent_more(candidate, best), synth::to_string(candidate.method));
  }
}

}  // namespace

void add_auto(Command command, AutoOptions& options) {
  command
      .add_option("--chunks", options.chunks, "auto: search this many chunks, at equal distances")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40)
      .show_default();
  command
      .add_option("--candidates", options.candidates,
                  "auto: try so many of the best pipelines on the whole input")
      .range(std::uint64_t{1}, std::uint64_t{1000})
      .show_default();
  command
      .add_option("--prelude-candidates", options.preludes,
                  "auto: try so many preludes, which IN suggests, on the sample")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostCandidates)
      .show_default();
  command.add_flag("--no-preludes", options.no_preludes, "auto: pipelines alone");
}

synth::Method auto_method(const data::Input& input, const search::EngineFactory& engine,
                          int threads, const AutoOptions& options, bool verbose) {
  synth::Space space = synth::Space::paper();
  space.chunk_words = options.chunk_words;
  if (input.view().words == 0) {
    print_error("auto: {} holds no whole word of {} bytes, so any pipeline will do\n", input.name(),
                synth::word_bytes(input.native()));
    return space.method_at(0);
  }
  search::ChoiceOptions choice_options;
  choice_options.engine = engine;
  choice_options.threads = threads;
  choice_options.chunks = options.chunks;
  choice_options.candidates = options.candidates;
  choice_options.preludes = options.no_preludes ? 0 : options.preludes;
  ChoiceLine line;
  choice_options.progress = [&](const search::ChoiceProgress& progress) { line.show(progress); };
  const search::Choice choice = search::choose(input, space, choice_options);
  tell(choice, double(input.bytes().size()), verbose);
  return choice.candidates.front().method;
}

}  // namespace fpsynth::cli
