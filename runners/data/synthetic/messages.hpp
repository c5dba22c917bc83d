#pragma once
// Messages between the ranks of parallel solvers (msg_*): every set runs a solver on one grid and
// outputs what would cross the border between ranks.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "runners/data/synthetic/common.hpp"

namespace fpsynth::data::synthetic {

/// Halo planes of a 3-D heat solver: 7-point stencil, a heater that moves around, cold walls.
inline std::vector<double> heat_halos(std::size_t values) {
  constexpr std::size_t n = 24;
  Random random(0x6865'6174);
  Field now(n, n, n, 0);
  for (double& kelvin : now) kelvin = 293.15 + 25 * random.uniform();
  Field next = now;
  Rotor heater(0.011);
  Output out(values);
  for (std::size_t step = 0; !out.full(); ++step) {
    for (std::size_t z = 1; z + 1 < n; ++z) {
      for (std::size_t y = 1; y + 1 < n; ++y) {
        for (std::size_t x = 1; x + 1 < n; ++x) {
          const double around = now(x - 1, y, z) + now(x + 1, y, z) + now(x, y - 1, z) +
                                now(x, y + 1, z) + now(x, y, z - 1) + now(x, y, z + 1);
          next(x, y, z) = now(x, y, z) + 0.11 * (around - 6 * now(x, y, z));
        }
      }
    }
    heater.step();
    const auto heated_x = static_cast<std::size_t>(n / 2 + 8 * heater.cos);
    const auto heated_y = static_cast<std::size_t>(n / 2 + 8 * heater.sin);
    next(heated_x, heated_y, n / 2) += 30;
    std::swap(now, next);
    if (step < 4) continue;  // the first steps are noise being smoothed
    for (const std::size_t x : {n / 2 - 1, n / 2}) {
      for (std::size_t z = 0; z < n; ++z) {
        for (std::size_t y = 0; y < n; ++y) out.add(now(x, y, z));
      }
    }
  }
  return out.take();
}

/// Pipelined line solves of an alternating-direction implicit solver: five coupled fields per cell,
/// a tridiagonal system per line; the half-eliminated right-hand sides go to the next rank, the
/// solutions come back. Five values per cell, interleaved.
inline std::vector<double> adi_lines(std::size_t values) {
  constexpr std::size_t n = 16, fields = 5;
  constexpr std::array<double, fields> mean = {1.0, 0.3, -0.2, 0.1, 2.5};
  Random random(0x0061'6469);
  std::vector<Field> state;
  for (const double value : mean) state.emplace_back(n, n, n, value);
  Rotor wind(0.02);
  Output out(values);
  std::array<double, n> upper{}, right{};
  while (!out.full()) {
    wind.step();
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = [axis](Field& field, std::size_t i, std::size_t j, std::size_t k) -> double& {
        return axis == 0 ? field(i, j, k) : axis == 1 ? field(j, i, k) : field(j, k, i);
      };
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) {
          std::array<double, fields> sent{}, returned{};
          for (std::size_t f = 0; f < fields; ++f) {
            const double edge =
                mean[f] * (1 + 0.2 * wind.cos * static_cast<double>(j) / n + 0.1 * wind.sin);
            for (std::size_t i = 0; i < n; ++i) {
              // Diffusion that depends on the density keeps the five systems coupled.
              const double r = 0.4 + 0.2 * at(state[0], i, j, k) * at(state[0], i, j, k);
              const double before = i == 0 ? edge : right[i - 1];
              const double pivot = 1 + 2 * r - (i == 0 ? 0 : r * upper[i - 1]);
              upper[i] = r / pivot;
              right[i] = (at(state[f], i, j, k) + r * before) / pivot;
            }
            double solution = edge;
            for (std::size_t i = n; i-- > 0;) {
              solution = right[i] + upper[i] * solution;
              at(state[f], i, j, k) = solution;
              if (i == n / 2) returned[f] = solution;
            }
            sent[f] = right[n / 2 - 1];
          }
          if (axis != 0) continue;
          for (const double value : sent) out.add(value);
          for (const double value : returned) out.add(value);
        }
      }
    }
    // Turbulence: without it the fields settle within a few steps.
    for (Field& field : state) {
      for (double& value : field) value *= 1 + 0.05 * (random.uniform() - 0.5);
    }
  }
  return out.take();
}

