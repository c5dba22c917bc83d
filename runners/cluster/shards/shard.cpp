#include "runners/cluster/shards/shard.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "synth/common/error.hpp"

namespace fpsynth::cluster {
namespace {

constexpr const char* kTaskVariable = "SLURM_ARRAY_TASK_ID";

/// A number of digits alone.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

/// The number of this task of an array job.
std::uint64_t task_of_array(std::string_view shard) {
  const char* const text = std::getenv(kTaskVariable);
  if (!text || !*text) {
    throw UsageError(
        fmt::format("shard '{}': {} is not set, so this is no array job; give the "
                    "shard's number in place of auto",
                    shard, kTaskVariable));
  }
  const std::optional<std::uint64_t> index = number(text);
  if (!index) {
    throw UsageError(
        fmt::format("shard '{}': {} is '{}', not a number; give the shard's number in "
                    "place of auto",
                    shard, kTaskVariable, text));
  }
  return *index;
}

}  // namespace

Shard Shard::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view first = text.substr(0, slash);
  const bool is_auto = first == "auto";
  const std::optional<std::uint64_t> index = number(is_auto ? "1" : first);
  const std::optional<std::uint64_t> count = number(text.substr(std::min(slash + 1, text.size())));
  if (!index || !count) {
    throw UsageError(
        fmt::format("shard '{}': give K/N, the K-th of N shards, or auto/N, with K from {}", text,
                    kTaskVariable));
  }
  if (*count < 1 || *count > kMost) {
    throw UsageError(
        fmt::format("shard '{}': a study is divided into 1 to {} shards", text, kMost));
  }
  const Shard shard{is_auto ? task_of_array(text) : *index, *count};
  if (shard.index < 1 || shard.index > shard.count) {
    throw UsageError(
        fmt::format("shard '{}': the number {}{} is not in 1..{}{}", text, shard.index,
                    is_auto ? fmt::format(", from {},", kTaskVariable) : "", shard.count,
                    is_auto ? fmt::format("; submit the job with --array=1-{}", shard.count) : ""));
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

}  // namespace fpsynth::cluster
