// Concept: Team

#include "components/inv/inv.hpp"
#include "components/teams/serial.hpp"

using Right = fpsynth::teams::SerialTeam;

/// Has no prefix sum.
struct Wrong : Right {
  template <class... Arguments>
  void scan(Arguments...) = delete;
};

void use(TRIED team, const std::uint64_t* in, std::uint64_t* out) {
  fpsynth::components::Inv::forward(team, in, 8, out, 0);
}
