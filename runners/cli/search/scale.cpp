// fpsynth search --dry-run --nodes.

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "runners/cli/search/dry_run.hpp"
#include "runners/cli/studies.hpp"
#include "runners/cluster/ranks/part_search.hpp"
#include "runners/cluster/simulation.hpp"
#include "runners/data/description.hpp"
#include "runners/timing/timed_codec.hpp"
#include "synth/common/json.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::cli {
namespace {

/// The efficiency down to which a study is said to scale.
constexpr double kEfficient = 0.8;
/// More ranks than any cluster has.
constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 20;
/// Of each data set and precision, chunks are timed one by one for so long, but so many at most.
constexpr double kProbeSeconds = 1;
constexpr std::uint64_t kProbeChunks = 16;
/// Of the data, so many bytes show how fast rank 0 reads them.
constexpr std::size_t kDescribedBytes = std::size_t{16} << 20;

/// A data set in one precision, as it was measured.
struct Probed {
  cluster::SimulatedTask task;
  std::uint64_t bytes = 0;  ///< that are read of the data
  bool mapped = false;      ///< whether a rank reads only its part of them
  double open_seconds = 0;
};

/// Measurements of a study on one rank.
struct Measured {
  std::vector<Probed> tasks;
  std::uint64_t at_once = 1;
  std::string device;              ///< and how many threads of it
  double start_seconds = 0;        ///< of a piece, beside its chunks
  double choose_seconds = 0;       ///< of a rank, to choose the preludes of the largest task
  std::uint64_t memory_bytes = 0;  ///< of a rank
};

void walk(search::Engine& engine, std::span<const std::span<const std::byte>> chunks) {
  std::vector<std::uint8_t> finished(chunks.size());
  engine.walk(chunks, finished, {[] { return false; }, [](std::uint64_t) {}});
}

/// Seconds of chunks at equal distances, each while the engine is busy with others.
std::vector<double> chunk_seconds(search::Engine& engine, const data::Input& input,
                                  std::size_t chunk_words) {
  const std::size_t chunk = chunk_words * synth::word_bytes(input.native());
  const data::View view = input.view();
  const auto words = view.bytes.first(view.words * synth::word_bytes(input.native()));
  const std::uint64_t chunks = (words.size() + chunk - 1) / chunk;
  const auto spread = [&](std::uint64_t i, std::uint64_t count) {
    const std::uint64_t index = count <= chunks ? i * (chunks / count) : i % chunks;
    return words.subspan(index * chunk, std::min(chunk, words.size() - index * chunk));
  };
  std::vector<std::span<const std::byte>> busy;
  for (std::uint64_t i = 0; i < engine.at_once(); ++i) busy.push_back(spread(i, engine.at_once()));
  walk(engine, busy);  // allocates memory
  const double busy_seconds = timing::wall_seconds([&] { walk(engine, busy); });

  // Alone, chunks take less time than beside others; how they differ shows only then.
  const std::uint64_t most = std::min(chunks, kProbeChunks);
  std::vector<double> seconds;
  double sum = 0;
  for (std::uint64_t i = 0; i < most && (i < 2 || sum < kProbeSeconds); ++i) {
    const std::array one{spread(i, most)};
    seconds.push_back(std::max(timing::wall_seconds([&] { walk(engine, one); }), 1e-9));
    sum += seconds.back();
  }
  const double slower = busy_seconds * double(seconds.size()) / sum;
  if (engine.at_once() > 1) {
    for (double& one : seconds) one *= slower;
  }
  return seconds;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

/// The most memory that this process had: a rank has the same engine and the same inputs.
std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::uint64_t(usage.ru_maxrss) * 1024;
}

/// Measures what ranks do with the data sets of a study.
class Probe {
 public:
  explicit Probe(const DryRun& of)
      : of_(of), size_(synth::plan_size(of.space)), plan_(measurable(of.space)) {
    scale_ = double(size_.edges()) / double(plan_.edges());
    job_.plan = &plan_;
    job_.options.engine = of.make_engine;
    job_.options.verification = of.verification;
    job_.options.sample = of.sample;
  }

