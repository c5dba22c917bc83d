#pragma once
// Windows of what an input is behind a prelude, without transforming all of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "components/preludes/key_integers.hpp"
#include "components/preludes/registry.hpp"
#include "runners/codec/format/linear_fit.hpp"
#include "runners/search/structure/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

/// The distinct words of an input, for DICT: by their rank themselves and their keys, ascending.
template <class W>
struct Dictionary {
  /// `words` has each, with any number.
  explicit Dictionary(std::unordered_map<W, W> words) : ranks(std::move(words)) {
    for (const auto& [word, rank] : ranks) values.push_back(word);
    std::ranges::sort(values, {}, [](W word) { return preludes::Dict::key(word); });
    for (const W word : values) {
      ranks[word] = W(keys.size());
      keys.push_back(preludes::Dict::key(word));
    }
  }

  std::unordered_map<W, W> ranks;
  std::vector<W> values, keys;
};

template <class W>
class Transformed {
  /// This file's instances of the codec's templates.
  struct Windowed {};

 public:
  /// `dictionary` may be null if no prelude has DICT, which can only be a first step, as those with
  /// exceptions, or behind one of these.
  Transformed(const Words<W>& words, const Dictionary<W>* dictionary)
      : words_(words), dictionary_(dictionary) {}

  /// The words of a window behind `prelude`. Words of side data are not among them.
  void read(const synth::Prelude& prelude, const Window& window, std::vector<W>& to) const {
    to.resize(window.words);
    read(std::span(prelude.steps), window.begin, to);
  }

  /// The scales of the words of an input, by their places, for a first step with exceptions, which
  /// must outlive them. One thread at a time.
  template <class Step>
  auto scales(const synth::PreludeStep& step) const {
    [[maybe_unused]] std::vector<std::uint8_t>& selectors = selectors_[step];
    return [&](std::size_t i) -> double {
      if constexpr (Step::shape == preludes::Shape::Selected) {
        const std::size_t number = i / step.parameter, begin = number * step.parameter;
        if (selectors.empty()) selectors.resize(words_.size() / step.parameter + 1, kNotChosen);
        if (selectors[number] == kNotChosen) {
          std::vector<W> block(std::min<std::size_t>(step.parameter, words_.size() - begin));
          words_.copy(begin, block);
          selectors[number] = std::uint8_t(Step::choose(block.data(), block.size(), step.divisors));
        }
        return Step::scale(step.divisors, selectors[number]);
      } else {
        return Step::scale(step.parameter);
      }
    };
  }

  /// The keys and ranks of DICT behind a first step with exceptions. One thread at a time.
  struct Merged {
    std::vector<W> keys;   ///< of the distinct words behind that step, ascending
    std::vector<W> ranks;  ///< among these, by the ranks of the words of the input
  };
  const Merged& merged_by(const synth::PreludeStep& first) const {
    Merged& merged = merged_[first];
    if (merged.ranks.empty()) {
      for (const W word : dictionary_->values) {
        merged.ranks.push_back(preludes::Dict::key(integer_of(first, word)));
      }
      merged.keys = merged.ranks;
      std::ranges::sort(merged.keys);
      merged.keys.erase(std::unique(merged.keys.begin(), merged.keys.end()), merged.keys.end());
      for (W& key : merged.ranks) {
        key = W(std::ranges::lower_bound(merged.keys, key) - merged.keys.begin());
      }
    }
    return merged;
  }

 private:
  static constexpr std::uint8_t kNotChosen = 255;

  /// The integer of a word behind a first step with exceptions; as if it were a block of its own.
  static W integer_of(const synth::PreludeStep& first, W word) {
    W integer = word;
    preludes::with_step(first.kind, [&]<class Step>() {
      if constexpr (Step::shape == preludes::Shape::Selected) {
        const auto selector = Step::choose(&word, 1, first.divisors);
        Step::forward(word, Step::scale(first.divisors, selector), integer);
      } else if constexpr (Step::shape == preludes::Shape::Excepted) {
        Step::forward(word, Step::scale(first.parameter), integer);
      }
    });
    return integer;
  }

