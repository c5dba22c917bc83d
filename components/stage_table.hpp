#pragma once
// Function pointers to the stages, which runners call. There is one table per team; its rows are
// the component families of the registry, its columns the word sizes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "components/block_counts.hpp"
#include "components/family.hpp"
#include "components/scratch.hpp"
#include "components/words/word_type.hpp"

namespace fpsynth::components {

/// The entry points of one component family at one word size on one team.
///
/// All three are called by one thread on blocks that it owns. Blocks start at a multiple of
/// kBlockAlignment; kBlockSlack bytes before and after them may be read, those after an output
/// block also overwritten (BlockBuffer has them). `in` and `out` do not overlap, and `out` has a
/// capacity of Family::bound(words) words. They neither allocate nor throw. `scratch` must hold at
/// least `words` items, and for `decode` also `extent.words`. `parameter` is the n of DIMn and
/// LNVn, 1..64; other families ignore it.
struct StageOps {
  Extent (*encode)(const std::byte* in, std::size_t words, std::byte* out, unsigned parameter,
                   const Scratch& scratch);
  /// Restores the `words` words that `in` encodes. Returns false if `in` cannot be decoded to a
  /// block of that length; `out` is then unspecified. Whatever `in` holds, nothing outside of the
  /// two blocks and their slack is accessed. (Some encodings that encode() never writes are
  /// accepted, for example split tokens.)
  bool (*decode)(const std::byte* in, Extent extent, std::byte* out, std::size_t words,
                 unsigned parameter, const Scratch& scratch);
  /// Returns the same as `encode`, without producing the block.
  Extent (*measure)(const std::byte* in, std::size_t words, unsigned parameter,
                    const Scratch& scratch);
  /// The same from the counts of a block of `words` words. Null where these do not decide it.
  Extent (*measured)(const teams::WordCounts& counts, std::size_t words);
  /// Counts the output that `encode` would write for a block of `words` words, without producing
  /// it: as words of this size and as bytes. `scratch` must hold as many items as the block has
  /// bytes. Returns false, and no counts, for a block or parameter of which they are not known.
  /// Null if they never are.
  bool (*count_output)(const CountedBlock& in, std::size_t words, unsigned parameter,
                       const Scratch& scratch, teams::BlockCounts& counts);
};

/// The entry points of one team that are not those of a component.
struct BlockOps {
  /// out = ~in, on `bytes` bytes.
  void (*complement)(const std::byte* in, std::size_t bytes, std::byte* out);
  /// Returns whether decoded = in, on `bytes` bytes, then sets decoded = ~in.
  bool (*verify)(const std::byte* in, std::size_t bytes, std::byte* decoded);
  /// Counts a block of `words` words, at least one, by column of the word size. `scratch` must hold
  /// as many items as the block has bytes.
  teams::BlockCounts (*count[words::kColumns])(const std::byte* in, std::size_t words,
                                               const Scratch& scratch);
  /// Copies the block `in` of `words` words into `block`, and sets everything else there, by column
  /// of the word size. Null entries: not on this team, which has no StageOps::count_output either.
  void (*prepare[words::kColumns])(const std::byte* in, std::size_t words, CountedBlock& block,
                                   const Scratch& scratch);
};

class StageTable {
 public:
  constexpr StageTable(std::string_view name, const StageOps* ops, const BlockOps& block_ops)
      : name_(name), ops_(ops), block_ops_(block_ops) {}
  /// "serial", "baseline", "avx2", "avx512", "cuda" or "emulated/<lanes>".
  constexpr std::string_view name() const { return name_; }
  constexpr const StageOps& at(std::size_t family, std::size_t word_bytes) const {
    return ops_[words::kColumns * family + words::column(word_bytes)];
  }
  const BlockOps& block_ops() const { return block_ops_; }
  /// out = ~in, on blocks. Called on the output block before decoding: a byte that the decoder does
  /// not write then differs from the original, so the output of an earlier decoder cannot pass for
  /// its own.
  void complement(const std::byte* in, std::size_t bytes, std::byte* out) const {
    block_ops_.complement(in, bytes, out);
  }
  /// Returns whether a decoder restored the block `in` in `decoded`. Then sets `decoded` to the
  /// complement of `in`, so that the next decoder of the same block must write all of it.
  bool verify(const std::byte* in, std::size_t bytes, std::byte* decoded) const {
    return block_ops_.verify(in, bytes, decoded);
  }
  /// The counts that determine the lengths that reducers give a block of `words` words, at least
  /// one. `scratch` must hold as many items as the block has bytes.
  teams::BlockCounts count(const std::byte* in, std::size_t words, std::size_t word_bytes,
                           const Scratch& scratch) const {
    return block_ops_.count[words::column(word_bytes)](in, words, scratch);
  }
  /// Copies the block `in` into `block`, whose pointers are set, and finds what
  /// StageOps::count_output needs to know of it. Only if counts_outputs().
  void prepare(const std::byte* in, std::size_t words, std::size_t word_bytes, CountedBlock& block,
               const Scratch& scratch) const {
    block_ops_.prepare[words::column(word_bytes)](in, words, block, scratch);
  }
  /// True if the outputs of stages can be counted without being produced.
  bool counts_outputs() const { return block_ops_.prepare[0] != nullptr; }

 private:
  std::string_view name_;
  const StageOps* ops_;
  BlockOps block_ops_;
};

/// The oracle: obvious code, one item after the other.
const StageTable& serial_stages();

/// The SIMD levels that this processor can run, best first; never empty.
std::span<const StageTable* const> simd_stages();

/// All SIMD levels that this program has code for, best first.
std::span<const StageTable* const> built_stages();

/// The table that runners use: the best SIMD level of this processor, or the one that the
/// environment variable FPSYNTH_SIMD names (avx512, avx2, baseline or serial).
/// Throws std::runtime_error if that name is unknown or this processor cannot run the level.
const StageTable& default_stages();

/// The tables of the SIMD levels. stages.cc, which defines them, is compiled once per level with
/// that level's instruction set, so other code may use nothing of it except these constants.
extern const StageTable kBaseline;
extern const StageTable kAvx2;
extern const StageTable kAvx512;

}  // namespace fpsynth::components
