#pragma once
// Obvious code for every step of preludes, from the page that defines them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "runners/codec/cpu/prelude_table.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec::reference {

template <class W>
using FloatOf = std::conditional_t<sizeof(W) == 8, double, float>;

template <class W>
std::vector<W> words_of(const Bytes& bytes) {
  std::vector<W> words(bytes.size() / sizeof(W));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(W));
  return words;
}

template <class W>
W ordered(W word) {
  const W sign = W{1} << (8 * sizeof(W) - 1);
  return word & sign ? ~word : word | sign;
}

template <class W>
struct Expected {
  std::vector<W> words, values;
  std::vector<std::uint64_t> positions;
  std::vector<std::uint8_t> selectors;
};

/// Numbers of copies as selectors.
template <class W>
void append_lists(Expected<W>& result, std::initializer_list<std::vector<std::uint32_t>> lists) {
  for (const std::vector<std::uint32_t>& list : lists) {
    for (const std::uint32_t number : list) {
      for (int byte = 0; byte < 4; ++byte) {
        result.selectors.push_back(std::uint8_t(number >> (8 * byte)));
      }
    }
  }
}

/// Literals, zeros, and the numbers of the copies.
template <class W>
Expected<W> without_copies(const std::vector<W>& in) {
  Expected<W> result;
  std::vector<W>& literals = result.words;
  std::vector<std::uint32_t> before, up_to, sources;
  std::uint32_t copied = 0;
  int e = 0, bits = 10;
  while (e < 5 && double(in.size()) >= std::pow(2.0, e + 13)) ++e;
  while (bits < 20 && double(in.size()) >= std::pow(2.0, bits + e)) ++bits;
  // The first e bits of a hash, and those of 00111.
  const auto highest = [=](std::uint64_t h) { return e == 0 ? 0 : h >> (64 - e); };
  const std::uint64_t wanted = 7u >> (5 - e);
  std::vector<std::size_t> table(std::size_t{1} << bits);
  std::size_t behind_copy = 0;
  for (std::size_t i = 0; i < in.size();) {
    if (i + 3 <= in.size()) {
      std::uint64_t h = in[i] * 0x9e3779b97f4a7c15u + in[i + 1] * 0xc2b2ae3d27d4eb4fu +
                        in[i + 2] * 0x165667b19e3779f9u;
      h = (h ^ h / (1ull << 32)) * 0xd6e8feb86659fd93u;
      if (highest(h) == wanted) {
        std::size_t& slot = table[(h << e) >> (64 - bits)];
        const std::size_t source = slot, count = literals.size();
        std::size_t f = 0, b = 0;
        while (source + f < count && i + f < in.size() && literals[source + f] == in[i + f]) ++f;
        while (b < source && b < count - behind_copy && source + f <= count - (b + 1) &&
               literals[source - b - 1] == literals[count - b - 1]) {
          ++b;
        }
        if (source < count && f + b >= 32) {
          literals.resize(count - b);
          before.push_back(std::uint32_t(literals.size()));
          sources.push_back(copied - std::uint32_t(source - b));
          up_to.push_back(copied += std::uint32_t(f + b));
          behind_copy = literals.size();
          i += f;
          continue;
        }
        slot = count;
      }
    }
    literals.push_back(in[i++]);
  }
  literals.resize(in.size());
  append_lists(result, {before, up_to, sources});
  return result;
}

