#pragma once
// The questions of structure.cpp on the words of an input: lags and divisors, and the preludes that
// they suggest behind each of its first steps.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "components/preludes/shape.hpp"
#include "runners/search/structure/structure.hpp"
#include "runners/search/structure/transformed.hpp"
#include "runners/search/structure/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::search {

inline constexpr std::size_t kWindow = 512;  ///< words of a sample that follow one another
/// Steps that have many like them must gain so much.
inline constexpr double kLeastGain = 0.99;

inline synth::PreludeStep step(std::uint8_t kind, std::uint64_t parameter = 0) {
  return {kind, parameter, {}};
}

/// A first step, or none, with its side data in bits per word of the input.
struct First {
  synth::Prelude prelude;
  std::string reason;
  double side_bits = 0;
};

/// Windows of about `sample_words` words in all behind the first `head` ones.
template <class W>
std::vector<Window> windows_after(const Words<W>& words, std::size_t head,
                                  std::uint64_t sample_words);

/// The estimated bits of a word of these windows behind a prelude, without side data.
template <class W>
double bits_behind(const Transformed<W>& transformed, const synth::Prelude& prelude,
                   std::span<const Window> windows);

/// Sorts candidates, the best first, and leaves so many.
void rank(std::vector<PreludeCandidate>& candidates, std::size_t most = SIZE_MAX);

template <class W>
class Suggester {
 public:
  /// All must outlive it. `found` knows its lags, and its bits without a prelude.
  Suggester(const Words<W>& words, const Transformed<W>& transformed,
            const StructureOptions& options, Structure& found)
      : words_(words), transformed_(transformed), options_(options), found_(found) {}

  /// Adds candidates: the first steps, and lags and columns behind them. `sample` is of all the
  /// input, the strides are those of its shape, ascending. Leaves the best, best first, and the
  /// lags of which there is something to say.
  void suggest(const std::vector<First>& firsts, std::span<const Window> sample,
               const std::vector<std::uint64_t>& strides);

 private:
  static constexpr double kAny = std::numeric_limits<double>::infinity();

  /// A first step with its bits, without and with side data.
  struct Base {
    First first;
    double bits = 0, alone = 0;
  };
  /// Differences at these lags, ascending, behind a first step.
  struct LagSet {
    const Base* base = nullptr;
    std::vector<std::uint64_t> lags;
    double bits = 0;
  };

  double bits_of(const synth::Prelude& prelude, double first_bits) const;
  double consider(const Base& base, const std::vector<synth::PreludeStep>& steps,
                  const std::string& reason, double most = kAny);
  double differences(const Base& base, const std::vector<std::uint64_t>& lags, double most = kAny);
  void try_lags(const Base& base);
  void try_grid(const Base& base, const std::vector<std::uint64_t>& strides);
  void grow();
  void divide();
  template <class Step>
  void append(std::uint64_t least_block, double side_bits, const std::string& reason);
  void thin_columns();
  void drop_lags();

  const Words<W>& words_;
  const Transformed<W>& transformed_;
  const StructureOptions& options_;
  Structure& found_;
  bool grid_ = false;  ///< the shape is known
  std::map<synth::Prelude, double> tried_;
  std::vector<LagSet> singles_;
};

/// The strides of a shape, slowest extent first, in words, ascending; those that so many words
/// have.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& shape, std::size_t words);

/// At most ten lags that are worth being combined with other steps: strides, distances of
/// repetitions and of correlations, without those near multiples of better ones. Behind them, at
/// most two at which the differences at the first are alike.
template <class W>
std::vector<LagFinding> find_lags(const Words<W>& words, const std::vector<std::uint64_t>& strides);

/// Divisors m for which values of the input are k / m, a few last places off at most, with integers
/// k of clearly fewer bits than the values have: those with which, each word at its best one, a
/// sample of short blocks has the fewest bits. Powers of ten are tried, and what the gaps between
/// values have in common. None if they would save little. `Divisors` are ascending.
template <class W>
preludes::Divisors find_divisors(const Words<W>& words);

}  // namespace fpsynth::search
