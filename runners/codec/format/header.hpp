#pragma once
// The header of a container: how it stores numbers, its offsets, the prefix that all containers of
// a pipeline share, the check whether a container begins with that prefix, and what its checksum is
// made of. For host and device.

#include <cstddef>
#include <cstdint>

#include "components/stage_list.hpp"
#include "components/words/bits.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Numbers are stored little-endian, at any alignment.
template <typename T>
FPSYNTH_INLINE constexpr void store(std::byte* out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
}

template <typename T>
FPSYNTH_INLINE constexpr T load(const std::byte* in) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | (static_cast<T>(in[i]) << (8 * i)));
  }
  return value;
}

inline constexpr char kMagic[] = {'F', 'P', 'S', 'Y'};
/// Version 1, of development versions, had the XXH3-64 of the whole original as its checksum.
inline constexpr std::uint8_t kVersion = 2;
/// Version of files that begin with a description of their values.
inline constexpr std::uint8_t kDescribedVersion = 4;
/// Version of files of sections.
inline constexpr std::uint8_t kSectionsVersion = 5;
/// Versions and first byte of compact files, in the second byte of which the version is: of words
/// of 8 and 4 bytes, and of 2 and 1.
inline constexpr std::uint8_t kCompactVersion = 6, kCompactNarrowVersion = 8;
inline constexpr char kCompactMagic = 'F';
/// The most stages that a container's pipeline may have.
inline constexpr std::uint32_t kMostStages = 8;

/// Offsets in a header, in bytes: first those before the stages, which take two bytes each; then
/// those after `stages` of them.
inline constexpr std::size_t kVersionAt = 4, kWordBytesAt = 5, kStageCountAt = 6, kCutAt = 7;
inline constexpr std::size_t kStagesAt = 8;
FPSYNTH_INLINE constexpr std::size_t chunk_words_at(std::size_t stages) {
  return kStagesAt + 2 * stages;
}
FPSYNTH_INLINE constexpr std::size_t original_bytes_at(std::size_t stages) {
  return chunk_words_at(stages) + 4;
}
FPSYNTH_INLINE constexpr std::size_t checksum_at(std::size_t stages) {
  return original_bytes_at(stages) + 8;
}
/// Length of a header in bytes.
FPSYNTH_INLINE constexpr std::size_t header_bytes(std::size_t stages) {
  return checksum_at(stages) + 8;
}

/// Writes the part of the header that does not depend on the original, up to and including the
/// chunk length, to prefix[0..original_bytes_at(stages.size())).
template <components::StageList Stages>
FPSYNTH_INLINE constexpr void store_prefix(const Stages& stages, std::size_t chunk_words,
                                           std::byte* prefix) {
  for (std::size_t i = 0; i < sizeof kMagic; ++i) prefix[i] = static_cast<std::byte>(kMagic[i]);
  prefix[kVersionAt] = static_cast<std::byte>(kVersion);
  prefix[kWordBytesAt] = static_cast<std::byte>(stages.word_bytes());
  prefix[kStageCountAt] = static_cast<std::byte>(stages.size());
  prefix[kCutAt] = static_cast<std::byte>(stages.cut());
  stages.for_each([&](std::size_t index, const auto& stage) {
    prefix[kStagesAt + 2 * index] = static_cast<std::byte>(stage.wire());
    prefix[kStagesAt + 2 * index + 1] = static_cast<std::byte>(stage.parameter());
    return true;
  });
  store(prefix + chunk_words_at(stages.size()), static_cast<std::uint32_t>(chunk_words));
}

/// True if in[0..size), whose bytes may be anything, begins as a file of that version does.
FPSYNTH_INLINE constexpr bool has_version(const std::byte* in, std::uint64_t size,
                                          std::uint8_t version) {
  if (size <= kVersionAt) return false;
  for (std::size_t i = 0; i < sizeof kMagic; ++i) {
    if (in[i] != static_cast<std::byte>(kMagic[i])) return false;
  }
  return in[kVersionAt] == static_cast<std::byte>(version);
}

/// True if in[0..size), whose bytes may be anything, begins as a compact file does.
FPSYNTH_INLINE constexpr bool is_compact(const std::byte* in, std::uint64_t size) {
  constexpr std::byte kShortWords{0x40}, kMark{0x80};
  return size >= 2 && in[0] == std::byte{kCompactMagic} &&
         ((in[1] | kShortWords) == (kMark | kShortWords | std::byte{kCompactVersion}) ||
          (in[1] | kShortWords) == (kMark | kShortWords | std::byte{kCompactNarrowVersion}));
}

/// Compares the beginning of container[0..size), whose bytes may be anything, with a prefix of
/// `prefix_bytes` bytes. If the container is shorter, only its bytes are compared. Returns NotOurs,
/// OldVersion, Described, OtherCodec, or Ok.
FPSYNTH_INLINE constexpr Status match_prefix(const std::byte* container, std::uint64_t size,
                                             const std::byte* prefix, std::size_t prefix_bytes) {
  if (is_compact(container, size)) return Status::Described;
  if (size < sizeof kMagic) return Status::NotOurs;
  for (std::size_t i = 0; i < prefix_bytes && i < size; ++i) {
    if (container[i] != prefix[i]) {
      if (i < sizeof kMagic) return Status::NotOurs;
      if (i != kVersionAt) return Status::OtherCodec;
      if (container[i] == std::byte{kDescribedVersion}) return Status::Described;
      if (container[i] == std::byte{kSectionsVersion}) return Status::Described;
      return container[i] < std::byte{kVersion} ? Status::OldVersion : Status::OtherCodec;
    }
  }
  return Status::Ok;
}

// The checksum is the XXH3-64 of a list: the XXH3-64s of the original's segments, first to last, as
// eight little-endian bytes each (seed 0, both times). An original without bytes has no segments,
// and the checksum of the empty list. Segments are hashed independently of each other, by any
// number of threads; a list is an 8192nd of its original. ContentHash computes the checksum on the
// host, HashKernel on a device.

/// Length of a segment in bytes. The last one may be shorter, and contains the original's tail.
inline constexpr std::size_t kSegmentBytes = std::size_t{64} << 10;

/// Number of segments in `bytes` bytes.
FPSYNTH_INLINE constexpr std::uint64_t segment_count(std::uint64_t bytes) {
  return bytes / kSegmentBytes + (bytes % kSegmentBytes != 0 ? 1 : 0);
}

}  // namespace fpsynth::codec
