#include "runners/search/race/entrants.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::search {
namespace {

std::vector<std::uint32_t> all_places(std::size_t count) {
  std::vector<std::uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);
  return places;
}

constexpr double kFarthest = 1e6;  ///< standard errors beyond which nothing is lost
constexpr std::size_t kTail = 2048;

}  // namespace

std::array<std::uint64_t, 2> Drawn::counts() const {
  const auto first = static_cast<std::uint64_t>(std::ranges::count(part, 0));
  return {first, part.size() - first};
}

std::vector<double> Drawn::weights() const {
  const std::array<std::uint64_t, 2> drawn = counts();
  std::vector<double> weights;
  for (const std::uint8_t of : part) weights.push_back(double(population[of]) / double(drawn[of]));
  return weights;
}

LeavingTest::LeavingTest(const Drawn& drawn, double risk, double margin)
    : drawn_(drawn), weights_(drawn.weights()), margin_(margin) {
  std::uint64_t fewest = 0;  // chunks of a part that was not drawn as a whole
  const std::array<std::uint64_t, 2> counts = drawn.counts();
  for (const std::size_t part : {0u, 1u}) {
    if (counts[part] == drawn.population[part]) continue;
    const double all = double(drawn.population[part]), n = double(counts[part]);
    variance_[part] = all * all / n * (1 - n / all) / (n - 1);
    fewest = fewest ? std::min(fewest, counts[part]) : counts[part];
  }
  if (fewest == 0) return;
  const boost::math::students_t distribution(double(fewest - 1));
  quantile_ = boost::math::quantile(boost::math::complement(distribution, risk));
  const double step = std::log(kFarthest / quantile_) / double(kTail - 1);
  for (std::size_t i = 0; i < kTail; ++i) {
    const double errors = quantile_ * std::exp(step * double(i));
    tail_.push_back(static_cast<std::uint64_t>(
        boost::math::cdf(boost::math::complement(distribution, errors)) * kOne));
  }
}

double LeavingTest::estimate(std::span<const std::uint32_t> bytes) const {
  double sum = 0;
  for (std::size_t chunk = 0; chunk < bytes.size(); ++chunk) sum += weights_[chunk] * bytes[chunk];
  return sum;
}

std::uint64_t LeavingTest::lost(double errors) const {
  if (tail_.empty() || !(errors < kFarthest)) return 0;
  const double place = std::log(errors / quantile_) / std::log(kFarthest / quantile_);
  // The entry before is that of fewer errors, and so no less.
  return tail_[std::min(kTail - 1, static_cast<std::size_t>(place * double(kTail - 1)))];
}

std::uint64_t LeavingTest::run(const SizeGrid& sizes, std::span<const std::uint32_t> extra,
                               double overhead, std::span<const std::uint32_t> leader,
                               double leader_overhead, std::vector<std::uint32_t>& stay) const {
  const double allowed = margin_ * (estimate(leader) + leader_overhead);
  const std::array<std::uint64_t, 2> counts = drawn_.counts();
  std::array<std::vector<std::int64_t>, 2> sums, squares;
  for (const std::size_t part : {0u, 1u}) {
    sums[part].resize(counts[part] ? extra.size() : 0);
    squares[part].resize(sums[part].size());
  }
  for (std::size_t chunk = 0; chunk < drawn_.chunks(); ++chunk) {
    const std::uint32_t* of_chunk = sizes.bytes.data() + chunk * sizes.chunk_step;
    const std::int64_t leaders = leader[chunk];
    std::int64_t* const sum = sums[drawn_.part[chunk]].data();
    std::int64_t* const square = squares[drawn_.part[chunk]].data();
    for (std::size_t p = 0; p < extra.size(); ++p) {
      const std::int64_t difference = std::int64_t{of_chunk[p * sizes.step]} + extra[p] - leaders;
      sum[p] += difference;
      square[p] += difference * difference;
    }
  }
  std::uint64_t lost_sum = 0;
  for (std::size_t p = 0; p < extra.size(); ++p) {
    double worse = overhead - leader_overhead + allowed, variance = 0;
    for (const std::size_t part : {0u, 1u}) {
      if (counts[part] == 0) continue;
      const double sum = double(sums[part][p]), n = double(counts[part]);
      worse += sum / n * double(drawn_.population[part]);
      variance += variance_[part] * std::max(0.0, double(squares[part][p]) - sum * sum / n);
    }
    const double error = std::sqrt(variance);
    if (worse > quantile_ * error) {
      if (error > 0) lost_sum += lost(worse / error);
    } else {
      stay.push_back(static_cast<std::uint32_t>(p));
    }
  }
  return lost_sum;
}

void Entrants::add(const Entrant& who, std::span<const std::uint32_t> sizes) {
  who_.push_back(who);
  sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
}

void Entrants::add(const Entrants& others) {
  if (others.chunks_ != chunks_) throw Error("a race's processes drew different chunks");
  who_.insert(who_.end(), others.who_.begin(), others.who_.end());
  sizes_.insert(sizes_.end(), others.sizes_.begin(), others.sizes_.end());
}

