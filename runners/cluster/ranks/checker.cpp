#include "runners/cluster/ranks/checker.hpp"

#include <fmt/core.h>

#include <exception>

#include "runners/cluster/ranks/part_search.hpp"
#include "runners/data/description.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cluster {

Checker::Checker(const Job& job)
    : job_(job), versions_(job.tasks.size()), thread_([this] { work(); }) {}

Checker::~Checker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Checker::check(Sums sums, std::vector<std::string> nodes) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(sums), std::move(nodes));
  }
  changed_.notify_all();
}

Checker::Results Checker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, {});
}

void Checker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock,
                  [&] { return ending_ || !queue_.empty() || next_task_ < job_.tasks.size(); });
    if (ending_) return;
    std::optional<std::pair<Sums, std::vector<std::string>>> received;
    const std::size_t task = next_task_;
    if (next_task_ < job_.tasks.size()) {  // first, because nothing is saved without it
      ++next_task_;
    } else {
      received = std::move(queue_.front());
      queue_.pop_front();
    }
    lock.unlock();
    std::string error;
    try {
      received ? compare(received->first, received->second) : describe(task);
    } catch (const std::exception& found) {
      error = found.what();
    }
    lock.lock();
    if (!error.empty()) {
      results_.errors.push_back(error);
      results_.refused += received.has_value();
    } else if (received) {
      results_.good.push_back(std::move(received->first));
    }
  }
}

const data::Input& Checker::input_of(std::size_t task) {
  if (!open_ || open_->first != task) {
    open_.reset();
    open_.emplace(task, job_.tasks[task].open());
  }
  return open_->second;
}

void Checker::describe(std::size_t task) {
  const data::Input& input = input_of(task);
  Described described{task, data::description_of(input, job_.tasks[task].precision),
                      input.version()};
  input.check_unchanged();
  versions_[task] = input.version();
  const std::lock_guard lock(mutex_);
  results_.described.push_back(std::move(described));
}

void Checker::compare(const Sums& sums, const std::vector<std::string>& nodes) {
  const data::Input& input = input_of(sums.task);
  if (input.version() != versions_[sums.task]) throw job_.tasks[sums.task].changed();
  for (std::size_t number = 0; number < sums.parts.size(); ++number) {
    const Sums::Part& part = sums.parts[number];
    for (std::size_t i = 0; i < part.pieces.size() && !nodes[number].empty(); ++i) {
      if (checksum_of(input, job_, sums.task, part.pieces[i]) == part.checksums[i]) continue;
      throw Error(fmt::format(
          "rank {} on node {} read other data of {} ({}) than rank 0, in chunks {} to {}: {} is "
          "not the same file on both; copy it again, or use a folder that the nodes share",
          part.rank, nodes[number], job_.tasks[sums.task].name,
          synth::to_string(job_.tasks[sums.task].precision), part.pieces[i].begin,
          part.pieces[i].end - 1, input.path().empty() ? input.name() : input.path().string()));
    }
  }
}

}  // namespace fpsynth::cluster
