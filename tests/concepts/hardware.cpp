// Concept: Hardware

#include "components/teams/block.hpp"

using Right = fpsynth::teams::DeclaredHardware;

/// Its ballot does not say which lanes voted.
struct Wrong : Right {
  bool ballot(bool);
};

void use(fpsynth::teams::BlockTeam<TRIED>& team) { team.barrier(); }
