#include "runners/study/terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runners/search/structure/structure.hpp"
#include "runners/study/data_sets.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::study {
namespace {

/// The end of a row, if the document is not of the whole search or was interrupted.
std::string rest_text(const results::Run& run, const std::optional<ShardShare>& share) {
  std::string text;
  if (share) text = fmt::format("; shard {}", share->shard.text());
  const std::uint64_t wanted = share ? share->size() : run.chunks_total;
  if (run.chunks_done < wanted) {
    return text + fmt::format("; INCOMPLETE: {} of {}", run.chunks_done, counted(wanted, "chunk"));
  }
  if (share) return text + fmt::format(": {} of {}", counted(wanted, "chunk"), run.chunks_total);
  return run.complete ? "" : "; INCOMPLETE: the best are not verified yet";
}

}  // namespace

std::size_t columns_of(int descriptor) {
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = number_in("COLUMNS");
  return columns > 0 ? std::size_t(columns) : 80;
}

ProgressLine::ProgressLine(double log_seconds)
    : terminal_(::isatty(STDERR_FILENO)), log_seconds_(log_seconds) {}

ProgressLine::~ProgressLine() { show({}); }

void ProgressLine::show(const std::string& text) const {
  if (terminal_) {
    // In the last column, some terminals begin a new row.
    return print_error("\r\033[K{}", fitted(text, columns_of(STDERR_FILENO) - 1));
  }
  if (text.empty() || seconds_since(logged_) < log_seconds_) return;
  print_error("{}\n", text);
  logged_ = Clock::now();
}

std::string fitted(std::string text, std::size_t columns) {
  constexpr std::string_view kApart = "  ", kCut = "...";
  const auto end_before = [&](std::size_t part) {
    const std::size_t apart = part == 0 ? text.npos : text.rfind(kApart, part - 1);
    return apart == text.npos ? 0 : text.find_last_not_of(' ', apart) + 1;
  };
  while (text.size() > columns) {
    const std::size_t last = end_before(text.size()), before = end_before(last);
    if (end_before(before) == 0) break;  // a label, a part and the last one
    text.erase(before, last - before);
  }
  if (text.size() <= columns) return text;
  const std::size_t label = std::min(text.find(kApart), text.size());
  const std::size_t excess = text.size() - columns + kCut.size();
  if (excess >= label) return text.substr(text.size() - columns);
  std::size_t kept = label - excess;
  while (kept > 0 && (text[kept] & 0xC0) == 0x80) --kept;  // not inside of a character
  return text.replace(kept, label - kept, kCut);
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void print_result(const results::Document& document, bool already, bool json, std::size_t width,
                  const std::optional<ShardShare>& share) {
  if (already) {
    return print_error("{} {}: searched already\n", document.data.name,
                       results::precision_text(document.data));
  }
  const results::Run& run = document.run;
  const bool any = !document.ranking.empty();
  const std::string best =
      any ? synth::to_string(document.space.method_at(document.ranking.front())) : "none decodes";
  const double ratio = any ? document.ratio(document.ranking.front()) : 0;
  if (json) {
    nlohmann::ordered_json line = {{"dataset", document.data.name},
                                   {"precision", synth::to_string(document.data.precision)},
                                   {"best", best},
                                   {"ratio", ratio},
                                   {"pipelines", document.payload_bytes.size()},
                                   {"edges_verified", run.edges_verified},
                                   {"failures", run.failures},
                                   {"seconds", run.seconds},
                                   {"pipeline_bytes_per_second", run.pipeline_bytes_per_second},
                                   {"complete", run.complete},
                                   {"chunks_done", run.chunks_done},
                                   {"chunks_total", run.chunks_total}};
    if (share) {
      line["shard"] = share->shard.text();
      line["shard_chunks"] = share->size();
    }
    write_output_text(json_text(line) + "\n");
  } else {
    const std::string proof = run.verification == "all"
                                  ? counted(run.edges_verified, "edge") + " verified"
                                  : fmt::format("verification {}", run.verification);
    const std::string row = fmt::format("{:<{}} {:<6}  {:6.3f}  {:<28}", document.data.name, width,
                                        results::precision_text(document.data), ratio, best);
    const std::string how =
        fmt::format("{}, {} failed, {:.1f} s, {:.1f} G pipeline-bytes/s{}", proof, run.failures,
                    run.seconds, run.pipeline_bytes_per_second / 1e9, rest_text(run, share));
    const bool wraps =
        ::isatty(STDOUT_FILENO) && row.size() + 1 + how.size() > columns_of(STDOUT_FILENO);
    write_output_text(fmt::format("{}{}{}\n", row, wraps ? "\n  " : " ", how));
  }
}

void print_end(const std::filesystem::path& directory, std::uint64_t failures, bool json,
               const std::optional<cluster::Shard>& shard) {
  if (failures > 0) {
    raise("{} did not decode to {}; the pipelines with {} are listed under \"failed\" in {}",
          counted(failures, "stage"), by_count(failures, "its input", "their input"),
          by_count(failures, "it", "them"), directory.string());
  }
  if (json) return;
  if (shard) {
    const std::string parts = directory.parent_path().string();
    return print_error("Shard {} is in {}; when all are there: {} merge {} --out {}\n",
                       shard->text(), directory.string(), program_word(), shell_word(parts),
                       shell_word(parts + "-merged"));
  }
  print_error("The results are in {}; next: {} query best --runs {}\n", directory.string(),
              program_word(), shell_word(directory.string()));
}

std::string program_word() {
  std::string_view called = ::program_invocation_name;
  if (called.ends_with("-mpi")) called.remove_suffix(4);  // beside the program of one process
  return shell_word(called);
}

Promise promise_of(const results::Document& document, const data::Input& input,
                   const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  if (document.ranking.empty()) return {};
  const std::size_t word = synth::word_bytes(input.native()), words = document.space.chunk_words;
  const std::size_t bytes = std::min(input.bytes().size() / word * word, kMostBytes);
  const data::Input first =
      data::Input::borrowed(input.name(), input.bytes().first(bytes), input.type());
  const search::Structure structure =
      search::find_structure(first, {.candidates = 1, .shape = shape});
  if (structure.candidates.empty()) return {};
  const search::PreludeCandidate& best = structure.candidates.front();
  const std::uint64_t id = document.ranking.front();
  const std::size_t frame = synth::frame_bytes(document.space.at(id), word, words);
  const double expected = 8 * double(word) / (best.bits + 8 * double(frame) / double(words));
  const double found = document.ratio(id);
  return {expected / found,
          fmt::format("{} {} about {:.3g} times smaller, in place of {:.3g}, with {}",
                      document.data.name, synth::precision_text(input.type()), expected, found,
                      synth::to_string(best.prelude))};
}

}  // namespace fpsynth::study
