#pragma once
// A pipeline as a type, which the compiler fuses into one encoder and one decoder of a chunk.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "components/stage_list.hpp"
#include "components/teams/team.hpp"
#include "components/words/bits.hpp"

namespace fpsynth::components {

template <std::size_t I, class T, class... Ts>
struct Nth : Nth<I - 1, Ts...> {};
template <class T, class... Ts>
struct Nth<0, T, Ts...> {
  using type = T;
};

/// The stages Uses..., of which the first `Cut` run on words of type W and the others on bytes, on
/// chunks of up to ChunkWords words. All functions are called by every lane of a team; blocks and
/// scratch are as StageOps describes them (kBlockSlack bytes around a block).
template <class W, unsigned Cut, std::size_t ChunkWords, class... Uses>
struct ChunkedPipeline {
  static constexpr std::size_t kStages = sizeof...(Uses), kChunkWords = ChunkWords;
  static_assert(kStages >= 1 && kStages <= 8 && Cut <= kStages);

  using Word = W;
  template <std::size_t I>
  using Stage = typename Nth<I, Uses...>::type;
  template <std::size_t I>
  using Family = typename Stage<I>::Family;
  /// The word type that stage I runs on.
  template <std::size_t I>
  using WordOf = std::conditional_t<(I < Cut), W, std::uint8_t>;
  static_assert(Family<kStages - 1>::reduces, "the last stage must be a reducer");

  using Stages = StaticStages<W, Cut, Uses...>;
  /// Bytes of the last stage's longest output.
  static constexpr std::size_t kWorst = worst_case_bytes(Stages(), kChunkWords, kStages - 1);
  /// The longest block before or after any stage, in bytes: the capacity of `front` and `back`.
  static constexpr std::size_t kLongest = longest_block(Stages(), kChunkWords);
  /// Items that the scratch must hold.
  static constexpr std::size_t kScratchItems = kLongest / sizeof(WordOf<kStages - 1>);
  static constexpr bool kHasTables = has_tables(Stages());

  /// Memory that the stages share: blocks of kLongest bytes, and a scratch for kScratchItems items.
  struct Memory {
    std::byte *front, *back;
    Scratch scratch;
  };
  /// The block of `memory` that may serve as the input of encode() or decode().
  static FPSYNTH_INLINE std::byte* input_block(const Memory& memory) { return memory.back; }
  /// The block of `memory` that may serve as the output of encode() or decode().
  static FPSYNTH_INLINE std::byte* output_block(const Memory& memory) {
    return steps_before<kStages>() % 2 ? memory.front : memory.back;
  }

  /// Encodes the chunk of 1..kChunkWords words at `in` to `out`, which has a capacity of kWorst
  /// bytes, and sets every stage's extent. Ends with a barrier.
  template <teams::Team Team>
  FPSYNTH_INLINE static void encode(Team& team, const std::byte* in, std::size_t words,
                                    std::byte* out, Extent (&extents)[kStages],
                                    const Memory& memory) {
    encode_from<0>(team, in, words * sizeof(W), out, extents, memory);
  }

  /// Decodes the block at `in`, whose extents are `extents`, to `words` words at `out`. The extents
  /// must be possible for that many words (read_frame() checks this); the block may hold anything.
  /// Returns false if it is not the encoding of any chunk; `out` is then unspecified. Ends with a
  /// barrier.
  template <teams::Team Team>
  FPSYNTH_INLINE static bool decode(Team& team, const std::byte* in,
                                    const Extent (&extents)[kStages], std::byte* out,
                                    std::size_t words, const Memory& memory) {
    return decode_from<kStages - 1>(team, in, extents, out, words, memory);
  }

 private:
  /// The number of stages before stage I, without those that are the identity.
  template <std::size_t I>
  static constexpr std::size_t steps_before() {
    if constexpr (I == 0) {
      return 0;
    } else {
      return steps_before<I - 1>() + !Family<I - 1>::identity;
    }
  }

  template <std::size_t I, teams::Team Team>
  FPSYNTH_INLINE static void encode_from(Team& team, const std::byte* in, std::size_t bytes,
                                         std::byte* out, Extent (&extents)[kStages],
                                         const Memory& memory) {
    using V = WordOf<I>;
    const std::size_t n = bytes / sizeof(V);
    if constexpr (Family<I>::identity) {
      extents[I] = {std::uint32_t(n), 0};
      encode_from<I + 1>(team, in, bytes, out, extents, memory);
    } else {
      constexpr bool last = I + 1 == kStages;
      std::byte* const to = last ? out : steps_before<I>() % 2 ? memory.back : memory.front;
      extents[I] = Family<I>::template encode<V>(team, reinterpret_cast<const V*>(in), n,
                                                 reinterpret_cast<V*>(to), Stage<I>::parameter,
                                                 memory.scratch);
      team.barrier();
      if constexpr (!last) {
        encode_from<I + 1>(team, to, extents[I].words * sizeof(V), out, extents, memory);
      }
    }
  }

  template <std::size_t I, teams::Team Team>
  FPSYNTH_INLINE static bool decode_from(Team& team, const std::byte* in,
                                         const Extent (&extents)[kStages], std::byte* out,
                                         std::size_t words, const Memory& memory) {
    if constexpr (!Family<I>::identity) {
      using V = WordOf<I>;
      constexpr std::size_t left = steps_before<I>();
      constexpr std::size_t done = steps_before<kStages>() - left - 1;
      std::byte* const to = left == 0 ? out : done % 2 ? memory.back : memory.front;
      std::size_t bytes = words * sizeof(W);
      if constexpr (I > 0) bytes = extents[I - 1].words * sizeof(WordOf<I - 1>);
      const bool good = Family<I>::template decode<V>(
          team, reinterpret_cast<const V*>(in), extents[I], reinterpret_cast<V*>(to),
          bytes / sizeof(V), Stage<I>::parameter, memory.scratch);
      team.barrier();
      if (!good) return false;
      if constexpr (left > 0) return decode_from<I - 1>(team, to, extents, out, words, memory);
      return true;
    } else {
      return decode_from<I - 1>(team, in, extents, out, words, memory);
    }
  }
};

/// On chunks of the usual length.
template <class W, unsigned Cut, class... Uses>
using StaticPipeline = ChunkedPipeline<W, Cut, 1024, Uses...>;

}  // namespace fpsynth::components
