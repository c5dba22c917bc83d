// fpsynth archive: variables and arrays of several files in one, each a member that stands for
// itself.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/codec/original.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/inspect.hpp"
#include "runners/codec/prelude_files.hpp"
#include "runners/codec/sections.hpp"
#include "runners/codec/streams.hpp"
#include "runners/codec/zip.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/study/choice.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;

/// The ending of members, which are what compress writes.
constexpr std::string_view kMember = ".fps", kArray = ".npy";

// --- create --------------------------------------------------------------------------------

struct CreateArguments {
  std::string archive, method = kAuto;
  std::vector<std::string> inputs;
  TypeOption type;
  AutoOptions automatic;
  SectionsOption sections;
  int threads = 0;
  bool force = false, verbose = false;
};

/// An input of an archive: FILE or FILE:VARIABLE, and the name of its member.
struct Wanted {
  std::string path, member;
};

/// The variables of a file that can be compressed, by their names; a note says which cannot.
std::vector<std::string> readable_in(const std::string& path,
                                     const std::vector<data::Variable>& variables) {
  std::vector<std::string> names;
  for (const data::Variable& variable : variables) {
    std::string why = variable.refusal;
    if (why.empty() && !variable.held) why = data::type_refusal(variable.type);
    if (why.empty() && variable.values() == 0) why = "it has no values";
    if (why.empty()) {
      names.push_back(variable.name);
    } else {
      print_error("note: {} is left out: {}\n", printable(path + ":" + variable.name),
                  printable(why));
    }
  }
  if (names.empty()) {
    throw Error(fmt::format("{} has no variable that can be compressed", printable(path)));
  }
  return names;
}

/// All members of the inputs, whose files may have several variables each. Variables of one file
/// alone are called as they are there; where there are several inputs, each below its file.
std::vector<Wanted> wanted_of(const CreateArguments& arguments) {
  std::set<fs::path> files;
  for (const std::string& input : arguments.inputs) files.insert(data::place_of(input).file);
  std::vector<Wanted> wanted;
  for (const std::string& input : arguments.inputs) {
    const data::Place place = data::place_of(input);
    fs::path file = place.file.lexically_normal();
    if (!file.has_filename()) file = file.parent_path();  // a directory of Zarr with a slash
    const auto variables = data::variables_of(place.file);
    const bool named = arguments.type.offset == 0 && variables &&
                       !(variables->size() == 1 && variables->front().name.empty());
    if (!named && place.variable.empty()) {
      wanted.push_back({input, file.filename().string() + std::string(kMember)});
      continue;
    }
    const std::vector<std::string> names =
        place.variable.empty() ? readable_in(input, *variables) : std::vector{place.variable};
    const std::string folder = files.size() > 1 ? file.stem().string() + "/" : "";
    for (const std::string& name : names) {
      const std::size_t begin = std::min(name.find_first_not_of('/'), name.size());
      wanted.push_back({data::to_string({place.file, name}),
                        folder + name.substr(begin) + std::string(kMember)});
    }
  }
  std::set<std::string> members;
  for (const Wanted& one : wanted) {
    const std::string why = codec::bad_member_name(one.member);
    if (!why.empty()) {
      throw Error(
          fmt::format("{} cannot be a member: {}; compress it alone", printable(one.path), why));
    }
    if (!members.insert(one.member).second) {
      throw UsageError(fmt::format("two members would be called {}; make an archive of each",
                                   printable(one.member)));
    }
  }
  return wanted;
}

void create(const CreateArguments& arguments) {
  std::vector<synth::Method> named;
  if (arguments.method != kAuto) named = typed_methods(arguments.method);
  for (const std::string& input : arguments.inputs) {
    if (input == "-") throw UsageError("an archive is made of files; - is none");
    codec::refuse_same_file(data::place_of(input).file, arguments.archive);
  }
  const std::vector<Wanted> wanted = wanted_of(arguments);
  const auto sink = codec::open_sink(arguments.archive, arguments.force);
  codec::ZipWriter archive(*sink);
  codec::CodecOptions options;
  options.threads = arguments.threads;
  std::uint64_t originals = 0;
  const auto start = Clock::now();
  for (const Wanted& one : wanted) {
    const Original original = open_original(one.path, arguments.type);
    const data::Input& input = original.words;
    while_unchanged(original, [&] {
      if (named.empty()) print_error("{}:\n", printable(one.member));
      const std::vector<codec::Section> sections =
          named.empty() ? auto_sections(input, study::engine_on({}, false, arguments.threads),
                                        arguments.threads, arguments.automatic, {},
                                        arguments.sections, arguments.verbose)
                        : typed_sections(input, named, synth::kChunkWords, arguments.sections);
      codec::MemorySink held;
      const std::size_t word_bytes = synth::word_bytes(input.native());
      const auto& description = original.description;
      codec::SinkBehind behind(
          description ? codec::front_of(*description, word_bytes) : std::vector<std::byte>(), held);
      codec::compress_sections(input.bytes(), input.name(), sections, word_bytes, behind, options);
      archive.add(one.member, held.bytes());
    });
    originals +=
        input.bytes().size() + (original.description ? original.description->head.size() : 0);
  }
  archive.finish();
  sink->finish();
  summarize(arguments.verbose, originals, archive.bytes(), true, start);
}

