// A race that the ranks of a cluster run together, each in the same steps.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runners/cluster/ranks/messages.hpp"
#include "runners/cluster/ranks/rank.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cluster {
namespace {

using namespace std::chrono_literals;

/// The shares that ranks give each other: the thread of the race asks for them, the rank's own
/// thread sends and receives them.
class Exchange final : public search::RacePeers {
 public:
  Exchange(std::size_t rank, std::size_t ranks) : rank_(rank), arrived_(ranks) {}

  // For the race's thread.

  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return arrived_.size(); }
  std::vector<std::vector<std::uint8_t>> exchange(std::string_view step,
                                                  std::vector<std::uint8_t> own) override {
    std::unique_lock lock(mutex_);
    to_send_.push_back({std::string(step), own});
    arrived_[rank_].push_back({std::string(step), std::move(own)});
    changed_.wait(
        lock, [&] { return ended_ || std::ranges::none_of(arrived_, &std::deque<Given>::empty); });
    if (ended_) throw Error("the race ends early");
    std::vector<std::vector<std::uint8_t>> all;
    for (std::deque<Given>& from : arrived_) {
      if (from.front().step != step) {
        throw Error(
            fmt::format("rank {} is at '{}' of the race while rank {} is at '{}'; start all ranks "
                        "with the same arguments and the same data",
                        all.size(), from.front().step, rank_, step));
      }
      all.push_back(std::move(from.front().bytes));
      from.pop_front();
    }
    return all;
  }

  // For the rank's thread.

  /// None to send, or more than one: a step may end before the rank has sent what it gives for it.
  std::vector<Given> take_to_send() {
    const std::lock_guard lock(mutex_);
    return std::exchange(to_send_, {});
  }
  void take(std::size_t from, Given given) {
    const std::lock_guard lock(mutex_);
    arrived_.at(from).push_back(std::move(given));
    changed_.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }

 private:
  std::size_t rank_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Given> to_send_;
  std::vector<std::deque<Given>> arrived_;  ///< by rank; of each in the order of the steps
  bool ended_ = false;
};

/// The second task of rank 0: it starts all ranks when all are there, and ends them when all have
/// ended.
class Coordinator {
 public:
  Coordinator(const std::string& identity, Transport& transport)
      : identity_(identity), transport_(transport), ranks_(transport.ranks()) {}

  void handle(std::size_t rank, const ToLeader& message) {
    if (const auto* hello = std::get_if<Hello>(&message)) {
      ranks_[rank].hello = *hello;
      try {
        refuse_others(*hello, place_of(rank, *hello), identity_);
      } catch (const Error& error) {
        return end_early(error.what());
      }
      if (!ended_early_ &&
          std::ranges::all_of(ranks_, [](const Rank& each) { return each.hello.has_value(); })) {
        to_all(packed(ToPeer(Begin{})));
      }
    } else if (const auto* failed = std::get_if<Failed>(&message)) {
      end_early(fmt::format("{}: {}", place_of(rank, ranks_[rank].hello), failed->what));
    } else if (std::holds_alternative<Interrupt>(message)) {
      end_early({});
    } else if (std::holds_alternative<Drained>(message)) {
      ranks_[rank].ended = true;
      if (std::ranges::all_of(ranks_, &Rank::ended)) to_all(packed(ToWorker(End{})));
    }
  }
  void take(std::size_t rank, Left left) { ranks_[rank].left = std::move(left.bytes); }
  RaceResult result() {
    RaceResult result;
    result.error = error_;
    for (Rank& rank : ranks_) result.left.push_back(std::move(rank.left));
    return result;
  }

 private:
  struct Rank {
    std::optional<Hello> hello;
    bool ended = false;
    std::vector<std::uint8_t> left;
  };

  void to_all(const std::vector<std::uint8_t>& bytes) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) transport_.send(rank, bytes);
  }
  void end_early(std::string error) {
    if (ended_early_) return;  // the first cause is told: others may follow from it
    ended_early_ = true;
    error_ = std::move(error);
    to_all(packed(ToWorker(Stop{})));
  }

  const std::string& identity_;
  Transport& transport_;
  std::vector<Rank> ranks_;
  std::string error_;
  bool ended_early_ = false;
};

