// fpsynth inspect: what a compressed file holds.

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runners/cli/codec/original.hpp"
#include "runners/cli/commands.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/inspect.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/formats/variables.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::cli {
namespace {

struct InspectArguments {
  std::string file;
  int threads = 0;
  bool json = false, verify = false, any_size = false;
};

std::string_view precision(const codec::Header& header) {
  return to_string(synth::precision_of_words(header.word_bytes));
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

/// The sizes and the method of a file, or of a section. What each section of a file has is left out
/// for all of it.
nlohmann::ordered_json json_of(const codec::Inspection& found) {
  const codec::Header& header = found.header;
  nlohmann::ordered_json json = {{"version", found.version},
                                 {"pipeline", synth::to_string(header.pipeline)},
                                 {"stages", header.pipeline.stages.size()},
                                 {"cut", header.pipeline.cut},
                                 {"precision", precision(header)},
                                 {"word_bytes", header.word_bytes},
                                 {"chunk_words", header.chunk_words},
                                 {"chunks", found.chunks()},
                                 {"original_bytes", header.original_bytes},
                                 {"compressed_bytes", found.file_bytes},
                                 {"ratio", found.ratio()},
                                 {"header_bytes", found.header_bytes},
                                 {"tail_bytes", found.tail_bytes},
                                 {"overhead_bytes", found.overhead_bytes()},
                                 {"frame_bytes", found.frame_bytes},
                                 {"frames_bytes", found.frames_bytes},
                                 {"blocks_bytes", found.blocks_bytes},
                                 {"payload_bytes", found.payload_bytes()},
                                 {"block_bytes",
                                  {{"min", found.blocks.shortest},
                                   {"mean", found.mean_block()},
                                   {"max", found.blocks.longest}}},
                                 {"checksum", fmt::format("{:016x}", header.checksum)}};
  if (found.sections.empty()) return json;
  for (const char* own :
       {"pipeline", "stages", "cut", "chunk_words", "frame_bytes", "block_bytes"}) {
    json.erase(own);
  }
  return json;
}

/// The prelude's part of JSON, if there is one.
void add_prelude(nlohmann::ordered_json& json, const codec::PreludeInspection& prelude) {
  if (prelude.prelude.empty()) return;
  json["prelude"] = {{"text", synth::to_string(prelude.prelude)},
                     {"header_bytes", prelude.header_bytes},
                     {"side_bytes", prelude.side_bytes},
                     {"bytes", prelude.bytes}};
}

void print_json(const codec::Inspection& found, const InspectArguments& arguments) {
  nlohmann::ordered_json json = {{"file", arguments.file}};
  json.update(json_of(found));
  json["verified"] = arguments.verify;
  if (const auto& described = found.description) {
    json["values"] = {
        {"type", synth::to_string(codec::type_of(*described, found.header.word_bytes))},
        {"shape", described->shape},
        {"name", described->name},
        {"origin", origin(*described)},
        {"big_endian", described->big_endian},
        {"fortran_order", described->fortran_order},
        {"head_bytes", described->head.size()},
        {"description_bytes", found.description_bytes}};
  }
  add_prelude(json, found.prelude);
  if (!found.sections.empty()) {
    json["index_bytes"] = found.index_bytes;
    json["sections"] = nlohmann::ordered_json::array();
    for (const codec::Inspection& section : found.sections) {
      json["sections"].push_back(json_of(section));
      add_prelude(json["sections"].back(), section.prelude);
    }
  }
  // Paths need not be UTF-8.
  fmt::print("{}\n", json_text(json, 2));
}

void print_line(std::string_view label, const std::string& value) {
  fmt::print("{:<18}{}\n", label, value);
}

/// The prelude, and the pipeline of a file without sections.
void print_method(const codec::Inspection& found) {
  const codec::Header& header = found.header;
  const codec::PreludeInspection& prelude = found.prelude;
  if (!prelude.prelude.empty()) {
    print_line("prelude", synth::to_string(prelude.prelude));
    for (std::size_t i = 0; i < prelude.side_bytes.size(); ++i) {
      if (prelude.side_bytes[i] == 0) continue;
      print_line("  side data", fmt::format("{} of {}", counted(prelude.side_bytes[i], "byte"),
                                            synth::to_string(prelude.prelude.steps[i])));
    }
  }
  if (!found.sections.empty()) return;
  print_line("pipeline", synth::to_string(header.pipeline));
  print_line("cut", fmt::format("{} of {} on words", header.pipeline.cut,
                                counted(header.pipeline.stages.size(), "stage")));
}

void print_text(const codec::Inspection& found, const InspectArguments& arguments) {
  const codec::Header& header = found.header;
  const auto parts = [](const char* what, std::uint64_t bytes) {
    return bytes > 0 ? fmt::format("{} {}, ", what, bytes) : std::string();
  };
  print_line("file", arguments.file);
  print_line("format version", fmt::format("{}", found.version));
  if (found.description) print_line("values", values_text(*found.description, header.word_bytes));
  print_method(found);
  for (int number = 0; const codec::Inspection& section : found.sections) {
    print_line(fmt::format("section {}", ++number),
               fmt::format("{} in {}, ratio {:.4f}: {} (chunks of {} words)",
                           counted(section.header.original_bytes, "byte"), section.file_bytes,
                           section.ratio(), section.method(), section.header.chunk_words));
  }
  const bool floats = !found.description || found.description->kind == codec::ValueKind::Float;
  print_line(floats ? "precision" : "words",
             floats ? fmt::format("{} ({}-byte words)", precision(header), header.word_bytes)
                    : counted(header.word_bytes, "byte"));
  print_line("original", counted(header.original_bytes, "byte"));
  print_line("compressed", counted(found.file_bytes, "byte"));
  print_line("ratio", fmt::format("{:.4f}", found.ratio()));
  print_line(
      "overhead",
      fmt::format("{}: {}{}{}header {}, trailing bytes {}", counted(found.overhead_bytes(), "byte"),
                  parts("description", found.description_bytes), parts("index", found.index_bytes),
                  parts("prelude", found.prelude.bytes), found.header_bytes, found.tail_bytes));
  print_line("payload",
             fmt::format("{}: frames {}, blocks {}", counted(found.payload_bytes(), "byte"),
                         found.frames_bytes, found.blocks_bytes));
  if (found.sections.empty()) {
    print_line("chunks", fmt::format("{} of up to {}, frames of {}", header.chunks(),
                                     counted(header.chunk_words, "word"),
                                     counted(found.frame_bytes, "byte")));
    print_line("blocks", fmt::format("min {}, mean {:.1f}, max {} bytes", found.blocks.shortest,
                                     found.mean_block(), found.blocks.longest));
  }
  print_line("checksum", fmt::format("{:016x}{}", header.checksum,
                                     arguments.verify ? ", verified by decoding" : ""));
}

void inspect(const InspectArguments& arguments) {
  const codec::Input input = codec::Input::open(arguments.file, codec::check_beginning);
  const codec::Inspection found = while_unchanged(input, [&] {
    const codec::Inspection structure = codec::inspect(input.bytes(), input.name());
    if (arguments.verify) {
      decode_parts(input.bytes(), input.name(), arguments.threads, arguments.any_size,
                   [&](const codec::SectionView& part, const codec::CodecOptions& options) {
                     codec::verify(part.container, part.name, options);
                     return part.container.size();
                   });
    }
    return structure;
  });
  arguments.json ? print_json(found, arguments) : print_text(found, arguments);
}

}  // namespace

void add_inspect(Command app) {
  Command command = app.add_subcommand("inspect", "Show what a compressed file holds");
  auto arguments = std::make_shared<InspectArguments>();
  command.add_option("FILE", arguments->file, "File written by compress; - is standard input")
      .required();
  command.add_flag("--json", arguments->json, "Print JSON; sizes are in bytes");
  command.add_flag("--verify", arguments->verify,
                   "Decode the file too and compare the checksum; writes nothing");
  command.add_threads(arguments->threads,
                      "Threads for --verify; as many as OpenMP has if left out");
  add_any_size(command, arguments->any_size);
  command.footer(
      "Examples:\n"
      "  fpsynth inspect plasma.fps\n"
      "  fpsynth inspect plasma.fps --verify --json | jq .ratio\n"
      "\n"
      "Checks the header and every length in the file; only --verify checks the contents.");
  command.callback([arguments] { inspect(*arguments); });
}

}  // namespace fpsynth::cli
