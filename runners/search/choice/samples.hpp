#pragma once
// Samples of an input behind preludes: the same blocks behind each, so that what is found about two
// of them can be compared.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/search/transformed_input.hpp"
#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// Blocks are chunks of the greatest length, so that every chunk is in one of them.
inline constexpr std::size_t kBlockWords = std::ranges::max(synth::kChunkLengths);

/// Places of blocks: however many of the first ones are taken, they are spread over the input at
/// distances without a period.
class Places {
 public:
  /// `most` places of an input of so many words; fewer if it has fewer blocks.
  Places(std::size_t words, std::uint64_t most);

  std::size_t words() const { return words_; }  ///< of the input
  std::uint64_t all() const { return (words_ + kBlockWords - 1) / kBlockWords; }
  std::uint64_t count() const { return order_.size(); }
  /// The first `count` places, as numbers of blocks, ascending.
  std::vector<std::uint64_t> first(std::uint64_t count) const;
  /// The words of a block; the last one of the input may be shorter.
  std::size_t words_of(std::uint64_t block) const;

 private:
  std::size_t words_;
  std::vector<std::uint64_t> order_;
};

/// Blocks of an input behind a prelude.
class Sample {
 public:
  /// Keeps at most so many blocks of an input behind a prelude.
  Sample(const TransformedInput& input, std::uint64_t most);

  std::uint64_t count() const { return places_.count(); }  ///< of blocks

  /// The blocks at the first `count` places, in the order of the input.
  data::Input blocks(std::uint64_t count) const;
  /// Words of the input / words of these blocks.
  double scale(std::uint64_t count) const;
  /// Bytes in front of the container.
  std::uint64_t overhead_bytes() const { return overhead_bytes_; }

 private:
  Places places_;
  data::ValueType type_;
  std::string name_;
  std::vector<std::byte> bytes_;  ///< all blocks, in the order of the input
  std::uint64_t overhead_bytes_;
};

/// Transforms an input with preludes that mostly begin alike: what the first step made of it is
/// kept until a prelude begins with another.
class Transformer {
 public:
  Transformer(const data::Input& input, const SearchOptions& options)
      : input_(input), options_(options) {}

  TransformedInput operator()(const synth::Prelude& prelude);

 private:
  const data::Input& input_;
  const SearchOptions& options_;
  synth::Prelude first_;
  std::vector<TransformedInput> behind_first_;  ///< one or none
};

}  // namespace fpsynth::search
