#include "runners/study/data_sets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

#include "components/stage_table.hpp"
#include "results/documents/data_set.hpp"
#include "results/documents/document_file.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::study {
namespace {

/// The described set that has the name and size of an input; null if none has or it is synthetic.
const data::Dataset* described(const data::StudyItem& item, const data::Input& input) {
  if (item.dataset) return &*item.dataset;
  if (item.synthetic) return nullptr;
  static const data::Registry registry = data::Registry::built_in();
  const data::Dataset* set = registry.find(item.name);
  return set && input.type() == set->native && set->bytes == input.bytes().size() ? set : nullptr;
}

results::Hdf5Chunks chunks_for(const data::Study& study, const data::StudyItem& item,
                               const data::Input& input) {
  return data::hdf5_chunks_of(input, known_shape(item, input), *study.hdf5_chunk);
}

}  // namespace

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::uint64_t number = text ? whole_number(text).value_or(0) : 0;
  return number <= INT_MAX ? static_cast<int>(number) : 0;
}

std::vector<synth::Precision> precisions_of(const std::vector<synth::Precision>& asked,
                                            const data::Input& input) {
  const bool converted = input.type() == synth::Precision::Double;
  if (asked.empty() || (asked.size() > 1 && !converted)) return {input.native()};
  return asked;
}

void leave_out_missing(data::Study& study) {
  std::string names;
  const auto missing = [&](const data::StudyItem& item) {
    if (!item.dataset || data::locate(*item.dataset, data::data_folder())) return false;
    names += (names.empty() ? "" : ", ") + item.name;
    return true;
  };
  std::erase_if(study.items, missing);
  if (names.empty()) return;
  const std::string folder = data::data_folder().string();
  if (study.items.empty()) {
    raise("none of the study's data sets is in {}; configs/datasets/fetch.py gets them: {}", folder,
          names);
  }
  print_error("note: left out, because they are not in {}: {}\n", folder, names);
}

data::Dimensionality described_dimensionality(const data::StudyItem& item,
                                              const data::Input& input) {
  if (item.synthetic) return {item.synthetic->dimensionality};
  const data::Dataset* set = described(item, input);
  return set ? set->dimensionality : data::Dimensionality();
}

std::vector<std::uint64_t> known_shape(const data::StudyItem& item, const data::Input& input) {
  if (!input.shape().empty()) return input.shape();
  const data::Dataset* set = described(item, input);
  return set ? set->shape : std::vector<std::uint64_t>{};
}

results::Cutting cutting_of(const data::Study& study, const data::StudyItem& item,
                            const data::Input& stored, std::uint64_t sample,
                            std::size_t chunk_words) {
  if (!study.hdf5_chunk) return stored.cutting(chunk_words);
  const results::Hdf5Chunks chunks = chunks_for(study, item, stored);
  const results::Cutting cutting{chunks.count(), chunks.words(), chunk_words};
  if (cutting.takes_all_places(sample)) return cutting;
  std::uint64_t other = sample;
  while (!cutting.takes_all_places(other)) ++other;
  raise<UsageError>(
      "--sample {}: of HDF5 chunks of {}, it takes the same ones of each; {} takes all in turn",
      sample, counted(cutting.chunks_of_part(), "chunk"), other);
}

data::Input searched_input(const data::Study& study, const data::StudyItem& item,
                           const data::Input& stored, data::Precision precision) {
  data::Input input = stored.in(precision);
  if (!study.hdf5_chunk) return input;
  return data::in_hdf5_chunks(input, chunks_for(study, item, input));
}

std::optional<std::string> unlike_published(const data::StudyItem& item, const data::Input& input) {
  const data::Dataset* set = described(item, input);
  if (!set || set->xxh3.empty()) return std::nullopt;
  const std::string found = data::checksum_of(input);
  if (found == set->xxh3) return std::nullopt;
  return fmt::format(
      "{} does not hold the published data set {}: the XXH3 of its values is {}, that of the "
      "published ones {}; it is damaged or a different version",
      input.path().string(), set->name, found, set->xxh3);
}

