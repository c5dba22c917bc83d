#pragma once
// The pipelines in a race, their sizes on chunks drawn at random, and the decision which of them
// leave: a paired t-test of the sizes against the leader's.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <unordered_map>
#include <vector>

namespace fpsynth::search {

/// Draws chunks at random without replacement: the first numbers of a random order of
/// 0..population-1, which is the same on every machine. Its memory grows with the draws.
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

/// The chunks that were drawn, at random and without replacement, from two parts of all chunks. A
/// lag leaves the first words of its input as they are, so that the first chunks are not like the
/// others, and would be missed by a few random ones; each part has its own draw. Without preludes
/// the first part is empty.
struct Drawn {
  std::array<std::uint64_t, 2> population = {};  ///< chunks of the parts
  std::vector<std::uint8_t> part;                ///< of each chunk that was drawn: 0 or 1

  std::uint64_t chunks() const { return part.size(); }
  std::array<std::uint64_t, 2> counts() const;
  /// The number of chunks that each drawn one stands for.
  std::vector<double> weights() const;
};

/// The bytes of several pipelines on the drawn chunks: bytes[chunk * chunk_step + p * step].
struct SizeGrid {
  std::span<const std::uint32_t> bytes;
  std::size_t chunk_step = 0, step = 1;
};

/// A test after one round. The more of all chunks were drawn, the surer a mean is; of all of them
/// it is certain. Assumes that the differences of a part are distributed normally, and takes the
/// leader for one that was chosen before.
class LeavingTest {
 public:
  /// risk: probability that a pipeline leaves although it is better than the leader by more than
  /// `margin`, a share of the leader's bytes.
  LeavingTest(const Drawn& drawn, double risk, double margin);

  /// The unit of summed probabilities: a pipeline that is lost with certainty counts so much. Whole
  /// numbers are summed, because their sums do not depend on the order.
  static constexpr double kOne = double(std::uint64_t{1} << 36);

  /// Bytes on all chunks, as estimated from those that were drawn.
  double estimate(std::span<const std::uint32_t> bytes) const;

  /// Tests pipelines with extra[p] bytes on each chunk beside those of `sizes`, and with `overhead`
  /// bytes in front of the chunks. A leader among them leaves, too, unless the margin is 0. Appends
  /// the numbers of those that stay to `stay`, ascending, and returns the summed probability, times
  /// kOne, that one of the others is better by more than the margin.
  std::uint64_t run(const SizeGrid& sizes, std::span<const std::uint32_t> extra, double overhead,
                    std::span<const std::uint32_t> leader, double leader_overhead,
                    std::vector<std::uint32_t>& stay) const;

 private:
  /// The probability, times kOne, of an estimate being so many standard errors too high.
  std::uint64_t lost(double errors) const;

  Drawn drawn_;
  std::vector<double> weights_;
  double margin_;
  double quantile_ = 0;  ///< of Student's distribution: standard errors from which one leaves
  /// By part: what a sum of squared deviations is to be multiplied with to be the variance of the
  /// estimate. 0 if all chunks of the part were drawn.
  std::array<double, 2> variance_ = {};
  std::vector<std::uint64_t> tail_;  ///< lost() at equal distances of the logarithm
};

/// A pipeline behind a prelude.
struct Entrant {
  std::uint32_t prelude = 0;  ///< its number among the race's
  std::uint64_t id = 0;       ///< the pipeline's, in the space without preludes
  friend auto operator<=>(const Entrant&, const Entrant&) = default;
};

/// Entrants with their sizes, frames included, on the same chunks in the same order. 12 bytes and 4
/// for each chunk are kept of each. What it holds does not depend on the order in which it came.
class Entrants {
 public:
  Entrants() = default;
  /// With sizes on `chunks` chunks each.
  explicit Entrants(std::size_t chunks) : chunks_(chunks) {}

  std::size_t size() const { return who_.size(); }
  std::size_t chunks() const { return chunks_; }
  const Entrant& who(std::size_t i) const { return who_[i]; }
  std::span<const std::uint32_t> sizes(std::size_t i) const {
    return {sizes_.data() + i * chunks_, chunks_};
  }

  void add(const Entrant& who, std::span<const std::uint32_t> sizes);
  void add(const Entrants& others);
  /// Orders them by prelude and id.
  void sort();
  /// Leaves the `most` with the fewest bytes, as estimated by a test, of equal ones the first, and
  /// returns how many it dropped. `overheads`: bytes in front of the chunks, by prelude.
  std::uint64_t shrink_to(std::size_t most, const LeavingTest& test,
                          std::span<const double> overheads);
  /// Keeps those with these places, ascending.
  void keep(std::span<const std::uint32_t> places);
  /// Adds sizes on further chunks, of all entrants in their order: `more` for each.
  void extend(std::span<const std::uint32_t> sizes, std::size_t more);

  /// The place of the one with the fewest bytes, its overhead included; of equal ones the first.
  /// There is at least one.
  std::size_t leader(const LeavingTest& test, std::span<const double> overheads) const;
  /// Drops those that leave by a test against the leader, which stays. They are sorted. Returns
  /// what LeavingTest::run() does.
  std::uint64_t drop(const LeavingTest& test, std::span<const double> overheads);

  /// As bytes, and back. Throws Error if they are no entrants of a race with so many preludes and,
  /// in the space without them, so many pipelines.
  std::vector<std::uint8_t> bytes() const;
  static Entrants from(std::span<const std::uint8_t> bytes, std::size_t preludes_of_race,
                       std::uint64_t pipelines);

 private:
  /// Makes it the entrants at these places, in their order.
  void take(std::span<const std::uint32_t> places);

  std::size_t chunks_ = 0;
  std::vector<Entrant> who_;
  std::vector<std::uint32_t> sizes_;  ///< of each, `chunks_`
};

}  // namespace fpsynth::search