/// Halo rows of a 2-D shallow-water solver (Lax-Friedrichs, doubly periodic), drops falling in:
/// a row of heights, then of the two momenta.
inline std::vector<double> shallow_halos(std::size_t values) {
  constexpr std::size_t n = 64;
  constexpr double gravity = 9.80665, ratio = 0.03;  // time step over cell width
  Random random(0x0073'7761);
  std::array<Field, 3> now{Field(n, n, 1, 10), Field(n, n, 1, 0), Field(n, n, 1, 0)};
  std::array<Field, 3> next = now;
  Output out(values);
  for (std::size_t step = 0; !out.full(); ++step) {
    if (step % 20 == 0) {
      const double drop_x = random.uniform(8, n - 8);
      const double drop_y = random.uniform(8, n - 8);
      const double height = random.uniform(0.5, 2);
      double volume = 0;
      for (std::size_t y = 0; y < n; ++y) {
        for (std::size_t x = 0; x < n; ++x) {
          const double dx = static_cast<double>(x) - drop_x, dy = static_cast<double>(y) - drop_y;
          const double inside = 1 - (dx * dx + dy * dy) / 64;
          if (inside <= 0) continue;
          now[0](x, y) += height * inside * inside;
          volume += height * inside * inside;
        }
      }
      // Water that falls in flows off, or the water would deepen until the scheme is unstable.
      for (double& water : now[0]) water -= volume / (n * n);
    }
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        const std::size_t west = (x + n - 1) % n, east = (x + 1) % n;
        const std::size_t south = (y + n - 1) % n, north = (y + 1) % n;
        const auto flux = [&](std::size_t fx, std::size_t fy, int axis) {
          const double h = now[0](fx, fy);
          std::array<double, 2> m = {now[1](fx, fy), now[2](fx, fy)};
          const double speed = m[axis] / h;
          std::array<double, 3> result = {m[axis], m[0] * speed, m[1] * speed};
          result[axis + 1] += 0.5 * gravity * h * h;
          return result;
        };
        const auto fw = flux(west, y, 0), fe = flux(east, y, 0);
        const auto fs = flux(x, south, 1), fn = flux(x, north, 1);
        for (std::size_t f = 0; f < 3; ++f) {
          const double around =
              now[f](west, y) + now[f](east, y) + now[f](x, south) + now[f](x, north);
          next[f](x, y) = 0.25 * around - 0.5 * ratio * ((fe[f] - fw[f]) + (fn[f] - fs[f]));
        }
      }
    }
    std::swap(now, next);
    for (const std::size_t y : {n / 2 - 1, n / 2}) {
      for (Field& field : now) {
        for (std::size_t x = 0; x < n; ++x) out.add(field(x, y));
      }
    }
  }
  return out.take();
}

/// Halo columns of a 2-D gas solver (Euler equations, Rusanov flux) with blasts in a gas at rest:
/// mostly the constant state ahead of the shock. Five values per cell, interleaved: density, two
/// momenta, energy, pressure.
inline std::vector<double> hydro_halos(std::size_t values) {
  constexpr std::size_t n = 48;
  constexpr double gamma = 1.4, ratio = 0.09;
  using State = std::array<double, 4>;
  const auto pressure = [](const State& u) {
    return (gamma - 1) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]);
  };
  const auto flux = [&](const State& a, const State& b, int axis) {
    State result{};
    double speed = 0;
    for (const State* u : {&a, &b}) {
      const double p = pressure(*u), v = (*u)[axis + 1] / (*u)[0];
      for (std::size_t f = 0; f < 4; ++f) result[f] += 0.5 * (*u)[f] * v;
      result[axis + 1] += 0.5 * p;
      result[3] += 0.5 * p * v;
      speed = std::max(speed, std::fabs(v) + std::sqrt(gamma * p / (*u)[0]));
    }
    for (std::size_t f = 0; f < 4; ++f) result[f] -= 0.5 * speed * (b[f] - a[f]);
    return result;
  };
  Random random(0x6879'6472);
  std::vector<State> now(n * n), next;
  Output out(values);
  for (std::size_t step = 0; !out.full(); ++step) {
    if (step % 40 == 0) {
      std::fill(now.begin(), now.end(), State{1, 0, 0, 0.25});
      const double centre_x = random.uniform(8, 14), centre_y = random.uniform(12, 36);
      const double energy = random.uniform(15, 30);
      for (std::size_t i = 0; i < now.size(); ++i) {
        const double dx = static_cast<double>(i % n) - centre_x;
        const double dy = static_cast<double>(i / n) - centre_y;
        if (dx * dx + dy * dy < 16) now[i][3] = energy;
      }
    }
    next = now;  // border cells stay as they are
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 1; x + 1 < n; ++x) {
        const State& here = now[y * n + x];
        const State west = flux(now[y * n + x - 1], here, 0);
        const State east = flux(here, now[y * n + x + 1], 0);
        const State south = flux(now[y * n + x - n], here, 1);
        const State north = flux(here, now[y * n + x + n], 1);
        for (std::size_t f = 0; f < 4; ++f) {
          next[y * n + x][f] = here[f] - ratio * ((east[f] - west[f]) + (north[f] - south[f]));
        }
      }
    }
    std::swap(now, next);
    for (const std::size_t x : {n / 2 - 1, n / 2}) {
      for (std::size_t y = 0; y < n; ++y) {
        const State& cell = now[y * n + x];
        for (const double value : cell) out.add(value);
        out.add(pressure(cell));
      }
    }
  }
  return out.take();
}

