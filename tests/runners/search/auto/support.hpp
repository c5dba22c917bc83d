#pragma once
// Inputs and options that tests of choices share.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "runners/search/auto/choose.hpp"
#include "tests/runners/search/support.hpp"

namespace fpsynth::search {

inline const synth::Space& small_space() { return small_plan().space(); }

/// A choice from all pipelines of a space alone, on so many blocks, in chunks of its length.
inline ChoiceOptions from(const synth::Space& space, std::uint64_t blocks = 32) {
  ChoiceOptions options;
  options.numbers = {};
  options.numbers.space = space;
  options.numbers.chunk_lengths = {space.chunk_words};
  options.numbers.blocks = blocks;
  options.numbers.candidates = 8;
  return options;
}

/// The same with preludes.
inline ChoiceOptions with_preludes(const synth::Space& space) {
  ChoiceOptions options = from(space);
  options.numbers.preludes = 32;
  options.numbers.trying_stages = 1;
  options.numbers.trying = {{2, 8}, {32, 4}};
  return options;
}

/// Words that repeat with a period, and a tail.
inline data::Input periodic_input(std::size_t words) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> values(words);
  for (std::size_t i = 0; i < words; ++i) values[i] = i < 1300 ? random() : values[i - 1300];
  const auto bytes = std::as_bytes(std::span(values));
  std::vector<std::byte> all(bytes.begin(), bytes.end());
  all.insert(all.end(), {std::byte{1}, std::byte{2}});
  return input_of(all, synth::Precision::Double);
}

}  // namespace fpsynth::search
