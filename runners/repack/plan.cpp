#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>

#include "runners/codec/codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/file_type.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/data/input.hpp"
#include "runners/data/reading.hpp"
#include "runners/repack/chunks.hpp"
#include "runners/repack/copier.hpp"
#include "runners/repack/repack.hpp"
#include "synth/common/clock.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/value_type.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::repack {
namespace {

using data::Extents;
using data::StoredDataset;
using synth::Precision;

/// Refuses what is not HDF5, and lists variables in a process of its own, which damaged files may
/// crash.
void check_file(const std::filesystem::path& path) {
  const codec::Input file = codec::Input::open(path.string());
  const auto format = data::format_of(file.bytes());
  if (format && format->kind == data::FileKind::Netcdf3) {
    const std::string name = shell_word(path.string());
    raise("{} is {}, which has no filters; nccopy -k nc4 {} new.nc makes netCDF-4 of it",
          path.string(), format->name, name);
  }
  if (!format || format->kind != data::FileKind::Hdf5) {
    raise("{} is no HDF5 or netCDF-4 file, which alone have filters; fpsynth compress takes it",
          path.string());
  }
  data::list_variables({path, {}}, file.bytes(), format->kind);
}

void check_dataset(const std::filesystem::path& file, const StoredDataset& dataset) {
  const std::string where = fmt::format("{}:{}", file.string(), dataset.name());
  if (dataset.elsewhere) {
    raise(
        "{}: its values are in other files, which h5repack cannot copy; make a data set of them "
        "first",
        where);
  }
  if (!dataset.refusal.empty()) raise("{}: {}", where, dataset.refusal);
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
  raise<UsageError>("{}: {} has no data set {}{}", option, file.string(), name,
                    suggestion("/" + name, names));
}

/// Why a data set is left as it is; empty if it is not.
std::string reason_against(const StoredDataset& dataset, const Options& options) {
  const auto wanted = [&](const std::string& name) { return has_name(dataset, name); };
  if (!options.only.empty() && std::ranges::none_of(options.only, wanted)) return "not in --only";
  if (dataset.word_bytes == 0) return fmt::format("{} values", dataset.type);
  if (dataset.extents.empty()) return "one value";
  if (dataset.bytes() == 0) return "no values";
  if (dataset.bytes() < kSmallBytes)
    return fmt::format("{} only", counted(dataset.bytes(), "byte"));
  // It knows the data set by one of its names.
  for (const std::string& name : dataset.names) {
    if (name.find_first_of(",:") == name.npos && name.size() < kMostNameBytes) continue;
    return fmt::format("h5repack takes no name with a comma, a colon or {} bytes; rename {}",
                       kMostNameBytes, name == dataset.name() ? "it" : "its other name " + name);
  }
  return {};
}

/// Leaves data sets whose names have blanks if they are too many: they stand in h5repack's command
/// line, and its length is limited; others stand in a file.
void leave_for_length(std::vector<Planned>& plan) {
  const long limit = ::sysconf(_SC_ARG_MAX);
  std::uint64_t bytes = 0;
  for (Planned& one : plan) {
    if (!one.left.empty() || !on_command_line(one.dataset)) continue;
    for (const std::string& name : one.dataset.names) bytes += 2 * (name.size() + kMostOptionBytes);
    if (limit > 0 && bytes > std::uint64_t(limit) / 2) {
      one.left = "h5repack takes only some thousand names with blanks; rename it";
    }
  }
}

/// Throws Error if the disk cannot even hold what is left as it is.
void check_room(const std::vector<Planned>& plan, const Options& options) {
  std::uint64_t least = 0;
  for (const Planned& one : plan) least += one.left.empty() ? 0 : one.dataset.stored_bytes;
  if (!options.target.empty()) refuse_full_disk(options.target, options.target, least);
}

/// The shape that the options name for a data set, or for its rank.
const Extents* said_chunk(const StoredDataset& dataset, const Options& options) {
  const std::size_t rank = dataset.extents.size();
  const Extents* said = nullptr;
  for (const auto& [name, chunk] : options.chunks) {
    if (name.empty() && chunk.size() == rank && !said) said = &chunk;
    if (name.empty() || !has_name(dataset, name)) continue;
    if (chunk.size() == rank) return &chunk;
    raise<UsageError>("--chunk {}={}: it has {}", name, fmt::join(chunk, "x"),
                      counted(rank, "dimension"));
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
      raise<UsageError>("--chunk {}: {} has no data set of {}", fmt::join(chunk, "x"),
                        file.string(), counted(rank, "dimension"));
    }
  }
}