/// One rank, from its Hello to the End.
class RacingRank {
 public:
  RacingRank(const std::string& identity, Transport& transport, const std::atomic<bool>& stop,
             const RaceWork& work)
      : transport_(transport),
        stop_(stop),
        work_(work),
        exchange_(transport.rank(), transport.ranks()) {
    if (transport.rank() == 0) coordinator_.emplace(identity, transport);
    tell(hello_of(identity, transport));
  }
  ~RacingRank() { end_early(); }

  RaceResult run() {
    for (Pause pause; !over_;) pause.after(!step());
    RaceResult result = coordinator_ ? coordinator_->result() : RaceResult();
    result.complete = !ended_early_;
    return result;
  }

 private:
  struct Outcome {
    std::vector<std::uint8_t> left;
    std::string error;  ///< what it failed with, if it did
  };

  void tell(const ToLeader& message) { transport_.send(0, packed(message)); }

  /// Handles what has come. Returns false if there was nothing to do.
  bool step() {
    bool busy = false;
    while (const std::optional<Message> message = transport_.receive()) {
      busy = true;
      std::visit([&](auto&& one) { handle(message->from, std::move(one)); },
                 unpacked(message->bytes));
      if (over_) return true;  // what comes after the End is not the race's
    }
    for (Given& given : exchange_.take_to_send()) {
      busy = true;
      const std::vector<std::uint8_t> bytes = packed(ToPeer(std::move(given)));
      for (std::size_t rank = 0; rank < transport_.ranks(); ++rank) {
        if (rank != transport_.rank()) transport_.send(rank, bytes);
      }
    }
    if (stop_ && !std::exchange(told_, true)) tell(Interrupt{});
    if (running_.valid() && running_.wait_for(0s) == std::future_status::ready) {
      busy = true;
      Outcome outcome = running_.get();
      if (!outcome.error.empty() && !ended_early_) tell(Failed{outcome.error});
      transport_.send(0, packed(ToPeer(Left{std::move(outcome.left)})));
      tell(Drained{});
    }
    return busy;
  }

  void handle(std::size_t from, const ToLeader& message) {
    if (coordinator_) coordinator_->handle(from, message);
  }
  void handle(std::size_t, const ToWorker& message) {
    if (std::holds_alternative<Stop>(message)) {
      const bool first = !ended_early_;
      end_early();
      if (first && !begun_) tell(Drained{});
    } else if (std::holds_alternative<End>(message)) {
      over_ = true;
    } else if (std::holds_alternative<Shutdown>(message)) {
      throw ShutDownEarly();
    }
  }
  void handle(std::size_t from, ToPeer message) {
    if (auto* given = std::get_if<Given>(&message)) return exchange_.take(from, std::move(*given));
    if (auto* left = std::get_if<Left>(&message)) return coordinator_->take(from, std::move(*left));
    if (ended_early_) return;
    begun_ = true;
    running_ = std::async(std::launch::async, [&]() -> Outcome {
      try {
        return {work_(exchange_, end_now_), {}};
      } catch (...) {
        return {{}, current_error()};
      }
    });
  }
  void end_early() {
    ended_early_ = true;
    end_now_ = true;
    exchange_.end();
  }

  Transport& transport_;
  const std::atomic<bool>& stop_;
  const RaceWork& work_;
  Exchange exchange_;
  std::optional<Coordinator> coordinator_;
  std::atomic<bool> end_now_ = false;
  bool told_ = false, begun_ = false, ended_early_ = false, over_ = false;
  std::future<Outcome> running_;  ///< last: its destructor waits for what uses the others
};

}  // namespace

RaceResult race_on_ranks(const std::string& identity, Transport& transport,
                         const std::atomic<bool>& stop, const RaceWork& work) {
  return RacingRank(identity, transport, stop, work).run();
}

}  // namespace fpsynth::cluster
