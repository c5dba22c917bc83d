#pragma once
// Inputs and pipelines for the codec's tests.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/registry.hpp"
#include "runners/codec/codec.hpp"
#include "synth/pipeline.hpp"
#include "synth/space.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {

using Bytes = std::vector<std::byte>;

template <class W>
Bytes bytes_of_words(const std::vector<W>& words) {
  Bytes bytes(words.size() * sizeof(W));
  if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// A smooth signal with noise, runs of zeros and of equal words, NaNs, infinities and negative
/// zeros, so that every component has something to do.
template <typename Float>
Bytes signal_of(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  Float value = 1;
  for (std::size_t at = 0; at < size; at += sizeof(Float)) {
    const unsigned dice = random() % 64;
    if (dice < 40) value = std::sin(static_cast<Float>(at) / 997) + static_cast<Float>(dice) / 4096;
    if (dice == 40) value = 0;
    if (dice == 41)
      value = std::bit_cast<Float>(
          std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>(-1));
    if (dice == 42) value = -static_cast<Float>(0);
    std::memcpy(&bytes[at], &value, std::min(sizeof(Float), size - at));
  }
  return bytes;
}

inline Bytes signal(std::size_t size, std::size_t word_bytes, unsigned seed = 1) {
  return word_bytes == 8 ? signal_of<double>(size, seed) : signal_of<float>(size, seed);
}

inline Bytes noise(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Parts of noise and copies of earlier parts, of 1 to 199 words each, some of which overlap
/// themselves.
template <class W>
std::vector<W> with_copies(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<W> words;
  while (words.size() < count) {
    const std::size_t length = std::min<std::size_t>(1 + random() % 199, count - words.size());
    const bool copy = random() % 3 != 0 && !words.empty();
    const std::size_t from = copy ? random() % words.size() : 0;
    for (std::size_t i = 0; i < length; ++i) {
      words.push_back(copy ? words[from + i] : W(random() * 0x9e3779b97f4a7c15u));
    }
  }
  return words;
}

/// Words of which many are copies of earlier records of 1 to 3 words in the opposite order.
template <class W>
std::vector<W> with_turned_copies(std::size_t count) {
  std::mt19937 random(1);
  std::vector<W> words;
  while (words.size() < count) {
    for (std::size_t i = 6 * (1 + random() % 20); i > 0; --i) {
      words.push_back(W(random() * 0x9e3779b97f4a7c15u));
    }
    const std::size_t record = 1 + random() % 3, length = 6 * (1 + random() % 16);
    const std::size_t end = words.size() - random() % words.size() / 6 * 6;
    for (std::size_t i = 0; i < std::min(length, end); ++i) {
      words.push_back(words[end - (i / record + 1) * record + i % record]);
    }
  }
  words.resize(count);
  return words;
}

/// The message of decompressing a file that is called some.fps there.
inline std::string message(std::span<const std::byte> file, const CodecOptions& options = {}) {
  return tests::message_of([&] { decompress(file, options, "some.fps"); });
}

/// Pipelines of 1 to 8 stages: every family, every cut of four stages, frames of all shapes.
inline std::vector<synth::Pipeline> sample_pipelines() {
  std::vector<synth::Pipeline> pipelines;
  for (const char* text : {"ZE",
                           "| ZE",
                           "RLE",
                           "| RLE",
                           "LNV1s ZE",
                           "LNV1x | RLE",
                           "BIT | RLE",
                           "DIM3 BIT ZE",
                           "LNV6s BIT LNV1s ZE",
                           "LNV2s LNV2s LNV2x | ZE",
                           "LNV2s LNV2s | DIM8 RLE",
                           "INV | DIM8 NUL RLE",
                           "| DIM8 NUL NUL RLE",
                           "NUL NUL NUL RLE",
                           "ZE ZE ZE ZE",
                           "RLE RLE RLE RLE",
                           "RLE ZE | RLE ZE",
                           "RLE | BIT INV ZE",
                           "DIM64 LNV64s LNV63x BIT ZE",
                           "LNV1s BIT RLE | DIM5 LNV3x ZE",
                           "| RLE RLE RLE RLE RLE RLE",
                           "| ZE RLE ZE RLE ZE RLE ZE",
                           "NUL INV BIT DIM2 LNV1s LNV1x ZE RLE",
                           "LNV1s BIT LNV2x RLE | INV DIM7 ZE RLE",
                           "LNV2s LNV2s LNV2x | ZEC",
                           "LNV1x BIT | REC",
                           "RRE CLOG | DIM4 CLOG REC",
                           "| ZEC RRE CLOG BIT REC ZEC",
                           "LNV2s RLP | RLP RLP",
                           "BINS | BINS ZE BINS",
                           "| RLP RLP RLP RLP RLP RLP RLP RLP",
                           "| RLE RLE RLE RLE RLE RLE RLE RLE"}) {
    pipelines.push_back(synth::parse_pipeline(text));
  }
  const auto all = synth::registered_components();
  for (std::size_t i = components::kPaperComponents; i < all.size(); ++i) {
    const bool reduces = synth::family(all[i].family).reduces;
    pipelines.push_back(
        synth::parse_pipeline("LNV1s " + synth::to_string(all[i]) + (reduces ? "" : " | ZE")));
  }
  return pipelines;
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace fpsynth::codec