/// The most bytes of a sample, and of the part of it behind which preludes are tried; one chunk at
/// least.
constexpr std::uint64_t kSampleBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kPreludeBytes = std::uint64_t{1} << 20;

class Sample {
 public:
  Sample(data::StoredFile& file, const data::StoredDataset& dataset, const Extents& chunk)
      : file_(file), dataset_(dataset), chunk_(chunk), bytes_(volume(chunk) * dataset.word_bytes) {
    const std::uint64_t all = chunks_of(dataset.extents, chunk);
    count_ = std::clamp<std::uint64_t>(kSampleBytes / bytes_, 1, all);
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::vector<std::byte> values = chunk_at((2 * i + 1) * all / (2 * count_));
      stored_.insert(stored_.end(), values.begin(), values.end());
    }
    values_ = stored_;
    if (dataset.big_endian) data::swap_words(values_, precision());
  }

  std::uint64_t bytes() const { return values_.size(); }

  /// The chunks one behind another, of which those in the middle have at most so many bytes.
  data::Input input(std::uint64_t most) const {
    const std::uint64_t count = std::clamp<std::uint64_t>(most / bytes_, 1, count_);
    const std::uint64_t first = (count_ - count) / 2;
    Extents shape = chunk_;
    shape[0] *= count;
    // Integers are told from floats, because not all preludes are for them.
    const auto type = synth::type_called(dataset_.type, &synth::NamedType::name);
    return data::Input::borrowed(dataset_.name(),
                                 std::span(values_).subspan(first * bytes_, count * bytes_),
                                 type.value_or(precision()))
        .shaped(shape);
  }

  /// The bytes that the filter stores; of a chunk that it would make larger, those of the chunk.
  std::uint64_t packed(const search::Candidate& candidate, int threads) const {
    return packed(values_, candidate, threads);
  }

  /// The one of the methods with which the filter stores the fewest bytes of all chunks; the first
  /// one of them does of the sample.
  const search::Candidate& best(const std::vector<search::Candidate>& methods, int threads) const {
    const std::uint64_t all = chunks_of(dataset_.extents, chunk_);
    if (methods.size() == 1 || all == count_) return methods.front();
    std::vector<std::uint64_t> sums(methods.size());
    for (std::uint64_t index = 0; index < all; ++index) {
      std::vector<std::byte> values = chunk_at(index);
      if (dataset_.big_endian) data::swap_words(values, precision());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += packed(values, methods[i], threads);
    }
    return methods[std::size_t(std::ranges::min_element(sums) - sums.begin())];
  }

  std::uint64_t gzip() const {
    Extents extents = chunk_;
    extents[0] *= count_;
    return data::stored_functions().deflated_bytes(stored_, dataset_.word_bytes, extents, chunk_,
                                                   kGzipLevel);
  }

 private:
  Precision precision() const { return synth::precision_of_words(dataset_.word_bytes); }

  /// A chunk's values as they are in the file.
  std::vector<std::byte> chunk_at(std::uint64_t index) const {
    std::vector<std::byte> values(bytes_);
    file_.read(dataset_, origin_of(index, dataset_.extents, chunk_), chunk_, values);
    return values;
  }

  std::uint64_t packed(std::span<const std::byte> chunks, const search::Candidate& candidate,
                       int threads) const {
    codec::CodecOptions codec;
    codec.threads = threads;
    codec.chunk_words = candidate.chunk_words;
    std::uint64_t sum = 0;
    for (; !chunks.empty(); chunks = chunks.subspan(bytes_)) {
      sum += std::min<std::uint64_t>(
          codec::compress(chunks.first(bytes_), candidate.method, dataset_.word_bytes, codec)
              .size(),
          bytes_);
    }
    return sum;
  }

  data::StoredFile& file_;
  const data::StoredDataset& dataset_;
  const Extents& chunk_;
  std::uint64_t bytes_, count_ = 0;         ///< of a chunk; chunks
  std::vector<std::byte> values_, stored_;  ///< little-endian, and in the order of the file
};

