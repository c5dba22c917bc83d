#pragma once
// Function pointers to the stages, which runners call. There is one table per team; its rows are
// the component families of the registry, its columns the three word sizes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "components/extent.hpp"
#include "components/scratch.hpp"

namespace fpsynth::components {

/// The entry points of one component family at one word size on one team.
///
/// All three are called by one thread on blocks that it owns. Blocks start at a multiple of
/// kBlockAlignment; kBlockSlack bytes before and after them may be read, those after an output
/// block also overwritten (BlockBuffer has them). `in` and `out` do not overlap, and `out` has room
/// for Family::bound(words) words. They neither allocate nor throw. `scratch` must hold at least
/// `words` items, and for `decode` also `extent.words`. `parameter` is the n of DIMn and
/// LNVn, 1..64, and ignored elsewhere.
struct StageOps {
  Extent (*encode)(const std::byte* in, std::size_t words, std::byte* out, unsigned parameter,
                   const Scratch& scratch);
  /// Restores the `words` words of which `in` is the encoding. False if `in` cannot be decoded to a
  /// block of that length; `out` is then unspecified. Whatever `in` holds, nothing outside of the
  /// two blocks and their slack is touched. (Some blocks are decoded that encode would write in
  /// another way, with split tokens for example.)
  bool (*decode)(const std::byte* in, Extent extent, std::byte* out, std::size_t words,
                 unsigned parameter, const Scratch& scratch);
  /// What `encode` would return, without producing the block.
  Extent (*measure)(const std::byte* in, std::size_t words, unsigned parameter,
                    const Scratch& scratch);
};

/// Column of a word size in a stage table: 1, 4 and 8 bytes are columns 0, 1 and 2.
constexpr std::size_t word_column(std::size_t word_bytes) {
  return word_bytes == 1 ? 0 : word_bytes == 4 ? 1 : 2;
}

class StageTable {
 public:
  using Complement = void (*)(const std::byte* in, std::size_t bytes, std::byte* out);

  constexpr StageTable(std::string_view name, const StageOps* ops, Complement flip)
      : name_(name), ops_(ops), complement_(flip) {}
  /// "serial", "baseline", "avx2", "avx512", "cuda" or "emulated/<lanes>".
  constexpr std::string_view name() const { return name_; }
  constexpr const StageOps& at(std::size_t family, std::size_t word_bytes) const {
    return ops_[3 * family + word_column(word_bytes)];
  }
  /// out = ~in, on blocks: memory in which a byte that is not written afterwards cannot equal the
  /// input's. Before decoding, it keeps a decoder from passing on what another one left behind.
  void complement(const std::byte* in, std::size_t bytes, std::byte* out) const {
    complement_(in, bytes, out);
  }

 private:
  std::string_view name_;
  const StageOps* ops_;
  Complement complement_;
};

/// The oracle: obvious code, one item after the other.
const StageTable& serial_stages();

/// The SIMD levels that this processor can run, best first; never empty.
std::span<const StageTable* const> simd_stages();

/// The table that runners use: the best SIMD level of this processor, or the one that the
/// environment variable FPSYNTH_SIMD names (avx512, avx2, baseline or serial).
/// Throws std::runtime_error if that is unknown or more than this processor can run.
const StageTable& default_stages();

/// The device phases on the host, at 1, 32, 256 and 1024 lanes in shuffled order. For tests: slow,
/// and in a library of its own (fpsynth_emulated).
std::span<const StageTable* const> emulated_stages();

/// The stages on a GPU, one thread block a call: for tests, slow. Null without a GPU or where the
/// program was built without CUDA. Its entry points throw std::runtime_error when the device fails.
const StageTable* cuda_stages();

}  // namespace fpsynth::components
