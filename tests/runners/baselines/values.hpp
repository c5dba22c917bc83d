#pragma once
// Values for the tests of the baselines, and the errors of their decoders.

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "runners/baselines/compressor.hpp"
#include "runners/data/synthetic/common.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::baselines {

using Bytes = std::vector<std::byte>;
using tests::contains;
using tests::message_of;

inline Bytes raw(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

template <typename Word>
Bytes bytes_of(const std::vector<Word>& words) {
  Bytes bytes(sizeof(Word) * words.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// Values of several kinds, in pieces of 16: constant, a ramp, a walk, noise, short noise,
/// specials.
inline std::vector<std::uint64_t> mixed(std::size_t count, std::uint64_t seed = 7) {
  data::synthetic::Random random(seed);
  std::vector<std::uint64_t> words(count);
  double walk = 1;
  for (std::size_t i = 0; i < count; ++i) {
    walk += 0.001 * (random.uniform() - 0.5);
    const std::uint64_t bits = random.bits();
    const std::uint64_t kinds[] = {0x3ff0'0000'0000'0000,
                                   i * 1000,
                                   std::bit_cast<std::uint64_t>(walk),
                                   bits,
                                   bits >> (bits & 63),
                                   i % 2 ? 0x8000'0000'0000'0000 : 0x7ff8'0000'0000'0123};
    words[i] = kinds[i / 16 % 6];
  }
  return words;
}

/// Singles that are upper halves of doubles, and some that are lower halves.
inline std::vector<std::uint32_t> singles(std::size_t count) {
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : mixed(count)) {
    words.push_back(static_cast<std::uint32_t>(word >> (words.size() % 5 == 0 ? 0 : 32)));
  }
  return words;
}

/// The file that a compressor writes, and the original that it restores from a file of an original
/// of `original_bytes` bytes. The buffers hold other bytes before.
inline Bytes compressed(const Compressor& compressor, std::span<const std::byte> input,
                        synth::Precision precision) {
  Bytes file(7, std::byte{0x5a});
  compressor.compress(input, precision, file);
  return file;
}
inline Bytes decompressed(const Compressor& compressor, std::span<const std::byte> file,
                          synth::Precision precision, std::size_t original_bytes) {
  Bytes original(original_bytes, std::byte{0x5a});
  compressor.decompress(file, precision, original);
  return original;
}

}  // namespace fpsynth::baselines
