#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runners/codec/streams.hpp"
#include "runners/data/file_type.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/repack/chunks.hpp"
#include "runners/repack/repack.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::repack {
namespace {

using data::Extents;
using data::StoredDataset;

/// Refuses what is not HDF5, and lists variables in a process of its own, which damaged files may
/// crash.
void check_file(const std::filesystem::path& path) {
  const codec::Input file = codec::Input::open(path.string());
  const auto format = data::format_of(file.bytes());
  if (format && format->kind == data::FileKind::Netcdf3) {
    const std::string name = shell_word(path.string());
    throw Error(
        fmt::format("{} is {}, which has no filters; nccopy -k nc4 {} new.nc makes "
                    "netCDF-4 of it",
                    path.string(), format->name, name));
  }
  if (!format || format->kind != data::FileKind::Hdf5) {
    throw Error(
        fmt::format("{} is no HDF5 or netCDF-4 file, which alone have filters; fpsynth "
                    "compress takes it",
                    path.string()));
  }
  data::list_variables({path, {}}, file.bytes(), format->kind);
}

void check_dataset(const std::filesystem::path& file, const StoredDataset& dataset) {
  const std::string where = fmt::format("{}:{}", file.string(), dataset.name());
  if (dataset.elsewhere) {
    throw Error(
        fmt::format("{}: its values are in other files, which h5repack cannot copy; make "
                    "a data set of them first",
                    where));
  }
  if (!dataset.refusal.empty()) throw Error(fmt::format("{}: {}", where, dataset.refusal));
}

bool has_name(const StoredDataset& dataset, const std::string& name) {
  return std::ranges::find(dataset.names, name.starts_with('/') ? name : "/" + name) !=
         dataset.names.end();
}

/// Throws UsageError unless a data set has the name.
void check_name(const std::filesystem::path& file, const std::vector<StoredDataset>& datasets,
                const std::string& name, std::string_view option) {
  if (std::ranges::any_of(datasets, [&](const auto& one) { return has_name(one, name); })) return;
  std::vector<std::string> names;
  for (const StoredDataset& dataset : datasets) names.push_back(dataset.name());
  throw UsageError(fmt::format("{}: {} has no data set {}{}", option, file.string(), name,
                               suggestion("/" + name, names)));
}

/// Why a data set is left as it is; empty if it is not.
std::string reason_against(const StoredDataset& dataset, const Options& options) {
  const auto wanted = [&](const std::string& name) { return has_name(dataset, name); };
  if (!options.only.empty() && std::ranges::none_of(options.only, wanted)) return "not in --only";
  if (dataset.word_bytes == 0) return fmt::format("{} values", dataset.type);
  if (dataset.extents.empty() || dataset.values() == 0) {
    return dataset.extents.empty() ? "one value" : "no values";
  }
  if (dataset.bytes() < kSmallBytes)
    return fmt::format("{} only", counted(dataset.bytes(), "byte"));
  // h5repack separates names by commas, and has room for 255 bytes.
  const auto nameable = [](const std::string& name) {
    return name.find(',') == name.npos && name.size() < 256;
  };
  if (!std::ranges::any_of(dataset.names, nameable)) return "h5repack cannot take its name";
  return {};
}

/// The shape that the options name for a data set, or for its rank.
const Extents* said_chunk(const StoredDataset& dataset, const Options& options) {
  const std::size_t rank = dataset.extents.size();
  const Extents* said = nullptr;
  for (const auto& [name, chunk] : options.chunks) {
    if (name.empty() && chunk.size() == rank && !said) said = &chunk;
    if (name.empty() || !has_name(dataset, name)) continue;
    if (chunk.size() == rank) return &chunk;
    throw UsageError(fmt::format("--chunk {}={}: it has {}", name, fmt::join(chunk, "x"),
                                 counted(rank, "dimension")));
  }
  return said;
}

Extents chunk_of(const StoredDataset& dataset, const Options& options) {
  const Extents* const said = said_chunk(dataset, options);
  if (!said) return chunk_for(dataset);
  Extents chunk = *said;
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = std::min(chunk[i], dataset.extents[i]);
  return chunk;
}

/// Throws UsageError if the options name what the file does not have.
void check_options(const std::filesystem::path& file, const std::vector<StoredDataset>& datasets,
                   const Options& options) {
  for (const std::string& name : options.only) check_name(file, datasets, name, "--only");
  for (const auto& [name, chunk] : options.chunks) {
    const std::size_t rank = chunk.size();
    if (!name.empty()) {
      check_name(file, datasets, name, "--chunk");
    } else if (std::ranges::none_of(datasets,
                                    [&](const auto& one) { return one.extents.size() == rank; })) {
      throw UsageError(fmt::format("--chunk {}: {} has no data set of {}", fmt::join(chunk, "x"),
                                   file.string(), counted(rank, "dimension")));
    }
  }
}

}  // namespace

std::vector<Planned> plan(const std::filesystem::path& file, const Options& options) {
  check_file(file);
  const auto stored = data::stored_functions().open(file);
  const std::vector<StoredDataset> datasets = stored->datasets();
  check_options(file, datasets, options);
  // Everything is checked before choices are made, which take long.
  std::vector<Planned> planned;
  for (const StoredDataset& dataset : datasets) {
    check_dataset(file, dataset);
    Planned& one = planned.emplace_back();
    one.dataset = dataset;
    one.left = reason_against(dataset, options);
    if (one.left.empty()) one.chunk = chunk_of(dataset, options);
  }
  for (Planned& one : planned) {
    if (!one.left.empty()) continue;
    const StoredDataset& dataset = one.dataset;
    search::ChoiceOptions choice = options.choice;
    choice.progress = [&](const search::ChoiceProgress& progress) {
      if (options.progress) options.progress("choosing for " + dataset.name(), progress.share);
    };
    try {
      one.sampled =
          choose(*stored, dataset, one.chunk, options.method, choice, options.chunk_words);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file.string(), dataset.name(), error.what()),
                  error.status());
    }
    const double estimate =
        double(dataset.bytes()) * double(one.sampled.packed) / double(one.sampled.bytes);
    if (!options.method && estimate >= double(dataset.stored_bytes)) {
      one.left = "it would not become smaller";
    }
  }
  return planned;
}

}  // namespace fpsynth::repack
