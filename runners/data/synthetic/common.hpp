#pragma once
// Tools for computing the synthetic data sets. A synthetic set is the same to the bit on every
// machine and with every compiler, so its code only uses + - * / and sqrt, which IEEE 754 rounds
// correctly, and integers: no libm (it differs between machines), no contraction to fused
// operations (a build flag), and never two random numbers in one expression (their order is
// unspecified).

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fpsynth::data::synthetic {

static_assert(FLT_EVAL_METHOD == 0, "synthetic data need doubles computed as doubles (no x87)");

/// xoshiro256**, seeded by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e37'79b9'7f4a'7c15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
      z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In 0..bound-1; bound is small, so the bias of the remainder is negligible.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(bits() % bound); }

  /// Mean 0, variance 1, by the sum of 12 uniforms: nearly normal, without a logarithm.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

/// A point that walks around the unit circle: cosine and sine without libm. The step is the
/// rational rotation of half-angle tangent t, so 2 atan(t), about 2t radians for small t.
class Rotor {
 public:
  explicit Rotor(double t) : step_cos_((1 - t * t) / (1 + t * t)), step_sin_(2 * t / (1 + t * t)) {}

  void step() {
    const double next_cos = cos * step_cos_ - sin * step_sin_;
    const double next_sin = sin * step_cos_ + cos * step_sin_;
    // Rounding would let the point drift off the circle over millions of steps.
    const double length = std::sqrt(next_cos * next_cos + next_sin * next_sin);
    cos = next_cos / length;
    sin = next_sin / length;
  }

  double cos = 1, sin = 0;

 private:
  double step_cos_, step_sin_;
};

/// Collects the values of a computation until there are enough.
class Output {
 public:
  explicit Output(std::size_t values) : limit_(values) { values_.reserve(values); }
  bool full() const { return values_.size() >= limit_; }
  void add(double value) {
    if (!full()) values_.push_back(value);
  }
  std::vector<double> take() { return std::move(values_); }

 private:
  std::size_t limit_;
  std::vector<double> values_;
};

/// Fields on a grid with x fastest.
class Field {
 public:
  Field(std::size_t nx, std::size_t ny, std::size_t nz, double value)
      : nx_(nx), ny_(ny), values_(nx * ny * nz, value) {}
  double& operator()(std::size_t x, std::size_t y, std::size_t z = 0) {
    return values_[(z * ny_ + y) * nx_ + x];
  }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  std::size_t nx_, ny_;
  std::vector<double> values_;
};

/// Rounds half away from zero to an integer; |x| < 2^62.
inline std::int64_t to_integer(double x) {
  return static_cast<std::int64_t>(x < 0 ? x - 0.5 : x + 0.5);
}

/// arctan by halving the angle three times and ten terms of the series; good to some 1e-15.
inline double arctan(double x) {
  for (int i = 0; i < 3; ++i) x = x / (1 + std::sqrt(1 + x * x));
  const double square = x * x;
  double sum = 0;
  for (int k = 19; k >= 1; k -= 2) sum = 1.0 / k - square * sum;
  return 8 * (x * sum);
}

inline constexpr double kPi = 3.14159265358979323846;

/// Angle of (x, y) in (-pi, pi]; 0 for the origin.
inline double arctan2(double y, double x) {
  const double radius = std::sqrt(x * x + y * y);
  // This is the one of the two half-angle formulas that does not cancel.
  if (x >= 0) return radius > 0 ? 2 * arctan(y / (radius + x)) : 0;
  return y == 0 ? kPi : 2 * arctan((radius - x) / y);
}

}  // namespace fpsynth::data::synthetic