/// Outgoing face fluxes of a wavefront sweep for neutron transport: discrete ordinates, diamond
/// differences with negative fluxes set to zero, isotropic scattering iterated from sweep to sweep.
inline std::vector<double> sweep_faces(std::size_t values) {
  constexpr std::size_t n = 12, angles = 6;
  constexpr std::array<double, angles> mu = {0.2666, 0.2666, 0.6815, 0.6815, 0.9261, 0.2666};
  constexpr std::array<double, angles> eta = {0.6815, 0.9261, 0.2666, 0.6815, 0.2666, 0.2666};
  constexpr std::array<double, angles> xi = {0.6815, 0.2666, 0.6815, 0.2666, 0.2666, 0.9261};
  Random random(0x7377'6570);
  Field total(n, n, n, 0), source(n, n, n, 0), scalar(n, n, n, 0);
  for (std::size_t i = 0; i < n * n * n; ++i) {
    const std::size_t x = i % n, y = i / n % n, z = i / n / n;
    const bool absorber = (x / 3 + y / 3 + z / 3) % 2 == 0;
    total(x, y, z) = (absorber ? 2.0 : 0.6) + 0.01 * random.uniform();
    source(x, y, z) = x / 4 == 1 && y / 4 == 1 ? 1.0 : 0.0;
  }
  Rotor power(0.05);
  Output out(values);
  while (!out.full()) {
    power.step();
    Field emitted(n, n, n, 0), summed(n, n, n, 0);
    for (std::size_t i = 0; i < n * n * n; ++i) {
      const std::size_t x = i % n, y = i / n % n, z = i / n / n;
      emitted(x, y, z) = (1 + 0.3 * power.cos) * source(x, y, z) +
                         0.45 * total(x, y, z) * scalar(x, y, z) / (8 * angles);
    }
    for (unsigned octant = 0; octant < 8; ++octant) {
      const auto turned = [](std::size_t i, bool turn) { return turn ? n - 1 - i : i; };
      for (std::size_t a = 0; a < angles; ++a) {
        Field face_y(n, 1, n, 0), face_z(n, n, 1, 0);
        for (std::size_t k = 0; k < n; ++k) {
          for (std::size_t j = 0; j < n; ++j) {
            double face_x = 0.1;
            for (std::size_t i = 0; i < n; ++i) {
              const std::size_t x = turned(i, octant & 1), y = turned(j, octant & 2),
                                z = turned(k, octant & 4);
              const double in_y = face_y(i, 0, k), in_z = face_z(i, j);
              const double centre =
                  (emitted(x, y, z) + 2 * (mu[a] * face_x + eta[a] * in_y + xi[a] * in_z)) /
                  (total(x, y, z) + 2 * (mu[a] + eta[a] + xi[a]));
              face_x = std::max(0.0, 2 * centre - face_x);
              face_y(i, 0, k) = std::max(0.0, 2 * centre - in_y);
              face_z(i, j) = std::max(0.0, 2 * centre - in_z);
              summed(x, y, z) += centre;
            }
            out.add(face_x);
          }
        }
      }
    }
    std::swap(scalar, summed);
  }
  return out.take();
}

}  // namespace fpsynth::data::synthetic
