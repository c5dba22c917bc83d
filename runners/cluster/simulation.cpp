#include "runners/cluster/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace fpsynth::cluster {
namespace {

/// Walks of more chunks are computed from their mean.
constexpr std::uint64_t kOneByOne = 1024;
/// Ranks that send their sums to the same one, in a tree (leader.cpp).
constexpr std::size_t kTree = 4;

/// A number that depends on all bits of another one (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// The seconds of chunks, which do not depend on who walks them or when.
class ChunkTimes {
 public:
  ChunkTimes(const SimulatedTask& task, std::size_t number,
             const std::optional<std::uint64_t>& seed)
      : seconds_(task.chunk_seconds), seed_(seed ? mixed(*seed + mixed(number + 1)) : 0) {
    random_ = seed.has_value();
  }
  double operator()(std::uint64_t chunk) const {
    if (!random_) return seconds_[chunk % seconds_.size()];
    const std::uint64_t drawn = mixed(seed_ + chunk * 0x9e3779b97f4a7c15) >> 32;
    return seconds_[drawn * seconds_.size() >> 32];
  }

 private:
  const std::vector<double>& seconds_;
  std::uint64_t seed_;
  bool random_ = false;
};

/// Of many chunks: the threads share the sum, but for the last that are at work when there is no
/// chunk for the others. They are apart by half a chunk, or less if chunks take so nearly the same
/// time that the threads are still in step.
double tail_of(double mean, double deviation, double rounds, double at_once) {
  const double apart = mean * (at_once - 1) / (2 * (at_once + 1));
  const double drift = deviation * std::sqrt(rounds) * std::sqrt(2 * std::log(at_once));
  return std::min(apart, drift);
}

class Cluster {
 public:
  Cluster(const SimulatedCluster& cluster, const std::vector<SimulatedTask>& tasks,
          const Dealt& dealt)
      : cluster_(cluster),
        tasks_(tasks),
        dealt_(dealt),
        dealer_(cluster.ranks, cluster.piece_seconds),
        ranks_(cluster.ranks),
        sums_of_(tasks.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      dealer_.set_at_once(rank, cluster.at_once);
      const double share = double(rank + 1) / double(ranks_.size());
      ranks_[rank].next_flush = cluster.flush_seconds * (cluster.spread_flushes ? 1 + share : 1);
    }
    found_.opened.resize(tasks.size());
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const results::ChunkRange all{0, tasks[task].chunks};
      dealer_.add(task, std::span(&all, 1), tasks[task].cost);
    }
  }

  Simulation run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) send(0, rank, Kind::Ask);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.kind == Kind::Free) {
        leader_busy_ = false;
      } else {
        ++found_.messages;
        (event.kind == Kind::Ask || !cluster_.asks_first ? asks_ : sums_).push_back(event);
      }
      serve(event.time);
      found_.largest_queue =
          std::max<std::uint64_t>(found_.largest_queue, asks_.size() + sums_.size());
      found_.seconds = std::max(found_.seconds, event.time);
    }
    double described = 0;
    for (const SimulatedTask& task : tasks_) described += task.describe_seconds;
    found_.seconds = std::max(found_.seconds, described);
    const double had = double(cluster_.ranks) * double(cluster_.at_once) * found_.seconds;
    if (had > 0) found_.efficiency = found_.busy_seconds / had;
    return found_;
  }

 private:
  enum class Kind : std::uint8_t {
    Ask,   ///< reaches the leader: a piece is done, another is wanted
    Sums,  ///< reach the leader
    Free,  ///< the leader is done with a message
  };
  struct Event {
    double time;
    std::uint64_t order;  ///< among events of one time
    std::size_t rank;
    Kind kind;
    std::uint64_t bytes;
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  struct Rank {
    std::optional<Piece> piece;  ///< that it walked before it asked
    double seconds = 0;          ///< that it took
    double next_flush = 0;
    std::size_t open = SIZE_MAX;      ///< the task whose data it has open
    std::vector<std::size_t> unsent;  ///< tasks of which it has sums
  };
  struct SumsOfTask {
    std::uint64_t walked = 0;          ///< chunks that the leader was told of
    std::vector<std::size_t> holders;  ///< ranks that got sums of it, and may have sent them
  };

  double speed_of(std::size_t rank) const {
    return cluster_.speeds.empty() ? 1 : cluster_.speeds[rank % cluster_.speeds.size()];
  }
  double seconds_of_sums(std::uint64_t bytes) const {
    return double(bytes) / cluster_.network_bytes_per_second +
           double(bytes) / cluster_.added_bytes_per_second;
  }

  void send(double time, std::size_t rank, Kind kind, std::uint64_t bytes = 0) {
    events_.push({time + cluster_.latency, order_++, rank, kind, bytes});
  }

  /// Has the leader begin with the next message; those who ask go first, because they are idle.
  void serve(double time) {
    if (leader_busy_) return;
    std::deque<Event>& from = asks_.empty() ? sums_ : asks_;
    if (from.empty()) return;
    const Event event = from.front();
    from.pop_front();
    double seconds = cluster_.message_seconds;
    if (event.kind == Kind::Sums) {
      seconds += event.rank == 0 ? double(event.bytes) / cluster_.added_bytes_per_second
                                 : seconds_of_sums(event.bytes);
      found_.bytes_to_leader += event.rank == 0 ? 0 : event.bytes;
    }
    leader_busy_ = true;
    found_.leader_seconds += seconds;
    const double end = time + seconds;
    events_.push({end, order_++, event.rank, Kind::Free, 0});
    if (event.kind == Kind::Ask) answer(end, event.rank);
  }

  /// Gives a rank its next piece; the rank then walks it and asks again.
  void answer(double time, std::size_t rank) {
    Rank& of = ranks_[rank];
    if (of.piece) {
      dealer_.walked(rank, *of.piece, of.seconds);
      SumsOfTask& sums = sums_of_[of.piece->task];
      sums.walked += of.piece->size();
      if (sums.walked == tasks_[of.piece->task].chunks) reduce(time, of.piece->task);
    }
    of.piece = dealer_.next(rank);
    if (!of.piece) return;
    double now = time + cluster_.latency;
    ++found_.pieces;
    if (dealt_) dealt_(rank, *of.piece);
    const std::size_t task = of.piece->task;
    double busy = 0;
    of.seconds =
        walk_seconds(tasks_[task], task, of.piece->chunks, cluster_.at_once, cluster_.seed, busy) /
        speed_of(rank);
    of.seconds += cluster_.start_seconds;
    if (of.open != task) {
      of.seconds += cluster_.open_seconds;
      of.open = task;
      ++found_.opened[task];
    }
    found_.busy_seconds += busy / speed_of(rank);
    now += of.seconds;
    found_.walked_seconds = std::max(found_.walked_seconds, now);
    if (std::find(of.unsent.begin(), of.unsent.end(), task) == of.unsent.end()) {
      of.unsent.push_back(task);
      sums_of_[task].holders.push_back(rank);
    }
    send(now, rank, Kind::Ask);
    if (now >= of.next_flush) {
      send_sums(now, rank);
      of.next_flush = now + cluster_.flush_seconds;
    }
  }

  void send_sums(double time, std::size_t rank) {
    Rank& of = ranks_[rank];
    std::uint64_t bytes = 0;
    for (const std::size_t task : of.unsent) bytes += tasks_[task].sum_bytes;
    of.unsent.clear();
    if (bytes > 0) send(time, rank, Kind::Sums, bytes);
  }

  /// Has the ranks that hold sums of a task, all of which is walked, send them.
  void reduce(double time, std::size_t task) {
    const std::uint64_t bytes = tasks_[task].sum_bytes;
    std::size_t holders = 0;
    bool leader_holds = false;
    for (const std::size_t rank : std::exchange(sums_of_[task].holders, {})) {
      if (std::erase(ranks_[rank].unsent, task) == 0) continue;  // sent meanwhile
      ++holders;
      leader_holds |= rank == 0;
      if (cluster_.reduction == Reduction::Leader) {
        send(time + cluster_.latency, rank, Kind::Sums, bytes);
      }
    }
    if (cluster_.reduction == Reduction::Leader || holders == 0) return;
    // Rank 0's own come as they are. The others' come from the few ranks at the top of the tree,
    // when those have taken what is below them, level by level.
    if (leader_holds) send(time + cluster_.latency, 0, Kind::Sums, bytes);
    const std::size_t others = holders - (leader_holds ? 1 : 0);
    const double level =
        cluster_.latency + kTree * (cluster_.message_seconds + seconds_of_sums(bytes));
    double there = time + cluster_.latency;
    for (std::size_t below = others, width = kTree; below > width; width *= kTree) {
      below -= width;
      there += level;
    }
    for (std::size_t i = 0; i < std::min(others, kTree); ++i) send(there, 1, Kind::Sums, bytes);
  }

  const SimulatedCluster& cluster_;
  const std::vector<SimulatedTask>& tasks_;
  const Dealt& dealt_;
  Dealer dealer_;
  std::vector<Rank> ranks_;
  std::vector<SumsOfTask> sums_of_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::deque<Event> asks_, sums_;  ///< that wait for the leader
  bool leader_busy_ = false;
  Simulation found_;
};

}  // namespace