  Measured run() {
    for (const synth::Precision precision : of_.study.precisions) {
      engine_ = of_.make_engine(plan_, synth::word_bytes(precision), of_.mode());
      for (const data::StudyItem& item : of_.study.items) probe(item, precision);
    }
    found_.at_once = engine_->at_once();
    found_.device =
        engine_->backend() == "cpu"
            ? fmt::format("{} of {}", counted(engine_->threads(), "thread"), engine_->device())
            : engine_->device();
    // The plan and the walkers of a space that is too large to be measured have more leaves.
    const std::uint64_t more = size_.leaves - plan_.leaves().size();
    found_.memory_bytes = peak_memory() + more * 16 * std::uint64_t(engine_->threads() + 1);
    return found_;
  }
  const synth::PlanSize& size() const { return size_; }

 private:
  void probe(const data::StudyItem& item, synth::Precision precision) {
    std::optional<data::Input> native;
    Probed probed;
    probed.open_seconds = timing::wall_seconds([&] { native = item.open(); });
    const auto precisions = study::precisions_of(of_.study.precisions, *native);
    if (std::ranges::find(precisions, precision) == precisions.end()) return;
    const data::View view = native->view();
    if (view.words == 0) return;
    const std::size_t index = job_.tasks.size();
    job_.tasks.push_back({item.name, [native] { return *native; }, precision, view.words});
    cluster::SimulatedTask& task = probed.task;
    task.chunks = job_.chunks(index);
    // A part that has all there is to know: the conversion of terabytes would take long.
    const std::uint64_t part = std::min<std::uint64_t>(task.chunks, 4096);
    const data::Input input(item.name, cluster::bytes_of(*native, job_, index, {0, part}),
                            precision);
    const std::vector<double> seconds = chunk_seconds(*engine_, input, of_.space.chunk_words);
    if (index == 0) measure_start(mean(seconds));
    const double behind = double(1 + of_.finalists());
    for (const double one : seconds) task.chunk_seconds.push_back(one * scale_ * behind);
    task.cost = behind;
    task.sum_bytes = 8 * of_.space.size() * std::uint64_t(1 + of_.finalists());
    task.describe_seconds = describe_seconds(*native, index);
    const std::uint64_t sampled = std::min(of_.preludes.chunks, task.chunks);
    if (of_.with_preludes()) {
      const double chosen = mean(seconds) * scale_ * double(sampled * (1 + of_.candidates()));
      found_.choose_seconds = std::max(found_.choose_seconds, chosen / double(engine_->at_once()));
    }
    probed.mapped = native->mapped();
    probed.bytes = item.synthetic ? 0
                   : probed.mapped
                       ? std::min<std::uint64_t>(native->bytes().size(),
                                                 task.chunks * of_.space.chunk_words *
                                                     synth::word_bytes(native->native()))
                       : native->bytes().size();
    found_.tasks.push_back(std::move(probed));
  }

  /// Measures the time of a piece of one chunk beyond that of its chunk.
  void measure_start(double chunk_seconds) {
    search::SearchOptions options = job_.options;
    cluster::PartSearch search(job_, 0, {});
    double seconds = 1e300;
    for (int i = 0; i < 3; ++i) {
      seconds = std::min(seconds, timing::wall_seconds([&] { search.search({0, 1}, options); }));
    }
    found_.start_seconds = std::max(0.0, seconds - chunk_seconds) * scale_;
  }

  /// Seconds in which rank 0 describes the data and compares the checksums of other nodes.
  double describe_seconds(const data::Input& native, std::size_t index) const {
    const auto bytes = native.bytes().first(std::min(native.bytes().size(), kDescribedBytes));
    const auto part = data::Input::borrowed(native.name(), bytes, native.type());
    const double described =
        timing::wall_seconds([&] { data::description_of(part, job_.tasks[index].precision); });
    const std::uint64_t chunk = of_.space.chunk_words * synth::word_bytes(native.native());
    const std::uint64_t chunks =
        std::clamp<std::uint64_t>(kDescribedBytes / chunk, 1, job_.chunks(index));
    const double compared = timing::wall_seconds([&] {
      cluster::checksum_of(native, job_, index, {0, chunks});
    });
    return described * double(native.bytes().size()) / double(bytes.size()) +
           compared * double(job_.chunks(index)) / double(chunks);
  }

