#include "runners/cluster/ranks/dealer.hpp"

#include <algorithm>

namespace fpsynth::cluster {
namespace {

/// A rank is given its share of the work that is left, divided by this, so that ranks which turn
/// out slower than expected do not keep the others waiting.
constexpr double kReserve = 2;
/// The most that a rank of unknown speed is given, in multiples of what it walks at once: enough to
/// measure it, and so little that one which is ten times slower than the others does not end last.
constexpr std::uint64_t kFirst = 2;

/// Seconds that the leader takes to receive a message and answer it, measured with those of
/// messages.hpp.
constexpr double kMessageSeconds = 5e-6;
/// A piece takes as long at least as the leader takes to answer every rank, times this. With
/// shorter ones, ranks would wait for the leader: thousands of ranks, that is.
constexpr double kLeast = 1.5;

}  // namespace

Dealer::Dealer(std::size_t ranks, double most_seconds)
    : ranks_(ranks), most_seconds_(most_seconds), at_once_(ranks) {}

void Dealer::set_at_once(std::size_t rank, std::uint64_t chunks) {
  Rank& of = ranks_.at(rank);
  at_once_ += chunks - of.at_once;
  if (of.speed > 0) known_at_once_ += chunks - of.at_once;
  of.at_once = chunks;
}

void Dealer::add(std::size_t task, std::span<const results::ChunkRange> missing, double cost) {
  for (const results::ChunkRange& range : missing) {
    if (range.size() == 0) continue;
    waiting_.push_back({task, range, cost});
    left_ += double(range.size()) * cost;
  }
}

double Dealer::speed_of(const Rank& rank) const {
  if (rank.speed > 0) return rank.speed;
  if (known_at_once_ == 0) return double(rank.at_once);
  return known_speed_ * double(rank.at_once) / double(known_at_once_);
}

std::optional<Piece> Dealer::next(std::size_t rank) {
  if (waiting_.empty()) return std::nullopt;
  const Rank& of = ranks_.at(rank);
  const double all_speed = known_at_once_ == 0
                               ? double(at_once_)
                               : known_speed_ * double(at_once_) / double(known_at_once_);
  double work = left_ * speed_of(of) / all_speed / kReserve;
  if (of.speed > 0) {
    const double least_seconds = kLeast * kMessageSeconds * double(ranks_.size());
    work = std::clamp(work, of.speed * std::min(least_seconds, most_seconds_),
                      of.speed * most_seconds_);
  }
  Piece& first = waiting_.front();
  auto chunks = static_cast<std::uint64_t>(work / first.cost);
  if (of.speed == 0) chunks = std::min(chunks, kFirst * of.at_once);
  // Whole rounds of what it walks at once: a remainder takes as long as a round.
  chunks -= chunks % of.at_once;
  chunks = std::clamp<std::uint64_t>(chunks, std::min(of.at_once, first.size()), first.size());
  const Piece piece{first.task, {first.chunks.begin, first.chunks.begin + chunks}, first.cost};
  left_ -= double(chunks) * first.cost;
  first.chunks.begin = piece.chunks.end;
  if (first.size() == 0) waiting_.pop_front();
  if (waiting_.empty()) left_ = 0;
  return piece;
}

void Dealer::walked(std::size_t rank, const Piece& piece, double seconds) {
  Rank& of = ranks_.at(rank);
  const double speed = double(piece.size()) * piece.cost / std::max(seconds, 1e-6);
  if (of.speed > 0) {
    known_speed_ -= of.speed;
  } else {
    known_at_once_ += of.at_once;
  }
  of.speed = speed;
  known_speed_ += of.speed;
}

bool Dealer::has(std::size_t task) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Piece& piece) { return piece.task == task; });
}

}  // namespace fpsynth::cluster
