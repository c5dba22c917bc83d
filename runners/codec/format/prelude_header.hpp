#pragma once
// The part of a container of version 3 before its side data: the prelude, the original's size and
// its checksum.

#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// Version of containers that have a prelude.
inline constexpr std::uint8_t kPreludeVersion = 3;

/// The fields of the header; FORMAT.md has their places.
struct PreludeFields {
  struct Step {
    std::uint8_t kind = 0;
    std::uint64_t parameter = 0;
    std::uint64_t side_bytes = 0;
  };
  std::uint8_t word_bytes = 8;
  std::uint8_t steps = 0;
  Step step[preludes::kMostSteps];
  std::uint64_t original_bytes = 0;
  std::uint64_t checksum = 0;
};

inline constexpr std::size_t kStepsAt = 8, kStepBytes = 17;
/// Offsets in what the header holds of a step, behind the byte of its kind.
inline constexpr std::size_t kParameterInStep = 1, kSideBytesInStep = 9;

/// Offset of a step, and for their number of what follows them: the original's size, its checksum.
FPSYNTH_INLINE constexpr std::size_t step_at(std::size_t index) {
  return kStepsAt + kStepBytes * index;
}
/// Bytes of the header of a prelude of `steps` steps.
FPSYNTH_INLINE constexpr std::size_t prelude_header_bytes(std::size_t steps) {
  return step_at(steps) + 16;
}
inline constexpr std::size_t kMostPreludeHeader = prelude_header_bytes(preludes::kMostSteps);

/// Writes prelude_header_bytes(fields.steps) bytes. For the host alone: device code cannot read
/// kMagic.
inline __attribute__((always_inline)) constexpr void store_prelude_header(
    const PreludeFields& fields, std::byte* out) {
  for (std::size_t i = 0; i < sizeof kMagic; ++i) out[i] = static_cast<std::byte>(kMagic[i]);
  out[kVersionAt] = static_cast<std::byte>(kPreludeVersion);
  out[kWordBytesAt] = static_cast<std::byte>(fields.word_bytes);
  out[kStageCountAt] = static_cast<std::byte>(fields.steps);
  out[kCutAt] = std::byte{0};
  for (std::size_t i = 0; i < fields.steps; ++i) {
    std::byte* const at = out + step_at(i);
    at[0] = static_cast<std::byte>(fields.step[i].kind);
    store(at + kParameterInStep, fields.step[i].parameter);
    store(at + kSideBytesInStep, fields.step[i].side_bytes);
  }
  std::byte* const end = out + step_at(fields.steps);
  store(end, fields.original_bytes);
  store(end + 8, fields.checksum);
}

/// True if in[0..size) begins as a container of version 3 does.
FPSYNTH_INLINE constexpr bool has_prelude(const std::byte* in, std::uint64_t size) {
  return has_version(in, size, kPreludeVersion);
}

}  // namespace fpsynth::codec