/// The same for copies in the opposite order of records of `r` words.
template <class W>
Expected<W> without_turned_copies(const std::vector<W>& in, std::size_t r) {
  std::vector<std::vector<W>> records, literals;
  for (std::size_t i = 0; i + r <= in.size(); i += r) {
    records.emplace_back(in.begin() + std::ptrdiff_t(i), in.begin() + std::ptrdiff_t(i + r));
  }
  int bits = 10;
  while (bits < 20 && double(records.size()) >= std::pow(2.0, bits)) ++bits;
  std::vector<std::size_t> table(std::size_t{1} << bits);
  std::vector<std::uint32_t> before, up_to, sources;
  std::size_t copied = 0, behind_copy = 0;
  for (std::size_t i = 0; i < records.size();) {
    std::uint64_t h = 0;
    for (const W word : records[i]) {
      h = (h ^ word) * 0x9e3779b97f4a7c15u;
      h ^= h / (1ull << 32);
    }
    std::size_t& slot = table[(h * 0xd6e8feb86659fd93u) >> (64 - bits)];
    const std::size_t p = slot - 1, m = literals.size();
    std::size_t f = 0, g = 0;
    if (slot > 0 && slot <= m) {
      while (f <= p && i + f < records.size() && literals[p - f] == records[i + f]) ++f;
      while (f > 0 && g < m - behind_copy && p + g + 1 < m - g - 1 &&
             literals[p + g + 1] == literals[m - g - 1]) {
        ++g;
      }
    }
    if ((f + g) * r < 8) {
      slot = m + 1;
      literals.push_back(records[i++]);
      continue;
    }
    literals.resize(behind_copy = m - g);
    before.push_back(std::uint32_t(r * (m - g)));
    sources.push_back(std::uint32_t(copied - r * (p - f + 1)));
    up_to.push_back(std::uint32_t(copied += r * (f + g)));
    i += f;
  }
  Expected<W> result;
  for (const auto& record : literals) {
    result.words.insert(result.words.end(), record.begin(), record.end());
  }
  const auto tail = std::ptrdiff_t(records.size() * r);
  result.words.insert(result.words.end(), in.begin() + tail, in.end());
  result.words.resize(in.size());
  append_lists(result, {before, up_to, sources});
  return result;
}

/// The integer for a word at a scale; false if it is an exception.
template <class W>
bool integer_of(W word, double scale, bool keep, W& integer) {
  const double most = sizeof(W) == 8 ? std::pow(2.0, 51) - 1 : std::pow(2.0, 31) - 1;
  const double nearest = std::nearbyint(double(std::bit_cast<FloatOf<W>>(word)) * scale);
  const bool inside = std::abs(nearest) <= most;
  const bool exact = inside && std::bit_cast<W>(FloatOf<W>((nearest + 0.0) / scale)) == word;
  integer = exact || (keep && inside) ? W(std::int64_t(nearest)) : W{0};
  return exact;
}

inline double number_of(std::uint64_t divisor) {
  return divisor > std::uint64_t{1} << 53 ? std::bit_cast<double>(divisor) : double(divisor);
}
/// The bits that an exception of RAT costs; 0 for other words.
template <class W>
double cost_of(W word, double scale) {
  W integer;
  if (integer_of(word, scale, true, integer)) return 0;
  const double most = sizeof(W) == 8 ? std::pow(2.0, 51) - 1 : std::pow(2.0, 31) - 1;
  const double nearest = std::nearbyint(double(std::bit_cast<FloatOf<W>>(word)) * scale);
  const auto near = std::bit_cast<W>(FloatOf<W>((nearest + 0.0) / scale));
  const auto rest = std::int64_t(std::make_signed_t<W>(word - near));
  if (!(std::abs(nearest) <= most) || rest < -4096 || rest > 4095) return 8 * sizeof(W) + 16;
  return rest < -16 || rest > 15 ? 14 : 6;
}

double ten(int power) { return std::stod("1e" + std::to_string(power)); }
inline double over(double x, int power) {
  power = std::clamp(power, -22, 22);
  return power < 0 ? x * ten(-power) : x / ten(power);
}
inline int power_of(double x) {
  int power = -22;
  while (power < 22 && x >= ten(power + 1)) ++power;
  return power;
}
/// The value of SIG that a word stands for, and the word for a value, which may stand for another.
template <class W>
W insignificant(W word, int digits) {
  const W sign = word & W{1} << (8 * sizeof(W) - 1);
  double value = 0;
  if (digits == 0) {
    const double size = std::abs(double(std::bit_cast<FloatOf<W>>(word)));
    const float most = std::numeric_limits<float>::max(), single = float(size < most ? size : most);
    value = single;
    for (int d = 9; d >= 6; --d) {
      const int unit = power_of(single) - d + 1;
      const double decimal = over(std::nearbyint(over(single, unit)), -unit);
      if (float(decimal) == single) value = decimal;
    }
  } else {
    const W span = W(1) << int(std::floor(std::log2(9 * ten(digits - 1))) + 1);
    const W size = sign ? W(-word) : word;
    if (size < span) return 0;
    const int power = int(std::min<W>(size / span, 45)) - 23;
    value = over(double(size % span) + ten(digits - 1), digits - 1 - power);
  }
  return sign | std::bit_cast<W>(FloatOf<W>(value));
}
template <class W>
W significant(W word, int digits) {
  const W sign = word & W{1} << (8 * sizeof(W) - 1);
  const double size = std::abs(double(std::bit_cast<FloatOf<W>>(word)));
  if (digits == 0) {
    const float most = std::numeric_limits<float>::max();
    return sign | std::bit_cast<W>(FloatOf<W>(float(size < most ? size : most)));
  }
  const int power = power_of(size);
  const double number = std::nearbyint(over(size, power - digits + 1));
  if (size == 0 || !(number < 1e16)) return 0;
  const W span = W(1) << int(std::floor(std::log2(9 * ten(digits - 1))) + 1);
  const W integer = W(power + 23) * span + W(std::int64_t(number - ten(digits - 1)));
  return sign ? W(-integer) : integer;
}

