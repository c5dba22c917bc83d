// fpsynth merge: the results of the shards of a search, added up.

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cluster/shards.hpp"
#include "runners/study/terminal.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::vector<std::string> parts;
  std::string out;
  bool missing = false, json = false;
};

volatile std::sig_atomic_t merge_interrupted_by = 0;

/// The first SIGINT, SIGTERM or SIGHUP ends the merge after the document that is being read.
void on_merge_interrupt(int signal) {
  merge_interrupted_by = signal;
  end_on_next_interrupt();
}

/// The files of a merge that has not reached its end: it writes all documents or none.
class NewFiles {
 public:
  NewFiles() = default;
  ~NewFiles() {
    std::error_code error;
    for (const fs::path& file : files_) {
      fs::remove(file, error);
      try {
        results::remove_other_sizes(file, {});
      } catch (const Error&) {  // the cause of the merge's end is told
      }
    }
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  void add(fs::path file) { files_.push_back(std::move(file)); }
  void keep() { files_.clear(); }

 private:
  std::vector<fs::path> files_;
};

/// Throws Error, which names the shards that are missing, if any is.
void refuse_missing(const cluster::ShardResults& shards) {
  std::string what;
  const auto tell = [&](const std::vector<std::uint64_t>& numbers, const char* state) {
    if (numbers.empty()) return;
    if (!what.empty()) what += "; ";
    what += fmt::format("{} {}", state, cluster::array_text(numbers));
  };
  tell(shards.absent(), "missing:");
  tell(shards.unfinished(), "not finished:");
  if (what.empty()) return;
  raise(
      "of {}, {}; search them with --shard K/{} --resume (--missing prints their numbers for "
      "`sbatch --array`)",
      counted(shards.count(), "shard"), what, shards.count());
}

/// Prints the numbers of the shards that are to be searched, again or at all.
void print_missing(const cluster::ShardResults& shards) {
  std::vector<std::uint64_t> missing = shards.absent();
  missing.insert(missing.end(), shards.unfinished().begin(), shards.unfinished().end());
  std::ranges::sort(missing);
  write_output_text(cluster::array_text(missing) + "\n");
}

/// The document of all shards. Shows which is being read.
results::Document merged(const cluster::ShardResults& shards,
                         const results::PlannedDocument& planned, const std::string& label) {
  const study::ProgressLine line;
  return shards.merged(planned, [&](const cluster::Shard& shard) {
    if (merge_interrupted_by != 0)
      throw Interrupted("interrupted; nothing is merged", merge_interrupted_by);
    line.show(fmt::format("{}  shard {}", label, shard.text()));
  });
}

/// Throws Error if a directory holds documents.
void refuse_documents(const fs::path& directory) {
  const std::vector<fs::path> files = results::document_files(directory);
  if (files.empty()) return;
  raise("{} exists already; merge into another directory with --out", files.front().string());
}

void run(const MergeArguments& arguments) {
  const std::vector<fs::path> places(arguments.parts.begin(), arguments.parts.end());
  if (!arguments.missing && arguments.out.empty()) {
    throw UsageError("name a directory for the merged results with --out");
  }
  const cluster::ShardResults shards(places);
  if (arguments.missing) return print_missing(shards);
  const fs::path directory = arguments.out;
  if (shards.are_in(directory)) {
    raise<UsageError>(
        "{} holds shards, and would be no directory of shards with the merged results in it; merge "
        "into another directory with --out",
        directory.string());
  }
  refuse_missing(shards);
  refuse_documents(directory);  // before it waits for another merge
  create_folder(directory, "check the path and its permissions, or write elsewhere");
  const DirectoryLock lock(directory, "fpsynth merge");
  refuse_documents(directory);
  merge_interrupted_by = 0;
  on_interrupt_call(on_merge_interrupt);
  // As in a search, what is printed is in the documents, too.
  std::signal(SIGPIPE, SIG_IGN);
  NewFiles written;
  std::error_code error;
  if (!fs::exists(results::study_path(directory), error)) {
    written.add(results::study_path(directory));
  }
  results::ensure_study_directory(directory, shards.study());
  std::size_t width = 16;
  for (const results::PlannedDocument& planned : shards.documents()) {
    check_length_of_name(results::document_path(directory, planned.data_set, planned.precision));
    width = std::max(width, planned.data_set.size());
  }
  std::uint64_t failures = 0;
  std::size_t number = 0;
  for (const results::PlannedDocument& planned : shards.documents()) {
    const std::string label = fmt::format("[{}/{}] {} {}", ++number, shards.documents().size(),
                                          planned.data_set, synth::to_string(planned.precision));
    const results::Document document = merged(shards, planned, label);
    const fs::path path = results::document_path(directory, planned.data_set, planned.precision);
    written.add(path);
    results::write_document(path, document);
    failures += document.run.failures;
    study::print_result(document, false, arguments.json, width);
  }
  written.keep();
  study::print_end(directory, failures, arguments.json);
}

}  // namespace

void add_merge(Command app) {
  auto arguments = std::make_shared<MergeArguments>();
  Command command = app.add_subcommand(
      "merge", "Add up the results of the shards of a search: those of the whole search");
  command
      .add_option("PARTS", arguments->parts,
                  "Directories that hold shards (--out of `search --shard`), or those of shards")
      .required();
  command.add_option("--out", arguments->out,
                     "Directory for the merged results, which must hold no others");
  command.add_flag("--missing", arguments->missing,
                   "Only print the numbers of the shards that are missing or not finished, as "
                   "`sbatch --array` takes them: 3,7,9-12; an empty line if there are none");
  command.add_flag("--json", arguments->json, "One JSON object per document on standard output");
  command.footer(
      "Examples:\n"
      "  fpsynth search big.f64 --shard 1/2 --out parts\n"
      "  fpsynth search big.f64 --shard 2/2 --out parts\n"
      "  fpsynth merge parts --out results/runs/big\n"
      "  fpsynth merge parts --missing\n"
      "  fpsynth merge /node1/parts /node2/parts/shard-07-of-64 --out results/runs/big\n"
      "The documents are those of a search that was not divided, except for how long it took and "
      "on\n"
      "what it ran: the seconds are those of the slowest shard, the threads those of all.");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
