#include "runners/cluster/shards.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cluster {
namespace {

namespace fs = std::filesystem;

/// The directories in a folder that are named as those of shards, sorted by name.
std::vector<fs::path> shards_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (name.starts_with("shard-") && name.find("-of-") != name.npos &&
        entry->is_directory(unknown)) {
      found.push_back(entry->path());
    }
  }
  if (error) {
    raise(
        "cannot list {}: {}; name the directory that holds the shards, which `fpsynth search "
        "--shard` calls --out",
        folder.string(), error.message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

constexpr const char* kTaskVariable = "SLURM_ARRAY_TASK_ID";

/// The number of this task of an array job.
std::uint64_t task_of_array(std::string_view shard) {
  const char* const text = std::getenv(kTaskVariable);
  if (!text || !*text) {
    raise<UsageError>(
        "shard '{}': {} is not set, so this is no array job; give the shard's number in place of "
        "auto",
        shard, kTaskVariable);
  }
  const std::optional<std::uint64_t> index = whole_number(text);
  if (!index) {
    raise<UsageError>(
        "shard '{}': {} is '{}', not a number; give the shard's number in place of auto", shard,
        kTaskVariable, text);
  }
  return *index;
}

}  // namespace

Shard Shard::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view first = text.substr(0, slash);
  const bool is_auto = first == "auto";
  const std::optional<std::uint64_t> index = whole_number(is_auto ? "1" : first);
  const std::optional<std::uint64_t> count =
      whole_number(text.substr(std::min(slash + 1, text.size())));
  if (!index || !count) {
    raise<UsageError>("shard '{}': give K/N, the K-th of N shards, or auto/N, with K from {}", text,
                      kTaskVariable);
  }
  if (*count < 1 || *count > kMost) {
    raise<UsageError>("shard '{}': a study is divided into 1 to {} shards", text, kMost);
  }
  const Shard shard{is_auto ? task_of_array(text) : *index, *count};
  if (shard.index < 1 || shard.index > shard.count) {
    raise<UsageError>(
        "shard '{}': the number {}{} is not in 1..{}{}", text, shard.index,
        is_auto ? fmt::format(", from {},", kTaskVariable) : "", shard.count,
        is_auto ? fmt::format("; submit the job with --array=1-{}", shard.count) : "");
  }
  return shard;
}

std::string Shard::text() const { return fmt::format("{}/{}", index, count); }

std::string Shard::directory_name() const {
  return fmt::format("shard-{:0{}}-of-{}", index, fmt::format("{}", count).size(), count);
}

results::ChunkRange Shard::share(std::uint64_t chunks) const {
  // floor(k * chunks / count), of which the product may not fit.
  const auto first_of = [&](std::uint64_t k) {
    return chunks / count * k + chunks % count * k / count;
  };
  return {first_of(index - 1), first_of(index)};
}

std::string array_text(std::span<const std::uint64_t> numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += fmt::format("{}", numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
    first = last + 1;
  }
  return text;
}

ShardResults::ShardResults(std::span<const fs::path> places) {
  std::string searched;
  for (const fs::path& place : places) {
    searched += (searched.empty() ? "" : ", ") + place.string();
    std::error_code error;
    if (fs::exists(results::study_path(place), error)) {
      add(place);
      continue;
    }
    for (const fs::path& directory : shards_in(place)) {
      // One that was killed before it began has no study.json, and is missing.
      if (fs::exists(results::study_path(directory), error)) add(directory);
    }
  }
  if (directories_.empty()) {
    raise("there are no shards in {}; name the directory that `fpsynth search --shard` calls --out",
          searched);
  }
  std::ranges::sort(directories_, {}, [](const Directory& each) { return each.shard.index; });
  auto next = directories_.begin();
  for (std::uint64_t index = 1; index <= count_; ++index) {
    if (next == directories_.end() || next->shard.index != index) {
      absent_.push_back(index);
      continue;
    }
    if (!next->finished || !has_its_documents(*next)) unfinished_.push_back(index);
    ++next;
  }
}

