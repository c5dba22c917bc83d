#include "runners/cluster/ranks/rank.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "runners/cluster/ranks/messages.hpp"
#include "runners/cluster/ranks/worker.hpp"

namespace fpsynth::cluster {
namespace {

/// Messages of so many bytes or more are sums. They wait until nobody asks for work.
constexpr std::size_t kLarge = 64 << 10;

}  // namespace

RankResult run_rank(const Job& job, Transport& transport, const LeaderCallbacks& callbacks,
                    const std::atomic<bool>& stop) {
  Pause pause;
  std::optional<Leader> leader;
  if (transport.rank() == 0) leader.emplace(job, transport, callbacks, stop);
  Worker worker(job, transport);
  bool leads = leader.has_value(), works = true, told = leads;
  const auto handle = [&](const Message& message) {
    const AnyMessage any = unpacked(message.bytes);
    if (const auto* to_leader = std::get_if<ToLeader>(&any)) {
      if (leads) leader->handle(message.from, *to_leader);
      const auto* sums = std::get_if<Sums>(to_leader);
      if (!leader && sums) worker.handle_others(*sums);
    } else if (works) {
      worker.handle(std::get<ToWorker>(any));
      works = !worker.ended();
    }
  };
  std::deque<Message> waiting;              // large ones, and what their senders sent after them
  std::map<std::size_t, std::size_t> from;  // how many wait, by sender
  while (leads || works) {
    bool idle = true;
    while (std::optional<Message> message = transport.receive()) {
      idle = false;
      if (message->bytes.size() < kLarge && !from.contains(message->from)) {
        handle(*message);
      } else {
        ++from[message->from];
        waiting.push_back(std::move(*message));
      }
      if (!leads && !works) break;  // what comes after the End is not of this work
    }
    if (!waiting.empty()) {
      idle = false;
      const Message message = std::move(waiting.front());
      waiting.pop_front();
      if (--from[message.from] == 0) from.erase(message.from);
      handle(message);
    }
    if (stop && !told) transport.send(0, packed(ToLeader(Interrupt{})));
    told |= stop;
    if (leads) leads = leader->step();
    if (works) works = worker.step();
    pause.after(idle);
  }
  if (!leader) return {};
  return {leader->complete(), leader->error()};
}

void refuse_to_run(Transport& transport, const std::string& what) {
  transport.send(0, packed(ToLeader(Failed{what})));
}

void shut_down(Transport& transport) {
  for (std::size_t rank = 1; rank < transport.ranks(); ++rank) {
    transport.send(rank, packed(ToWorker(Shutdown{})));
  }
}

void wait_for_shutdown(Transport& transport) {
  // Told only if rank 0 still waits for this rank, and if it has not heard of another cause before.
  refuse_to_run(transport, "has ended; start all ranks with the same arguments");
  for (Pause pause;;) {
    const std::optional<Message> message = transport.receive();
    pause.after(!message);
    if (!message) continue;
    const AnyMessage any = unpacked(message->bytes);
    const auto* to_worker = std::get_if<ToWorker>(&any);
    if (to_worker && std::holds_alternative<Shutdown>(*to_worker)) return;
    if (to_worker && std::holds_alternative<Stop>(*to_worker)) {
      transport.send(0, packed(ToLeader(Drained{})));
    }
  }
}

}  // namespace fpsynth::cluster
