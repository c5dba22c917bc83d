#include "runners/cli/search/output.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runners/cli/studies.hpp"
#include "synth/common/json.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

/// The end of the row of what is not the whole search, or was interrupted.
std::string what_is_left(const results::Run& run, const std::optional<ShardShare>& share) {
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

std::string progress_text(const std::string& label, const search::Progress& progress,
                          double work_done) {
  const double share = double(progress.chunks_done) / double(progress.chunks_total);
  const double left = work_done > 0 ? progress.seconds / work_done * (1 - share) : 0;
  return fmt::format("{}  {:5.1f} %  {:.1f} G pipeline-bytes/s  ETA {}", label, 100 * share,
                     progress.pipeline_bytes_per_second / 1e9, duration(left));
}

void print_result(const results::Document& document, bool json, std::size_t width,
                  const std::optional<ShardShare>& share) {
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
    write_output_text(fmt::format(
        "{:<{}} {:<6}  {:6.3f}  {:<28} {}, {} failed, {:.1f} s, {:.1f} G pipeline-bytes/s{}\n",
        document.data.name, width, synth::to_string(document.data.precision), ratio, best, proof,
        run.failures, run.seconds, run.pipeline_bytes_per_second / 1e9, what_is_left(run, share)));
  }
}

std::string failures_message(std::uint64_t failures, const std::filesystem::path& directory) {
  return fmt::format(
      "{} did not decode to {}; the pipelines with {} are listed under \"failed\" in {}",
      counted(failures, "stage"), by_count(failures, "its input", "their input"),
      by_count(failures, "it", "them"), directory.string());
}

std::string tail_note(const std::string& name, synth::Precision precision, std::size_t tail) {
  return fmt::format(
      "note: {} is not whole {}-byte words; its {} kept verbatim\n", name,
      synth::word_bytes(precision),
      by_count(tail, "trailing byte is", fmt::format("{} trailing bytes are", tail)));
}

Error exists_already(const std::filesystem::path& document) {
  return Error(
      fmt::format("{} exists already; continue with --resume, or choose another directory with "
                  "--out",
                  document.string()));
}

}  // namespace fpsynth::cli
