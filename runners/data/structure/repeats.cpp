#include <algorithm>
#include <bit>
#include <unordered_map>

#include "runners/data/structure/words.hpp"

namespace fpsynth::data {
namespace {

constexpr std::size_t kSequence = 4;
/// About so many sequences are looked at, and the table has twice the places.
constexpr std::size_t kSequences = std::size_t{1} << 18;
/// The most that are looked at if more are chosen, because a few are most of the input.
constexpr std::size_t kMostSequences = std::size_t{1} << 20;
constexpr std::size_t kMostRepeats = std::size_t{1} << 16;

std::uint64_t mixed(std::uint64_t word) {
  word *= 0x9e37'79b9'7f4a'7c15u;
  return word ^ word >> 32;
}

struct Occurrence {
  std::uint64_t hash = 0, position = 0;
};

}  // namespace

template <class W>
std::vector<LagShare> repeated_lags(const Words<W>& words) {
  if (words.size() <= kSequence) return {};
  // hash = m[i] p^3 + m[i+1] p^2 + m[i+2] p + m[i+3], modulo 2^64, for the sequence from i.
  constexpr std::uint64_t kFactor = 0xd6e8'feb8'6659'fd93u;
  constexpr std::uint64_t kCube = kFactor * kFactor * kFactor;
  std::uint64_t last[kSequence] = {}, hash = 0;
  for (std::size_t i = 0; i < kSequence; ++i) {
    last[i] = mixed(words[i]);
    hash = hash * kFactor + last[i];
  }
  const std::size_t sequences = words.size() - kSequence + 1;
  const std::size_t skipped =
      sequences > kSequences ? std::size_t(std::bit_width(sequences / kSequences)) : 0;
  const std::uint64_t chosen = (std::uint64_t{1} << skipped) - 1;
  const std::size_t places = std::min(2 * kSequences, std::bit_ceil(2 * sequences));
  std::vector<Occurrence> table(places);
  std::unordered_map<std::uint64_t, std::uint32_t> lags;
  std::size_t looked_at = 0;
  for (std::size_t i = 0;; ++i) {
    const bool constant =
        last[0] == last[1] && last[1] == last[2] && last[2] == last[3];  // repeats at distance 1
    const std::uint64_t place = hash ^ hash >> 29;
    if (!constant && (place & chosen) == 0 && looked_at < kMostSequences) {
      ++looked_at;
      Occurrence& before = table[(place >> skipped) & (places - 1)];
      // Position 0 means that nothing stood there.
      if (before.position != 0 && before.hash == hash) {
        const std::uint64_t lag = i + 1 - before.position;
        if (const auto known = lags.find(lag); known != lags.end()) {
          ++known->second;
        } else if (lags.size() < kMostRepeats) {
          lags.emplace(lag, 1);
        }
      }
      before = {hash, i + 1};
    }
    if (i + kSequence == words.size()) break;
    hash = (hash - last[0] * kCube) * kFactor;
    std::copy(last + 1, last + kSequence, last);
    last[kSequence - 1] = mixed(words[i + kSequence]);
    hash += last[kSequence - 1];
  }
  std::vector<LagShare> shares;
  for (const auto& [lag, count] : lags) {
    if (count > 1) shares.push_back({lag, double(count) / double(looked_at)});
  }
  std::ranges::sort(shares, [](const LagShare& a, const LagShare& b) {
    return a.share != b.share ? a.share > b.share : a.lag < b.lag;
  });
  return shares;
}

template std::vector<LagShare> repeated_lags(const Words<std::uint32_t>&);
template std::vector<LagShare> repeated_lags(const Words<std::uint64_t>&);

}  // namespace fpsynth::data