// --- list and extract ----------------------------------------------------------------------

/// A member, as what it holds is found without decoding it.
struct Found {
  codec::ZipMember member;
  codec::Inspection content;

  std::string type() const {
    const auto& described = content.description;
    const synth::ValueType type(
        content.header.word_bytes == 8 ? synth::Precision::Double : synth::Precision::Single,
        described ? described->kind : synth::ValueKind::Float);
    return std::string(synth::to_string(type));
  }
  /// The path of what extract() makes of it.
  std::string file() const {
    std::string name = member.name.substr(0, member.name.size() - kMember.size());
    const auto& described = content.description;
    if (described && described->origin == codec::Origin::Variable) name += kArray;
    return name;
  }
};

/// Throws Error, which begins with the archive's name, if it is damaged, or has members of others.
std::vector<Found> found_in(const codec::Input& archive) {
  std::vector<Found> found;
  for (codec::ZipMember& member : codec::zip_members(archive.bytes(), archive.name())) {
    const std::string name = archive.name() + ":" + printable(member.name);
    if (!member.name.ends_with(kMember) || member.name.size() == kMember.size()) {
      throw Error(
          fmt::format("{} is no member that fpsynth archive makes; unpack the archive with "
                      "unzip",
                      name));
    }
    const auto content = codec::zip_content(archive.bytes(), member, archive.name());
    found.push_back({std::move(member), codec::inspect(content, name)});
  }
  return found;
}

struct ListArguments {
  std::string archive;
  bool json = false;
};

void list(const ListArguments& arguments) {
  const codec::Input archive = codec::Input::open(arguments.archive);
  const std::vector<Found> found = while_unchanged(archive, [&] { return found_in(archive); });
  auto all = nlohmann::ordered_json::array();
  std::size_t names = 4, shapes = 5;
  for (const Found& one : found) {
    const auto& described = one.content.description;
    all.push_back(
        {{"name", one.member.name},
         {"type", one.type()},
         {"shape", described ? nlohmann::ordered_json(described->shape) : nlohmann::ordered_json()},
         {"original_bytes", one.content.header.original_bytes},
         {"compressed_bytes", one.content.file_bytes},
         {"ratio", one.content.ratio},
         {"method", one.content.method()}});
    names = std::max(names, printable(one.member.name).size());
    if (described) shapes = std::max(shapes, data::shape_text(described->shape).size());
  }
  if (arguments.json) {
    fmt::print("{}\n", json_text(all, 2));
    return;
  }
  fmt::print("{:<{}}  {:<8}{:<{}}  {:>14} {:>14} {:>7}  {}\n", "name", names, "type", "shape",
             shapes, "bytes", "compressed", "ratio", "method");
  for (const Found& one : found) {
    const auto& described = one.content.description;
    fmt::print("{:<{}}  {:<8}{:<{}}  {:>14} {:>14} {:>7.3f}  {}\n", printable(one.member.name),
               names, one.type(), described ? data::shape_text(described->shape) : "-", shapes,
               one.content.header.original_bytes, one.content.file_bytes, one.content.ratio,
               one.content.method());
  }
}

struct ExtractArguments {
  std::string archive, folder = ".";
  std::vector<std::string> names;
  int threads = 0;
  bool force = false;
};

/// True if a member is meant by a name: its own, with or without its ending, or with a slash.
bool is_called(const Found& one, std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  return name == one.member.name ||
         (one.member.name.ends_with(kMember) &&
          name == one.member.name.substr(0, one.member.name.size() - kMember.size())) ||
         name == one.file();
}

/// Those of the members that are wanted. Throws UsageError for a name that none has.
std::vector<Found> chosen(std::vector<Found> found, const ExtractArguments& arguments) {
  for (const std::string& name : arguments.names) {
    if (std::ranges::any_of(found, [&](const Found& one) { return is_called(one, name); }))
      continue;
    std::vector<std::string> known;
    for (const Found& one : found) known.push_back(one.file());
    throw UsageError(fmt::format("{} has no member {}{}; fpsynth archive list shows them",
                                 arguments.archive, printable(name), suggestion(name, known)));
  }
  if (arguments.names.empty()) return found;
  std::erase_if(found, [&](const Found& one) {
    return std::ranges::none_of(arguments.names,
                                [&](const std::string& name) { return is_called(one, name); });
  });
  return found;
}

/// The file of a member below a folder. Throws Error if links of the folder lead elsewhere.
fs::path place_below(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / name;
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error);
  const fs::path there = fs::weakly_canonical(file.parent_path(), error);
  if (error ||
      std::mismatch(root.begin(), root.end(), there.begin(), there.end()).first != root.end()) {
    throw Error(
        fmt::format("{} would not be written below {}; remove the link that leads elsewhere, "
                    "or name another folder with --out",
                    printable(file.string()), folder.string()));
  }
  return file;
}

