#include "runners/data/synthetic_sets.hpp"

#include <fmt/core.h>

#include <cstring>

#include "runners/data/synthetic/messages.hpp"
#include "runners/data/synthetic/observations.hpp"
#include "runners/data/synthetic/simulations.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {
namespace {

constexpr MadeSet kSets[] = {
    {"msg_adi", "msg", "line solves of a five-field implicit solver between ranks", 5,
     made::adi_lines},
    {"msg_heat", "msg", "halo planes of a 3-D heat equation solver", 1, made::heat_halos},
    {"msg_hydro", "msg", "halo columns of a 2-D gas solver, mostly gas at rest", 5,
     made::hydro_halos},
    {"msg_shallow", "msg", "halo rows of a 2-D shallow-water solver", 1, made::shallow_halos},
    {"msg_sweep", "msg", "face fluxes of a neutron transport wavefront sweep", 1,
     made::sweep_faces},
    {"num_control", "num", "control vectors of a variational minimiser", 1, made::control_vectors},
    {"num_lorenz", "num", "states of the chaotic Lorenz system", 3, made::lorenz_states},
    {"num_nbody", "num", "positions in a star cluster of 40 bodies", 3, made::nbody_positions},
    {"num_pinch", "num", "electron and ion temperatures of a pinched plasma, tabulated", 2,
     made::pinch_temperatures},
    {"obs_residual", "obs", "satellite temperature residuals, a good part rejected to zero", 1,
     made::temperature_residuals},
    {"obs_sensor", "obs", "thermometer readings through a 14-bit converter", 1,
     made::sensor_readings},
    {"obs_track", "obs", "latitudes and longitudes along a polar orbiter's swath", 2,
     made::track_positions},
    {"obs_transit", "obs", "light curve of a star with a transiting planet", 1,
     made::transit_brightness},
};

}  // namespace

std::span<const MadeSet> made_sets() { return kSets; }

const MadeSet& made_set(std::string_view name) {
  std::string names;
  for (const MadeSet& set : kSets) {
    if (set.name == name) return set;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", set.name);
  }
  throw UsageError(fmt::format("there is no made data set '{}'; there are {}", name, names));
}

Input make_input(const MadeSet& set, std::size_t bytes) {
  if (bytes == 0 || bytes % sizeof(double) != 0 || bytes > kMaxMadeBytes) {
    throw UsageError(
        fmt::format("{} of {} bytes: a made data set has 8 to {} bytes, a multiple of 8", set.name,
                    bytes, kMaxMadeBytes));
  }
  const std::vector<double> values = set.make(bytes / sizeof(double));
  std::vector<std::byte> memory(bytes);
  std::memcpy(memory.data(), values.data(), bytes);
  return Input(std::string(set.name), std::move(memory));
}

}  // namespace fpsynth::data
