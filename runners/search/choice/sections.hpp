#pragma once
// The choice of sections for an input that is to be compressed, each with a method of its own.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/search/choose.hpp"

namespace fpsynth::search {

/// A run of words of an input, and the choice of its method.
struct ChosenSection {
  std::uint64_t words = 0;
  Choice choice;
};

struct SectionChoice {
  /// In their order, all words of the input; one if sections do not pay.
  std::vector<ChosenSection> sections;
  std::uint64_t bytes = 0;  ///< of the file that codec::compress_sections() makes of the input
  std::vector<std::uint64_t> smaller_bytes;  ///< of those that smaller efforts choose
  /// The best for all of the input in one, if there are several sections that were looked for.
  std::optional<Candidate> single;
};

/// Chooses the method of each section; what an effort tries is shared among them. `lengths`: their
/// words, all those of the input, which has some. Throws what choose() throws.
SectionChoice choose_for(const data::Input& input, std::span<const std::uint64_t> lengths,
                         const ChoiceOptions& options);

/// Looks for sections where the statistics of the words change. Those with which a method each,
/// found with little effort, saves a relevant share of the bytes get all of the effort, if they
/// still save that much of what the methods make of the whole input, or save something and did so
/// with a smaller effort; all else is done as choose() does it. Throws what choose() throws.
SectionChoice choose_sections(const data::Input& input, const ChoiceOptions& options);

}  // namespace fpsynth::search
