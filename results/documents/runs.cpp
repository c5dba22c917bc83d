#include "results/documents/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "results/documents/document_file.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

std::string remark(const Document& document) {
  const Run& run = document.run;
  std::vector<std::string> texts;
  if (raced(document)) texts.push_back(raced_text(document));
  if (document.sampled_bytes == 0) texts.push_back("nothing searched yet, left out");
  if (document.data.hdf5) {
    texts.push_back("in HDF5 chunks of " + extents_text(document.data.hdf5->chunk));
  }
  if (document.sampled()) texts.push_back(fmt::format("sampled, one chunk in {}", run.sample));
  if (!run.complete) {
    texts.push_back(
        fmt::format("incomplete, {} of {}", run.chunks_done, counted(run.chunks_total, "chunk")));
  }
  if (run.verification == "none") texts.push_back("not verified");
  if (!document.failed.empty()) {
    texts.push_back(fmt::format("failed pipelines, not ranked: {}", document.failed.size()));
  }
  return joined(texts, "; ");
}

auto order(const Document& document) {
  return std::tuple<const std::string&, int>(document.data.name,
                                             static_cast<int>(document.data.precision));
}

/// A race has no document before its rounds are over, only its state.
void refuse_unfinished_race(const std::filesystem::path& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (entry.path().extension() != ".race") continue;
    raise(
        "{} holds a race that is not over ({}) and no results yet; continue it with `fpsynth "
        "search`, its options and --resume",
        directory.string(), entry.path().filename().string());
  }
}

}  // namespace

bool raced(const Document& document) { return !document.space.only.empty(); }

std::string raced_text(const Document& document) {
  if (!document.race) {
    return fmt::format("only {} of {} were searched", document.space.size(),
                       counted(document.space.whole().size(), "pipeline"));
  }
  return fmt::format("raced: risk {:g} %, margin {:g} %, {} of {} were searched whole",
                     100 * document.race->risk, 100 * document.race->margin, document.space.size(),
                     counted(document.race->pipelines, "pipeline"));
}

Runs::Runs(std::vector<Document> documents) : documents_(std::move(documents)) {
  if (documents_.empty()) {
    throw Error("there are no results; run `fpsynth search` first, see `fpsynth search --help`");
  }
  std::sort(documents_.begin(), documents_.end(),
            [](const Document& a, const Document& b) { return order(a) < order(b); });
  space_ = documents_.front().space.without_preludes().whole();
  for (std::size_t i = 1; i < documents_.size(); ++i) {
    if (order(documents_[i]) == order(documents_[i - 1])) {
      raise("two documents contain {}; keep one of them", label(documents_[i]));
    }
    if (const synth::Space other = documents_[i].space.without_preludes().whole();
        other != space()) {
      raise(
          "{} and {} come from different spaces ({}; {}) and cannot be ranked together; keep each "
          "study in a separate directory",
          label(documents_.front()), label(documents_[i]), space().describe(), other.describe());
    }
  }
}

std::vector<const Document*> Runs::of(synth::Precision precision) const {
  std::vector<const Document*> found = searched();
  std::erase_if(found, [=](const Document* one) { return one->data.precision != precision; });
  return found;
}

std::vector<const Document*> Runs::searched() const {
  std::vector<const Document*> found;
  for (const Document& document : documents_) {
    if (document.sampled_bytes > 0) found.push_back(&document);
  }
  return found;
}

std::vector<std::string> Runs::notes() const {
  // Documents of a study often have the same remark, which is then one line for all of them.
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Document& document : documents_) {
    const std::string text = remark(document);
    if (text.empty()) continue;
    auto group = std::ranges::find(groups, text, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(group, {text, {}});
    group->second.push_back(label(document));
  }
  std::vector<std::string> lines;
  for (const auto& [text, labels] : groups) {
    lines.push_back(labels.size() == documents_.size() && labels.size() > 1
                        ? fmt::format("all data sets: {}", text)
                        : fmt::format("{}: {}", fmt::join(labels, ", "), text));
  }
  const auto has_preludes = [](const Document& document) { return document.space.has_preludes(); };
  if (std::ranges::any_of(documents_, has_preludes)) {
    lines.push_back(
        "preludes are of one data set: what holds for several is said of pipelines without them");
  }
  if (documents_.size() > 1 && std::ranges::any_of(documents_, raced)) {
    lines.push_back(
        "races leave other pipelines of each data set: what holds for several is said of those "
        "that all have, and another one may be better");
  }
  return lines;
}

Runs Runs::select(std::optional<std::string_view> data_set,
                  std::optional<synth::Precision> precision) const {
  std::vector<Document> chosen;
  std::vector<std::string> known;
  for (const Document& document : documents_) {
    known.push_back(label(document));
    if (data_set && document.data.name != *data_set) continue;
    if (precision && document.data.precision != *precision) continue;
    chosen.push_back(document);
  }
  if (chosen.empty()) {
    raise<UsageError>("there are no results for {}{}{}; choose one of: {}",
                      data_set.value_or("any data set"), precision ? " in " : "",
                      precision ? synth::to_string(*precision) : "", fmt::join(known, ", "));
  }
  return Runs(std::move(chosen));
}

Runs load_runs(const std::filesystem::path& directory) {
  const std::vector<std::filesystem::path> files = document_files(directory);
  if (files.empty()) {
    refuse_unfinished_race(directory);
    raise(
        "{} contains no result documents; run `fpsynth search` first (see `fpsynth search "
        "--help`), or name the directory of a study with --runs",
        directory.string());
  }
  std::vector<Document> documents;
  documents.reserve(files.size());
  for (const std::filesystem::path& file : files) documents.push_back(read_document(file));
  return located(directory.string(), [&] { return Runs(std::move(documents)); });
}

}  // namespace fpsynth::results
