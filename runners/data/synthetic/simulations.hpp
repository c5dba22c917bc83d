#pragma once
// Simulation results (num_*).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "runners/data/synthetic/common.hpp"

namespace fpsynth::data::synthetic {

/// Trajectories of a star cluster, leapfrog with softened gravity: x, y, z of every body, step
/// after step.
inline std::vector<double> nbody_positions(std::size_t values) {
  constexpr std::size_t bodies = 40;
  constexpr double step = 0.01, softening = 0.02;
  using Vector = std::array<double, 3>;
  Random random(0x626f'6479);
  std::vector<Vector> position(bodies), velocity(bodies), force(bodies);
  std::vector<double> mass(bodies);
  for (std::size_t i = 0; i < bodies; ++i) {
    mass[i] = random.uniform(0.5, 2) / bodies;
    for (double& x : position[i]) x = random.normal();
    // Some rotation about z keeps the cluster from falling together at once.
    velocity[i] = {-0.4 * position[i][1], 0.4 * position[i][0], 0};
    for (double& v : velocity[i]) v += 0.1 * random.normal();
  }
  const auto pull = [&] {
    std::fill(force.begin(), force.end(), Vector{});
    for (std::size_t i = 0; i < bodies; ++i) {
      for (std::size_t j = i + 1; j < bodies; ++j) {
        Vector d{};
        double square = softening;
        for (std::size_t c = 0; c < 3; ++c) {
          d[c] = position[j][c] - position[i][c];
          square += d[c] * d[c];
        }
        const double inverse = 1 / (square * std::sqrt(square));
        for (std::size_t c = 0; c < 3; ++c) {
          force[i][c] += mass[j] * inverse * d[c];
          force[j][c] -= mass[i] * inverse * d[c];
        }
      }
    }
  };
  pull();
  Output out(values);
  while (!out.full()) {
    for (std::size_t i = 0; i < bodies; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        velocity[i][c] += 0.5 * step * force[i][c];
        position[i][c] += step * velocity[i][c];
      }
    }
    pull();
    for (std::size_t i = 0; i < bodies; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        velocity[i][c] += 0.5 * step * force[i][c];
        out.add(position[i][c]);
      }
    }
  }
  return out.take();
}

/// The Lorenz system by the classical Runge-Kutta method: x, y, z, step after step.
inline std::vector<double> lorenz_states(std::size_t values) {
  using Vector = std::array<double, 3>;
  constexpr double step = 0.005;
  const auto slope = [](const Vector& v) {
    return Vector{10 * (v[1] - v[0]), v[0] * (28 - v[2]) - v[1], v[0] * v[1] - 8.0 / 3.0 * v[2]};
  };
  const auto moved = [](const Vector& v, double by, const Vector& along) {
    return Vector{v[0] + by * along[0], v[1] + by * along[1], v[2] + by * along[2]};
  };
  Vector state = {1, 1.5, 20};
  Output out(values);
  while (!out.full()) {
    const Vector k1 = slope(state);
    const Vector k2 = slope(moved(state, step / 2, k1));
    const Vector k3 = slope(moved(state, step / 2, k2));
    const Vector k4 = slope(moved(state, step, k3));
    for (std::size_t c = 0; c < 3; ++c) {
      state[c] += step / 6 * (k1[c] + 2 * (k2[c] + k3[c]) + k4[c]);
      out.add(state[c]);
    }
  }
  return out.take();
}

