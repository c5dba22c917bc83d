#pragma once
// The generator of test blocks, which the tests of components, codec and search share.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fpsynth::testing {

/// Kinds of block content. Every kind exists at every word size and length.
enum class Content {
  Zeros,
  Ones,         ///< all bits set
  OneValue,     ///< one value throughout
  Alternating,  ///< two alternating values: the most RLE tokens for the fewest words
  Pairs,        ///< a a b b c c ...: grows most under RLE on bytes
  LongRuns,     ///< runs of 1 to 400 words, about half of them zeros
  Sparse,       ///< one word in ten is not zero
  Random,       ///< uniform bits
  Smooth,       ///< a slowly moving value with noise in the low bits
  Specials,     ///< NaN payloads, -0, denormals, infinities
};
inline constexpr Content kContents[] = {
    Content::Zeros,    Content::Ones,   Content::OneValue, Content::Alternating, Content::Pairs,
    Content::LongRuns, Content::Sparse, Content::Random,   Content::Smooth,      Content::Specials};

std::string to_string(Content content);

/// `words` little-endian words of `word_bytes` bytes (1, 4 or 8).
std::vector<std::byte> make_block(Content content, std::size_t word_bytes, std::size_t words,
                                  std::uint64_t seed = 1);

/// Block lengths around every boundary in the components: 1, w-1, w, w+1, mask words, packs, full
/// chunks, and blocks that RLE or ZE has expanded.
std::vector<std::size_t> block_lengths(std::size_t word_bytes);

}  // namespace fpsynth::testing
