#include "runners/cli/studies.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <system_error>

#include "runners/codec/streams.hpp"
#include "runners/data/formats/variables.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {

namespace fs = std::filesystem;
using synth::Precision;

namespace {

/// Where configs/ may be: here, and where the program is installed.
std::array<fs::path, 2> config_folders() {
  std::error_code error;
  return {"configs", fs::read_symlink("/proc/self/exe", error) / "../../share/fpsynth/configs"};
}

/// Why `FILE:*` leaves a variable out of a study of a precision; empty if it does not.
std::string reason_against(const data::Variable& variable, Precision precision) {
  if (!variable.held) return variable.refusal.empty() ? variable.type : variable.refusal;
  if (variable.values() == 0) return "no values";
  if (variable.held->precision == precision) return "";
  return fmt::format("{}, with --precision {}", variable.type, to_string(variable.held->precision));
}

/// The data files that were named. FILE:* stands for all variables of a file that can be read and
/// have words of one size: that of --precision, or of the most bytes. A note names the others.
std::vector<std::string> expanded(const StudyArguments& arguments) {
  std::vector<std::string> all;
  for (const std::string& file : arguments.files) {
    const data::Place place = data::place_of(file);
    if (place.variable != "*") {
      all.push_back(file);
      continue;
    }
    const auto variables = data::variables_of(place.file);
    if (!variables) raise<UsageError>("{} has no variables; leave out :*", file);
    std::array<std::uint64_t, std::size(synth::kPrecisions)> bytes{};
    for (const data::Variable& one : *variables) {
      if (!one.held) continue;
      bytes[std::size_t(one.held->precision)] += one.values() * synth::word_bytes(*one.held);
    }
    const auto most = Precision(std::ranges::max_element(bytes) - bytes.begin());
    const Precision precision = synth::precision_called(arguments.precision).value_or(most);
    std::vector<std::string> left;
    for (const data::Variable& one : *variables) {
      const std::string reason = reason_against(one, precision);
      if (reason.empty()) {
        all.push_back(data::to_string({place.file, one.name}));
      } else {
        left.push_back(fmt::format("{} ({})", one.name, reason));
      }
    }
    if (left.empty()) continue;
    const std::string text = printable(joined(left, ", "));
    if (left.size() == variables->size()) {
      raise("{}: none of its variables can be read: {}", file, text);
    }
    print_error("note: {}: without {}\n", printable(file), text);
  }
  return all;
}

}  // namespace

void add_data_options(Command command, StudyArguments& arguments) {
  command.add_option("FILE", arguments.files,
                     "Data files: raw words, FPC files (*.fpc), or .npy, HDF5, netCDF, "
                     "FITS, Zarr and safetensors files, whose variables are named as "
                     "FILE:VARIABLE, and 'FILE:*' all "
                     "of one word size");
  command.add_option("--study", arguments.study,
                     "Study file: data sets, precisions, space, verification; or the name of one "
                     "that comes with fpsynth, such as mini");
  add_type(command, arguments.type);
  add_reading(command, arguments.type);
}

void add_study_options(Command command, StudyArguments& arguments) {
  add_data_options(command, arguments);
  command
      .add_option("--precision", arguments.precision,
                  "What the values are converted to: double, single or both; half and byte are for "
                  "words of that size. If left out, what the study says or the files hold")
      .one_of({"double", "single", "both", "half", "byte"});
}

std::filesystem::path config_file(const std::string& given, const std::string& folder) {
  std::error_code error;
  if (fs::exists(given, error) || given.find_first_of("/.") != given.npos) return given;
  for (const fs::path& place : config_folders()) {
    const fs::path file = (place / folder / (given + ".json")).lexically_normal();
    if (fs::exists(file, error)) return file;
  }
  return given;  // its reader says that it is not there
}

std::string directory_of_runs(
    const std::string& given,
    std::vector<std::filesystem::path> (*files_in)(const std::filesystem::path&)) {
  if (given != kDefaultRuns || !files_in(given).empty()) return given;
  std::vector<std::string> folders;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(given, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (entry->is_directory(unknown) && !files_in(entry->path()).empty()) {
      folders.push_back(entry->path().string());
    }
  }
  if (folders.empty()) return given;
  std::ranges::sort(folders);
  if (folders.size() > 1) {
    raise<UsageError>("{} holds the results of several studies; name one of them with --runs: {}",
                      given, fmt::join(folders, ", "));
  }
  print_error("note: the results are those in {}\n", printable(folders.front()));
  return folders.front();
}

void add_timed_bytes(Command command, timing::Effort& effort) {
  command
      .add_option("--timed-bytes", effort.timed_bytes,
                  "Time only the first SIZE bytes of a data set, such as 8M; all if left out. "
                  "Ratios are always of all bytes")
      .sizes()
      .range(std::uint64_t{8}, ~std::uint64_t{0}, "SIZE");
}

std::vector<Precision> named_precisions(const std::string& text) {
  if (text == "both") return {Precision::Double, Precision::Single};
  const auto precision = synth::precision_called(text);
  return precision ? std::vector{*precision} : std::vector<Precision>();
}

data::Study study_of(const StudyArguments& arguments, std::string_view doing, bool may_repeat) {
  const data::Reading said = arguments.type.reading();
  data::Study study;
  if (arguments.study.empty()) {
    study.name = "files";
  } else {
    study = data::read_study(config_file(arguments.study, "studies"));
  }
  for (const std::string& file : expanded(arguments)) {
    if (file == "-") {
      throw UsageError(
          "data sets are not read from standard input; write it to a file, and name that");
    }
    data::StudyItem& item = study.items.emplace_back();
    item.name = data::data_set_name(file);
    item.file = file;
  }
  for (data::StudyItem& item : study.items) {
    if (item.synthetic || item.dataset) continue;
    data::Reading& reading = item.reading;
    if (!reading.type) reading.type = said.type;
    if (!reading.big_endian) reading.big_endian = said.big_endian;
    if (reading.offset == 0) reading.offset = said.offset;
    if (reading.count == 0) reading.count = said.count;
    reading.shape = said.shape;
  }
  if (study.items.empty()) {
    raise<UsageError>("nothing to {}: name data files, or a study file with --study", doing);
  }
  if (!arguments.precision.empty()) study.precisions = named_precisions(arguments.precision);
  std::set<std::string> names;
  for (const data::StudyItem& item : study.items) {
    if (!names.insert(item.name).second && !may_repeat) {
      raise<UsageError>(
          "two data sets are called '{}', and results go by that name; {} one at a time", item.name,
          doing);
    }
  }
  return study;
}

void refuse_to_replace_data(const std::string& input, const std::string& output) {
  if (input == "-" || output == "-" || output.empty()) return;
  const data::Place place = data::place_of(input);
  codec::refuse_same_file(data::opened_file(place.file), output);
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(place.file, error);
  if (!is_folder && !std::filesystem::is_regular_file(output, error)) return;
  std::optional<std::vector<data::Variable>> variables;
  try {
    variables = data::variables_of(place.file, place.variable);
  } catch (const Error&) {
    return;
  }
  if (!variables) return;
  for (const data::Variable& variable : *variables) {
    for (const std::string& file : variable.files) codec::refuse_same_file(file, output);
  }
}

void refuse_to_replace_data(const data::Study& study, const std::filesystem::path& output) {
  for (const data::StudyItem& item : study.items) {
    if (item.synthetic) continue;
    refuse_to_replace_data(item.file.string(), output.string());
  }
}

}  // namespace fpsynth::cli
