#pragma once
// Ranks that are threads.

#include <barrier>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runners/cluster/ranks.hpp"

namespace fpsynth::cluster {

class ThreadRanks final : public Ranks {
 public:
  struct Shared {
    explicit Shared(std::size_t count) : given(count), barrier(std::ptrdiff_t(count)) {}
    std::vector<Bytes> given;
    std::barrier<> barrier;
  };

  ThreadRanks(Shared& shared, std::size_t rank) : shared_(shared), rank_(rank) {
    place_.node = "node" + std::to_string(rank);
  }
  std::size_t rank() const override { return rank_; }
  std::size_t count() const override { return shared_.given.size(); }
  const Place& place() const override { return place_; }

 private:
  std::vector<Bytes> gathered(const Bytes& own, bool on_all) override {
    shared_.given[rank_] = own;
    shared_.barrier.arrive_and_wait();
    auto all = on_all || rank_ == 0 ? shared_.given : std::vector<Bytes>();
    shared_.barrier.arrive_and_wait();
    return all;
  }

  Shared& shared_;
  std::size_t rank_;
  Place place_;
};

/// Calls work(ranks) on so many ranks, and ends them as the program does: the error of one is told
/// to all. Returns the messages with which they ended, by rank; empty ones without an error.
template <class Work>
std::vector<std::string> on_ranks(std::size_t count, Work work) {
  ThreadRanks::Shared shared(count);
  std::vector<std::string> errors(count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadRanks ranks(shared, rank);
        try {
          work(ranks);
        } catch (const Error& error) {
          ranks.fail(error.what());
          errors[rank] = error.what();
        }
        if (const std::string error = ranks.end(); errors[rank].empty()) errors[rank] = error;
      });
    }
  }
  return errors;
}

}  // namespace fpsynth::cluster
