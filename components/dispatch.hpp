#pragma once
// Calls the body of a family whose number is known only at run time. Interpreters of plans and
// pipelines on a device use it. (On the host, stage_table.hpp does this with function pointers.)

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "components/count_block.hpp"
#include "components/registry.hpp"
#include "components/scratch_view.hpp"
#include "components/teams/team.hpp"

namespace fpsynth::components {

/// The families of the paper's components, which GPUs search. A kernel of a walk has the code of
/// each stage several times over, and compiles for longer than all others: the later families would
/// treble that.
using WalkedFamilies = TypeList<At<0, Families>::type, At<1, Families>::type, At<2, Families>::type,
                                At<3, Families>::type, At<4, Families>::type, At<5, Families>::type,
                                At<6, Families>::type, At<7, Families>::type>;
static_assert(At<7, WalkedFamilies>::type::wire == 7, "the paper's families are the first ones");

/// Returns f.template operator()<Family>() for family number `family` of a list, which must be
/// the same for all lanes; it is found by bisection. Returns `Result{}` if no family has that
/// number.
template <class Result, std::size_t First, std::size_t Last, class F, class List>
FPSYNTH_INLINE Result with_family_between(unsigned family, F f, List list) {
  if constexpr (Last - First == 1) {
    return family == First ? f.template operator()<typename At<First, List>::type>() : Result{};
  } else {
    constexpr std::size_t kMiddle = (First + Last) / 2;
    return family < kMiddle ? with_family_between<Result, First, kMiddle>(family, f, list)
                            : with_family_between<Result, kMiddle, Last>(family, f, list);
  }
}
template <class Result, class F, class List = Families>
FPSYNTH_INLINE Result with_family(unsigned family, F f, List list = {}) {
  return with_family_between<Result, 0, List::size>(family, f, list);
}

/// A stage as interpreters on a device read it.
struct Step {
  std::uint8_t family = 0;     ///< row of `Families`
  std::uint8_t parameter = 0;  ///< n of DIMn and LNVn
  std::uint8_t on_bytes = 0;   ///< after the cut
  std::uint8_t tag = 0;        ///< for the interpreter's own use
};

/// A number of a component: ascending in the registry's list.
FPSYNTH_INLINE constexpr std::uint32_t use_code(std::uint32_t family, std::uint32_t parameter) {
  return family << 8 | parameter;
}
template <class Use>
inline constexpr std::uint32_t kUseCode = use_code(IndexOf<Families, typename Use::Family>::value,
                                                   Use::parameter);

/// Calls f.template operator()<Use>() for the one of `Uses` with a number, which must be the same
/// for all lanes. Returns false if there is none. The numbers must ascend: it is found by
/// bisection.
template <std::size_t First, std::size_t Last, class F, class Uses>
FPSYNTH_INLINE bool with_use(std::uint32_t code, F f, Uses uses) {
  if constexpr (Last - First == 1) {
    using Use = typename At<First, Uses>::type;
    if (code != kUseCode<Use>) return false;
    f.template operator()<Use>();
    return true;
  } else {
    constexpr std::size_t kMiddle = (First + Last) / 2;
    static_assert(kUseCode<typename At<kMiddle - 1, Uses>::type> <
                  kUseCode<typename At<kMiddle, Uses>::type>);
    return code < kUseCode<typename At<kMiddle, Uses>::type>
               ? with_use<First, kMiddle>(code, f, uses)
               : with_use<kMiddle, Last>(code, f, uses);
  }
}

/// The components of the registry that keep lengths, but those that only copy.
template <class Out, class... Uses>
struct KeepingOnto {
  using type = Out;
};
template <class... Out, class Use, class... Rest>
struct KeepingOnto<TypeList<Out...>, Use, Rest...>
    : KeepingOnto<std::conditional_t<Use::Family::reduces || Use::Family::identity,
                                     TypeList<Out...>, TypeList<Out..., Use>>,
                  Rest...> {};
template <class List>
struct KeepingOf;
template <class... Uses>
struct KeepingOf<TypeList<Uses...>> : KeepingOnto<TypeList<>, Uses...> {};
using KeepingUses = KeepingOf<Registry>::type;

/// The lengths of a Step's blocks: `W` is the word type before the cut. List: the families that a
/// step may be of, Families or the first of them.
template <class W, class List = Families>
struct StepLengths {
  /// The longest output of `step` on `bytes` bytes.
  FPSYNTH_INLINE static std::uint32_t bound(Step step, std::uint32_t bytes) {
    return with_family<std::uint32_t>(
        step.family,
        [=]<class Family>() {
          return step.on_bytes
                     ? std::uint32_t(Family::template bound<std::uint8_t>(bytes))
                     : std::uint32_t(Family::template bound<W>(bytes / sizeof(W)) * sizeof(W));
        },
        List{});
  }
  /// Bytes for the output of `step` with which it can be tried: fewer if it heeds Scratch::room.
  FPSYNTH_INLINE static std::uint32_t needed(Step step, std::uint32_t bytes) {
    const bool heeds = with_family<bool>(
        step.family,
        []<class Family>() {
          return requires { Family::heeds_room; };
        },
        List{});
    return heeds ? bytes : bound(step, bytes);
  }
  FPSYNTH_INLINE static std::uint32_t word_bytes(Step step) {
    return step.on_bytes ? 1 : sizeof(W);
  }
  /// True if `step` keeps the numbers of words and of bytes that are zero.
  FPSYNTH_INLINE static bool keeps_zeros(Step step) {
    return with_family<bool>(
        step.family, []<class Family>() { return Family::moves_words; }, List{});
  }
  /// The length of the output of `step` on a block of `bytes` bytes with these counts (of the word
  /// size of the step), which must decide it. Lanes may call it with different arguments.
  FPSYNTH_INLINE static std::uint32_t measured_bytes(Step step, const teams::BlockCounts& counts,
                                                     std::uint32_t bytes) {
    return with_family<std::uint32_t>(
        step.family,
        [&]<class Family>() {
          if constexpr (Counted<Family>) {
            return step.on_bytes
                       ? Family::template measured<std::uint8_t>(counts.bytes, bytes).words
                       : std::uint32_t(
                             Family::template measured<W>(counts.words, bytes / sizeof(W)).words *
                             sizeof(W));
          } else {
            return bytes;
          }
        },
        List{});
  }
};

/// The stages on a team, by Step, on blocks in bytes. All members are called by all lanes with the
/// same arguments. They have barriers inside but none at the end, so a barrier is needed between a
/// call and the use of its output. Blocks have the alignment and slack that StageOps requires
/// (stage_table.hpp); parameters are 1..64.
template <teams::Team Team, class W, class List = Families>
struct Interpreter : StepLengths<W, List> {
  FPSYNTH_INLINE static Extent encode(Team& team, Step step, const std::byte* in,
                                      std::uint32_t bytes, std::byte* out, const Scratch& scratch) {
    return typed<Extent>(step, [&]<class Family, class V>() FPSYNTH_INLINED {
      return Family::template encode<V>(team, reinterpret_cast<const V*>(in), bytes / sizeof(V),
                                        reinterpret_cast<V*>(out), unsigned(step.parameter),
                                        scratch);
    });
  }
  /// encode() of a block of `Bytes` bytes by a component of the registry that keeps lengths, by
  /// code for this length. Returns false, without doing anything, if the step is of another one.
  template <std::uint32_t Bytes>
  FPSYNTH_INLINE static bool encode_whole(Team& team, Step step, const std::byte* in,
                                          std::byte* out) {
    return step.on_bytes ? encode_whole_as<std::uint8_t, Bytes>(team, step, in, out)
                         : encode_whole_as<W, Bytes>(team, step, in, out);
  }
  FPSYNTH_INLINE static bool decode(Team& team, Step step, const std::byte* in, Extent extent,
                                    std::byte* out, std::uint32_t bytes, const Scratch& scratch) {
    return typed<bool>(step, [&]<class Family, class V>() FPSYNTH_INLINED {
      return Family::template decode<V>(team, reinterpret_cast<const V*>(in), extent,
                                        reinterpret_cast<V*>(out), bytes / sizeof(V),
                                        unsigned(step.parameter), scratch);
    });
  }