std::vector<results::PlannedDocument> check_data(data::Study& study, std::uint64_t sample,
                                                 std::size_t chunk_words) {
  std::vector<data::ValueType> natives;
  std::vector<std::uint64_t> chunks;
  for (const data::StudyItem& item : study.items) {
    results::document_path("", item.name, synth::Precision::Double);  // throws for a bad name
    const data::Input input = item.open();
    natives.push_back(input.type());
    if (input.view().words == 0) {
      raise("{}: a file of {} holds no whole word of {} bytes; nothing to search", item.name,
            counted(input.bytes().size(), "byte"), synth::word_bytes(input.native()));
    }
    chunks.push_back(cutting_of(study, item, input, sample, chunk_words).chunks(sample));
  }
  if (study.precisions.empty()) {
    const bool doubles =
        std::ranges::count(natives, synth::Precision::Double, &data::ValueType::precision) > 0;
    study.precisions = {doubles ? synth::Precision::Double : natives.front().precision};
  }
  std::vector<results::PlannedDocument> documents;
  std::size_t unconverted = 0;
  for (std::size_t i = 0; i < natives.size(); ++i) {
    std::vector<synth::Precision> precisions = study.precisions;
    if (natives[i] != synth::Precision::Double) {
      const data::Input input = study.items[i].open();
      precisions = precisions_of(study.precisions, input);
      unconverted += precisions.size() < study.precisions.size();
      input.in(precisions.front());  // throws for another
    }
    for (const synth::Precision precision : precisions) {
      documents.push_back({study.items[i].name, precision, chunks[i]});
    }
  }
  if (unconverted > 0) {
    print_error(
        "note: {} singles or integers, which are not converted, and {} searched as stored\n",
        by_count(unconverted, "a data set holds", fmt::format("{} data sets hold", unconverted)),
        by_count(unconverted, "is", "are"));
  }
  return documents;
}

search::EngineFactory engine_on(const std::vector<device::DeviceInfo>& devices, bool or_processor,
                                int threads, bool merge_equal) {
  const auto cpu = search::cpu_engine(threads, components::default_stages(), merge_equal);
  if (devices.empty()) return cpu;
  const auto gpus = search::cuda_engine(devices);
  if (!or_processor) return gpus;
  // Every data set has its own engine; the same reason is printed once.
  const auto told = std::make_shared<std::string>();
  return search::engine_or(gpus, cpu, [told](const std::string& why) {
    if (why != *told) device::report_cpu_fallback(why);
    *told = why;
  });
}

data::Input open_noted(const data::StudyItem& item, std::vector<std::string>* notes) {
  data::Input stored = item.open();
  if (const auto note = unlike_published(item, stored)) {
    print_error("note: {}\n", *note);
    if (notes) notes->push_back(*note);
  }
  return stored;
}

int threads_by_default(const cluster::Ranks* ranks) {
  const int given = number_in("SLURM_CPUS_PER_TASK");
  if (given > 0) return std::min(given, codec::most_threads());
  return ranks ? std::min(ranks->place().processors, codec::most_threads()) : 0;
}

std::string devices_of_rank(const std::vector<int>& devices, const cluster::Place& place) {
  std::string own;
  for (std::size_t i = place.local_rank % devices.size(); i < devices.size();
       i += place.local_ranks) {
    own += fmt::format("{}{}", own.empty() ? "" : ",", devices[i]);
  }
  return own;
}

void refuse_other_ranks() {
  for (const char* variable :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const int ranks = number_in(variable); ranks > 1) {
      raise<UsageError>(
          "this program was started as one of {} ({}), but searches alone, and all would search "
          "the same; use fpsynth-mpi, which is built with -DFPSYNTH_MPI=ON, or --shard",
          counted(std::uint64_t(ranks), "task"), variable);
    }
  }
}

}  // namespace fpsynth::study
