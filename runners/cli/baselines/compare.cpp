// fpsynth compare: baselines, peers and searched pipelines on the same data.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "results/queries/queries.hpp"
#include "results/throughput/throughput.hpp"
#include "runners/baselines/baseline.hpp"
#include "runners/baselines/external.hpp"
#include "runners/baselines/peers/peers.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/chosen_method.hpp"
#include "runners/cli/commands.hpp"
#include "runners/cli/query/table_output.hpp"
#include "runners/cli/studies.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/data/study.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::cli {
namespace {

using baselines::Compressor;
using results::ComparedRow;
using results::ComparedSet;
using results::Comparison;
using synth::Precision;

struct CompareArguments : StudyArguments {
  std::vector<std::string> only, external;
  std::vector<baselines::ExternalPeer> peers;  ///< those of `external` that run here
  std::string runs, out, automatic;
  timing::Effort effort{.repetitions = 3};
  int threads = 0;  ///< of the searched pipeline; 0: all
  bool json = false;
  TableOutput tables;  ///< without its own documents
};

bool has_part(const std::string& name, const std::string& part) {
  return synth::lower(name).find(synth::lower(part)) != std::string::npos;
}

/// True if --only selects a compressor by a part of its name.
bool wanted(const CompareArguments& arguments, const std::string& name) {
  return arguments.only.empty() ||
         std::ranges::any_of(arguments.only,
                             [&](const std::string& part) { return has_part(name, part); });
}

constexpr const char* kMpcTitle = "MPC";

/// The row of what `compress auto` finds.
std::string auto_row(const CompareArguments& arguments) { return "auto " + arguments.automatic; }

std::vector<Compressor> built_in() {
  return baselines::all_compressors([](const baselines::Baseline&) { return 1; });
}

void check_only(const CompareArguments& arguments, const std::vector<results::Missing>& missing) {
  std::vector<std::string> names = {std::string(results::kBestSearched)};
  if (!arguments.automatic.empty()) names.push_back(auto_row(arguments));
  for (const Compressor& compressor : built_in()) names.push_back(compressor.name);
  for (const baselines::ExternalPeer& peer : arguments.peers) {
    if (std::ranges::count(names, peer.name)) {
      raise("--external: another compressor is called {}, too; rename the peer", peer.name);
    }
    names.push_back(peer.name);
  }
  for (const results::Missing& one : missing) names.push_back(one.compressor);
  for (const std::string& part : arguments.only) {
    if (std::ranges::none_of(names,
                             [&](const std::string& name) { return has_part(name, part); })) {
      raise<UsageError>("no compressor here is called '{}'; there are {}", part,
                        fmt::join(names, ", "));
    }
  }
}

std::filesystem::path runs_folder(const CompareArguments& arguments, const data::Study& study) {
  if (arguments.runs.empty()) {
    const std::filesystem::path folder = "results/runs";
    return arguments.study.empty() ? folder : folder / study.name;
  }
  if (!std::filesystem::is_directory(arguments.runs)) {
    raise("{} is no directory; name that of a search's results, or leave out --runs",
          arguments.runs);
  }
  return arguments.runs;
}

/// The search of exactly these bytes.
std::optional<results::Document> search_of(const std::filesystem::path& folder,
                                           const ComparedSet& set,
                                           std::vector<std::string>& notes) {
  const auto path = results::document_path(folder, set.name, set.precision);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  results::Document document = results::read_document(path);
  if (document.data.xxh3 != set.xxh3) {
    notes.push_back(fmt::format("{} is not of this data: its checksum differs", path.string()));
    return std::nullopt;
  }
  if (document.ranking.empty()) return std::nullopt;
  if (document.data.hdf5) {
    notes.push_back(
        fmt::format("{} ({}): the search was within HDF5 chunks of {}; here, all of the data are "
                    "compressed together",
                    set.name, synth::to_string(set.precision),
                    results::extents_text(document.data.hdf5->chunk)));
  }
  if (document.sampled() || !document.run.complete) {
    notes.push_back(fmt::format("{} ({}): the search was sampled or is not complete", set.name,
                                synth::to_string(set.precision)));
  }
  return document;
}

/// The row of a compressor that `measure` measures, which may throw.
ComparedRow measure_row(const std::string& name,
                        const std::function<results::ThroughputRow()>& measure) {
  ComparedRow row;
  row.name = name;
  try {
    static_cast<results::ThroughputRow&>(row) = measure();
    row.verified = true;
  } catch (const timing::RoundTripError& error) {
    row.failure = error.what();
  } catch (const Error& error) {
    row.refused = error.what();
  }
  return row;
}

ComparedSet compare_on(const data::Input& input, Precision precision,
                       data::Dimensionality described, const std::filesystem::path& runs,
                       const CompareArguments& arguments, const std::string& label,
                       const study::ProgressLine& line, std::vector<std::string>& notes) {
  ComparedSet set;
  set.name = input.name();
  set.source = input.path().empty() ? std::string(results::kMadeSource) : input.path().string();
  set.precision = precision;
  if (!input.type().is_of_precision()) set.type = synth::to_string(input.type());
  set.bytes = input.bytes().size();
  set.xxh3 = data::checksum_of(input);
  // Of each baseline that has one, by its title, which is the compressor's name.
  std::map<std::string, data::Dimensionality> dimensionalities;
  const auto dimensionality_of = [&](const baselines::Baseline& baseline) {
    const baselines::Description its = baseline.description();
    if (precision == Precision::Single && !its.singles) return 1u;
    if (its.title != kMpcTitle && !wanted(arguments, its.title)) return 1u;
    line.show(fmt::format("{}{}: trying dimensionalities", label, its.title));
    return (dimensionalities[its.title] =
                baseline.dimensionality(described, input.bytes(), precision))
        .value;
  };
  const auto progress_of = [&](const std::string& name) {
    return [&, name](const std::string& doing) {
      line.show(fmt::format("{}{}: {}", label, name, doing));
    };
  };
  const data::ValueType type = input.type();
  const auto add = [&](const Compressor& any, const std::string& pipeline) {
    if (!any.supports(precision) || !wanted(arguments, any.name)) return;
    const Compressor compressor = any.of_kind ? any.of_kind(type.kind) : any;
    set.rows.push_back(measure_row(compressor.name, [&] {
      return timing::measure(compressor, input.bytes(), precision, arguments.effort,
                             progress_of(compressor.name));
    }));
    set.rows.back().pipeline = pipeline;
    const data::Dimensionality& its = dimensionalities[compressor.name];
    if (its.value == 0) return;
    set.rows.back().dimensionality = its.value;
    set.rows.back().dimensionality_is = text_of(its.from, compressor.name);
  };
  for (const Compressor& compressor : baselines::all_compressors(dimensionality_of)) {
    add(compressor, "");
  }
  for (const baselines::ExternalPeer& peer : arguments.peers) {
    if (!std::ranges::count(peer.precisions, precision) || !wanted(arguments, peer.name)) continue;
    if (!type.is_float() && !peer.integers) {
      notes.push_back(
          fmt::format("{} ({}): without {}, whose description has no \"integers\": true", set.name,
                      synth::precision_text(type), peer.name));
      continue;
    }
    set.rows.push_back(measure_row(peer.name, [&] {
      auto row = timing::measure(*timed_external(peer, type), peer.name, input.bytes(),
                                 arguments.effort, progress_of(peer.name));
      row.version = peer.version;
      row.threads = std::uint64_t(peer.threads);
      return row;
    }));
  }
  if (!type.is_float() && wanted(arguments, "fpzip")) {
    notes.push_back(
        fmt::format("{}: its values are {}; fpzip, which knows none, takes their words "
                    "for floats with the same bits",
                    set.name, synth::to_string(type)));
  }
  set.dimensionality = dimensionalities[kMpcTitle].value;
  set.dimensionality_is = text_of(dimensionalities[kMpcTitle].from, kMpcTitle);
  if (const auto document = search_of(runs, set, notes)) {
    const std::size_t before = set.rows.size(), chunk_words = document->space.chunk_words;
    const synth::Method best = document->space.method_at(document->ranking.front());
    add(timing::pipeline_compressor(best, std::string(results::kBestSearched), arguments.threads,
                                    chunk_words),
        to_string(best));
    if (set.rows.size() > before) {
      set.rows.back().one_chunk_in = document->run.sample;
      if (chunk_words != synth::kChunkWords) {
        notes.push_back(fmt::format("{} ({}): best searched has chunks of {} words", set.name,
                                    synth::to_string(set.precision), chunk_words));
      }
    }
  }
  if (!arguments.automatic.empty() && wanted(arguments, auto_row(arguments))) {
    line.show("");
    AutoOptions options;
    options.effort = arguments.automatic;
    const auto [sections, before] =
        auto_sections(input, study::engine_on({}, false, arguments.threads), arguments.threads,
                      options, {}, {}, false);
    add(timing::sections_compressor(sections, auto_row(arguments), arguments.threads, before, true),
        joined(sections, "; ", [](const auto& one) { return synth::to_string(one.method); }));
  }
  return set;
}

/// Reads the descriptions of --external; the peers that do not run here become notes and Missing.
void read_external(CompareArguments& arguments, Comparison& comparison) {
  for (const std::string& file : arguments.external) {
    for (baselines::ExternalPeer& peer : baselines::read_external_peers(file)) {
      if (!peer.missing.empty()) {
        comparison.missing.push_back({peer.name, peer.missing});
        continue;
      }
      if (!peer.times_itself()) {
        comparison.notes.push_back(fmt::format(
            "{}: its seconds are those of whole commands, start and files included", peer.name));
      }
      arguments.peers.push_back(std::move(peer));
    }
  }
}

void run(CompareArguments& arguments) {
  const data::Study study = study_of(arguments, "compare");
  refuse_to_replace_data(study, arguments.out);
  for (const data::StudyItem& item : study.items) {
    if (!item.file.empty()) item.open();  // refuses bad data before the first timing
  }
  const std::filesystem::path runs = runs_folder(arguments, study);
  Comparison comparison{.program_version = synth::kVersion,
                        .commit = synth::kCommit,
                        .compiler = synth::kCompiler,
                        .cpu = device::cpu_name(),
                        .machine_threads = std::uint64_t(codec::default_threads()),
                        .command = command_line(),
                        .study = study.name,
                        .repetitions = std::uint64_t(arguments.effort.repetitions),
                        .missing = baselines::all_peers().missing,
                        .sets = {},
                        .notes = {}};
  read_external(arguments, comparison);
  check_only(arguments, comparison.missing);
  const std::size_t timed_bytes = arguments.effort.timed_bytes;
  if (timed_bytes != timing::Effort{}.timed_bytes) {
    comparison.notes.push_back(fmt::format(
        "GB/s: of the first {} bytes of each data set, where it has more", timed_bytes));
    for (const Compressor& compressor : built_in()) {
      if (compressor.least_timed_bytes > timed_bytes && wanted(arguments, compressor.name)) {
        comparison.notes.push_back(
            fmt::format("{}: GB/s of up to {} bytes, as many as its tables have", compressor.name,
                        compressor.least_timed_bytes));
      }
    }
  }
  {
    const study::ProgressLine line;
    std::size_t number = 0;
    for (const data::StudyItem& item : study.items) {
      const data::Input native = study::open_noted(item, &comparison.notes);
      const data::Dimensionality dimensionality = study::described_dimensionality(item, native);
      ++number;
      for (const Precision precision : study::precisions_of(study.precisions, native)) {
        const std::string label =
            fmt::format("[{}/{}] {} {}: ", number, study.items.size(), item.name,
                        synth::precision_text({precision, native.type().kind}));
        comparison.sets.push_back(while_unchanged(native, [&] {
          return compare_on(native.in(precision), precision, dimensionality, runs, arguments, label,
                            line, comparison.notes);
        }));
      }
    }
  }
  const std::string json = results::to_json(comparison);
  if (!arguments.out.empty()) write_whole(arguments.out, json);
  if (arguments.json) {
    write_output_text(json);
  } else {
    put_tables(results::compared(comparison), arguments.tables, "compare");
  }
  std::string failed;
  for (const ComparedSet& set : comparison.sets) {
    for (const ComparedRow& row : set.rows) {
      if (!row.failure.empty()) failed += fmt::format("; {}: {}", set.name, row.failure);
    }
  }
  if (!failed.empty()) throw Error("not every round trip gave the data back" + failed);
}

}  // namespace

