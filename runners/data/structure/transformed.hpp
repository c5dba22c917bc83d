#pragma once
// Windows of what an input is behind a prelude, without transforming all of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "components/preludes/registry.hpp"
#include "runners/data/structure/distinct.hpp"
#include "runners/data/structure/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::data {

/// The distinct words of an input, for DICT: their keys, ascending, and their ranks, by their
/// numbers.
template <class W>
struct Dictionary {
  explicit Dictionary(DistinctWords<W> words) : distinct(std::move(words)) {
    const std::vector<W>& values = distinct.values();
    std::vector<std::uint32_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return preludes::Dict::key(values[i]); });
    ranks.resize(values.size());
    for (const std::uint32_t i : order) {
      ranks[i] = W(keys.size());
      keys.push_back(preludes::Dict::key(values[i]));
    }
  }

  DistinctWords<W> distinct;
  std::vector<W> keys, ranks;
};

/// The selectors of blocks of words, chosen when they are asked for.
using Selectors = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kNotChosen = 255;

/// The scales of the words of an input, for a first step with exceptions.
template <class Step, class W>
class ScaleAt {
 public:
  /// `selectors`: of the step's blocks; empty at first.
  ScaleAt(const synth::PreludeStep& step, const Words<W>& words, Selectors& selectors)
      : step_(step), words_(words), selectors_(selectors) {}

  double operator()(std::size_t i) const {
    if constexpr (Step::shape == preludes::Shape::Selected) {
      const std::size_t number = i / step_.parameter;
      if (selectors_.empty()) selectors_.resize(words_.size() / step_.parameter + 1, kNotChosen);
      if (selectors_[number] == kNotChosen) {
        const std::size_t begin = number * step_.parameter;
        std::vector<W> block(std::min<std::size_t>(step_.parameter, words_.size() - begin));
        words_.copy(begin, block);
        selectors_[number] = std::uint8_t(Step::choose(block.data(), block.size(), step_.divisors));
      }
      return Step::scale(step_.divisors, selectors_[number]);
    } else {
      return Step::scale(step_.parameter);
    }
  }

 private:
  const synth::PreludeStep& step_;
  const Words<W>& words_;
  Selectors& selectors_;
};

template <class W>
class Transformed {
 public:
  /// `dictionary` may be null if no prelude has DICT, which can only be a first step, as
  /// those with exceptions.
  Transformed(const Words<W>& words, const Dictionary<W>* dictionary)
      : words_(words), dictionary_(dictionary) {}

  /// The words of a window behind `prelude`. Words of side data are not among them.
  void read(const synth::Prelude& prelude, const Window& window, std::vector<W>& to) const {
    to.resize(window.words);
    read(std::span(prelude.steps), window.begin, to);
  }

  /// For a first step with exceptions. One thread at a time.
  template <class Step>
  ScaleAt<Step, W> scales(const synth::PreludeStep& step) const {
    return {step, words_, selectors_[step]};
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
      } else if constexpr (Step::shape == preludes::Shape::Matched) {
        // Whoever wants the words without copies takes them out before (find_copies()).
      } else if constexpr (Step::shape == preludes::Shape::Mapped) {
        for (W& word : to) word = Step::forward(word);
      } else if constexpr (Step::shape == preludes::Shape::Ranked) {
        for (W& word : to) word = dictionary_->ranks[dictionary_->distinct.number_of(word)];
      } else {
        const auto scale = scales<Step>(step);
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
  mutable std::map<synth::PreludeStep, Selectors> selectors_;
};

}  // namespace fpsynth::data
