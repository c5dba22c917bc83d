#pragma once
// The pipelines that are in a race, and their sizes on the chunks that were drawn.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runners/search/race/statistics/leaving_test.hpp"

namespace fpsynth::search {

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
