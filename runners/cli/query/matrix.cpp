// `fpsynth query matrix`: the sizes of all pipelines on all data sets, for other programs.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "results/documents/means.hpp"
#include "runners/cli/query/query.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/formats/variables.hpp"
#include "synth/common/error.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

struct MatrixArguments {
  QueryChoice choice;
  std::string out;
  bool force = false;
};

void run(MatrixArguments& arguments) {
  const auto sink = codec::open_sink(arguments.out, arguments.force);
  const results::Runs runs = load(arguments.choice);
  const std::vector<const results::Document*> documents = runs.searched();
  if (documents.empty()) throw Error("nothing was searched yet; continue with --resume");
  const results::Means means(documents);
  if (means.costs().empty()) {
    throw Error(
        "the races of these data sets left no pipeline in common, so that there is no matrix; name "
        "one of them with --dataset");
  }
  std::vector<std::uint64_t> row(means.space().size());
  const auto write = [&](auto value_of) {
    for (std::uint64_t id = 0; id < row.size(); ++id) row[id] = value_of(id);
    sink->write(std::as_bytes(std::span(row)));
  };
  const std::string header = data::npy_header("<u8", false, {1 + documents.size(), row.size()});
  sink->write(std::as_bytes(std::span(header)));
  write([&](std::uint64_t id) { return results::whole_id(means.space(), id); });
  for (const results::Document* const document : documents) {
    write([&](std::uint64_t id) {
      const std::uint64_t its = means.id_in(*document, id);
      const bool failed = std::ranges::binary_search(document->failed, its);
      return failed ? 0 : document->compressed_bytes(its);
    });
  }
  sink->finish();
  std::FILE* const out = arguments.out == "-" ? stderr : stdout;
  // A data set in two precisions is two results.
  fmt::print(out, "{}: {} on {}\n", printable(arguments.out), counted(row.size(), "pipeline"),
             counted(documents.size(), "result"));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    fmt::print(out, "row {}: {}, {} searched\n", 1 + i, printable(results::label(*documents[i])),
               counted(documents[i]->sampled_bytes, "byte"));
  }
  for (const std::string& note : runs.notes()) fmt::print(out, "note: {}\n", printable(note));
}

}  // namespace

void add_matrix(Command query) {
  auto arguments = std::make_shared<MatrixArguments>();
  Command command = query.add_subcommand(
      "matrix", "The sizes of all pipelines on all data sets, as one .npy file");
  add_query_choice(command, arguments->choice);
  command.add_option("--out", arguments->out, "The .npy file, or - for standard output").required();
  command.add_flag("--force", arguments->force, "Replace the file if it exists");
  command.footer(
      "An array of 64-bit integers with a column for each pipeline. Row 0 has the ids, each other\n"
      "row the sizes of a data set in a precision, in the order that is printed; 0 where a "
      "pipeline\n"
      "did not give the data back.\n"
      "Examples:\n"
      "  fpsynth query matrix --runs results/runs/mini --out sizes.npy\n"
      "  python3 -c 'import numpy; print(numpy.load(\"sizes.npy\").shape)'");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
