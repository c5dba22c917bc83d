// fpsynth data: make and decode data sets.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "runners/cli/commands.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/file_type.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "runners/data/input.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"

namespace fpsynth::cli {
namespace {

using synth::Precision;

struct MakeArguments {
  std::vector<std::string> sets;
  std::string folder = "data";
  std::uint64_t bytes = data::kSyntheticBytes;
  bool force = false;
};

struct ConvertArguments {
  std::string input, output;
  TypeOption type;
  bool force = false;
};

/// True if a file exists and holds these bytes.
bool holds(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) != bytes.size() || error) return false;
  return std::ranges::equal(codec::Input::open(path.string()).bytes(), bytes);
}

void make(const MakeArguments& arguments) {
  std::vector<const data::SyntheticSet*> sets;
  for (const std::string& name : arguments.sets) sets.push_back(&data::synthetic_set(name));
  if (sets.empty()) {
    for (const data::SyntheticSet& set : data::synthetic_sets()) sets.push_back(&set);
  }
  const std::filesystem::path folder =
      create_folder(arguments.folder, "name another one with --out");
  std::error_code error;
  for (const data::SyntheticSet* set : sets) {
    const data::Input input = data::make_input(*set, arguments.bytes);
    const std::filesystem::path path = folder / fmt::format("{}.f64", set->name);
    if (holds(path, input.bytes())) {
      fmt::print("{} is up to date\n", path.string());
      continue;
    }
    if (std::filesystem::exists(path, error) && !arguments.force) {
      raise(
          "{} exists with different content; replace it with --force or name another folder with "
          "--out",
          path.string());
    }
    AtomicFile file(path);
    file.write(input.bytes());
    file.commit();
    fmt::print("{}: {} bytes, {}\n", path.string(), input.bytes().size(), set->description);
  }
}

/// Notes that values were written under a name that says that they are of the other type.
void note_ending(const std::string& output, synth::ValueType held) {
  const auto said = data::type_of_ending(data::ending_of(output));
  if (!said || *said == held) return;
  print_error("note: {} holds {}, and its ending says {}; call it .{}, or read it with --type {}\n",
              output, synth::to_string(held), synth::to_string(*said), synth::named(held).code,
              synth::named(held).code);
}

void decode(const ConvertArguments& arguments) {
  const data::Place place =
      arguments.input == "-" ? data::Place{"-", {}} : data::place_of(arguments.input);
  refuse_to_replace_data(arguments.input, arguments.output);
  const auto sink = codec::open_sink(arguments.output, arguments.force);
  const codec::Input file = codec::Input::open(data::opened_file(place.file));
  const data::Reading reading = arguments.type.reading();
  const auto format = data::format_of(place, {}, file.bytes());
  const bool raw = reading.type || reading.big_endian || reading.offset > 0 || reading.count > 0;
  const bool formatted = format && format->kind != data::FileKind::Other;
  if (arguments.input == "-" && (raw || formatted)) {
    throw UsageError("from standard input only FPC files are decoded; name a file");
  }
  if (raw || formatted || !place.variable.empty()) {
    const data::Input values = data::open_place(place, reading);
    while_unchanged(values, [&] { sink->write(values.bytes()); });
    sink->finish();
    return note_ending(arguments.output, values.type());
  }
  try {
    sink->write(while_unchanged(file, [&] { return data::decode_fpc(file.bytes(), file.name()); }));
  } catch (const Error&) {
    if (!data::type_of_ending(data::ending_of(place.file)) || data::is_fpc_name(place.file)) throw;
    raise(
        "{} is no FPC file; it is raw already, as its name says, and there is nothing to decode; "
        "of another layout, give --type, --endian, --offset or --count",
        place.file.string());
  }
  sink->finish();
  note_ending(arguments.output, Precision::Double);
}

void add_make(Command data) {
  Command command = data.add_subcommand("make", "Make data sets by small computations");
  auto arguments = std::make_shared<MakeArguments>();
  command.add_option("SET", arguments->sets, "Names of sets; all if left out");
  command.add_option("--out", arguments->folder, "Folder for the files SET.f64").show_default();
  command.add_option("--bytes", arguments->bytes, "Size of each set; such as 128K or 1M")
      .sizes()
      .show_default();
  command.add_flag("--force", arguments->force, "Replace files with different content");
  std::string sets;
  for (const data::SyntheticSet& set : data::synthetic_sets()) {
    sets += fmt::format("  {:13} {}\n", set.name, set.description);
  }
  command.footer("The sets, the same to the bit on every machine:\n" + sets +
                 "\n"
                 "Examples:\n"
                 "  fpsynth data make\n"
                 "  fpsynth data make --out /tmp/made --bytes 1M num_lorenz obs_track");
  command.callback([arguments] { make(*arguments); });
}

void add_decode(Command data) {
  Command command = data.add_subcommand(
      "decode", "Write the values of a file or of one of its variables as raw words");
  auto arguments = std::make_shared<ConvertArguments>();
  command
      .add_option("IN", arguments->input,
                  "FPC file (- is standard input), FILE:VARIABLE of a .npy, HDF5, netCDF, FITS, "
                  "Zarr or safetensors file, or a raw file with one of the options")
      .required();
  command.add_option("OUT", arguments->output, "Raw file to write; - is standard output")
      .required();
  add_type(command, arguments->type);
  add_reading(command, arguments->type);
  command.add_flag("--force", arguments->force, "Replace OUT if it exists");
  command.footer(
      "Examples:\n"
      "  fpsynth data decode num_plasma.trace.fpc num_plasma.f64\n"
      "  fpsynth data decode ocean.nc:temperature temperature.f32\n"
      "  fpsynth data decode run.h5:/step7/velocity velocity.f64\n"
      "  fpsynth data decode image.fits:SCI image.f32\n"
      "  fpsynth data decode field.bin field.f32 --type f32 --endian big --offset 256\n"
      "  fpsynth data decode num_plasma.trace.fpc - | sha256sum\n"
      "\n"
      "The values are written in stored order, as little-endian words; fill values, scale factors\n"
      "and offsets are not applied. fpsynth data info FILE lists the variables.\n"
      "FPC files have no checksum: a damaged file may decode to wrong values without a\n"
      "message. fpsynth data list --verify compares the values of sets whose checksum is known.");
  command.callback([arguments] { decode(*arguments); });
}

}  // namespace

void add_data(Command app) {
  Command command = app.add_subcommand("data", "Make, decode, export and describe data sets");
  command.require_subcommand();
  command.footer(
      "Examples:\n"
      "  fpsynth data make --bytes 1M\n"
      "  fpsynth data decode num_plasma.trace.fpc num_plasma.f64\n"
      "  fpsynth data info num_plasma.f64 --precision both\n"
      "\n"
      "fpsynth data COMMAND --help explains a command.");
  add_make(command);
  add_decode(command);
  add_data_info(command);
  add_data_export(command);
  add_data_sets(command);
}

}  // namespace fpsynth::cli