 private:
  /// encode_whole() as words of type V.
  template <class V, std::uint32_t Bytes>
  FPSYNTH_INLINE static bool encode_whole_as(Team& team, Step step, const std::byte* in,
                                             std::byte* out) {
    const void* const aligned = __builtin_assume_aligned(in, kBlockAlignment);
    const V* const from = static_cast<const V*>(aligned);
    V* const to = static_cast<V*>(__builtin_assume_aligned(out, kBlockAlignment));
    return with_use<0, KeepingUses::size>(
        use_code(step.family, step.parameter),
        [&]<class Use>() FPSYNTH_INLINED {
          Use::Family::forward(team, from, Bytes / sizeof(V), to, unsigned(Use::parameter));
        },
        KeepingUses{});
  }
  template <class Result, class F>
  FPSYNTH_INLINE static Result typed(Step step, F f) {
    return with_family<Result>(
        step.family,
        [&]<class Family>() FPSYNTH_INLINED {
          return step.on_bytes ? f.template operator()<Family, std::uint8_t>()
                               : f.template operator()<Family, W>();
        },
        List{});
  }
};

/// f.template operator()<W>() for the unsigned word W of 2, 4 or 8 bytes: devices have no others
/// before the cut.
template <class F>
auto with_device_word(std::size_t word_bytes, F f) {
  return word_bytes == 8   ? f.template operator()<std::uint64_t>()
         : word_bytes == 4 ? f.template operator()<std::uint32_t>()
                           : f.template operator()<std::uint16_t>();
}

}  // namespace fpsynth::components
