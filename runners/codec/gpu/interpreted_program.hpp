#pragma once
// A program (program.hpp) that reads its stages from a list.

#include <cstddef>
#include <cstdint>

#include "components/dispatch.hpp"
#include "runners/codec/format/wire.hpp"
#include "runners/codec/gpu/memory.hpp"
#include "runners/codec/gpu/program.hpp"

namespace fpsynth::codec {

/// Any pipeline on words of type W, its stages but NUL as Steps, whose `spare` says how many frame
/// fields they have.
template <class W>
struct InterpretedProgram {
  using Word = W;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = 1;

  components::Step steps[kMostStages];
  std::uint32_t count, chunk_words, frame_bytes, worst_block, wide;
  device::EqualBlocks blocks;

  static constexpr bool only_shared() { return false; }
  std::uint32_t room_asked() const {
    // Enough for what most stages make of a chunk, so that the others do not cost occupancy.
    const std::uint32_t usual = std::uint32_t(sizeof(W)) * chunk_words / 2 * 3;
    return usual < blocks.spilled.bytes ? usual : blocks.spilled.bytes;
  }
  static std::uint32_t less_room(std::uint32_t room) { return room / 2; }

  FPSYNTH_INLINE std::byte* input(const ProgramMemory& memory, std::uint32_t bytes) const {
    return memory.block(0, bytes);
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE Made encode(Hardware hardware, const ProgramMemory& memory, const std::byte* in,
                             std::uint32_t words, std::byte* frame) const {
    using Team = teams::BlockTeam<Hardware>;
    using Stages = components::Interpreter<Team, W>;
    std::uint32_t bytes = words * std::uint32_t(sizeof(W));
    for (std::uint32_t i = 0; i < count; ++i) {
      const components::Step step = steps[i];
      const std::uint32_t bound = Stages::bound(step, bytes);
      const std::uint32_t longer = bytes < bound ? bound : bytes;
      std::byte* const out = memory.block(~i & 1, bound);
      Team team(hardware, memory.team(longer));
      const components::Extent extent =
          Stages::encode(team, step, in, bytes, out, memory.scratch(longer));
      if (hardware.lane() == 0) frame = put_fields(step.spare, extent, frame);
      bytes = extent.words * Stages::word_bytes(step);
      in = out;
      hardware.barrier();
    }
    return {in, bytes};
  }

  FPSYNTH_INLINE std::uint32_t read_frame(const std::byte* frame, std::uint32_t words,
                                          components::Extent* extents) const {
    std::uint32_t bytes = words * std::uint32_t(sizeof(W));
    for (std::uint32_t i = 0; i < count; ++i) {
      const components::Step step = steps[i];
      const std::uint32_t own = word_bytes(step);
      components::Extent extent{bytes / own, 0};
      if (step.spare >= 1) {
        extent.words = field(frame);
        if (extent.words < 1 || extent.words > Lengths::bound(step, bytes) / own) return i;
      }
      if (step.spare >= 2) {
        extent.values = field(frame);
        if (extent.values < 1 || extent.values > extent.words) return i;
      }
      extents[i] = extent;
      bytes = extent.words * own;
    }
    return kGoodFrame;
  }
  FPSYNTH_INLINE std::uint32_t length(const components::Extent* extents) const {
    return extents[count - 1].words * word_bytes(steps[count - 1]);
  }

  FPSYNTH_INLINE std::byte* output(const ProgramMemory& memory, std::uint32_t bytes) const {
    return memory.block(0, bytes);
  }

  template <teams::Hardware Hardware>
  FPSYNTH_INLINE const std::byte* decode(Hardware hardware, const ProgramMemory& memory,
                                         const std::byte* in, const components::Extent* extents,
                                         std::uint32_t words) const {
    using Team = teams::BlockTeam<Hardware>;
    using Stages = components::Interpreter<Team, W>;
    std::uint32_t in_bytes = length(extents);
    for (std::uint32_t i = count, side = 1; i-- > 0; side ^= 1) {
      const components::Step step = steps[i];
      const std::uint32_t bytes = i == 0 ? words * std::uint32_t(sizeof(W))
                                         : extents[i - 1].words * word_bytes(steps[i - 1]);
      const std::uint32_t longer = in_bytes < bytes ? bytes : in_bytes;
      std::byte* const out = memory.block(side, bytes);
      Team team(hardware, memory.team(longer));
      const bool good =
          Stages::decode(team, step, in, extents[i], out, bytes, memory.scratch(longer));
      hardware.barrier();
      if (!good) return nullptr;
      in = out;
      in_bytes = bytes;
    }
    return in;
  }

 private:
  using Lengths = components::StepLengths<W>;

  FPSYNTH_INLINE static std::uint32_t word_bytes(components::Step step) {
    return Lengths::word_bytes(step);
  }
  FPSYNTH_INLINE std::byte* put_fields(std::uint32_t fields, components::Extent extent,
                                       std::byte* frame) const {
    if (fields >= 1) frame = put_field(extent.words, frame);
    if (fields >= 2) frame = put_field(extent.values, frame);
    return frame;
  }
  FPSYNTH_INLINE std::byte* put_field(std::uint32_t value, std::byte* frame) const {
    if (!wide) {
      store(frame, std::uint16_t(value));
      return frame + 2;
    }
    store(frame, value);
    return frame + 4;
  }
  /// Reads the field at `frame` and moves behind it.
  FPSYNTH_INLINE std::uint32_t field(const std::byte*& frame) const {
    const std::byte* const at = frame;
    frame += wide ? 4 : 2;
    return wide ? load<std::uint32_t>(at) : load<std::uint16_t>(at);
  }
};

}  // namespace fpsynth::codec
