#pragma once
// Packs: as many words as one vector register holds, with the operations that component bodies use
// on words. L is the level (a class derived from Portable). Everything is a template on it, so that
// the linker cannot use code of one instruction set for another.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "components/words/bits.hpp"

namespace fpsynth::teams {

template <class W, std::size_t Bytes>
struct VectorOfWords {
  typedef W type __attribute__((vector_size(Bytes)));
};
/// The compiler's vector of W words that fill a register of `Bytes` bytes.
template <class W, std::size_t Bytes>
using VectorOf = typename VectorOfWords<W, Bytes>::type;

/// One bit per lane of a pack.
template <class W, class L>
struct LaneBits {
  std::uint64_t set;
  FPSYNTH_INLINE std::uint64_t bits() const { return set; }
};
/// The same, set where two packs differ. Some levels compare packs to bits, others to a pack: which
/// is better is known where the result is used.
template <class W, class L>
struct Differing {
  VectorOf<W, L::kBytes> a, b;
  FPSYNTH_INLINE std::uint64_t bits() const { return L::template differ<W>(a, b); }
};

template <class W, class L>
struct Pack {
  static constexpr std::size_t lanes = L::kBytes / sizeof(W);
  using Vector = VectorOf<W, L::kBytes>;
  Vector v;

  FPSYNTH_INLINE static Pack load(const void* from) {
    Pack pack;
    std::memcpy(&pack.v, from, sizeof(Vector));
    return pack;
  }
  FPSYNTH_INLINE void store(void* to) const { std::memcpy(to, &v, sizeof(Vector)); }
  FPSYNTH_INLINE static Pack all(W word) { return {word - Vector{}}; }
  /// 0, 1, 2, ...
  FPSYNTH_INLINE static Pack iota() { return iota(std::make_integer_sequence<int, int(lanes)>{}); }

  FPSYNTH_INLINE friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  FPSYNTH_INLINE friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  FPSYNTH_INLINE friend Pack operator^(Pack a, Pack b) { return {a.v ^ b.v}; }
  FPSYNTH_INLINE friend Pack operator&(Pack a, Pack b) { return {a.v & b.v}; }
  FPSYNTH_INLINE friend Pack operator|(Pack a, Pack b) { return {a.v | b.v}; }
  FPSYNTH_INLINE friend Pack operator~(Pack a) { return {~a.v}; }
  FPSYNTH_INLINE friend Pack operator<<(Pack a, int count) { return {a.v << count}; }
  FPSYNTH_INLINE friend Pack operator>>(Pack a, int count) { return {a.v >> count}; }
  FPSYNTH_INLINE friend Differing<W, L> operator!=(Pack a, Pack b) { return {a.v, b.v}; }
  FPSYNTH_INLINE friend LaneBits<W, L> operator==(Pack a, Pack b) {
    return {~L::template differ<W>(a.v, b.v) & words::low_mask(lanes)};
  }
  // With plain words on one side.
  FPSYNTH_INLINE friend Pack operator-(Pack a, W b) { return a - all(b); }
  FPSYNTH_INLINE friend Pack operator-(W a, Pack b) { return all(a) - b; }
  FPSYNTH_INLINE friend Pack operator&(Pack a, W b) { return a & all(b); }
  FPSYNTH_INLINE friend Pack operator|(Pack a, W b) { return a | all(b); }
  FPSYNTH_INLINE friend Differing<W, L> operator!=(Pack a, W b) { return a != all(b); }
  FPSYNTH_INLINE friend LaneBits<W, L> operator==(Pack a, W b) { return a == all(b); }

  // Functions that bodies call unqualified, on words and packs.
  FPSYNTH_INLINE friend Pack select(LaneBits<W, L> condition, Pack yes, Pack no) {
    return {L::template select<W>(condition.bits(), yes.v, no.v)};
  }
  FPSYNTH_INLINE friend Pack select(Differing<W, L> condition, Pack yes, Pack no) {
    return {condition.a == condition.b ? no.v : yes.v};
  }
  FPSYNTH_INLINE friend Pack highest_bit(Pack word) { return {L::highest_bit(word.v)}; }
  FPSYNTH_INLINE friend Pack bit_at(Pack count) { return {L::bit_at(count.v)}; }
  FPSYNTH_INLINE friend Pack larger(Pack a, Pack b) { return {a.v > b.v ? a.v : b.v}; }

 private:
  template <int... Lane>
  FPSYNTH_INLINE static Pack iota(std::integer_sequence<int, Lane...>) {
    return {Vector{W(Lane)...}};
  }
};

/// The items i, i + 1, ... of a block: the argument of a phase on the simd team. Loads and stores
/// may extend past the block's end, into its slack.
template <class W, class L>
struct PackItem {
  using Word = W;
  using Value = Pack<W, L>;
  std::size_t i;

  FPSYNTH_INLINE Value load(const void* block, std::ptrdiff_t offset = 0) const {
    return Value::load(static_cast<const char*>(block) +
                       (std::ptrdiff_t(i) + offset) * std::ptrdiff_t(sizeof(W)));
  }
  FPSYNTH_INLINE void store(void* block, Value value) const {
    value.store(static_cast<char*>(block) + i * sizeof(W));
  }
  FPSYNTH_INLINE void store(void* block, W value) const { store(block, Value::all(value)); }
  FPSYNTH_INLINE Value index() const { return Value::iota() + Value::all(static_cast<W>(i)); }
  /// The items' bits in a mask; i is a multiple of the lanes.
  FPSYNTH_INLINE LaneBits<W, L> bit(const std::uint64_t* mask) const {
    return {mask[i / 64] >> (i % 64) & words::low_mask(Value::lanes)};
  }
};

}  // namespace fpsynth::teams