/// Chooses a method for a data set in chunks of a shape, or measures that of the options. A method
/// is measured on each chunk by itself, as the filter meets it: a prelude's lag ends there, and its
/// side data are stored with each. The pipelines are searched on a sample of the chunks, and those
/// behind preludes on the chunk in its middle. Throws Error with the cause alone.
Sampled choose(data::StoredFile& file, const data::StoredDataset& dataset, const Extents& chunk,
               const Options& all, const search::ChoiceOptions& options) {
  const auto start = Clock::now();
  const Sample sample(file, dataset, chunk);
  std::vector<search::Candidate> candidates;
  if (all.method) {
    synth::check(all.method->prelude, dataset.word_bytes);
    candidates.push_back({*all.method, all.chunk_words});
  } else {
    const auto search = [&](const data::Input& input, std::uint64_t preludes) {
      search::ChoiceOptions now = options;
      now.numbers.preludes = preludes;
      for (search::EffortNumbers& numbers : now.smaller) {
        numbers.preludes = std::min(numbers.preludes, preludes);
      }
      std::ranges::copy(search::choose(input, now).candidates, std::back_inserter(candidates));
    };
    search(sample.input(kSampleBytes), 0);
    const std::uint64_t preludes = options.numbers.preludes;
    if (preludes > 0) search(sample.input(kPreludeBytes), preludes);
  }
  for (search::Candidate& one : candidates) one.bytes = sample.packed(one, options.threads);
  std::ranges::sort(candidates, {}, [](const search::Candidate& one) {
    return std::tuple(one.bytes, synth::to_string(one.method), one.chunk_words);
  });
  // The best of each effort and of smaller ones, of which the least of all chunks is no larger than
  // what a smaller effort chooses.
  std::vector<search::Candidate> winners;
  for (const search::Candidate& one : candidates) {
    if (winners.empty() || one.effort < winners.back().effort) winners.push_back(one);
  }
  const search::Candidate& best = sample.best(winners, options.threads);
  Sampled sampled = {.method = best.method,
                     .chunk_words = best.chunk_words,
                     .bytes = sample.bytes(),
                     .packed = best.bytes,
                     .gzip = sample.gzip()};
  const auto packing = Clock::now();
  sample.packed(best, 1);
  sampled.packing = seconds_since(packing);
  sampled.choosing = seconds_since(start);
  return sampled;
}

}  // namespace

Plan plan(const std::filesystem::path& file, const Options& options) {
  check_file(file);
  const std::string repacking = "cannot repack " + file.string();
  const auto stored = located(repacking, [&] { return data::stored_functions().open(file); });
  const std::vector<StoredDataset> datasets =
      located(repacking, [&] { return stored->datasets(); });
  check_options(file, datasets, options);
  // Everything is checked before choices are made, which take long.
  Plan result;
  std::vector<Planned>& planned = result.datasets;
  for (const StoredDataset& dataset : datasets) {
    check_dataset(file, dataset);
    Planned& one = planned.emplace_back();
    one.dataset = dataset;
    one.left = reason_against(dataset, options);
    if (one.left.empty()) one.chunk = chunk_of(dataset, options);
  }
  leave_for_length(planned);
  check_room(planned, options);
  options.progress({"reading all of " + file.string()});
  result.large_attributes =
      located(repacking, [&] { return data::stored_functions().survey(file); });
  Step step;
  std::size_t count = 0, number = 0;
  for (const Planned& one : planned) {
    if (!one.left.empty()) continue;
    step.all += std::min(one.dataset.bytes(), kSampleBytes);
    ++count;
  }
  for (Planned& one : planned) {
    if (!one.left.empty()) continue;
    const StoredDataset& dataset = one.dataset;
    const std::string what =
        fmt::format("choosing for {}, variable {} of {}", dataset.name(), ++number, count);
    search::ChoiceOptions choice = options.choice;
    choice.progress = [&](const search::ChoiceProgress& progress) {
      step.what = fmt::format("{}: step {} of 5, {:.0f} %", what, 1 + int(progress.step),
                              100 * progress.share);
      options.progress(step);
    };
    one.sampled = located(fmt::format("{}:{}", file.string(), dataset.name()),
                          [&] { return choose(*stored, dataset, one.chunk, options, choice); });
    step.done += std::min(dataset.bytes(), kSampleBytes);
    if (!options.method && one.expected() >= dataset.stored_bytes) {
      one.left = "it would not become smaller";
    }
  }
  return result;
}

}  // namespace fpsynth::repack