/// The selector of in[begin..end).
template <class W>
std::size_t selector_of(const std::vector<W>& in, std::size_t begin, std::size_t end,
                        const preludes::Divisors& divisors) {
  std::size_t selector = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 1; j <= divisors.count; ++j) {
    const double divisor = number_of(divisors.of[j - 1]);
    double exceptions = 0;
    for (std::size_t i = begin; i < end; ++i) exceptions += cost_of(in[i], divisor);
    const double words = double(end - begin);
    const double cost = words * std::max(0.0, std::floor(std::log2(divisor)) + 1) + exceptions;
    if (exceptions > words * double(sizeof(W) + 2) || cost >= least) continue;
    least = cost;
    selector = j;
  }
  return selector;
}

/// The coefficients of a block, c_1 and so on, and behind them the shift.
template <class W>
std::vector<std::int64_t> coefficients_of(const std::vector<W>& words) {
  const std::size_t n = words.size();
  const std::vector<std::int64_t> none(17);
  if (n < 128) return none;
  const auto y = [&](std::size_t i) {
    return double(float(std::int64_t(std::make_signed_t<W>(words[i]))));
  };
  double a[17][17], d[17];
  for (std::size_t j = 0; j <= 16; ++j) {
    for (std::size_t k = j; k <= 16; ++k) {
      double sum = 0;
      for (std::size_t i = 16; j == 0 && i < n; ++i) sum += y(i) * y(i - k);
      if (j > 0) sum = a[j - 1][k - 1] + y(16 - j) * y(16 - k) - y(n - j) * y(n - k);
      a[j][k] = a[k][j] = sum;
    }
  }
  const double e = a[0][0] * 1e-12;
  for (std::size_t k = 1; k <= 16; ++k) {
    for (std::size_t i = k + 1; i <= 16; ++i) {
      const double m = a[k][k] <= e ? 0 : a[i][k] / a[k][k];
      for (std::size_t j = k + 1; j <= 16; ++j) a[i][j] = a[i][j] - m * a[k][j];
      a[i][0] = a[i][0] - m * a[k][0];
    }
  }
  double most = 0;
  for (std::size_t k = 16; k >= 1; --k) {
    d[k] = a[k][0];
    for (std::size_t j = k + 1; j <= 16; ++j) d[k] = d[k] - a[k][j] * d[j];
    d[k] = a[k][k] <= e ? 0 : d[k] / a[k][k];
    most = std::isnan(d[k]) ? d[k] : std::max(most, std::abs(d[k]));
    if (!(most <= 32766)) return none;
  }
  std::int64_t s = 15;
  while (most * std::pow(2.0, double(s)) > 32766) --s;
  std::vector<std::int64_t> all;
  double r = 0;
  for (std::size_t k = 1; k <= 16; ++k) {
    const double exact = d[k] * std::pow(2.0, double(s)) + r;
    all.push_back(std::int64_t(std::nearbyint(exact)));
    r = exact - std::nearbyint(exact);
  }
  all.push_back(s);
  return all;
}
template <class W>
Expected<W> predicted(const std::vector<W>& in, std::size_t length) {
  Expected<W> result;
  for (std::size_t begin = 0; begin < in.size(); begin += length) {
    const std::vector<W> block(in.begin() + std::ptrdiff_t(begin),
                               in.begin() + std::ptrdiff_t(std::min(begin + length, in.size())));
    const std::vector<std::int64_t> c = coefficients_of(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::uint64_t sum = c[16] > 0 ? 1ull << (c[16] - 1) : 0;
      for (std::size_t k = 1; k <= 16 && k <= i; ++k) {
        const std::int64_t x = std::make_signed_t<W>(block[i - k]);
        sum += std::uint64_t(c[k - 1]) * std::uint64_t(x);
      }
      result.words.push_back(W(block[i] - W(std::int64_t(sum) >> c[16])));
    }
    for (std::size_t k = 0; k < 16; ++k) {
      result.selectors.push_back(std::uint8_t(c[k]));
      result.selectors.push_back(std::uint8_t(c[k] >> 8));
    }
    for (const int byte : {int(c[16]), 0, 0, 0}) result.selectors.push_back(std::uint8_t(byte));
  }
  return result;
}

