#pragma once
// The coefficients with which LPC predicts a block, in the host's memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fpsynth::codec {

/// Fits coefficients to blocks of words of type W by least squares. Level: a type of its own for
/// each instruction set, so that objects compiled for different ones share no function. All find
/// the same: sums are of products of singles, which doubles hold exactly, and other products are
/// not contracted with sums.
template <class Level, class W, class Step>
class LinearFit {
  static constexpr std::size_t kTaps = Step::kTaps;
  using Taps = typename Step::Taps;
  using Matrix = double[kTaps + 1][kTaps + 1];

 public:
  /// The coefficients for the `n` words at `in`.
  static Taps taps(const std::byte* in, std::size_t n) {
    constexpr std::size_t kFewest = 8 * kTaps;  // fewer words are not worth it
    Matrix a;
    double c[kTaps];
    if (n < kFewest) return {};
    covariances(in, n, a);
    solve(a, c);
    return quantized(c);
  }

 private:
  static double number(const std::byte* in, std::size_t i) {
    return static_cast<float>(std::int64_t(Step::template integer<W>(in, i)));
  }
  /// Not contracted with a sum.
  __attribute__((noinline)) static double product(double a, double b) { return a * b; }

  /// a[j][k] = the sum of x[i - j] · x[i - k] for all i from kTaps to n.
  static void covariances(const std::byte* in, std::size_t n, Matrix& a) {
    constexpr std::size_t kGroup = 256;
    double group[kTaps + kGroup], sums[kTaps + 1] = {};
    for (std::size_t k = 0; k < kTaps; ++k) group[k] = number(in, k);
    for (std::size_t begin = kTaps; begin < n; begin += kGroup) {
      const std::size_t count = n - begin < kGroup ? n - begin : kGroup;
      for (std::size_t i = 0; i < count; ++i) group[kTaps + i] = number(in, begin + i);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k <= kTaps; ++k) sums[k] += group[kTaps + i] * group[kTaps + i - k];
      }
      std::memmove(group, group + count, kTaps * sizeof(double));
    }
    // The others by one product more at the beginning, and one less at the end.
    for (std::size_t j = 0; j <= kTaps; ++j) {
      for (std::size_t k = j; k <= kTaps; ++k) {
        a[j][k] = j == 0 ? sums[k]
                         : a[j - 1][k - 1] + number(in, kTaps - j) * number(in, kTaps - k) -
                               number(in, n - j) * number(in, n - k);
        a[k][j] = a[j][k];
      }
    }
  }

  /// Solves the normal equations by elimination. A column that depends on those before it has no
  /// coefficient.
  static void solve(Matrix& a, double (&c)[kTaps]) {
    const double least = a[0][0] * 1e-12;
    for (std::size_t k = 1; k <= kTaps; ++k) {
      for (std::size_t i = k + 1; i <= kTaps; ++i) {
        const double m = a[k][k] > least ? a[i][k] / a[k][k] : 0;
        for (std::size_t j = k + 1; j <= kTaps; ++j) a[i][j] -= product(m, a[k][j]);
        a[i][0] -= product(m, a[k][0]);
      }
    }
    for (std::size_t k = kTaps; k >= 1; --k) {
      double sum = a[k][0];
      for (std::size_t j = k + 1; j <= kTaps; ++j) sum -= product(a[k][j], c[j - 1]);
      c[k - 1] = a[k][k] > least ? sum / a[k][k] : 0;
    }
  }

  /// Coefficients as whole numbers, as fine as all of them allow; none if one is too large. What
  /// rounding leaves goes to the next one, so that slow changes are predicted as before.
  static Taps quantized(const double (&c)[kTaps]) {
    constexpr double kMost = 32766;
    double most = 0;
    for (const double each : c) {
      const double size = each < 0 ? -each : each;
      if (!(size <= kMost)) return {};
      most = size > most ? size : most;
    }
    Taps taps{{}, Step::kMostShift};
    while (most * double(1u << taps.shift) > kMost) --taps.shift;
    double rest = 0;
    for (std::size_t k = 0; k < kTaps; ++k) {
      const double exact = c[k] * double(1u << taps.shift) + rest;
      const double whole = __builtin_rint(exact);
      taps.of[k] = std::int16_t(whole);
      rest = exact - whole;
    }
    return taps;
  }
};

}  // namespace fpsynth::codec
