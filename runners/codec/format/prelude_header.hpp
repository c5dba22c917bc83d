#pragma once
// The part before the side data of a container of version 3, or of a file of sections (version 5):
// the prelude, the original's size and its checksum.

#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Version of containers that have a prelude.
inline constexpr std::uint8_t kPreludeVersion = 3;

/// The most sections of a file.
inline constexpr std::size_t kMostSections = 128;

/// The fields of the header; FORMAT.md has their places.
struct PreludeFields {
  struct Step {
    std::uint8_t kind = 0;
    std::uint64_t parameter = 0;
    std::uint64_t side_bytes = 0;
  };
  std::uint8_t word_bytes = 8;
  std::uint8_t steps = 0;
  std::uint8_t sections = 0;  ///< 0: not of sections, but a container of version 2
  Step step[preludes::kMostSteps];
  std::uint64_t original_bytes = 0;
  std::uint64_t checksum = 0;
};

inline constexpr std::size_t kSectionsAt = 7, kStepsAt = 8, kStepBytes = 17;
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

/// Writes prelude_header_bytes(fields.steps) bytes. For the host alone: device code cannot read
/// kMagic.
inline __attribute__((always_inline)) constexpr void store_prelude_header(
    const PreludeFields& fields, std::byte* out) {
  for (std::size_t i = 0; i < sizeof kMagic; ++i) out[i] = static_cast<std::byte>(kMagic[i]);
  out[kVersionAt] = std::byte{fields.sections == 0 ? kPreludeVersion : kSectionsVersion};
  out[kWordBytesAt] = static_cast<std::byte>(fields.word_bytes);
  out[kStageCountAt] = static_cast<std::byte>(fields.steps);
  out[kSectionsAt] = static_cast<std::byte>(fields.sections);
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

// Of preludes whose steps are known at compile time.

/// Defined in a header of its own, for preludes whose steps have side data.
template <preludes::Shape shape, class W>
struct SideCoding;

/// A step of a prelude with its parameter: the L of LAG, the d of DEC, the B of RAT, 0 for steps
/// without one; and the divisors of RAT, with which it compresses. It decompresses with those that
/// stand in the file.
template <class Of, std::uint64_t Parameter = 0, std::uint64_t... Ms>
struct StaticStep {
  using Step = Of;
  static constexpr std::uint64_t parameter = Parameter;
  static constexpr preludes::Divisors divisors{Ms...};
};

/// Of words of type W. Steps: StaticSteps, the first one first.
template <class W, class... Steps>
struct StaticPreludeHeader {
  static constexpr std::size_t kSteps = sizeof...(Steps), kBytes = prelude_header_bytes(kSteps);
  static_assert(kSteps >= 1 && kSteps <= preludes::kMostSteps);
  static_assert((Steps::Step::template range<W>.has(Steps::parameter) && ...),
                "a step's parameter is out of its range");
  static_assert(((Steps::Step::shape == preludes::Shape::Selected ? Steps::divisors.suit()
                                                                  : Steps::divisors.count == 0) &&
                 ...),
                "a step's divisors do not suit it");
  /// Offsets of the original's size and of its checksum.
  static constexpr std::size_t kOriginalBytesAt = kBytes - 16, kChecksumAt = kBytes - 8;

  /// A capacity that is enough for the header, the side data of steps on `words` words, and `inner`
  /// bytes behind them. It is 0 if no memory is that large, as `inner` is then.
  static std::size_t bound(std::size_t inner, std::size_t words) {
    std::size_t sum = kBytes;
    return add(sum, inner) && (add_side<typename Steps::Step>(sum, words) && ...) ? sum : 0;
  }

  /// A header whose steps have no side data, of no original.
  static constexpr PreludeFields fields() {
    PreludeFields fields;
    fields.word_bytes = sizeof(W);
    ((fields.step[fields.steps++] = {Steps::Step::wire, Steps::parameter, 0}), ...);
    return fields;
  }

  /// Reads the header at the start of in[0..size), which may be anything. Ok means that it is of
  /// these steps and this word size, and that the side data are within in[0..size).
  static Status read(const std::byte* in, std::size_t size, PreludeFields& read) {
    constexpr bool kHaveSideData[] = {preludes::has_side_data<typename Steps::Step>...};
    read = fields();
    std::byte prefix[kBytes];
    store_prelude_header(read, prefix);
    // The lengths of side data differ between headers of the same steps; everything else is
    // compared.
    for (std::size_t i = 0; i < kSteps; ++i) {
      const std::size_t at = step_at(i) + kSideBytesInStep;
      for (std::size_t j = at; kHaveSideData[i] && j < step_at(i + 1) && j < size; ++j) {
        prefix[j] = in[j];
      }
    }
    const Status status = match_prefix(in, size, prefix, kOriginalBytesAt);
    if (status != Status::Ok) return status;
    if (size < kBytes) return Status::Damaged;
    std::size_t left = size - kBytes;
    for (std::size_t i = 0; i < kSteps; ++i) {
      std::uint64_t& bytes = read.step[i].side_bytes;
      bytes = load<std::uint64_t>(in + step_at(i) + kSideBytesInStep);
      if (bytes > left) return Status::Damaged;
      left -= std::size_t(bytes);
    }
    read.original_bytes = load<std::uint64_t>(in + kOriginalBytesAt);
    read.checksum = load<std::uint64_t>(in + kChecksumAt);
    return Status::Ok;
  }

 private:
  /// Returns false if no memory is as large as the sum.
  static bool add(std::size_t& sum, std::size_t bound) {
    const bool fits = bound > 0 && bound <= SIZE_MAX - sum;
    sum += fits ? bound : 0;
    return fits;
  }
  template <class Step>
  static bool add_side(std::size_t& sum, std::size_t words) {
    if constexpr (preludes::has_side_data<Step>) {
      return add(sum, SideCoding<Step::shape, W>::bound(words));
    } else {
      return true;
    }
  }
};

}  // namespace fpsynth::codec