void extract(const ExtractArguments& arguments) {
  const codec::Input archive = codec::Input::open(arguments.archive);
  codec::CodecOptions options;
  options.threads = arguments.threads;
  while_unchanged(archive, [&] {
    const std::vector<Found> found = chosen(found_in(archive), arguments);
    std::set<std::string> files;
    for (const Found& one : found) {
      if (files.insert(one.file()).second) continue;
      throw Error(fmt::format("{}: two members become {}; extract one of them by its name",
                              archive.name(), printable(one.file())));
    }
    const fs::path folder = create_folder(arguments.folder, "name another one with --out");
    for (const Found& one : found) {
      const fs::path file = place_below(folder, one.file());
      create_folder(file.parent_path(), "name another one with --out");
      codec::refuse_same_file(arguments.archive, file.string());
      const auto sink = codec::open_sink(file.string(), arguments.force);
      const std::string name = archive.name() + ":" + printable(one.member.name);
      RestoringSink restored(*sink, archive.bytes().subspan(one.member.begin, one.member.bytes),
                             name, Form::Original);
      codec::decompress(restored.container(), name, restored, options);
      restored.finish();
      sink->finish();
    }
  });
}

void add_create(Command archive) {
  Command command =
      archive.add_subcommand("create", "Compress variables and arrays into an archive");
  auto arguments = std::make_shared<CreateArguments>();
  command.add_option("ARCHIVE", arguments->archive, "File to write, such as ocean.fpsz").required();
  command
      .add_option("INPUT", arguments->inputs,
                  "FILE:VARIABLE; FILE of HDF5, netCDF, FITS or Zarr for all its variables; .npy "
                  "files; raw words")
      .required();
  command
      .add_option("--method", arguments->method,
                  "A pipeline, with or without a prelude, for all members; auto finds one for each")
      .show_default();
  add_auto(command, arguments->automatic);
  add_sections(command, arguments->sections);
  add_type(command, arguments->type);
  add_byte_order(command, arguments->type);
  command.add_threads(arguments->threads, "Threads to use; as many as OpenMP has if left out");
  add_force_and_verbose(command, arguments->force, arguments->verbose);
  command.footer(
      "Examples:\n"
      "  fpsynth archive create ocean.fpsz ocean.nc\n"
      "  fpsynth archive create ocean.fpsz ocean.nc:temp ocean.nc:salt\n"
      "  fpsynth archive create run.fpsz run.h5 grid.npy --method \"LNV1s BIT | ZE\"\n"
      "\n"
      "An archive is a ZIP file: members are what fpsynth compress writes, under the names of the\n"
      "variables, and are not packed once more. unzip and other programs list and extract them.\n"
      "Type, shape, byte order and name of a variable are kept, its attributes are not.");
  command.callback([arguments] { create(*arguments); });
}

void add_list(Command archive) {
  Command command = archive.add_subcommand("list", "Show what an archive holds");
  auto arguments = std::make_shared<ListArguments>();
  command.add_option("ARCHIVE", arguments->archive, "File that archive create wrote").required();
  command.add_flag("--json", arguments->json, "Print JSON; sizes are in bytes");
  command.footer("Example:\n  fpsynth archive list ocean.fpsz");
  command.callback([arguments] { list(*arguments); });
}

void add_extract(Command archive) {
  Command command = archive.add_subcommand("extract", "Restore what an archive holds");
  auto arguments = std::make_shared<ExtractArguments>();
  command.add_option("ARCHIVE", arguments->archive, "File that archive create wrote").required();
  command.add_option("NAME", arguments->names, "Members, such as step7/velocity; all if left out");
  command.add_option("--out", arguments->folder, "Folder to write to; it is made if there is none")
      .show_default();
  command.add_threads(arguments->threads, "Threads to use; as many as OpenMP has if left out");
  command.add_flag("--force", arguments->force, "Replace files that exist");
  command.footer(
      "Examples:\n"
      "  fpsynth archive extract ocean.fpsz --out ocean\n"
      "  fpsynth archive extract ocean.fpsz temp --out .\n"
      "\n"
      "Variables become .npy files, .npy files and raw words what they were, to the byte. A file\n"
      "appears when its checksum has been verified, or not at all.");
  command.callback([arguments] { extract(*arguments); });
}

}  // namespace

void add_archive(Command app) {
  Command command =
      app.add_subcommand("archive", "Several variables or arrays in one compressed file");
  command.require_subcommand();
  command.footer(
      "Examples:\n"
      "  fpsynth archive create ocean.fpsz ocean.nc\n"
      "  fpsynth archive list ocean.fpsz\n"
      "  fpsynth archive extract ocean.fpsz temp --out .\n"
      "\n"
      "fpsynth archive COMMAND --help explains a command.");
  add_create(command);
  add_list(command);
  add_extract(command);
}

}  // namespace fpsynth::cli