  void read(std::span<const synth::PreludeStep> steps, std::size_t begin, std::span<W> to) const {
    if (steps.empty()) return words_.copy(begin, to);
    const synth::PreludeStep& step = steps.back();
    const auto before = steps.first(steps.size() - 1);
    if (step.kind == preludes::Dict::wire && !before.empty()) {
      const std::vector<W>& ranks = merged_by(before.front()).ranks;
      words_.copy(begin, to);
      for (W& word : to) word = ranks[dictionary_->ranks.at(word)];
      return;
    }
    read(before, begin, to);
    preludes::with_step(step.kind, [&]<class Step>() {
      if constexpr (Step::shape == preludes::Shape::Lagged) {
        // The first words of the input stay.
        const std::size_t lag = step.parameter;
        const std::size_t kept = std::min(to.size(), lag > begin ? lag - begin : 0);
        if (kept == to.size()) return;
        std::vector<W> earlier(to.size() - kept);
        read(before, begin + kept - lag, earlier);
        for (std::size_t i = 0; i < earlier.size(); ++i) {
          to[kept + i] = Step::forward(to[kept + i], earlier[i]);
        }
      } else if constexpr (Step::shape == preludes::Shape::Permuted) {
        if (step.parameter >= words_.size()) return;
        const typename Step::Columns columns(words_.size(), step.parameter);
        std::uint64_t column = columns.column_of(begin);
        for (std::size_t i = 0; i < to.size(); ++i) {
          while (begin + i >= columns.begin(column + 1)) ++column;
          const std::uint64_t row = begin + i - columns.begin(column);
          read(before, row * columns.count + column, to.subspan(i, 1));
        }
      } else if constexpr (Step::shape == preludes::Shape::Divided) {
        in_blocks(before, step.parameter, begin, to,
                  [](const auto& block, std::size_t, std::span<W> some) {
                    const W divisor = Step::divisor(block.data(), block.size());
                    if (divisor == 1) return;
                    const typename Step::template Division<W> division(divisor);
                    for (W& word : some) word = division.quotient(word);
                  });
      } else if constexpr (Step::shape == preludes::Shape::Predicted) {
        in_blocks(before, step.parameter, begin, to,
                  [](const auto& block, std::size_t at, std::span<W> some) {
                    using Fit = codec::LinearFit<Windowed, W, Step>;
                    const auto* const bytes = reinterpret_cast<const std::byte*>(block.data());
                    const auto taps = Fit::taps(bytes, block.size());
                    for (W& word : some)
                      word = W(word - Step::template predict<W>(taps, bytes, at++));
                  });
      } else if constexpr (Step::shape == preludes::Shape::Matched) {
        // Whoever wants the words without copies takes them out before (find_copies()).
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        for (W& word : to) word = Step::forward(word);
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        for (W& word : to) word = dictionary_->ranks.at(word);
      } else if (Step::shape == preludes::Shape::Selected && !before.empty()) {
        if constexpr (Step::shape == preludes::Shape::Selected) {
          in_blocks(before, step.parameter, begin, to,
                    [&](const auto& block, std::size_t, std::span<W> some) {
                      const double scale = Step::scale(
                          step.divisors, Step::choose(block.data(), block.size(), step.divisors));
                      for (W& word : some) Step::forward(word, scale, word);
                    });
        }
      } else {
        const auto scale = scales<Step>(step);
        for (std::size_t i = 0; i < to.size(); ++i) Step::forward(to[i], scale(begin + i), to[i]);
      }
    });
  }

  /// Calls use(words of a whole block behind some steps, the place in it of those of `to` that are
  /// in it, these) for each.
  template <class Use>
  void in_blocks(std::span<const synth::PreludeStep> before, std::size_t length, std::size_t begin,
                 std::span<W> to, const Use& use) const {
    for (std::size_t i = 0, n = 0; i < to.size(); i += n) {
      const std::size_t skipped = (begin + i) % length, first = begin + i - skipped;
      n = std::min(length - skipped, to.size() - i);
      std::vector<W> block(std::min(length, words_.size() - first));
      read(before, first, block);
      use(block, skipped, to.subspan(i, n));
    }
  }

  const Words<W>& words_;
  const Dictionary<W>* dictionary_;
  /// Of steps, by their blocks, chosen when they are asked for.
  mutable std::map<synth::PreludeStep, std::vector<std::uint8_t>> selectors_;
  mutable std::map<synth::PreludeStep, Merged> merged_;
};

// Estimates of the side data of preludes.

/// The bits of a value of side data, estimated on up to `most` of them, so many next to each other.
template <class Value>
double bits_of_side(const std::vector<Value>& values, std::size_t window, std::size_t most) {
  Estimate<Value> estimate;
  for (const Window& each : windows_of(0, values.size(), window, most)) {
    estimate.add(std::span(values).subspan(each.begin, each.words));
  }
  return estimate.bits();
}

/// The bits of a key of DICT: as they are, or as ranks of differences between integers, with the
/// distinct differences, whichever is less.
template <class W>
double bits_of_keys(const std::vector<W>& keys, std::size_t window, std::size_t most) {
  using Integers = preludes::KeyIntegers<W>;
  std::vector<W> words(keys.size());
  std::vector<std::uint8_t> selectors(Integers::blocks(keys.size()));
  Integers::forward(keys.data(), keys.size(), words.data(), selectors.data());
  for (std::size_t i = words.size(); i-- > 1;) words[i] -= words[i - 1];
  std::vector<W> distinct = words;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (W& word : words) word = W(std::ranges::lower_bound(distinct, word) - distinct.begin());
  const double share = double(distinct.size()) / double(std::max<std::size_t>(1, keys.size()));
  return std::min(bits_of_side(keys, window, most),
                  bits_of_side(words, window, most) + share * bits_of_side(distinct, window, most));
}

/// The exceptions of a first step, in bits per word, with their positions.
template <class Step, class W>
double exception_bits(const Words<W>& words, const Transformed<W>& transformed,
                      std::span<const Window> sample, const synth::PreludeStep& first) {
  const auto scale = transformed.template scales<Step>(first);
  std::vector<W> exceptions;
  std::vector<std::uint64_t> positions;
  std::size_t count = 0;
  for (const Window& window : sample) {
    count += window.words;
    for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
      W integer;
      if (Step::forward(words[i], scale(i), integer)) continue;
      const bool whole = Step::shape == preludes::Shape::Excepted;
      exceptions.push_back(whole ? words[i] : W(words[i] - Step::backward(integer, scale(i))));
      positions.push_back(i);
    }
  }
  const std::size_t window = sample.front().words;
  const double bits =
      bits_of_side(exceptions, window, count) + bits_of_side(positions, window, count);
  return bits * double(exceptions.size()) / double(count);
}

}  // namespace fpsynth::search
