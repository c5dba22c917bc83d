#include "components/teams/serial.hpp"

#include "components/bind.hpp"

namespace fpsynth::components {

const StageTable& serial_stages() {
  static constexpr StageTable table("serial", bound_ops<teams::SerialTeam>(),
                                    complement<teams::SerialTeam>);
  return table;
}

}  // namespace fpsynth::components
