// fpsynth explain: what each step of a method makes of the data.

#include "runners/codec/explain.hpp"

#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/format/layout.hpp"
#include "runners/data/input.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"
#include "synth/common/precision.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

constexpr std::string_view kSchema = "fpsynth-explanation";

struct ExplainArguments {
  std::string method, file, out;
  TypeOption type;
  std::optional<std::string> chunk_words;
  std::optional<std::uint64_t> chunk;
  unsigned columns = 256;
  bool json = false;
};

double ratio_of(const codec::ExplainedStep& step, std::uint64_t original) {
  return static_cast<double>(original) / static_cast<double>(step.bytes + step.beside);
}

nlohmann::ordered_json document(const std::vector<codec::ExplainedStep>& steps,
                                const data::Input& input, const synth::Method& method,
                                const codec::ExplainOptions& options) {
  nlohmann::ordered_json json = {
      {"schema", kSchema},
      {"version", 1},
      {"data_set", input.name()},
      {"precision", synth::to_string(input.native())},
      {"method", synth::to_string(method)},
      {"chunk_words", options.chunk_words},
      {"chunk", options.chunk},
      {"steps", nlohmann::ordered_json::array()},
  };
  const std::uint64_t original = steps.front().bytes;
  for (const codec::ExplainedStep& step : steps) {
    std::vector<std::string> rows;
    for (const auto& row : step.ones) rows.push_back(fmt::format("{:02x}", fmt::join(row, "")));
    json["steps"].push_back({{"name", step.name},
                             {"word_bytes", step.word_bytes},
                             {"bytes", step.bytes},
                             {"beside_bytes", step.beside},
                             {"ratio", ratio_of(step, original)},
                             {"shown_words", step.shown_words},
                             {"ones", rows}});
  }
  return json;
}

void print(const std::vector<codec::ExplainedStep>& steps) {
  std::size_t width = 4;
  for (const codec::ExplainedStep& step : steps) width = std::max(width, step.name.size());
  fmt::print("{:{}}  {:>9}  {:>13}  {:>12}  {:>8}\n", "step", width, "bits/word", "bytes",
             "beside them", "ratio");
  const std::uint64_t original = steps.front().bytes;
  for (const codec::ExplainedStep& step : steps) {
    fmt::print("{:{}}  {:>9}  {:>13}  {:>12}  {:>8.3f}\n", step.name.empty() ? "data" : step.name,
               width, 8 * step.word_bytes, step.bytes, step.beside, ratio_of(step, original));
  }
}

void explain(const ExplainArguments& arguments) {
  const synth::Method method = typed_method(arguments.method);
  refuse_to_replace_data(arguments.file, arguments.out);
  const data::Input input = data::open_input(arguments.file, arguments.type.reading());
  const std::size_t word_bytes = synth::word_bytes(input.native());
  codec::ExplainOptions options{.columns = arguments.columns};
  if (arguments.chunk_words) options.chunk_words = std::stoul(*arguments.chunk_words);
  const std::uint64_t chunks =
      codec::chunk_count(input.bytes().size() / word_bytes, options.chunk_words);
  options.chunk = arguments.chunk.value_or(chunks / 2);
  const std::vector<codec::ExplainedStep> steps =
      codec::explain(input.bytes(), method, word_bytes, options);
  input.check_unchanged();
  const nlohmann::ordered_json json = document(steps, input, method, options);
  if (!arguments.out.empty()) {
    AtomicFile file(arguments.out);
    file.write(json_text(json) + "\n");
    file.commit();
  }
  if (arguments.json) {
    fmt::print("{}\n", json_text(json, 2));
  } else {
    print(steps);
  }
}

}  // namespace

void add_explain(Command app) {
  Command command = app.add_subcommand("explain", "Show what each step of a method makes of data");
  auto arguments = std::make_shared<ExplainArguments>();
  command.add_option("METHOD", arguments->method, "A pipeline, its id, or a prelude / a pipeline")
      .required();
  command.add_option("FILE", arguments->file, "Data set: FILE or FILE:VARIABLE").required();
  add_type(command, arguments->type);
  add_reading(command, arguments->type);
  add_chunk_words(command, arguments->chunk_words);
  command.add_option("--chunk", arguments->chunk,
                     "Chunk of which bits are shown, from 0; the middle one if left out");
  command.add_option("--columns", arguments->columns, "Columns of the picture of bits")
      .range(1u, 4096u)
      .show_default();
  command.add_flag("--json", arguments->json, "Print JSON, with the bits of one chunk");
  add_out(command, arguments->out, "Also write the JSON document to this file", kSchema);
  command.footer(
      "Examples:\n"
      "  fpsynth explain \"LNV6s BIT LNV1s ZE\" plasma.f64\n"
      "  fpsynth explain \"DEC:2 LAGs:60 / BIT RLE | ZE\" track.f64 --out track.json\n"
      "  python3 -m analysis.explain track.json track.svg\n"
      "\n"
      "The table has the bytes of all data after each step. Side data of a prelude and the "
      "lengths\n"
      "of blocks, which a file needs too, stand beside them and count for the ratio. The document\n"
      "has the share of ones of every bit position in one chunk, after each step.");
  command.callback([arguments] { explain(*arguments); });
}

}  // namespace fpsynth::cli
