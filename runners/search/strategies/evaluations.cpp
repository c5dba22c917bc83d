#include "runners/search/strategies/evaluations.hpp"

#include <fmt/core.h>

#include "results/documents/runs.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::search {

std::vector<std::uint64_t> leaf_bytes(const results::Document& document, const synth::Plan& plan) {
  const auto refuse = [&](const char* reason) {
    throw Error(fmt::format("{}: {}; search all pipelines of its space on all chunks",
                            results::label(document), reason));
  };
  if (results::raced(document)) refuse("only some pipelines were searched");
  if (!document.run.complete) refuse("the search is not complete");
  if (document.space.without_preludes() != plan.space()) refuse("its space is not the plan's");
  std::vector<std::uint64_t> bytes(plan.leaves().size(), kNotRestored);
  const std::uint64_t pipelines = plan.space().pipelines();
  std::vector<bool> failed(pipelines);
  for (const std::uint64_t id : document.failed) {
    if (id < pipelines) failed[id] = true;
  }
  for (std::uint64_t id = 0; id < pipelines; ++id) {
    if (!failed[id]) bytes[plan.leaf_of_id()[id]] = document.compressed_bytes(id);
  }
  return bytes;
}

std::optional<std::uint64_t> Evaluations::of(std::uint32_t leaf) {
  if (!known_[leaf]) {
    if (used_ == budget_) return std::nullopt;
    known_[leaf] = true;
    ++used_;
    if (leaf_bytes_[leaf] < best_.bytes) best_ = {leaf, leaf_bytes_[leaf]};
  }
  return leaf_bytes_[leaf];
}

}  // namespace fpsynth::search
