#pragma once
// The kernel that undoes the steps of preludes whose shape is Matched. Lower bound of the time:
// every word is written once, and its literal is read. The lanes of a warp, whose words are beside
// each other, look for their segments in the same places.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"

namespace fpsynth::codec {

/// words[i] = the literal that its segment has for it.
template <class Step, class W>
struct GatherKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* literals;
    std::byte* words;  ///< apart from the literals
    std::uint64_t n;
    const typename Step::Segment* segments;
    std::uint64_t count;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> literals(args.literals);
    const DeviceWords<W> words(args.words);
    for_each_word<W>(
        hardware, args.n,
        [&](std::uint64_t i) {
          const std::uint64_t at = Step::segment_of(args.segments, args.count, i);
          return literals.load(args.segments[at].literal(i));
        },
        [&](std::uint64_t i, W word) { words.store(i, word); });
  }
};

}  // namespace fpsynth::codec
