#pragma once
// The distinct words of an input.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fpsynth::data {

/// A set of words that numbers them in the order of their first appearance.
template <class W>
class DistinctWords {
 public:
  std::size_t size() const { return values_.size(); }
  const std::vector<W>& values() const { return values_; }

  void insert(W word) {
    std::size_t slot = slot_of(word);
    while (slots_[slot] != 0) {
      if (values_[slots_[slot] - 1] == word) return;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    values_.push_back(word);
    slots_[slot] = static_cast<std::uint32_t>(values_.size());
    if (values_.size() > slots_.size() / 2) grow();
  }
  /// The number of a word that is in the set.
  std::size_t number_of(W word) const {
    std::size_t slot = slot_of(word);
    while (values_[slots_[slot] - 1] != word) slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot] - 1;
  }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 12;

  std::size_t slot_of(W word) const {
    // Fibonacci hashing: the highest bits of the product depend on all of the word's.
    const std::uint64_t product = std::uint64_t{word} * 0x9e37'79b9'7f4a'7c15u;
    return static_cast<std::size_t>((product ^ product >> 29) * 0xbf58'476d'1ce4'e5b9u >> shift_);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    --shift_;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::size_t slot = slot_of(values_[i]);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<W> values_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kFirstSlots);
  int shift_ = 64 - std::countr_zero(kFirstSlots);
};

}  // namespace fpsynth::data