template <class W>
Expected<W> expected(const synth::PreludeStep& step, const std::vector<W>& in) {
  Expected<W> result;
  const std::string name(synth::prelude_traits(step.kind).name);
  if (name == "MATCH") return without_copies(in);
  if (name == "REV") return without_turned_copies(in, step.parameter);
  if (name == "LPC") return predicted(in, step.parameter);
  if (name == "LAG") {
    const bool subtract = synth::prelude_traits(step.kind).suffix == "s";
    for (std::size_t i = 0; i < in.size(); ++i) {
      const W before = i >= step.parameter ? in[i - step.parameter] : W{0};
      result.words.push_back(subtract ? W(in[i] - before) : W(in[i] ^ before));
    }
  } else if (name == "ORD") {
    for (const W word : in) result.words.push_back(ordered(word));
  } else if (name == "DIM") {
    for (std::size_t c = 0; c < std::min<std::size_t>(step.parameter, in.size()); ++c) {
      for (std::size_t i = c; i < in.size(); i += step.parameter) result.words.push_back(in[i]);
    }
  } else if (name == "GCD") {
    for (std::size_t begin = 0; begin < in.size(); begin += step.parameter) {
      const std::size_t end = std::min<std::size_t>(begin + step.parameter, in.size());
      const auto negative = [](W word) { return (word >> (8 * sizeof(W) - 1)) != 0; };
      const auto magnitude = [&](W word) { return negative(word) ? W(-word) : word; };
      W divisor = 0;
      for (std::size_t i = begin; i < end; ++i) divisor = std::gcd(divisor, magnitude(in[i]));
      if (divisor == 0) divisor = 1;
      result.values.push_back(divisor);
      for (std::size_t i = begin; i < end; ++i) {
        const W quotient = W(magnitude(in[i]) / divisor);
        result.words.push_back(negative(in[i]) ? W(-quotient) : quotient);
      }
    }
  } else if (name == "DICT") {
    std::set<W> keys;
    for (const W word : in) keys.insert(ordered(word));
    result.values.assign(keys.begin(), keys.end());
    std::map<W, W> rank;
    for (const W key : keys) rank.emplace(key, W(rank.size()));
    for (const W word : in) result.words.push_back(rank.at(ordered(word)));
  } else {
    const bool rat = name == "RAT";
    W far = 0;
    double scale = std::pow(10.0, double(step.parameter));
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (rat && i % step.parameter == 0) {
        const std::size_t end = std::min<std::size_t>(i + step.parameter, in.size());
        result.selectors.push_back(std::uint8_t(selector_of(in, i, end, step.divisors)));
        const std::size_t selector = result.selectors.back();
        scale = selector == 0 ? 0 : number_of(step.divisors.of[selector - 1]);
      }
      if (scale == 0) {
        result.words.push_back(W(ordered(in[i]) ^ W{1} << (8 * sizeof(W) - 1)));
        continue;
      }
      result.words.emplace_back();
      W& word = result.words.back();
      if (name == "SIG") {
        word = significant(in[i], int(step.parameter));
        if (insignificant(word, int(step.parameter)) == in[i]) continue;
        word = 0;
      } else if (integer_of(in[i], scale, rat, word)) {
        continue;
      }
      result.values.push_back(in[i]);
      result.positions.push_back(i);
      if (!rat) continue;
      const double integer = double(std::make_signed_t<W>(word));
      W& rest = result.values.back();
      rest -= std::bit_cast<W>(FloatOf<W>(integer / scale));
      const bool near = W(rest + 4096) < 8192;
      if (in[i] == far) rest = 0;
      if (!near) far = in[i];
    }
    while (result.selectors.size() % 4 != 0) result.selectors.push_back(0);
  }
  return result;
}

}  // namespace fpsynth::codec::reference
