#pragma once
// The leader's reading of the data, on a thread of its own while the ranks walk: it describes each
// data set, and compares the bytes that ranks of other nodes have read with its own file.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "results/documents/data_set.hpp"
#include "runners/cluster/ranks/job.hpp"
#include "runners/cluster/ranks/messages.hpp"

namespace fpsynth::cluster {

class Checker {
 public:
  struct Described {
    std::size_t task = 0;
    results::DataSet data;
    std::string version;  ///< data::Input::version() of them
  };
  struct Results {
    std::vector<Described> described;
    std::vector<Sums> good;
    std::size_t refused = 0;  ///< sums whose check failed
    std::vector<std::string> errors;
  };

  /// Starts to describe all tasks, in their order. `job` must outlive it.
  explicit Checker(const Job& job);
  ~Checker();

  /// Compares the checksums of sums with those of this node's data. `nodes` names those of the
  /// ranks that walked them, by part; the parts without a name are not compared.
  void check(Sums sums, std::vector<std::string> nodes);
  /// The findings since the last call.
  Results take();

 private:
  void work();
  void describe(std::size_t task);
  void compare(const Sums& sums, const std::vector<std::string>& nodes);
  const data::Input& input_of(std::size_t task);

  const Job& job_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Sums, std::vector<std::string>>> queue_;
  std::size_t next_task_ = 0;  ///< to be described
  bool ending_ = false;
  Results results_;
  // Of the thread alone.
  std::optional<std::pair<std::size_t, data::Input>> open_;
  std::vector<std::string> versions_;  ///< of what was described, by task
  std::thread thread_;
};

}  // namespace fpsynth::cluster
