// fpsynth inspect: what a compressed file holds.

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "runners/cli/commands.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/inspect.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/formats/variables.hpp"
#include "synth/common/json.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

struct Arguments {
  std::string file;
  int threads = 0;
  bool json = false, verify = false;
};

const char* precision(const codec::Header& header) {
  return header.word_bytes == 8 ? "double" : "single";
}

const char* origin(const codec::Description& description) {
  constexpr const char* kOrigins[] = {"raw", "npy", "variable"};
  return kOrigins[static_cast<std::size_t>(description.origin)];
}

/// "float64, 100x200, big-endian, Fortran order, of a .npy file with 128 bytes before them".
std::string values_text(const codec::Description& described, std::size_t word_bytes) {
  constexpr const char* kOrigins[] = {"raw words", "a .npy file", "a variable"};
  std::string text = fmt::format("{}, {}", synth::to_string(codec::type_of(described, word_bytes)),
                                 data::shape_text(described.shape));
  if (described.big_endian) text += ", big-endian";
  if (described.fortran_order) text += ", Fortran order";
  text += fmt::format(", of {}", kOrigins[static_cast<std::size_t>(described.origin)]);
  if (!described.name.empty()) text += " " + printable(described.name);
  if (!described.head.empty()) {
    text += fmt::format(" with {} before them", counted(described.head.size(), "byte"));
  }
  return text;
}

void print_json(const codec::Inspection& found, const Arguments& arguments) {
  const codec::Header& header = found.header;
  nlohmann::ordered_json json = {
      {"file", arguments.file},
      {"version", found.version},
      {"pipeline", synth::to_string(header.pipeline)},
      {"stages", header.pipeline.stages.size()},
      {"cut", header.pipeline.cut},
      {"precision", precision(header)},
      {"word_bytes", header.word_bytes},
      {"chunk_words", header.chunk_words},
      {"chunks", header.chunks()},
      {"original_bytes", header.original_bytes},
      {"compressed_bytes", found.file_bytes},
      {"ratio", found.ratio},
      {"header_bytes", found.header_bytes},
      {"tail_bytes", found.tail_bytes},
      {"overhead_bytes", found.overhead_bytes},
      {"frame_bytes", found.frame_bytes},
      {"frames_bytes", found.frames_bytes},
      {"blocks_bytes", found.blocks_bytes},
      {"payload_bytes", found.payload_bytes},
      {"block_bytes",
       {{"min", found.blocks.shortest},
        {"mean", found.mean_block()},
        {"max", found.blocks.longest}}},
      {"checksum", fmt::format("{:016x}", header.checksum)},
      {"verified", arguments.verify},
  };
  if (const auto& described = found.description) {
    json["values"] = {{"type", synth::to_string(codec::type_of(*described, header.word_bytes))},
                      {"shape", described->shape},
                      {"name", described->name},
                      {"origin", origin(*described)},
                      {"big_endian", described->big_endian},
                      {"fortran_order", described->fortran_order},
                      {"head_bytes", described->head.size()},
                      {"description_bytes", found.description_bytes}};
  }
  if (const codec::PreludeInspection& prelude = found.prelude; !prelude.prelude.empty()) {
    json["prelude"] = {{"text", synth::to_string(prelude.prelude)},
                       {"header_bytes", prelude.header_bytes},
                       {"side_bytes", prelude.side_bytes},
                       {"bytes", prelude.bytes}};
  }
  // Paths need not be UTF-8.
  fmt::print("{}\n", json_text(json, 2));
}

void print_text(const codec::Inspection& found, const Arguments& arguments) {
  const codec::Header& header = found.header;
  const auto line = [](const char* label, const std::string& value) {
    fmt::print("{:<18}{}\n", label, value);
  };
  line("file", arguments.file);
  line("format version", fmt::format("{}", found.version));
  if (found.description) line("values", values_text(*found.description, header.word_bytes));
  const codec::PreludeInspection& prelude = found.prelude;
  if (!prelude.prelude.empty()) {
    line("prelude", synth::to_string(prelude.prelude));
    for (std::size_t i = 0; i < prelude.side_bytes.size(); ++i) {
      if (prelude.side_bytes[i] == 0) continue;
      line("  side data", fmt::format("{} of {}", counted(prelude.side_bytes[i], "byte"),
                                      synth::to_string(prelude.prelude.steps[i])));
    }
  }
  line("pipeline", synth::to_string(header.pipeline));
  line("cut", fmt::format("{} of {} on words", header.pipeline.cut,
                          counted(header.pipeline.stages.size(), "stage")));
  const bool floats = !found.description || found.description->kind == codec::ValueKind::Float;
  line(floats ? "precision" : "words",
       floats ? fmt::format("{} ({}-byte words)", precision(header), header.word_bytes)
              : counted(header.word_bytes, "byte"));
  line("original", counted(header.original_bytes, "byte"));
  line("compressed", counted(found.file_bytes, "byte"));
  line("ratio", fmt::format("{:.4f}", found.ratio));
  line("overhead",
       fmt::format("{}: {}{}header {}, trailing bytes {}", counted(found.overhead_bytes, "byte"),
                   found.description_bytes > 0
                       ? fmt::format("description {}, ", found.description_bytes)
                       : std::string(),
                   prelude.bytes > 0 ? fmt::format("prelude {}, ", prelude.bytes) : std::string(),
                   found.header_bytes, found.tail_bytes));
  line("payload", fmt::format("{}: frames {}, blocks {}", counted(found.payload_bytes, "byte"),
                              found.frames_bytes, found.blocks_bytes));
  line("chunks",
       fmt::format("{} of up to {}, frames of {}", header.chunks(),
                   counted(header.chunk_words, "word"), counted(found.frame_bytes, "byte")));
  line("blocks", fmt::format("min {}, mean {:.1f}, max {} bytes", found.blocks.shortest,
                             found.mean_block(), found.blocks.longest));
  line("checksum",
       fmt::format("{:016x}{}", header.checksum, arguments.verify ? ", verified by decoding" : ""));
}

void inspect(const Arguments& arguments) {
  const codec::Input input = codec::Input::open(arguments.file, codec::check_beginning);
  const codec::Inspection found = while_unchanged(input, [&] {
    const codec::Inspection structure = codec::inspect(input.bytes(), input.name());
    if (arguments.verify) {
      codec::CodecOptions options;
      options.threads = arguments.threads;
      codec::verify(input.bytes(), input.name(), options);
    }
    return structure;
  });
  arguments.json ? print_json(found, arguments) : print_text(found, arguments);
}

}  // namespace

void add_inspect(Command app) {
  Command command = app.add_subcommand("inspect", "Show what a compressed file holds");
  auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->file, "File written by compress; - is standard input")
      .required();
  command.add_flag("--json", arguments->json, "Print JSON; sizes are in bytes");
  command.add_flag("--verify", arguments->verify,
                   "Decode the file too and compare the checksum; writes nothing");
  command.add_threads(arguments->threads,
                      "Threads for --verify; as many as OpenMP has if left out");
  command.footer(
      "Examples:\n"
      "  fpsynth inspect plasma.fps\n"
      "  fpsynth inspect plasma.fps --verify --json | jq .ratio\n"
      "\n"
      "Checks the header and every length in the file; only --verify checks the contents.");
  command.callback([arguments] { inspect(*arguments); });
}

}  // namespace fpsynth::cli
