#include "components/teams/emulated.hpp"

#include "components/bind.hpp"

namespace fpsynth::components {
namespace {

/// The emulated team's stages with a number of lanes.
template <std::size_t Lanes>
struct WithLanes {
  template <class Family, class W>
  struct Entry {
    using Stage = Bound<teams::EmulatedTeam, Family, W>;

    static Extent encode(const std::byte* in, std::size_t n, std::byte* out, unsigned parameter,
                         const Scratch& scratch) {
      teams::EmulatedTeam::use_lanes(Lanes);
      return Stage::encode(in, n, out, parameter, scratch);
    }
    static bool decode(const std::byte* in, Extent extent, std::byte* out, std::size_t n,
                       unsigned parameter, const Scratch& scratch) {
      teams::EmulatedTeam::use_lanes(Lanes);
      return Stage::decode(in, extent, out, n, parameter, scratch);
    }
    static Extent measure(const std::byte* in, std::size_t n, unsigned parameter,
                          const Scratch& scratch) {
      teams::EmulatedTeam::use_lanes(Lanes);
      return Stage::measure(in, n, parameter, scratch);
    }
    static constexpr StageOps ops{encode, decode, measure};
  };
  static constexpr const StageOps* ops() { return table_of<Entry>(); }
};

}  // namespace

std::span<const StageTable* const> emulated_stages() {
  static constexpr StageTable lanes_1("emulated/1", WithLanes<1>::ops(),
                                      complement<teams::EmulatedTeam>);
  static constexpr StageTable lanes_32("emulated/32", WithLanes<32>::ops(),
                                       complement<teams::EmulatedTeam>);
  static constexpr StageTable lanes_256("emulated/256", WithLanes<256>::ops(),
                                        complement<teams::EmulatedTeam>);
  static constexpr StageTable lanes_1024("emulated/1024", WithLanes<1024>::ops(),
                                         complement<teams::EmulatedTeam>);
  static constexpr const StageTable* tables[] = {&lanes_1, &lanes_32, &lanes_256, &lanes_1024};
  return tables;
}

}  // namespace fpsynth::components
