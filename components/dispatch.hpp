#pragma once
// Calls the body of a family whose number is known only at run time. Interpreters of plans and
// pipelines on a device use it. (On the host, stage_table.hpp does this with function pointers.)

#include <cstddef>
#include <cstdint>

#include "components/registry.hpp"
#include "components/teams/team.hpp"

namespace fpsynth::components {

/// Returns f.template operator()<Family>() for family number `family` of `Families`, which must be
/// the same for all lanes. Returns `Result{}` if no family has that number.
template <class Result, class F, class... Fs>
FPSYNTH_INLINE Result with_family(unsigned family, F f, TypeList<Fs...>) {
  Result result{};
  unsigned row = 0;
  static_cast<void>(((row++ == family && (result = f.template operator()<Fs>(), true)) || ...));
  return result;
}
template <class Result, class F>
FPSYNTH_INLINE Result with_family(unsigned family, F f) {
  return with_family<Result>(family, f, Families{});
}

/// A stage as interpreters on a device read it.
struct Step {
  std::uint8_t family = 0;     ///< row of `Families`
  std::uint8_t parameter = 0;  ///< n of DIMn and LNVn
  std::uint8_t on_bytes = 0;   ///< after the cut
  std::uint8_t spare = 0;
};

/// The lengths of a Step's blocks: `W` is the word type before the cut.
template <class W>
struct StepLengths {
  /// The longest output of `step` on `bytes` bytes.
  FPSYNTH_INLINE static std::uint32_t bound(Step step, std::uint32_t bytes) {
    return with_family<std::uint32_t>(step.family, [=]<class Family>() {
      return step.on_bytes
                 ? std::uint32_t(Family::template bound<std::uint8_t>(bytes))
                 : std::uint32_t(Family::template bound<W>(bytes / sizeof(W)) * sizeof(W));
    });
  }
  FPSYNTH_INLINE static std::uint32_t word_bytes(Step step) {
    return step.on_bytes ? 1 : sizeof(W);
  }
};

/// The stages on a team, by Step, on blocks in bytes. All members are called by all lanes with the
/// same arguments. They have barriers inside but none at the end, so a barrier is needed between a
/// call and the use of its output. Blocks have the alignment and slack that StageOps requires
/// (stage_table.hpp); parameters are 1..64.
template <teams::Team Team, class W>
struct Interpreter : StepLengths<W> {
  FPSYNTH_INLINE static Extent encode(Team& team, Step step, const std::byte* in,
                                      std::uint32_t bytes, std::byte* out, const Scratch& scratch) {
    return typed<Extent>(step, [&]<class Family, class V>() {
      return Family::template encode<V>(team, reinterpret_cast<const V*>(in), bytes / sizeof(V),
                                        reinterpret_cast<V*>(out), unsigned(step.parameter),
                                        scratch);
    });
  }
  FPSYNTH_INLINE static bool decode(Team& team, Step step, const std::byte* in, Extent extent,
                                    std::byte* out, std::uint32_t bytes, const Scratch& scratch) {
    return typed<bool>(step, [&]<class Family, class V>() {
      return Family::template decode<V>(team, reinterpret_cast<const V*>(in), extent,
                                        reinterpret_cast<V*>(out), bytes / sizeof(V),
                                        unsigned(step.parameter), scratch);
    });
  }
  FPSYNTH_INLINE static Extent measure(Team& team, Step step, const std::byte* in,
                                       std::uint32_t bytes, const Scratch& scratch) {
    return typed<Extent>(step, [&]<class Family, class V>() {
      return Family::template measure<V>(team, reinterpret_cast<const V*>(in), bytes / sizeof(V),
                                         unsigned(step.parameter), scratch);
    });
  }

 private:
  template <class Result, class F>
  FPSYNTH_INLINE static Result typed(Step step, F f) {
    return with_family<Result>(step.family, [&]<class Family>() {
      return step.on_bytes ? f.template operator()<Family, std::uint8_t>()
                           : f.template operator()<Family, W>();
    });
  }
};

}  // namespace fpsynth::components
