#pragma once
// Samples of an input behind preludes: the same blocks behind each, so that findings behind two
// preludes can be compared.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/search/preludes.hpp"
#include "synth/pipeline.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// Blocks are the longest chunks that are searched, so that every one of these is in one of them.
inline constexpr std::size_t kBlockWords = synth::kLongestSearched;

/// The numbers of words at the beginning of an input that lags of preludes transform otherwise than
/// later ones, in blocks: ascending, each at least twice the one before, so that they are few.
std::vector<std::uint64_t> heads_of(std::span<const synth::Prelude> preludes);

/// Places of blocks: however many of the first ones are taken, there is one before each head, and
/// the others are spread over the input at distances without a period.
class Places {
 public:
  static constexpr std::uint64_t kNoTail = ~std::uint64_t{0};

  /// `most` places of an input of so many words, fewer if it has fewer blocks, or one more than
  /// there are heads. Of the blocks from `tail` on, whose words are all equal, one is taken before
  /// all others have been.
  Places(std::size_t words, std::uint64_t most, std::span<const std::uint64_t> heads = {},
         std::uint64_t tail = kNoTail);

  struct Block {
    std::uint64_t number = 0;
    std::size_t words = 0;  ///< the last one of the input may be shorter
    double weight = 0;      ///< words of the input that a word of it stands for
  };
  std::uint64_t all() const { return (words_ + kBlockWords - 1) / kBlockWords; }
  std::uint64_t tail() const { return tail_; }  ///< all() if there is none
  std::uint64_t count() const { return order_.size(); }
  /// The blocks at the first `count` places (and not fewer than there are heads), in their order.
  std::vector<Block> first(std::uint64_t count) const;

 private:
  std::size_t words_of(std::uint64_t block) const {
    return std::min<std::size_t>(kBlockWords, words_ - block * kBlockWords);
  }
  std::size_t stratum_of(std::uint64_t block) const {
    return std::size_t(std::ranges::upper_bound(heads_, block) - heads_.begin());
  }

  std::size_t words_;
  std::uint64_t tail_;
  std::vector<std::uint64_t> heads_;  ///< and the tail
  std::vector<std::uint64_t> order_;
};

/// Blocks of an input behind a prelude.
class Sample {
 public:
  /// Keeps at most so many blocks of an input behind a prelude, each word of which stands for
  /// `scale` ones.
  Sample(const TransformedInput& input, std::uint64_t most, std::span<const std::uint64_t> heads,
         double scale = 1);
  /// Of these blocks of `input`, the words behind a prelude.
  Sample(const data::Input& input, Places places, std::vector<std::byte> words,
         std::uint64_t overhead_bytes);

  const Places& places() const { return places_; }
  double scale() const { return scale_; }
  std::size_t word_bytes() const { return synth::word_bytes(type_.precision); }
  std::span<const std::byte> bytes_of(const Places::Block& block) const;
  /// The first `count` blocks, as an input.
  data::Input input(std::uint64_t count) const;
  /// Bytes of the input, and of those in front of its container.
  std::uint64_t original_bytes() const { return original_bytes_; }
  std::uint64_t overhead_bytes() const { return overhead_bytes_; }

 private:
  Places places_;
  data::ValueType type_;
  double scale_ = 1;
  std::uint64_t original_bytes_, overhead_bytes_;
  std::vector<std::uint64_t> numbers_;  ///< of the blocks, ascending
  std::vector<std::byte> bytes_;
};

class Windows;  // of samples.cpp

/// Samples of an input behind preludes. Of a large one, only the sampled blocks are transformed,
/// and side data are estimated from them; or, behind steps that depend on all words before, the
/// blocks are those of parts of the input that are together as long as the largest that is
/// transformed.
class Sampler {
 public:
  /// Inputs of more than `largest` bytes are large. The input and the options must outlive it.
  Sampler(const data::Input& input, std::uint64_t largest, const SearchOptions& options);
  ~Sampler();

  /// At most `most` blocks behind a prelude. Those that begin with the same step, which may be
  /// executed once, should follow each other.
  Sample operator()(const synth::Prelude& prelude, std::uint64_t most,
                    std::span<const std::uint64_t> heads);

 private:
  TransformedInput transformed(const synth::Prelude& prelude);
  /// Bytes in front of the container, estimated from the blocks at these places.
  double overhead_of(const synth::Prelude& prelude, const Places& places);

  const data::Input& input_;
  const SearchOptions& options_;
  std::unique_ptr<Windows> windows_;  ///< of a large input; else null
  std::optional<data::Input> parts_;  ///< of a large input, when they are needed
  std::uint64_t part_bytes_;
  synth::Prelude first_;
  std::vector<TransformedInput> behind_first_;  ///< one or none
};

}  // namespace fpsynth::search
