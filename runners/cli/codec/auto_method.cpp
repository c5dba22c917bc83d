#include "runners/cli/chosen_method.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "runners/cli/studies.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/data/input.hpp"
#include "runners/search/auto/choose.hpp"
#include "runners/search/auto/samples.hpp"
#include "runners/search/preludes.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/raise.hpp"
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
    constexpr const char* kTexts[] = {"trying preludes on a sample", "searching a sample",
                                      "narrowing down", "measuring the best on the whole input",
                                      "verifying the best on the whole input"};
    line_.show(fmt::format("{}  {:5.1f} %  ETA {}", kTexts[std::size_t(step_)],
                           100 * progress.share, study::duration(left)));
  }

 private:
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

/// `who`: "auto", or a section.
void tell(const search::Choice& choice, std::string_view who, double original, bool verbose) {
  const search::Candidate& best = choice.candidates.front();
  print_error("{}: {}, ratio {:.3f}; all of the input was decoded and compared\n", who,
              name_of(best), original / double(best.bytes));
  if (choice.too_large) {
    print_error("{}: more than half of the memory, which preludes would need: tried without\n",
                who);
  }
  std::string preludes;
  if (choice.preludes > 0) preludes = fmt::format("{}, ", counted(choice.preludes, "prelude"));
  print_error("{}: tried {}{} pipelines on {} of {} of {} words, and {} on all", who, preludes,
              choice.pipelines, choice.blocks_searched, counted(choice.blocks_total, "part"),
              search::kBlockWords, counted(choice.candidates.size(), "method"));
  if (choice.candidates.size() > 1) {
    const search::Candidate& next = choice.candidates[1];
    const double more = percent_more(next, best);
    print_error("; the next, {}, makes {:.2f} % {} bytes", name_of(next), std::abs(more),
                more < 0 ? "fewer" : "more");
  }
  print_error("\n");
  if (!verbose) return;
  for (const synth::Prelude& prelude : choice.finalists) {
    print_error("{}: all pipelines behind {}\n", who,
                prelude.empty() ? "no prelude" : synth::to_string(prelude));
  }
  for (const search::Candidate& candidate : choice.candidates) {
    print_error("{}: {:>14} bytes  {:+.2f} %  {}\n", who, candidate.bytes,
                percent_more(candidate, best), name_of(candidate));
  }
}

/// Tells of all sections, or of the choice for an input without them.
void tell(const search::SectionChoice& choice, const data::Input& input, bool verbose) {
  const std::size_t word_bytes = synth::word_bytes(input.native());
  const std::size_t count = choice.sections.size();
  if (count > 1) {
    std::string gain;
    if (choice.single) {
      gain = fmt::format(", {:.2f} % less than in one",
                         100 * (1 - double(choice.bytes) / double(choice.single->bytes)));
    }
    print_error("auto: {} sections{}, ratio {:.3f}{}\n", count,
                choice.before.empty() ? "" : " behind " + synth::to_string(choice.before),
                double(input.bytes().size()) / double(choice.bytes), gain);
  }
  std::uint64_t left = input.bytes().size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [words, found] = choice.sections[i];
    const std::uint64_t bytes = i + 1 < count ? words * word_bytes : left;
    left -= bytes;
    const std::string who =
        count == 1 ? "auto" : fmt::format("section {}, {}", i + 1, counted(words, "word"));
    tell(found, who, double(bytes), verbose);
  }
}

}  // namespace

std::optional<std::vector<std::uint64_t>> SectionsOption::lengths(const data::Input& input) const {
  if (text == "auto") return std::nullopt;
  std::uint64_t left = input.view().words;
  if (text == "none") return std::vector{left};
  std::vector<std::uint64_t> lengths = positive_numbers(text, ',');
  if (lengths.empty()) {
    raise<UsageError>(
        "--sections '{}': give auto, none, or the number of values of each section, as in "
        "100000,50000",
        text);
  }
  for (const std::uint64_t words : lengths) {
    if (words > left) {
      raise<UsageError>("--sections {}: {} has only {}", text, input.name(),
                        counted(input.view().words, "value"));
    }
    left -= words;
  }
  if (left > 0) lengths.push_back(left);
  if (lengths.size() > codec::kMostSections) {
    raise<UsageError>("--sections: {} sections; a file has at most {}", lengths.size(),
                      codec::kMostSections);
  }
  return lengths;
}