/// The control vector of a variational analysis after each step of a conjugate-gradient
/// minimiser, cycle after cycle with new observations of a truth that moves on.
inline std::vector<double> control_vectors(std::size_t values) {
  constexpr std::size_t n = 256;
  constexpr int iterations = 8;
  using Vector = std::vector<double>;
  Random random(0x6374'726c);
  Vector weight(n), truth(n);
  for (std::size_t i = 0; i < n; ++i) {
    weight[i] = i % 3 == 0 ? 0 : random.uniform(0.5, 8);  // a third is not observed
    truth[i] = random.normal();
  }
  // The observation operator: a symmetric smoother on a ring, applied twice.
  const auto smooth = [](Vector v) {
    for (int pass = 0; pass < 2; ++pass) {
      Vector old = v;
      for (std::size_t i = 0; i < n; ++i) {
        v[i] = 0.25 * old[(i + n - 1) % n] + 0.5 * old[i] + 0.25 * old[(i + 1) % n];
      }
    }
    return v;
  };
  const auto weighted = [&](Vector v) {
    for (std::size_t i = 0; i < n; ++i) v[i] *= weight[i];
    return v;
  };
  const auto dot = [](const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  Output out(values);
  while (!out.full()) {
    Vector next(n);
    for (std::size_t i = 0; i < n; ++i) next[i] = 0.9 * truth[(i + n - 1) % n];
    for (std::size_t i = 0; i < n; ++i) truth[i] = next[i] + 0.4 * random.normal();
    Vector observed = smooth(truth);
    for (double& value : observed) value += 0.1 * random.normal();

    Vector control(n), residual = smooth(weighted(observed)), direction = residual;
    double norm = dot(residual, residual);
    for (int k = 0; k < iterations; ++k) {
      Vector image = smooth(weighted(smooth(direction)));
      for (std::size_t i = 0; i < n; ++i) image[i] += direction[i];
      const double length = norm / dot(direction, image);
      for (std::size_t i = 0; i < n; ++i) {
        control[i] += length * direction[i];
        residual[i] -= length * image[i];
        out.add(control[i]);
      }
      const double next_norm = dot(residual, residual);
      for (std::size_t i = 0; i < n; ++i) {
        direction[i] = residual[i] + next_norm / norm * direction[i];
      }
      norm = next_norm;
    }
  }
  return out.take();
}

/// Electron and ion temperatures, interleaved, of the cells of a pinched plasma: Ohmic heating by
/// a current pulse, conduction, exchange, radiation. The temperatures come out of an
/// equation-of-state table, so there are few different ones.
inline std::vector<double> pinch_temperatures(std::size_t values) {
  constexpr std::size_t wires = 24, layers = 16, cells = wires * layers, entries = 400;
  Random random(0x7069'6e63);
  std::array<double, entries> table{};  // eV, each entry 2.2 percent above the one before
  table[0] = 0.05;
  for (std::size_t i = 1; i < entries; ++i) table[i] = table[i - 1] * 1.022;
  const auto tabulated = [&](double temperature) {
    const auto above = std::lower_bound(table.begin(), table.end(), temperature);
    return above == table.end() ? table.back() : *above;
  };
  std::vector<double> electrons(cells, 0.3), ions(cells, 0.2), resistance(cells);
  for (double& value : resistance) value = 1 + 0.3 * random.uniform();
  Rotor pulse(0.013);
  Output out(values);
  while (!out.full()) {
    pulse.step();
    const double current = pulse.sin * pulse.sin;
    std::vector<double> before = electrons;
    for (std::size_t i = 0; i < cells; ++i) {
      const std::size_t layer = i % layers;
      const double here = before[i];
      const double inner = layer > 0 ? before[i - 1] : here;
      const double outer = layer + 1 < layers ? before[i + 1] : 0.1;
      const double depth = static_cast<double>(layers - layer) / layers;
      const double heating = 4 * current * depth * resistance[i] / (1 + 0.02 * here);
      const double radiated = 2e-5 * here * here * here;
      const double exchanged = 0.05 * (here - ions[i]);
      electrons[i] = std::max(
          0.05, here + heating - radiated - exchanged + 0.2 * (inner - here + outer - here));
      ions[i] += exchanged;
      resistance[i] *= 1 + 0.01 * (random.uniform() - 0.5);  // instabilities
    }
    for (std::size_t i = 0; i < cells; ++i) {
      out.add(tabulated(electrons[i]));
      out.add(tabulated(ions[i]));
    }
  }
  return out.take();
}

}  // namespace fpsynth::data::synthetic
