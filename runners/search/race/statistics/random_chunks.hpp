#pragma once
// Chunks drawn at random without replacement.

#include <cstdint>
#include <random>
#include <unordered_map>

namespace fpsynth::search {

/// The first numbers of a random order of 0..population-1, which is the same on every machine. Its
/// memory grows with what was drawn.
class RandomChunks {
 public:
  RandomChunks(std::uint64_t population, std::uint64_t seed)
      : population_(population), random_(seed) {}

  /// The next one; called at most `population` times.
  std::uint64_t next() {
    // Fisher and Yates' shuffle of a list of which only the exchanged places are kept.
    const std::uint64_t other = drawn_ + random_() % (population_ - drawn_);
    const std::uint64_t found = at(other);
    moved_[other] = at(drawn_);
    moved_.erase(drawn_++);
    return found;
  }

 private:
  std::uint64_t at(std::uint64_t place) const {
    const auto moved = moved_.find(place);
    return moved == moved_.end() ? place : moved->second;
  }

  std::uint64_t population_, drawn_ = 0;
  std::mt19937_64 random_;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

}  // namespace fpsynth::search
