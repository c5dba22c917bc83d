#pragma once
// Ranks as threads of one process, which send each other messages through queues.

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runners/cluster/transport.hpp"

namespace fpsynth::cluster {

/// A node of its own for each rank.
inline std::vector<std::string> nodes(std::size_t ranks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranks; ++i) names.push_back("node" + std::to_string(i));
  return names;
}

/// The queues of all ranks.
struct Mailboxes {
  explicit Mailboxes(std::size_t ranks) : queues(ranks) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> queues;
};

class MailboxTransport final : public Transport {
 public:
  MailboxTransport(Mailboxes& mailboxes, std::size_t rank, std::string node)
      : mailboxes_(mailboxes), rank_(rank), place_{std::move(node), 0, 1, 1} {}

  std::size_t rank() const override { return rank_; }
  std::size_t ranks() const override { return mailboxes_.queues.size(); }
  const Place& place() const override { return place_; }
  void send(std::size_t to, std::vector<std::uint8_t> bytes) override {
    const std::lock_guard lock(mailboxes_.mutex);
    mailboxes_.queues[to].push_back({rank_, std::move(bytes)});
    if (sent) sent(mailboxes_.queues[to].back());
  }
  std::optional<Message> receive() override {
    const std::lock_guard lock(mailboxes_.mutex);
    auto& queue = mailboxes_.queues[rank_];
    if (queue.empty()) return std::nullopt;
    Message message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

  std::function<void(Message&)> sent;  ///< may change what is sent

 private:
  Mailboxes& mailboxes_;
  std::size_t rank_;
  Place place_;
};

/// Calls rank(transport) for each rank on a thread of its own. `nodes`: the name of each one's
/// node.
template <class Rank>
void on_ranks(const std::vector<std::string>& nodes, Rank rank) {
  Mailboxes mailboxes(nodes.size());
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    threads.emplace_back([&, number] {
      MailboxTransport transport(mailboxes, number, nodes[number]);
      rank(transport);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace fpsynth::cluster
