#include "runners/search/equal_states.hpp"

#include <xxhash.h>

#include <bit>

namespace fpsynth::search {
EqualStates::EqualStates(const Subtrees& subtrees)
    : subtrees_(subtrees), table_(std::bit_ceil(2 * subtrees.inner_nodes() + 1)) {}

std::size_t EqualStates::first_equal(std::size_t node, std::span<const std::byte> block) {
  if (subtrees_.end(node) == node + 1) return node;
  const std::uint32_t shape = subtrees_.shape(node);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(block.data(), block.size(), shape);
  const auto bytes = std::uint32_t(block.size());
  for (std::size_t place = hash.low64;; ++place) {
    Entry& entry = table_[place & (table_.size() - 1)];
    if (entry.chunk != chunk_) {
      entry = {hash.low64, hash.high64, bytes, std::uint32_t(node), chunk_};
      return node;
    }
    if (entry.low == hash.low64 && entry.high == hash.high64 && entry.bytes == bytes &&
        subtrees_.shape(entry.node) == shape) {
      return entry.node;
    }
  }
}

}  // namespace fpsynth::search