  const DryRun& of_;
  synth::PlanSize size_;
  synth::Plan plan_;
  double scale_ = 1;
  cluster::Job job_;
  std::unique_ptr<search::Engine> engine_;
  Measured found_;
};

/// Simulates the study on clusters of any size.
class Model {
 public:
  Model(const Measured& measured, const Nodes& nodes) : measured_(measured), nodes_(nodes) {
    for (const Probed& probed : measured.tasks) tasks_.push_back(probed.task);
  }

  cluster::SimulatedCluster cluster(std::uint64_t nodes) const {
    cluster::SimulatedCluster cluster;
    cluster.ranks = nodes * nodes_.ranks_each();
    cluster.at_once = measured_.at_once;
    cluster.start_seconds = measured_.start_seconds;
    for (const Probed& probed : measured_.tasks) {
      cluster.open_seconds = std::max(cluster.open_seconds, probed.open_seconds);
    }
    cluster.seed = 1;
    return cluster;
  }
  cluster::Simulation run(std::uint64_t nodes) const { return simulate(cluster(nodes), tasks_); }
  double efficiency(std::uint64_t nodes) const { return run(nodes).efficiency; }

  /// The most nodes on which it is efficient; 0 if it is not on one. They are found to a fortieth.
  std::uint64_t most_nodes() const {
    const std::uint64_t end = kMostRanks / nodes_.ranks_each();
    std::uint64_t good = 0, bad = nodes_.count;
    if (efficiency(nodes_.count) >= kEfficient) {
      for (good = nodes_.count, bad = 2 * good; efficiency(std::min(bad, end)) >= kEfficient;) {
        if (bad >= end) return end;
        good = bad;
        bad *= 2;
      }
    } else {
      while (good == 0 && bad > 1) {
        const std::uint64_t half = bad / 2;
        (efficiency(half) >= kEfficient ? good : bad) = half;
      }
    }
    while (good > 0 && bad - good > std::max<std::uint64_t>(1, good / 40)) {
      const std::uint64_t middle = good + (bad - good) / 2;
      (efficiency(middle) >= kEfficient ? good : bad) = middle;
    }
    return good;
  }

  /// The cause that keeps more nodes than these from being efficient: the one whose absence would
  /// help most.
  std::string limit(std::uint64_t nodes) const {
    const std::uint64_t more = std::max(nodes + 1, nodes + nodes / 20);
    struct Cause {
      std::string name;
      std::function<void(cluster::SimulatedCluster&, std::vector<cluster::SimulatedTask>&)> remove;
    };
    using Cluster = cluster::SimulatedCluster;
    using Tasks = std::vector<cluster::SimulatedTask>;
    const std::vector<Cause> causes = {
        {"rank 0 adds the sums of all ranks",
         [](Cluster& of, Tasks&) {
           of.network_bytes_per_second = of.added_bytes_per_second = 1e300;
         }},
        {"rank 0 answers all ranks",
         [](Cluster& of, Tasks&) { of.message_seconds = of.latency = 0; }},
        {"rank 0 reads all data for checksums",
         [](Cluster&, Tasks& tasks) {
           for (cluster::SimulatedTask& task : tasks) task.describe_seconds = 0;
         }},
        {"every rank opens the data", [](Cluster& of, Tasks&) { of.open_seconds = 0; }},
        {"every piece takes time to begin", [](Cluster& of, Tasks&) { of.start_seconds = 0; }}};
    Cluster ideal = cluster(more);
    Tasks ideal_tasks = tasks_;
    std::string name;
    double best = 0;
    for (const Cause& cause : causes) {
      Cluster without = cluster(more);
      Tasks tasks = tasks_;
      cause.remove(without, tasks);
      cause.remove(ideal, ideal_tasks);
      const double efficiency = simulate(without, tasks).efficiency;
      if (efficiency > best) name = cause.name, best = efficiency;
    }
    if (simulate(ideal, ideal_tasks).efficiency < kEfficient) return "too few chunks per thread";
    return name;
  }