Simulation simulate(const SimulatedCluster& cluster, const std::vector<SimulatedTask>& tasks,
                    const Dealt& dealt) {
  return Cluster(cluster, tasks, dealt).run();
}

double walk_seconds(const SimulatedTask& task, std::size_t number, results::ChunkRange chunks,
                    std::uint64_t at_once, const std::optional<std::uint64_t>& seed,
                    double& busy_seconds) {
  const std::uint64_t count = chunks.size();
  if (count > kOneByOne && count / at_once >= 2) {
    const auto& all = task.chunk_seconds;
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
    double squares = 0;
    for (const double seconds : all) squares += (seconds - mean) * (seconds - mean);
    busy_seconds = mean * double(count);
    const double threads = double(at_once);
    return busy_seconds / threads +
           tail_of(mean, std::sqrt(squares / double(all.size())), double(count) / threads, threads);
  }
  const ChunkTimes times(task, number, seed);
  busy_seconds = 0;
  if (at_once == 1) {
    for (std::uint64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
      busy_seconds += times(chunk);
    }
    return busy_seconds;
  }
  // When each thread is done with its chunk, the first on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> done;
  double last = 0;
  for (std::uint64_t chunk = chunks.begin; chunk < chunks.end; ++chunk) {
    const double seconds = times(chunk);
    double begin = 0;
    if (done.size() == at_once) {
      begin = done.top();
      done.pop();
    }
    done.push(begin + seconds);
    last = std::max(last, begin + seconds);
    busy_seconds += seconds;
  }
  return last;
}

}  // namespace fpsynth::cluster
