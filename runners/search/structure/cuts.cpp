#include "runners/search/structure/cuts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "components/preludes/ord.hpp"
#include "components/words/word_type.hpp"
#include "runners/search/structure/words.hpp"

namespace fpsynth::search {
namespace {

/// The most pieces of an input, and their fewest words.
constexpr std::uint64_t kMostPieces = 256, kPieceWords = 4096;

/// Numbers that describe a word beside the one before it, each counted by itself.
struct Features {
  static constexpr std::size_t kCount = 3;
  /// Leading bits: of floats sign, exponent and three bits of the fraction or none, of integers the
  /// number of significant bits and the next three.
  static constexpr std::size_t kLeading = 4096, kBits = 65;
  static constexpr std::array<std::size_t, kCount> kSizes = {kLeading, kBits, kBits};
  static constexpr std::array<std::size_t, kCount> kBegins = {0, kLeading, kLeading + kBits};
  static constexpr std::size_t kAll = kLeading + 2 * kBits;

  /// The numbers, each plus its place in kBegins.
  template <class W>
  static std::array<std::size_t, kCount> of(W word, W before, synth::ValueKind kind) {
    using Ord = preludes::Ord;
    const bool floats = synth::ValueType({}, kind).is_float();
    constexpr std::size_t kShift = sizeof(W) > 1 ? 8 * sizeof(W) - 12 : 0;
    const W mapped = floats ? Ord::template forward<W>(word) : word;
    const W mapped_before = floats ? Ord::template forward<W>(before) : before;
    const std::size_t leading = floats ? std::size_t(word >> kShift) : leading_of(word);
    return {leading, kBegins[1] + significant_bits(W(mapped - mapped_before)),
            kBegins[2] + std::size_t(std::countr_zero(word))};
  }

 private:
  template <class W>
  static std::size_t leading_of(W word) {
    const bool negative = word >> (8 * sizeof(W) - 1) != 0;
    const W magnitude = negative ? W(~word) : word;
    const auto bits = std::size_t(std::bit_width(magnitude));
    const std::size_t next = bits > 3 ? (magnitude >> (bits - 4)) & 7 : magnitude & 7;
    return (negative ? 1024 : 0) + 8 * bits + next;
  }
};

/// The counts of each number in a run of words.
class Counts {
 public:
  Counts() : counts_(Features::kAll) {}

  void add(const std::array<std::size_t, Features::kCount>& numbers) {
    for (const std::size_t number : numbers) ++counts_[number];
    ++words_;
  }
  void add(const Counts& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    words_ += other.words_;
  }
  /// Bits of all numbers of all words, each by the entropy of its counts.
  double bits() const {
    double sum = double(Features::kCount) * terms(words_);
    for (const std::uint32_t count : counts_) sum -= terms(count);
    return sum;
  }
  /// Bits of one word's numbers by these counts, each of which is one half more, so that none is 0.
  double bits_of(const std::array<std::size_t, Features::kCount>& numbers) const {
    double bits = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double all = double(words_) + 0.5 * double(Features::kSizes[i]);
      bits -= std::log2((counts_[numbers[i]] + 0.5) / all);
    }
    return bits;
  }

 private:
  static double terms(double count) { return count > 0 ? count * std::log2(count) : 0; }

  std::vector<std::uint32_t> counts_;
  std::uint32_t words_ = 0;
};

/// A run of pieces.
struct Run {
  std::uint64_t begin = 0, end = 0;  ///< words
  Counts counts;                     ///< of those that were looked at
  double bits = 0;                   ///< of these
  std::uint64_t looked_at = 0;
  /// Bits that it needs more together with the next one.
  double apart = 0;

  std::uint64_t words() const { return end - begin; }
};

template <class W>
class CutFinder {
 public:
  CutFinder(const data::Input& input, const CutOptions& options)
      : words_(input.bytes()), kind_(input.type().kind), options_(options) {
    const std::uint64_t all = words_.size();
    piece_ = std::max(kPieceWords, (all + kMostPieces - 1) / kMostPieces);
    const std::uint64_t most = std::max<std::uint64_t>(1, options.sample_words / kMostPieces);
    for (std::uint64_t begin = 0; begin < all; begin += piece_) {
      Run run;
      run.begin = begin;
      run.end = std::min(all, begin + piece_);
      constexpr std::size_t kWindow = 1024;
      for (const Window window :
           windows_of(begin, run.end, std::min<std::uint64_t>(kWindow, run.words()), most)) {
        for (std::size_t i = window.begin; i < window.begin + window.words; ++i) {
          run.counts.add(features(i));
        }
        run.looked_at += window.words;
      }
      run.bits = run.counts.bits();
      runs_.push_back(std::move(run));
    }
  }

