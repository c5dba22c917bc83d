#pragma once
// Kernels that make words of words, one by one: the steps of preludes whose shape is Mapped, and
// both directions of others. Lower bound of the time: every word is read and written once.

#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// Words in device memory, at any alignment: words that are not aligned are moved byte by byte,
/// which all lanes do or none.
template <class W, class Byte = std::byte>
class DeviceWords {
 public:
  FPSYNTH_INLINE explicit DeviceWords(Byte* words)
      : words_(words), aligned_(reinterpret_cast<std::uintptr_t>(words) % sizeof(W) == 0) {}

  // Not memcpy() in both branches: the compiler would make one of them, which is that of bytes.
  FPSYNTH_INLINE W load(std::uint64_t i) const {
    const Byte* const at = words_ + i * sizeof(W);
    return aligned_ ? *reinterpret_cast<const W*>(at) : codec::load<W>(at);
  }
  FPSYNTH_INLINE void store(std::uint64_t i, W word) const {
    Byte* const at = words_ + i * sizeof(W);
    if (aligned_) {
      *reinterpret_cast<W*>(at) = word;
    } else {
      codec::store(at, word);
    }
  }

 private:
  Byte* words_;
  bool aligned_;
};
template <class W>
using ReadWords = DeviceWords<W, const std::byte>;

/// A lane's position in its launch. Lane i takes the items i, i + count and so on: lanes beside
/// each other have items beside each other.
template <teams::Hardware Hardware>
struct LaneInLaunch {
  std::uint64_t index, count;

  FPSYNTH_INLINE explicit LaneInLaunch(Hardware hardware)
      : index(std::uint64_t{hardware.block()} * hardware.lanes() + hardware.lane()),
        count(std::uint64_t{hardware.blocks()} * hardware.lanes()) {}
};

/// Calls store(i, load(i)) for all i < n, each on one lane of the launch, which loads a few words
/// before it stores the first.
template <class W, teams::Hardware Hardware, class Load, class Store>
FPSYNTH_INLINE void for_each_word(Hardware hardware, std::uint64_t n, const Load& load,
                                  const Store& store) {
  constexpr unsigned kAtOnce = 4;
  const LaneInLaunch<Hardware> lane(hardware);
  for (std::uint64_t begin = lane.index; begin < n; begin += kAtOnce * lane.count) {
    W words[kAtOnce];
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (begin + k * lane.count < n) words[k] = load(begin + k * lane.count);
    }
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (begin + k * lane.count < n) store(begin + k * lane.count, words[k]);
    }
  }
}

/// out[i] = map(in[i]), or map(in[i], i) if the map asks where a word is. `out` may be `in`.
template <class W, class Map>
struct MapKernel {
  static constexpr std::uint32_t kLanes = 256;

  struct Args {
    const std::byte* in;
    std::byte* out;
    std::uint64_t n;
    Map map;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    const ReadWords<W> in(args.in);
    const DeviceWords<W> out(args.out);
    for_each_word<W>(
        hardware, args.n, [&](std::uint64_t i) { return in.load(i); },
        [&](std::uint64_t i, W word) {
          if constexpr (requires { args.map(word, i); }) {
            out.store(i, args.map(word, i));
          } else {
            out.store(i, args.map(word));
          }
        });
  }
};

/// The maps of a step whose shape is Mapped.
template <class Step>
struct ForwardMap {
  template <class W>
  FPSYNTH_INLINE W operator()(W word) const {
    return Step::forward(word);
  }
};
template <class Step>
struct BackwardMap {
  template <class W>
  FPSYNTH_INLINE W operator()(W word) const {
    return Step::backward(word);
  }
};

}  // namespace fpsynth::codec