void Entrants::take(std::span<const std::uint32_t> places) {
  std::vector<Entrant> who;
  std::vector<std::uint32_t> all;
  who.reserve(places.size());
  all.reserve(places.size() * chunks_);
  for (const std::uint32_t place : places) {
    const auto own = sizes(place);
    who.push_back(who_[place]);
    all.insert(all.end(), own.begin(), own.end());
  }
  who_ = std::move(who);
  sizes_ = std::move(all);
}

void Entrants::sort() {
  std::vector<std::uint32_t> places = all_places(size());
  std::ranges::sort(places, {}, [&](std::uint32_t place) { return who_[place]; });
  take(places);
}

std::uint64_t Entrants::shrink_to(std::size_t most, const LeavingTest& test,
                                  std::span<const double> overheads) {
  if (size() <= most) return 0;
  std::vector<double> costs;
  for (std::size_t i = 0; i < size(); ++i) {
    costs.push_back(test.estimate(sizes(i)) + overheads[who_[i].prelude]);
  }
  std::vector<std::uint32_t> places = all_places(size());
  std::ranges::nth_element(
      places, places.begin() + std::ptrdiff_t(most), {},
      [&](std::uint32_t place) { return std::pair(costs[place], who_[place]); });
  const std::uint64_t dropped = size() - most;
  places.resize(most);
  take(places);
  return dropped;
}

void Entrants::keep(std::span<const std::uint32_t> places) {
  if (places.size() < size()) take(places);
}

void Entrants::extend(std::span<const std::uint32_t> sizes, std::size_t more) {
  std::vector<std::uint32_t> all;
  all.reserve(size() * (chunks_ + more));
  for (std::size_t i = 0; i < size(); ++i) {
    const auto own = this->sizes(i), added = sizes.subspan(i * more, more);
    all.insert(all.end(), own.begin(), own.end());
    all.insert(all.end(), added.begin(), added.end());
  }
  sizes_ = std::move(all);
  chunks_ += more;
}

std::size_t Entrants::leader(const LeavingTest& test, std::span<const double> overheads) const {
  const auto cost = [&](std::size_t i) {
    return std::pair(test.estimate(sizes(i)) + overheads[who_[i].prelude], who_[i]);
  };
  std::size_t first = 0;
  std::pair least = cost(0);
  for (std::size_t i = 1; i < size(); ++i) {
    const std::pair own = cost(i);
    if (own < least) first = i, least = own;
  }
  return first;
}

std::uint64_t Entrants::drop(const LeavingTest& test, std::span<const double> overheads) {
  if (who_.empty()) return 0;
  const auto best = static_cast<std::uint32_t>(leader(test, overheads));
  std::uint64_t lost = 0;
  std::vector<std::uint32_t> stay;
  for (std::size_t begin = 0; begin < size();) {
    const std::uint32_t prelude = who_[begin].prelude;
    std::size_t end = begin;
    while (end < size() && who_[end].prelude == prelude) ++end;
    const std::size_t already = stay.size();
    const std::vector<std::uint32_t> none(end - begin);
    lost += test.run({std::span(sizes_).subspan(begin * chunks_), 1, chunks_}, none,
                     overheads[prelude], sizes(best), overheads[who_[best].prelude], stay);
    for (std::size_t i = already; i < stay.size(); ++i) stay[i] += std::uint32_t(begin);
    begin = end;
  }
  const auto place = std::ranges::lower_bound(stay, best);
  if (place == stay.end() || *place != best) stay.insert(place, best);
  keep(stay);
  return lost;
}

std::vector<std::uint8_t> Entrants::bytes() const {
  const auto raw = [](const auto& values) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(values.data());
    return nlohmann::json::binary({begin, begin + values.size() * sizeof values[0]});
  };
  std::vector<std::uint32_t> preludes;
  std::vector<std::uint64_t> ids;
  for (const Entrant& who : who_) {
    preludes.push_back(who.prelude);
    ids.push_back(who.id);
  }
  return to_cbor({{"chunks", chunks_},
                  {"preludes", raw(preludes)},
                  {"ids", raw(ids)},
                  {"sizes", raw(sizes_)}});
}

Entrants Entrants::from(std::span<const std::uint8_t> bytes, std::size_t preludes_of_race,
                        std::uint64_t pipelines) {
  try {
    const nlohmann::json json = from_cbor(bytes);
    const auto values = [&]<class T>(const char* key, T) {
      const auto& raw = json.at(key).get_binary();
      std::vector<T> made(raw.size() / sizeof(T));
      if (!made.empty()) std::memcpy(made.data(), raw.data(), made.size() * sizeof(T));
      return made;
    };
    Entrants entrants(json.at("chunks").get<std::size_t>());
    const auto preludes = values("preludes", std::uint32_t{});
    const auto ids = values("ids", std::uint64_t{});
    entrants.sizes_ = values("sizes", std::uint32_t{});
    if (preludes.size() != ids.size() || entrants.sizes_.size() != ids.size() * entrants.chunks_) {
      throw Error("a race's entrants are damaged: their numbers differ");
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (preludes[i] >= preludes_of_race || ids[i] >= pipelines) {
        raise("a race's entrants are of another race: pipeline {} of {} behind prelude {} of {}",
              ids[i], pipelines, preludes[i], preludes_of_race);
      }
      entrants.who_.push_back({preludes[i], ids[i]});
    }
    return entrants;
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a race's entrants are damaged: ") + error.what());
  }
}

}  // namespace fpsynth::search