  std::vector<std::uint64_t> cuts() {
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) compare(i);
    while (runs_.size() > 1 && !wanted()) join();
    std::vector<std::uint64_t> cuts;
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) {
      runs_[i].end = runs_[i + 1].begin = refined(i);
    }
    while (runs_.size() > 1) {
      const std::size_t i = nearest(false);
      cuts.push_back(runs_[i].end);
      join(i);
    }
    std::ranges::reverse(cuts);
    return cuts;
  }

 private:
  std::array<std::size_t, Features::kCount> features(std::size_t i) const {
    return Features::of(words_[i], i > 0 ? words_[i - 1] : W{0}, kind_);
  }
  void compare(std::size_t i) {
    if (i + 1 >= runs_.size()) return;
    Counts both = runs_[i].counts;
    both.add(runs_[i + 1].counts);
    runs_[i].apart = both.bits() - runs_[i].bits - runs_[i + 1].bits;
  }
  bool is_short(std::size_t i) const { return runs_[i].words() < options_.shortest; }
  /// The pair of runs that are most alike; of which one is too short, if only these are asked for.
  std::size_t nearest(bool too_short) const {
    std::size_t best = runs_.size();
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) {
      if (too_short && !is_short(i) && !is_short(i + 1)) continue;
      if (best == runs_.size() || runs_[i].apart < runs_[best].apart) best = i;
    }
    return best;
  }
  /// True if all runs are long enough, not too many, and far enough apart.
  bool wanted() const {
    if (runs_.size() > options_.sections || nearest(true) < runs_.size()) return false;
    for (std::size_t i = 0; i + 1 < runs_.size(); ++i) {
      const double looked_at = double(runs_[i].looked_at + runs_[i + 1].looked_at);
      if (runs_[i].apart < options_.bits_a_word * looked_at) return false;
    }
    return true;
  }
  /// Joins the two that are most alike, while there are many pieces; then short ones before others.
  void join() {
    const std::size_t i = nearest(runs_.size() <= 4 * options_.sections);
    join(i < runs_.size() ? i : nearest(false));
  }
  void join(std::size_t i) {
    Run& run = runs_[i];
    const Run& next = runs_[i + 1];
    run.end = next.end;
    run.counts.add(next.counts);
    run.looked_at += next.looked_at;
    run.bits = run.counts.bits();
    runs_.erase(runs_.begin() + std::ptrdiff_t(i) + 1);
    compare(i);
    if (i > 0) compare(i - 1);
  }
  /// The word between run i and the next one, within a piece of where they meet, before which the
  /// words are rather like those of the run, and behind which like those of the next.
  std::uint64_t refined(std::size_t i) const {
    const Run &run = runs_[i], &next = runs_[i + 1];
    const std::uint64_t begin = std::max(run.begin + std::min(run.words(), options_.shortest),
                                         run.end - std::min(run.words(), piece_));
    const std::uint64_t end = std::min(next.end - std::min(next.words(), options_.shortest),
                                       next.begin + std::min(next.words(), piece_));
    std::uint64_t best = begin;
    double saved = 0, most = 0;
    for (std::uint64_t at = begin; at < end; ++at) {
      const auto numbers = features(at);
      saved += next.counts.bits_of(numbers) - run.counts.bits_of(numbers);
      if (saved <= most) continue;
      best = at + 1;
      most = saved;
    }
    return best;
  }

  Words<W> words_;
  synth::ValueKind kind_;
  const CutOptions& options_;
  std::uint64_t piece_ = 0;
  std::vector<Run> runs_;
};

}  // namespace

std::vector<std::uint64_t> find_cuts(const data::Input& input, const CutOptions& options) {
  if (input.view().words < 2 * options.shortest) return {};
  return words::with_word(synth::word_bytes(input.native()),
                          [&]<class W>() { return CutFinder<W>(input, options).cuts(); });
}

}  // namespace fpsynth::search
