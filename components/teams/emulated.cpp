#include "components/teams/emulated.hpp"

#include "components/bind.hpp"

namespace fpsynth::components {

std::span<const StageTable* const> emulated_stages() {
  static constexpr StageTable lanes_1("emulated/1", bound_ops<teams::EmulatedTeam<1>>());
  static constexpr StageTable lanes_32("emulated/32", bound_ops<teams::EmulatedTeam<32>>());
  static constexpr StageTable lanes_256("emulated/256", bound_ops<teams::EmulatedTeam<256>>());
  static constexpr StageTable lanes_1024("emulated/1024", bound_ops<teams::EmulatedTeam<1024>>());
  static constexpr const StageTable* tables[] = {&lanes_1, &lanes_32, &lanes_256, &lanes_1024};
  return tables;
}

}  // namespace fpsynth::components