 private:
  const Measured& measured_;
  Nodes nodes_;
  std::vector<cluster::SimulatedTask> tasks_;
};

/// "1.5 GB".
std::string bytes_text(std::uint64_t bytes) {
  const std::array units{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  double value = double(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return unit == 0 ? counted(bytes, "byte") : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace

void dry_run_on_nodes(const DryRun& of, const Nodes& nodes, bool json) {
  Probe probe(of);
  const Measured measured = probe.run();
  const Model model(measured, nodes);
  const cluster::SimulatedCluster cluster = model.cluster(nodes.count);
  const cluster::Simulation found = model.run(nodes.count);
  const std::uint64_t most = model.most_nodes();
  const bool everywhere = (most + 1) * nodes.ranks_each() > kMostRanks;
  const std::string limit = everywhere ? "" : model.limit(most);

  std::uint64_t chunks = 0, read = 0, read_by_leader = 0;
  double sum = 0, squares = 0;  // of the times of chunks, each relative to the mean of its task
  std::uint64_t timed = 0;
  for (std::size_t i = 0; i < measured.tasks.size(); ++i) {
    const Probed& probed = measured.tasks[i];
    chunks += probed.task.chunks;
    read += probed.mapped ? probed.bytes : probed.bytes * found.opened[i];
    read_by_leader += probed.bytes;
    const double average = mean(probed.task.chunk_seconds);
    for (const double seconds : probed.task.chunk_seconds) {
      squares += (seconds / average - 1) * (seconds / average - 1);
      ++timed;
    }
    sum += average * double(probed.task.chunks);
  }
  const double average = sum / double(std::max<std::uint64_t>(chunks, 1));
  const double variation = std::sqrt(squares / double(std::max<std::uint64_t>(timed, 1)));
  const double per_rank = double(chunks) / double(cluster.ranks);
  const double seconds = found.seconds + measured.choose_seconds;
  if (json) {
    const nlohmann::ordered_json line = {
        {"nodes", nodes.count},
        {"gpus_per_node", nodes.gpus},
        {"ranks", cluster.ranks},
        {"rank", measured.device},
        {"chunks_at_once", measured.at_once},
        {"chunk_seconds", average},
        {"chunk_seconds_variation", variation},
        {"chunks_timed", timed},
        {"chunks", chunks},
        {"chunks_per_rank", per_rank},
        {"seconds", seconds},
        {"efficiency", found.efficiency},
        {"memory_bytes_per_rank", measured.memory_bytes},
        {"bytes_read", read},
        {"bytes_read_by_rank_0", read_by_leader},
        {"bytes_of_sums_to_rank_0", found.bytes_to_leader},
        {"messages_to_rank_0", found.messages},
        {"most_nodes", everywhere ? nlohmann::ordered_json() : nlohmann::ordered_json(most)},
        {"limit", everywhere ? nlohmann::ordered_json() : nlohmann::ordered_json(limit)}};
    write_output_text(json_text(line) + "\n");
  } else {
    std::string text = fmt::format(
        "plan: {} distinct pipelines, {} stages to run per chunk\n"
        "nodes: {} like this one, {} in all, each on {}\n",
        probe.size().leaves, probe.size().edges(), nodes.count, counted(cluster.ranks, "rank"),
        measured.device);
    text += fmt::format(
        "chunks: {}, {:.1f} per rank, {:.1f} per {}; {:.4f} s each, +- {:.0f} % ({} timed)\n",
        chunks, per_rank, per_rank / double(measured.at_once),
        nodes.gpus > 0 ? "chunk that it walks at once" : "thread", average, 100 * variation, timed);
    text += fmt::format("time: {}{}, efficiency {:.0f} %\n", of.with_preludes() ? "at most " : "",
                        study::duration(seconds), 100 * found.efficiency);
    text += fmt::format("memory: {} per rank\n", bytes_text(measured.memory_bytes));
    text += fmt::format("read: {} by all ranks together, and {} by rank 0 for checksums\n",
                        bytes_text(read), bytes_text(read_by_leader));
    text += fmt::format("sums: {} to rank 0, which receives {}\n",
                        bytes_text(found.bytes_to_leader), counted(found.messages, "message"));
    if (everywhere) {
      text += fmt::format("limit: none up to {} nodes\n", most);
    } else if (most == 0) {
      text += fmt::format("limit: no node is {:.0f} % efficient, because {}\n", 100 * kEfficient,
                          limit);
    } else {
      text += fmt::format("limit: {} with an efficiency of {:.0f} % or more; with more, {}\n",
                          counted(most, "node"), 100 * kEfficient, limit);
    }
    write_output_text(text);
  }
  probe.size().check(of.space);  // as the search would
}

}  // namespace fpsynth::cli
