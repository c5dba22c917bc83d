#include "components/bind.hpp"
#include "components/stage_table.hpp"
#include "components/teams/serial.hpp"

namespace fpsynth::components {

const StageTable& serial_stages() {
  static constexpr StageTable table("serial", bound_ops<teams::SerialTeam>(),
                                    BoundBlock<teams::SerialTeam>::ops);
  return table;
}

}  // namespace fpsynth::components
