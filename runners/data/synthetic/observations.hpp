#pragma once
// Observations as instruments and satellites deliver them (obs_*).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "runners/data/synthetic/common.hpp"

namespace fpsynth::data::synthetic {

/// A thermometer: slow weather, the day's cycle, noise; read by a 14-bit converter and calibrated
/// by a polynomial.
inline std::vector<double> sensor_readings(std::size_t values) {
  Random random(0x7365'6e73);
  Rotor day(0.0022);
  double weather = 0, trend = 0;
  Output out(values);
  while (!out.full()) {
    day.step();
    trend = 0.998 * trend + 0.02 * random.normal();
    weather = 0.9995 * weather + 0.02 * trend;
    const double celsius = 12 + 6 * day.cos + weather + 0.04 * random.normal();
    const std::int64_t counts = to_integer(8192 + 120 * celsius);
    const auto c = static_cast<double>(std::clamp<std::int64_t>(counts, 0, 16383));
    out.add(-68.1371 + c * (8.31204e-3 + c * 1.1873e-9));
  }
  return out.take();
}

/// Latitude and longitude, interleaved, of the points that a cross-track scanner in a polar orbit
/// looks at: 30 per line, in degrees rounded to hundredths as the product files hold them.
inline std::vector<double> track_positions(std::size_t values) {
  constexpr std::size_t looks = 30;
  struct Direction {
    double cos, sin;
  };
  Rotor orbit(0.0042), earth(0.00029);  // per line: 8 s of a 100-minute orbit, and of a day
  Rotor tilt(1.164);                    // an inclination of 98.7 degrees in one step
  tilt.step();
  Rotor half_look(0.002835), look(0.00567);  // 0.65 degrees between looks, seen from the centre
  half_look.step();
  look.cos = half_look.cos;
  look.sin = half_look.sin;
  std::array<Direction, looks> scan{};
  for (std::size_t i = 0; i < looks / 2; ++i, look.step()) {
    scan[looks / 2 + i] = {look.cos, look.sin};
    scan[looks / 2 - 1 - i] = {look.cos, -look.sin};
  }
  const auto hundredths = [](double radians) {
    return static_cast<double>(to_integer(radians * (18000 / kPi))) / 100;
  };
  Output out(values);
  while (!out.full()) {
    orbit.step();
    earth.step();
    for (const Direction& angle : scan) {
      // In the orbit's frame: along-track position, and the offset towards the orbit's pole.
      const double u = orbit.cos * angle.cos, v = orbit.sin * angle.cos, w = angle.sin;
      const double x = u, y = v * tilt.cos - w * tilt.sin, z = v * tilt.sin + w * tilt.cos;
      const double turned_x = x * earth.cos + y * earth.sin;
      const double turned_y = y * earth.cos - x * earth.sin;
      out.add(hundredths(arctan(z / std::sqrt(turned_x * turned_x + turned_y * turned_y))));
      out.add(hundredths(arctan2(turned_y, turned_x)));
    }
  }
  return out.take();
}

/// Brightness of a star with a transiting planet: photon noise, the pointing's wobble, the
/// detector's ramp, lost frames as zeros; whole counts times the gain.
inline std::vector<double> transit_brightness(std::size_t values) {
  constexpr double gain = 0.0416937;
  Random random(0x7472'616e);
  Rotor wobble(0.004);
  double ramp = 1;
  Output out(values);
  for (std::size_t frame = 0; !out.full(); ++frame) {
    wobble.step();
    ramp *= 0.9995;
    // In transit for 600 frames of 3000; the limb is darker than the centre of the disc.
    const double phase = (static_cast<double>(frame % 3000) - 1500) / 300;
    const double disc = 1 - phase * phase;
    const double blocked = disc > 0 ? 0.012 * (0.6 + 0.4 * std::sqrt(disc)) : 0;
    const double expected = 52000 * (1 - blocked) * (1 + 0.004 * wobble.sin - 0.01 * ramp);
    const double noise = std::sqrt(expected) * random.normal();
    const bool lost = random.below(64) == 0;
    out.add(lost ? 0 : gain * static_cast<double>(to_integer(expected + noise)));
  }
  return out.take();
}

/// Differences between measured brightness temperatures and an analysis, corrected for the running
/// bias; what quality control rejects (clouds, in patches) is zero.
inline std::vector<double> temperature_residuals(std::size_t values) {
  constexpr std::size_t points = 64;
  Random random(0x7265'7369);
  std::array<double, points> analysis{};
  for (double& value : analysis) value = random.uniform(220, 290);
  double bias = 0, along = 0;
  bool cloudy = false;
  Output out(values);
  while (!out.full()) {
    along += 0.173;
    if (along >= points) along -= points;
    const auto left = static_cast<std::size_t>(along);
    const double part = along - static_cast<double>(left);
    const double guess = (1 - part) * analysis[left] + part * analysis[(left + 1) % points];
    const double error = 0.4 + 0.8 * random.normal();
    const double measured = static_cast<double>(to_integer(100 * (guess + error))) / 100;
    const double residual = measured - guess - bias;
    if (random.below(cloudy ? 6 : 12) == 0) cloudy = !cloudy;
    if (cloudy) {
      out.add(0);
      continue;
    }
    bias += 0.01 * residual;
    analysis[left] += 0.2 * (1 - part) * residual;
    out.add(residual);
  }
  return out.take();
}

}  // namespace fpsynth::data::synthetic
