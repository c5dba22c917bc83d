// fpsynth hdf5: where the HDF5 filter is, and how programs name a method to it.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "runners/hdf5_filter/options.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/precision.hpp"

namespace fpsynth::cli {
namespace {

void print_path() { fmt::print("{}\n", modules::checked_hdf5_plugins().string()); }

struct Hdf5Arguments {
  std::string pipeline;
  std::optional<std::string> precision, chunk_words;
  BestOption best;
};

/// The options, and the extents of the chunks in which a search found the method, if it knew them.
hdf5::Options options_of(const Hdf5Arguments& arguments, std::vector<std::uint64_t>& chunk) {
  arguments.best.check(arguments.pipeline, "print");
  std::optional<synth::Precision> precision;
  if (arguments.precision) precision = synth::precision_called(*arguments.precision);
  hdf5::Options options;
  if (arguments.best.best) {
    const BestPipeline best = best_pipeline(arguments.best, precision);
    options.method = best.method;
    options.chunk_words = best.chunk_words;
    chunk = best.hdf5_chunk;
  } else {
    options.method = typed_method(arguments.pipeline);
  }
  if (precision) options.word_bytes = synth::word_bytes(*precision);
  if (arguments.chunk_words) options.chunk_words = std::stoul(*arguments.chunk_words);
  return options;
}

void print_options(const Hdf5Arguments& arguments) {
  std::vector<std::uint64_t> chunk;
  const hdf5::Options options = options_of(arguments, chunk);
  const std::vector<unsigned> values = hdf5::pack(options);
  const int id = hdf5::kFilterId;
  const std::string list = fmt::format("{}", fmt::join(values, ","));
  const std::string python = fmt::format("({})", fmt::join(values, ", "));
  const auto line = [](const char* program, const std::string& text) {
    fmt::print("{:<10}{}\n", program, text);
  };
  line("method", synth::to_string(options.method));
  line("values", list);
  const bool in_chunks = !chunk.empty();
  line("h5py", fmt::format("{}compression={}, compression_opts={}",
                           in_chunks ? fmt::format("chunks=({},), ", fmt::join(chunk, ", ")) : "",
                           id, python));
  line("xarray", fmt::format("engine=\"h5netcdf\", encoding={{\"NAME\": {{\"compression\": {}, "
                             "\"compression_opts\": {}}}}}",
                             id, python));
  line("h5repack", fmt::format("-f NAME:UD={},1,{},{}{}", id, values.size(), list,
                               in_chunks ? " -l NAME:CHUNK=" + results::extents_text(chunk) : ""));
  line("nccopy", fmt::format("-F \"NAME,{},{}\"", id, list));
  line("C",
       fmt::format("H5Pset_filter(properties, {}, H5Z_FLAG_OPTIONAL, {}, (const unsigned[]){{{}}})",
                   id, values.size(), list));
  line("netCDF-C",
       fmt::format("nc_def_var_filter(file, variable, {}, {}, (const unsigned[]){{{}}})", id,
                   values.size(), list));
}

}  // namespace

void add_hdf5(Command app) {
  Command command = app.add_subcommand("hdf5", "The HDF5 filter: its folder and its options");
  command.require_subcommand();
  Command path = command.add_subcommand("path", "The folder of the plugin, for HDF5_PLUGIN_PATH");
  path.footer(
      "Who only reads such files needs no fpsynth: `./run wheel` makes a Python wheel of the "
      "plugin.\n\n"
      "Example:\n  export HDF5_PLUGIN_PATH=$(fpsynth hdf5 path)");
  path.callback(print_path);

  Command options = command.add_subcommand(
      "options", "The numbers that name a method to the filter, as programs take them");
  auto arguments = std::make_shared<Hdf5Arguments>();
  options.add_option(
      "PIPELINE", arguments->pipeline,
      "1 to 8 component names, the last a reducer such as ZE or RLE, with | where "
      "words become bytes, behind a prelude of up to 5 steps and a / if there is one");
  add_chunk_words(options, arguments->chunk_words);
  options
      .add_option(
          "--precision", arguments->precision,
          "Words of 8 (double), 4 (single), 2 (half) or 1 byte (byte). Without it, those of "
          "the data set's elements")
      .one_of({"double", "single", "half", "byte"});
  add_best(options, arguments->best);
  options.footer(
      "Examples:\n"
      "  fpsynth hdf5 options \"DICT LAGs:1 / BIT LNV1s | ZE\"\n"
      "  fpsynth hdf5 options --best ocean_temperature --runs results/runs/ocean\n"
      "\n"
      "NAME stands for a variable or a data set. The filter has the number 63824.");
  options.callback([arguments] { print_options(*arguments); });
}

}  // namespace fpsynth::cli
