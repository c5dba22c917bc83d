#include "tests/support/emulated/stages.hpp"

#include <algorithm>
#include <optional>

#include "components/bind.hpp"
#include "tests/support/emulated/hardware.hpp"

namespace fpsynth::components {
namespace {

using Team = teams::BlockTeam<teams::EmulatedHardware>;

/// Runs f(team) on every lane of a thread block, for blocks of up to `bytes` bytes, and returns its
/// result, which must be the same for all lanes.
template <class F>
auto on_block(std::uint32_t lanes, std::size_t bytes, F f) {
  std::optional<decltype(f(std::declval<Team&>()))> result;
  teams::EmulatedShape shape{1, lanes, Team::memory_bytes(bytes, lanes)};
  teams::emulate(shape, [&](teams::EmulatedHardware hardware) {
    Team team(hardware, hardware.shared());
    const auto mine = f(team);
    team.barrier();
    if (result && *result != mine) throw std::logic_error("lanes return different results");
    result = mine;
  });
  return *result;
}

/// The functions of a family, for any number of lanes: compiled once, not once for each table.
template <class Family, class W>
struct Emulated {
  static const W* words(const std::byte* block) { return reinterpret_cast<const W*>(block); }
  static W* words(std::byte* block) { return reinterpret_cast<W*>(block); }

  static Extent encode(std::uint32_t lanes, const std::byte* in, std::size_t n, std::byte* out,
                       unsigned parameter, const Scratch& scratch) {
    return on_block(lanes, n * sizeof(W), [&](Team& team) {
      return Family::template encode<W>(team, words(in), n, words(out), parameter, scratch);
    });
  }
  static bool decode(std::uint32_t lanes, const std::byte* in, Extent extent, std::byte* out,
                     std::size_t n, unsigned parameter, const Scratch& scratch) {
    return on_block(lanes, std::max<std::size_t>(n, extent.words) * sizeof(W), [&](Team& team) {
      return Family::template decode<W>(team, words(in), extent, words(out), n, parameter, scratch);
    });
  }
  static Extent measure(std::uint32_t lanes, const std::byte* in, std::size_t n, unsigned parameter,
                        const Scratch& scratch) {
    return on_block(lanes, n * sizeof(W), [&](Team& team) {
      return Family::template measure<W>(team, words(in), n, parameter, scratch);
    });
  }
};

template <class W>
teams::BlockCounts count_on(std::uint32_t lanes, const std::byte* in, std::size_t n,
                            const Scratch& scratch) {
  return on_block(lanes, n * sizeof(W), [&](Team& team) {
    return count_block<W>(team, reinterpret_cast<const W*>(in), n, scratch);
  });
}

template <std::uint32_t Lanes>
struct WithLanes {
  template <class Family, class W>
  struct Entry {
    static Extent encode(const std::byte* in, std::size_t n, std::byte* out, unsigned parameter,
                         const Scratch& scratch) {
      return Emulated<Family, W>::encode(Lanes, in, n, out, parameter, scratch);
    }
    static bool decode(const std::byte* in, Extent extent, std::byte* out, std::size_t n,
                       unsigned parameter, const Scratch& scratch) {
      return Emulated<Family, W>::decode(Lanes, in, extent, out, n, parameter, scratch);
    }
    static Extent measure(const std::byte* in, std::size_t n, unsigned parameter,
                          const Scratch& scratch) {
      return Emulated<Family, W>::measure(Lanes, in, n, parameter, scratch);
    }
    static constexpr StageOps ops{encode, decode, measure, MeasuredBy<Team, Family, W>::function,
                                  nullptr};
  };
  static void complement(const std::byte* in, std::size_t bytes, std::byte* out) {
    Entry<Inv, std::uint8_t>::encode(in, bytes, out, 0, {});
  }
  template <class W>
  static teams::BlockCounts count(const std::byte* in, std::size_t n, const Scratch& scratch) {
    return count_on<W>(Lanes, in, n, scratch);
  }
  /// By the host, because no stage is concerned.
  static bool verify(const std::byte* in, std::size_t bytes, std::byte* decoded) {
    return serial_stages().verify(in, bytes, decoded);
  }
  static constexpr BlockOps block_ops{
      complement,
      verify,
      {count<std::uint8_t>, count<std::uint16_t>, count<std::uint32_t>, count<std::uint64_t>},
      {}};
  static constexpr StageTable table(std::string_view name) {
    return {name, table_of<Entry>(), block_ops};
  }
};

}  // namespace

std::span<const StageTable* const> emulated_stages() {
  static constexpr StageTable lanes_1 = WithLanes<1>::table("emulated/1");
  static constexpr StageTable lanes_32 = WithLanes<32>::table("emulated/32");
  static constexpr StageTable lanes_256 = WithLanes<256>::table("emulated/256");
  static constexpr StageTable lanes_1024 = WithLanes<1024>::table("emulated/1024");
  static constexpr const StageTable* tables[] = {&lanes_1, &lanes_32, &lanes_256, &lanes_1024};
  return tables;
}

}  // namespace fpsynth::components