void add_compare(Command app) {
  auto arguments = std::make_shared<CompareArguments>();
  Command command = app.add_subcommand(
      "compare", "Compare baselines, general-purpose compressors and searched pipelines");
  add_study_options(command, *arguments);
  command.add_option("--runs", arguments->runs,
                     "Directory of a search's results, for the best searched pipeline; "
                     "results/runs, or results/runs/STUDY if left out");
  command
      .add_option("--auto", arguments->automatic,
                  "Also what compress auto finds with this effort, for each data set anew")
      .one_of(effort_names());
  add_timed_bytes(command, arguments->effort);
  command
      .add_option("--repetitions", arguments->effort.repetitions, "Of each timing; 3 if left out")
      .range(1, 1000);
  command.add_threads(
      arguments->threads,
      "Threads of the best searched pipeline and of --auto; all processors if left out");
  command.add_option("--only", arguments->only, "Only compressors with these in their names")
      .separated_by(',');
  command
      .add_option("--external", arguments->external,
                  "A JSON description of further compressors that are programs, such as pco")
      .one_value_a_time()
      .value_name("FILE");
  add_out(command, arguments->out, "Also write the JSON document to this file",
          results::kComparisonSchema);
  Option json = command.add_flag("--json", arguments->json, "Print the JSON document");
  add_csv(command, arguments->tables, json);
  command.footer(
      "Examples:\n"
      "  fpsynth compare num_plasma.trace.fpc --precision both\n"
      "  fpsynth compare --study fpc --out compared.json\n"
      "  fpsynth compare field.f32 --auto normal --only auto,xz,blosc --threads 1\n"
      "  fpsynth compare field.f32 --only zstd,blosc,mpc --repetitions 5\n"
      "  fpsynth compare field.f32 --external pco.json --only pco,zstd\n"
      "Every round trip is verified before it is timed. Times are from memory to memory.");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace fpsynth::cli
