#include "runners/data/synthetic/synthetic_sets.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "runners/data/synthetic/messages.hpp"
#include "runners/data/synthetic/observations.hpp"
#include "runners/data/synthetic/simulations.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

constexpr SyntheticSet kSets[] = {
    {"msg_adi", "msg", "line solves of a five-field implicit solver between ranks", 5,
     synthetic::adi_lines},
    {"msg_heat", "msg", "halo planes of a 3-D heat equation solver", 1, synthetic::heat_halos},
    {"msg_hydro", "msg", "halo columns of a 2-D gas solver, mostly gas at rest", 5,
     synthetic::hydro_halos},
    {"msg_shallow", "msg", "halo rows of a 2-D shallow-water solver", 1, synthetic::shallow_halos},
    {"msg_sweep", "msg", "face fluxes of a neutron transport wavefront sweep", 1,
     synthetic::sweep_faces},
    {"num_control", "num", "control vectors of a variational minimiser", 1,
     synthetic::control_vectors},
    {"num_lorenz", "num", "states of the chaotic Lorenz system", 3, synthetic::lorenz_states},
    {"num_nbody", "num", "positions in a star cluster of 40 bodies", 3, synthetic::nbody_positions},
    {"num_pinch", "num", "electron and ion temperatures of a pinched plasma, tabulated", 2,
     synthetic::pinch_temperatures},
    {"obs_residual", "obs", "satellite temperature residuals, a good part rejected to zero", 1,
     synthetic::temperature_residuals},
    {"obs_sensor", "obs", "thermometer readings through a 14-bit converter", 1,
     synthetic::sensor_readings},
    {"obs_track", "obs", "latitudes and longitudes along a polar orbiter's swath", 2,
     synthetic::track_positions},
    {"obs_transit", "obs", "light curve of a star with a transiting planet", 1,
     synthetic::transit_brightness},
};

}  // namespace

std::span<const SyntheticSet> synthetic_sets() { return kSets; }

const SyntheticSet& synthetic_set(std::string_view name) {
  const auto set = std::ranges::find(kSets, name, &SyntheticSet::name);
  if (set != std::end(kSets)) return *set;
  raise<UsageError>("there is no synthetic data set '{}'; there are {}", name,
                    joined(kSets, ", ", &SyntheticSet::name));
}

Input make_input(const SyntheticSet& set, std::size_t bytes) {
  if (bytes == 0 || bytes % sizeof(double) != 0 || bytes > kMaxSyntheticBytes) {
    raise<UsageError>("{} of {} bytes: a synthetic data set has 8 to {} bytes, a multiple of 8",
                      set.name, bytes, kMaxSyntheticBytes);
  }
  const std::vector<double> values = set.make(bytes / sizeof(double));
  std::vector<std::byte> memory(bytes);
  std::memcpy(memory.data(), values.data(), bytes);
  return Input(std::string(set.name), std::move(memory));
}

}  // namespace fpsynth::data
