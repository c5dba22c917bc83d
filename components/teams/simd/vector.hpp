#pragma once

#include <cstddef>

namespace fpsynth::teams {

template <class W, std::size_t Bytes>
struct VectorOfWords {
  typedef W type __attribute__((vector_size(Bytes)));
};
/// The compiler's vector of W words that fill a register of `Bytes` bytes.
template <class W, std::size_t Bytes>
using VectorOf = typename VectorOfWords<W, Bytes>::type;

}  // namespace fpsynth::teams