void ShardResults::add(const fs::path& directory) {
  const std::optional<results::StudyIdentity> identity = results::read_study(directory);
  if (!identity || identity->shard.empty()) {
    raise("{} is no shard: it holds the results of an undivided search; leave it out",
          directory.string());
  }
  Directory found{directory, {}, results::is_marked_finished(directory)};
  try {
    found.shard = Shard::parse(identity->shard);
  } catch (const Error& error) {
    raise("{}: field shard: {}; the file is damaged", results::study_path(directory).string(),
          error.what());
  }
  if (directories_.empty()) {
    study_ = *identity;
    count_ = found.shard.count;
  }
  for (const Directory& other : directories_) {
    if (other.shard.index != found.shard.index || count_ != found.shard.count) continue;
    raise("shard {} is in {} and in {}, and would count twice; leave one out", found.shard.text(),
          other.path.string(), directory.string());
  }
  if (count_ != found.shard.count) {
    raise(
        "{} is shard {}, but {} is shard {}: a study is divided only once; leave the shards of one "
        "division out",
        directories_.front().path.string(), directories_.front().shard.text(), directory.string(),
        found.shard.text());
  }
  results::StudyIdentity same = *identity;
  same.shard = study_.shard;
  if (same != study_) {
    raise(
        "{} and {} are parts of different searches: {}; leave one of them out, or search the shard "
        "again",
        directories_.front().path.string(), directory.string(), results::differences(study_, same));
  }
  directories_.push_back(std::move(found));
}

bool ShardResults::has_its_documents(const Directory& directory) const {
  return std::ranges::all_of(documents(), [&](const results::PlannedDocument& document) {
    const results::ChunkRange share = directory.shard.share(document.chunks);
    std::error_code error;
    return share.size() == 0 ||
           std::filesystem::exists(
               results::document_path(directory.path, document.data_set, document.precision),
               error);
  });
}

bool ShardResults::are_in(const fs::path& directory) const {
  return std::ranges::any_of(directories_, [&](const Directory& shard) {
    std::error_code error;
    return fs::equivalent(directory, shard.path, error) ||
           fs::equivalent(directory, shard.path / "..", error);
  });
}

results::StudyIdentity ShardResults::study() const {
  results::StudyIdentity whole = study_;
  whole.shard.clear();
  whole.documents.clear();
  return whole;
}

results::Document ShardResults::merged(const results::PlannedDocument& document,
                                       const std::function<void(const Shard&)>& reading) const {
  results::Merger merger(results::Timing::Parallel);
  fs::path first;
  std::string version;
  for (const Directory& directory : directories_) {
    const results::ChunkRange share = directory.shard.share(document.chunks);
    if (share.size() == 0) continue;
    if (reading) reading(directory.shard);
    const fs::path path =
        results::document_path(directory.path, document.data_set, document.precision);
    const auto advised = [&](const std::string& what) {
      return Error(fmt::format("{}; remove that file, and search shard {} again with --resume",
                               what, directory.shard.text()));
    };
    const auto refuse = [&](const std::string& what) {
      throw advised(fmt::format("{} {}", path.string(), what));
    };
    results::Document part;
    try {
      part = results::read_document(path);
    } catch (const Error& error) {
      throw advised(error.what());
    }
    if (part.data.name != document.data_set || part.data.precision != document.precision) {
      refuse(fmt::format("holds {} ({})", part.data.name, synth::to_string(part.data.precision)));
    }
    if (part.chunk_ranges != std::vector<results::ChunkRange>{share}) {
      refuse(fmt::format("holds the chunks {} of {}, but the share of shard {} is {} of {}",
                         results::to_string(part.chunk_ranges), part.run.chunks_total,
                         directory.shard.text(), results::to_string({&share, 1}), document.chunks));
    }
    if (part.run.chunks_total != document.chunks) {
      refuse(fmt::format("is of data of {}, but the study of {}",
                         counted(part.run.chunks_total, "chunk"),
                         counted(document.chunks, "chunk")));
    }
    if (first.empty()) {
      first = path;
      version = part.run.program_version;
    }
    if (part.run.program_version != version) {
      refuse(fmt::format("is of version {} of the program, {} of {}", part.run.program_version,
                         first.string(), version));
    }
    try {
      merger.add(part);
    } catch (const Error& error) {
      refuse(fmt::format("does not belong to {}: {}", first.string(), error.what()));
    }
  }
  return merger.whole();
}

}  // namespace fpsynth::cluster