void add_sections(Command command, SectionsOption& option) {
  command
      .add_option(
          "--sections", option.text,
          "Values of each section, as in 100000,50000, the rest is one more; none; or auto: the "
          "columns of a table, and where the values' statistics change, with quick effort clearly")
      .value_name("LENGTHS")
      .show_default();
}

std::vector<codec::Section> typed_sections(const data::Input& input,
                                           const std::vector<synth::Method>& methods,
                                           std::size_t chunk_words,
                                           const SectionsOption& sections) {
  const std::vector<std::uint64_t> lengths =
      sections.lengths(input).value_or(std::vector{std::uint64_t(input.view().words)});
  if (methods.size() > 1 && methods.size() != lengths.size()) {
    raise<UsageError>("{} and {}; give one for each section, or one for all",
                      counted(methods.size(), "method"), counted(lengths.size(), "section"));
  }
  std::vector<codec::Section> typed;
  for (const std::uint64_t words : lengths) {
    typed.push_back({words, methods[methods.size() > 1 ? typed.size() : 0], chunk_words});
  }
  return typed;
}

void AutoOptions::set(search::ChoiceOptions& options,
                      const std::optional<std::string>& chunk_words) const {
  std::optional<std::size_t> words;
  if (chunk_words) words = std::stoul(*chunk_words);
  options.smaller = search::numbers_up_to(search::parse_effort(effort), words);
  for (search::EffortNumbers& numbers : options.smaller) {
    if (chunks) {
      numbers.blocks = *chunks;
      if (numbers.race_blocks > 0) numbers.race_blocks = *chunks;
      for (auto& round : numbers.narrowing) round.blocks = std::max(round.blocks, *chunks);
    }
    if (candidates) {
      numbers.candidates = numbers.of_large = *candidates;
      for (auto& round : numbers.narrowing)
        round.left = std::max<std::size_t>(round.left, *candidates);
    }
    if (preludes) numbers.preludes = *preludes;
    if (no_preludes) numbers.preludes = 0;
  }
  options.numbers = std::move(options.smaller.back());
  options.smaller.pop_back();
}

std::vector<std::string> effort_names() {
  std::vector<std::string> names;
  for (const search::Effort effort : search::kEfforts) names.emplace_back(to_string(effort));
  return names;
}

void add_auto(Command command, AutoOptions& options) {
  command
      .add_option("--effort", options.effort,
                  "auto: quick (seconds), normal (ten times that) or thorough (minutes)")
      .one_of(effort_names())
      .show_default();
  command
      .add_option(
          "--chunks", options.chunks,
          "auto: search all pipelines on this many parts of 4096 words; the effort's number "
          "if left out, as of what follows")
      .range(std::uint64_t{1}, std::uint64_t{1} << 40);
  command
      .add_option("--candidates", options.candidates,
                  "auto: try so many of the best methods, of each effort up to this, on all of IN")
      .range(std::uint64_t{1}, std::uint64_t{1000});
  command
      .add_option("--prelude-candidates", options.preludes,
                  "auto: try so many preludes, which IN suggests, on the sample")
      .range(std::uint64_t{1}, search::PreludeOptions::kMostCandidates);
  command.add_flag("--no-preludes", options.no_preludes, "auto: pipelines alone");
}

WantedSections auto_sections(const data::Input& input, const search::EngineFactory& engine,
                             int threads, const AutoOptions& automatic,
                             const std::optional<std::string>& chunk_words,
                             const SectionsOption& sections, bool verbose) {
  search::ChoiceOptions options;
  options.engine = engine;
  options.threads = threads;
  automatic.set(options, chunk_words);
  std::optional<std::vector<std::uint64_t>> lengths = sections.lengths(input);
  if (input.view().words == 0) {
    print_error("auto: {} holds no whole word of {} bytes, so any pipeline will do\n", input.name(),
                synth::word_bytes(input.native()));
    const synth::Space& space = options.numbers.space;
    return {{{0, {{}, space.at(0)}, space.chunk_words}}};
  }
  options.compact = options.columns = true;
  ChoiceLine line;
  options.progress = [&](const search::ChoiceProgress& progress) { line.show(progress); };
  const search::SectionChoice choice = lengths ? search::choose_for(input, *lengths, options)
                                               : search::choose_sections(input, options);
  tell(choice, input, verbose);
  WantedSections chosen{{}, choice.before};
  for (const auto& [words, found] : choice.sections) {
    const search::Candidate& best = found.candidates.front();
    chosen.sections.push_back({words, best.method, best.chunk_words});
  }
  return chosen;
}

}  // namespace fpsynth::cli
