#include "results/documents/means.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

namespace fpsynth::results {
namespace {

/// The pipelines of all documents that are lists of them, by their ids in the whole space; nullopt
/// if none is a list.
std::optional<std::vector<std::uint64_t>> listed_in_all(
    const std::vector<const Document*>& documents) {
  std::optional<std::vector<std::uint64_t>> common;
  for (const Document* document : documents) {
    const std::vector<std::uint64_t>& only = document->space.only;
    if (only.empty()) continue;
    if (!common) {
      common = only;
      continue;
    }
    std::vector<std::uint64_t> both;
    std::ranges::set_intersection(*common, only, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

}  // namespace

double harmonic_mean(std::span<const double> ratios) {
  double sum = 0;
  for (const double value : ratios) {
    if (value <= 0) return 0;
    sum += 1 / value;
  }
  return ratios.empty() ? 0 : static_cast<double>(ratios.size()) / sum;
}

std::vector<std::uint64_t> lowest(std::span<const double> costs, std::size_t count) {
  std::vector<std::uint64_t> ids;
  for (std::uint64_t id = 0; id < costs.size(); ++id) {
    if (std::isfinite(costs[id])) ids.push_back(id);
  }
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), middle, ids.end(), [&](std::uint64_t a, std::uint64_t b) {
    return std::tie(costs[a], a) < std::tie(costs[b], b);
  });
  ids.erase(middle, ids.end());
  return ids;
}

std::uint64_t whole_id(const synth::Space& space, std::uint64_t id) {
  if (space.only.empty()) return id;
  const std::uint64_t listed = space.only.size(), prelude = id / listed;
  return prelude * space.whole().pipelines() + space.only[id % listed];
}

Means::Means(std::vector<const Document*> documents) : documents_(std::move(documents)) {
  if (documents_.empty()) return;
  space_ = documents_.front()->space.without_preludes();
  if (auto common = listed_in_all(documents_)) {
    if (common->empty()) return;
    space_.only = std::move(*common);
  }
  costs_.resize(space_.pipelines());
  for (const Document* document : documents_) {
    const double scale =
        1 / (static_cast<double>(document->sampled_bytes) * static_cast<double>(documents_.size()));
    for (std::size_t id = 0; id < costs_.size(); ++id) {
      costs_[id] += static_cast<double>(document->compressed_bytes(id_in(*document, id))) * scale;
    }
  }
  for (const Document* document : documents_) {
    for (const std::uint64_t failed : document->failed) {
      if (failed >= document->space.pipelines()) continue;  // behind a prelude
      const auto id = space_.id_here(whole_id(document->space, failed));
      if (id) costs_[*id] = std::numeric_limits<double>::infinity();
    }
  }
}

std::optional<std::uint64_t> Means::best() const {
  const std::vector<std::uint64_t> first = lowest(costs_, 1);
  return first.empty() ? std::nullopt : std::optional(first.front());
}

std::optional<std::uint64_t> Means::find(const synth::Pipeline& pipeline) const {
  const auto id = costs_.empty() ? std::nullopt : space_.id_of(pipeline);
  return id && std::isfinite(costs_[*id]) ? id : std::nullopt;
}

std::uint64_t Means::count_better(std::uint64_t id) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(costs_, [&](double cost) { return cost < costs_[id]; }));
}

std::uint64_t Means::id_in(const Document& document, std::uint64_t id) const {
  if (space_.only.empty()) return id;  // then no document is a list
  return *document.space.id_here(whole_id(space_, id));
}

}  // namespace fpsynth::results
