#pragma once
// Windows of what an input is behind a prelude, without transforming all of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/preludes/registry.hpp"
#include "runners/data/structure/distinct.hpp"
#include "runners/data/structure/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::data {

/// The distinct words of an input and their ranks, for DICT.
template <class W>
struct Dictionary {
  explicit Dictionary(DistinctWords<W> words) : distinct(std::move(words)) {
    keys.reserve(distinct.size());
    for (const W word : distinct.values()) keys.push_back(preludes::Dict::key(word));
    std::vector<std::uint32_t> order(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::ranges::sort(order, {}, [this](std::uint32_t number) { return keys[number]; });
    ranks.resize(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      ranks[order[rank]] = static_cast<std::uint32_t>(rank);
    }
    std::ranges::sort(keys);
  }
  W rank_of(W word) const { return ranks[distinct.number_of(word)]; }

  DistinctWords<W> distinct;
  std::vector<W> keys;               ///< ascending
  std::vector<std::uint32_t> ranks;  ///< by the words' numbers
};

/// The scale of the words of an input, for a step with exceptions. read(begin, words) copies words
/// of the input, which has `size`.
template <class Step, class W, class Read>
class ScaleAt {
 public:
  ScaleAt(const synth::PreludeStep& step, std::size_t size, Read read)
      : step_(step), size_(size), read_(read) {}

  /// Quick for words beside each other.
  double operator()(std::size_t i) {
    if constexpr (Step::shape == preludes::Shape::Selected) {
      const std::size_t begin = i / step_.parameter * step_.parameter;
      if (block_.empty() || begin != begin_) {
        begin_ = begin;
        block_.resize(std::min<std::size_t>(step_.parameter, size_ - begin));
        read_(begin, std::span<W>(block_));
        scale_ =
            Step::scale(step_.divisors, Step::choose(block_.data(), block_.size(), step_.divisors));
      }
      return scale_;
    } else {
      return Step::scale(step_.parameter);
    }
  }

 private:
  const synth::PreludeStep& step_;
  std::size_t size_, begin_ = 0;
  Read read_;
  std::vector<W> block_;
  double scale_ = 0;
};

template <class W>
class Transformed {
 public:
  /// `dictionary` may be null if no prelude has DICT, which can only be a first step.
  Transformed(const Words<W>& words, const Dictionary<W>* dictionary)
      : words_(words), dictionary_(dictionary) {}

  /// The words of a window behind `prelude`. Words of side data are not among them.
  void read(const synth::Prelude& prelude, const Window& window, std::vector<W>& to) const {
    to.resize(window.words);
    read(std::span(prelude.steps), window.begin, to);
  }

 private:
  void read(std::span<const synth::PreludeStep> steps, std::size_t begin, std::span<W> to) const {
    if (steps.empty()) return words_.copy(begin, to);
    const synth::PreludeStep& step = steps.back();
    const auto before = steps.first(steps.size() - 1);
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
        for (std::size_t i = 0, n = 0; i < to.size(); i += n) {
          n = std::min<std::size_t>(step.parameter - (begin + i) % step.parameter, to.size() - i);
          divide<Step>(before, step.parameter, begin + i, to.subspan(i, n));
        }
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        for (W& word : to) word = Step::forward(word);
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        for (W& word : to) word = dictionary_->rank_of(word);
      } else {
        const auto read_before = [&](std::size_t from, std::span<W> words) {
          read(before, from, words);
        };
        ScaleAt<Step, W, decltype(read_before)> scale(step, words_.size(), read_before);
        for (std::size_t i = 0; i < to.size(); ++i) Step::forward(to[i], scale(begin + i), to[i]);
      }
    });
  }

  /// Words of one block, divided by the divisor of all of it.
  template <class Step>
  void divide(std::span<const synth::PreludeStep> before, std::size_t block, std::size_t begin,
              std::span<W> to) const {
    const std::size_t first = begin / block * block;
    std::vector<W> words(std::min(block, words_.size() - first));
    read(before, first, words);
    const W divisor = Step::divisor(words.data(), words.size());
    if (divisor == 1) return;
    const typename Step::template Division<W> division(divisor);
    for (W& word : to) word = division.quotient(word);
  }

  const Words<W>& words_;
  const Dictionary<W>* dictionary_;
};

}  // namespace fpsynth::data
