// The leader and its workers. Documents are those of a search by one process, whatever the ranks
// are, and finished work is kept, whatever goes wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "results/documents/document_file.hpp"
#include "runners/cluster/ranks/messages.hpp"
#include "runners/cluster/ranks/part_search.hpp"
#include "runners/cluster/ranks/rank.hpp"
#include "tests/runners/cluster/mailboxes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::cluster {
namespace {

using search::small_plan;
using synth::Precision;
using tests::contains;
using tests::message_of;

/// Chunks that compress unequally, and a tail of 5 bytes, of which singles make a word and a tail.
data::Input varied(std::size_t chunks, std::uint64_t seed) {
  std::vector<std::byte> bytes;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const auto content = static_cast<testing::Content>((chunk + seed) % 4);
    const auto block = testing::make_block(content, 8, chunk + 1 < chunks ? 1024 : 333);
    bytes.insert(bytes.end(), block.begin(), block.end());
  }
  for (int i = 1; i <= 5; ++i) bytes.push_back(std::byte(i));
  return data::Input("varied" + std::to_string(seed), std::move(bytes), Precision::Double);
}

/// A cluster whose ranks are threads, and the folder of its documents.
struct Cluster {
  explicit Cluster(std::size_t chunks = 7) {
    job.identity = "study";
    job.plan = &small_plan();
    job.options.engine = search::cpu_engine(1, components::default_stages(), true);
    add(varied(chunks, 1), Precision::Double);
    add(varied(chunks, 1), Precision::Single);
    add(varied(2, 2), Precision::Double);
  }

  void add(const data::Input& stored, Precision precision) {
    inputs.push_back(stored);
    job.tasks.push_back(
        {stored.name(), [stored] { return stored; }, precision, stored.in(precision).view().words});
  }

  /// Runs ranks on these nodes and returns how it ended. `change` may change a rank's job.
  RankResult run(const std::vector<std::string>& nodes,
                 const std::function<void(std::size_t rank, Job&)>& change = {},
                 const std::function<void(MailboxTransport&)>& tap = {}) {
    RankResult result;
    on_ranks(nodes, [&](MailboxTransport& transport) {
      Job own = job;
      if (change) change(transport.rank(), own);
      if (tap) tap(transport);
      LeaderCallbacks callbacks;
      callbacks.earlier = [&](std::size_t task) { return saved[task]; };
      callbacks.save = [&](std::size_t task, const results::Document& document) {
        results::validate(document);
        if (full_disk) throw Error("cannot write: No space left on device");
        saved[task] = document;
        if (on_save) on_save();
      };
      callbacks.done = [&](std::size_t task, const results::Document&, bool already) {
        (already ? had : done).push_back(task);
      };
      callbacks.progress = [&](const search::Progress& progress) {
        EXPECT_LE(progress.chunks_done, progress.chunks_total);
      };
      const RankResult ended = run_rank(own, transport, callbacks, stop);
      if (transport.rank() == 0) result = ended;
    });
    return result;
  }

  /// Compares a document with a search by one process, except for the description of the run.
  void expect_whole() {
    for (std::size_t task = 0; task < job.tasks.size(); ++task) {
      const results::Document expected = search::search_with_preludes(
          inputs[task].in(job.tasks[task].precision), small_plan(), job.preludes, job.options);
      ASSERT_TRUE(saved[task]);
      results::Document document = *saved[task];
      EXPECT_GT(document.run.seconds, 0);
      document.run.seconds = expected.run.seconds;
      document.run.pipeline_bytes_per_second = expected.run.pipeline_bytes_per_second;
      document.run.threads = expected.run.threads;
      document.run.device = expected.run.device;
      document.run.backend = expected.run.backend;
      EXPECT_EQ(document, expected) << job.tasks[task].name;
    }
  }

  Job job;
  std::vector<data::Input> inputs;
  std::map<std::size_t, std::optional<results::Document>> saved;
  std::vector<std::size_t> done, had;
  std::atomic<bool> stop = false;
  bool full_disk = false;
  std::function<void()> on_save;
};

std::vector<std::string> one_node(std::size_t ranks) {
  return std::vector<std::string>(ranks, "node");
}

TEST(Cluster, DocumentsAreThoseOfOneProcess) {
  for (const std::size_t ranks : {1, 2, 4, 8}) {
    Cluster cluster;
    const RankResult result = cluster.run(ranks % 4 == 0 ? nodes(ranks) : one_node(ranks));
    EXPECT_TRUE(result.complete) << result.error;
    EXPECT_EQ(cluster.done.size(), 3u);
    cluster.expect_whole();
  }
}

TEST(Cluster, ManyRanksAddUpTheirSumsInATree) {
  // Again if, by chance, a few ranks have walked all before the others asked.
  for (int to_leader = 0, to_others = 0; to_others == 0;) {
    Cluster cluster(60);
    const RankResult result = cluster.run(nodes(23), {}, [&](MailboxTransport& transport) {
      if (transport.rank() != 0) return;
      transport.sent = [&](Message& message) {
        const AnyMessage any = unpacked(message.bytes);
        const auto* to_worker = std::get_if<ToWorker>(&any);
        const auto* flush = to_worker ? std::get_if<Flush>(to_worker) : nullptr;
        if (flush) ++(flush->to == 0 ? to_leader : to_others);
      };
    });
    EXPECT_TRUE(result.complete) << result.error;
    EXPECT_LE(to_leader, 3 * 5);  // four for each task, and rank 0's own
    to_leader = 0;
    cluster.expect_whole();
  }
}

TEST(Cluster, DocumentsAreThoseOfOneProcessOnDevices) {
  for (const std::size_t ranks : {1, 3}) {
    Cluster cluster(4);
    cluster.job.options.engine = search::engine_on<device::EmulatedDevice>({{}});
    EXPECT_TRUE(cluster.run(nodes(ranks)).complete);
    cluster.job.options.engine = search::cpu_engine(1, components::default_stages(), true);
    cluster.expect_whole();
  }
}

TEST(Cluster, RanksMayDiffer) {
  Cluster cluster;
  const RankResult result = cluster.run(nodes(3), [](std::size_t rank, Job& job) {
    if (rank == 1) job.options.engine = search::engine_on<device::EmulatedDevice>({{}});
    if (rank == 2) job.options.engine = search::cpu_engine(3, components::default_stages(), true);
  });
  EXPECT_TRUE(result.complete) << result.error;
  EXPECT_TRUE(contains(cluster.saved[0]->run.backend, "cpu"));
  cluster.expect_whole();
}

TEST(Cluster, SamplesAndVerifiesAsOneProcess) {
  for (const char* verification : {"none", "all", "top=3"}) {
    for (const std::uint64_t sample : {1, 3}) {
      Cluster cluster;
      cluster.job.options.sample = sample;
      cluster.job.options.verification = search::Verification::parse(verification);
      EXPECT_TRUE(cluster.run(nodes(3)).complete);
      cluster.expect_whole();
    }
  }
}

TEST(Cluster, SearchesPreludes) {
  for (const char* verification : {"none", "all", "top=2"}) {
    Cluster cluster(4);
    cluster.job.preludes.request = synth::PreludeRequest::parse("LAGs:1, DICT, LAGx:700");
    cluster.job.options.verification = search::Verification::parse(verification);
    const RankResult result = cluster.run(nodes(3));
    EXPECT_TRUE(result.complete) << result.error;
    cluster.expect_whole();
  }
}

TEST(Cluster, ReportsPipelinesThatDoNotDecode) {
  Cluster cluster;
  const search::BrokenInversion broken;
  const components::StageTable table = broken.table();
  cluster.job.options.stages = &table;
  cluster.job.options.engine = search::cpu_engine(1, table, true);
  EXPECT_TRUE(cluster.run(nodes(2)).complete);
  EXPECT_GT(cluster.saved[0]->failed.size(), 0u);
  cluster.expect_whole();
}

TEST(Cluster, ContinuesWithAnotherNumberOfRanks) {
  for (const char* preludes : {"none", "LAGs:1"}) {
    Cluster cluster(40);
    cluster.job.preludes.request = synth::PreludeRequest::parse(preludes);
    // Stopped when half of the walks of the first run were reported.
    std::atomic<int> walked = 0;
    const auto tap = [&](MailboxTransport& transport) {
      transport.sent = [&](Message& message) {
        const AnyMessage any = unpacked(message.bytes);
        const auto* to_leader = std::get_if<ToLeader>(&any);
        if (to_leader && std::holds_alternative<Walked>(*to_leader) && ++walked == 4) {
          cluster.stop = true;
        }
      };
    };
    const RankResult first = cluster.run(nodes(2), {}, tap);
    EXPECT_FALSE(first.complete);
    EXPECT_EQ(first.error, "");
    std::uint64_t kept = 0;
    for (const auto& [task, document] : cluster.saved) {
      if (document) kept += document->run.chunks_done;
    }
    EXPECT_GT(kept, 0u);
    cluster.stop = false;
    const RankResult second = cluster.run(nodes(4));
    EXPECT_TRUE(second.complete) << second.error;
    cluster.expect_whole();
    // There is nothing left to do.
    cluster.done.clear(), cluster.had.clear();
    EXPECT_TRUE(cluster.run(nodes(2)).complete);
    EXPECT_EQ(cluster.had.size(), 3u);
    EXPECT_TRUE(cluster.done.empty());
  }
}

TEST(Cluster, ASignalOnAnyRankEndsIt) {
  Cluster cluster(200);
  std::atomic<bool> stop_other = false;
  RankResult result;
  on_ranks(nodes(2), [&](MailboxTransport& transport) {
    LeaderCallbacks callbacks;
    callbacks.earlier = [](std::size_t) { return std::nullopt; };
    callbacks.save = [](std::size_t, const results::Document&) {};
    callbacks.done = [](std::size_t, const results::Document&, bool) {};
    const std::atomic<bool> never = false;
    if (transport.rank() == 1) stop_other = true;
    const RankResult ended =
        run_rank(cluster.job, transport, callbacks, transport.rank() == 1 ? stop_other : never);
    if (transport.rank() == 0) result = ended;
  });
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.error, "");
}

TEST(Cluster, ARankThatFailsIsNamedAndTheRestIsKept) {
  Cluster cluster(60);
  const RankResult result = cluster.run(nodes(3), [](std::size_t rank, Job& job) {
    if (rank != 2) return;
    for (Task& task : job.tasks) {
      task.open = []() -> data::Input { throw Error("cannot read x.f64: Input/output error"); };
    }
  });
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.error, "rank 2 on node node2: cannot read x.f64: Input/output error");
  const RankResult resumed = cluster.run(nodes(2));
  EXPECT_TRUE(resumed.complete) << resumed.error;
  cluster.expect_whole();
}

TEST(Cluster, ARankWhoseEngineFailsIsNamed) {
  Cluster cluster;
  const RankResult result = cluster.run(nodes(2), [](std::size_t rank, Job& job) {
    if (rank != 1) return;
    job.options.engine = [](const synth::Plan&, std::size_t,
                            search::Mode) -> std::unique_ptr<search::Engine> {
      throw device::DeviceError("GPU 1 has fallen off the bus");
    };
  });
  EXPECT_EQ(result.error, "rank 1: GPU 1 has fallen off the bus");
}

/// The result of rank 0 if rank 1 does `other` in place of the work.
template <class Other>
RankResult result_beside(Other other) {
  Cluster cluster(40);
  RankResult result;
  on_ranks(nodes(2), [&](MailboxTransport& transport) {
    if (transport.rank() == 1) {
      other(transport);
      return wait_for_shutdown(transport);
    }
    LeaderCallbacks callbacks;
    callbacks.earlier = [](std::size_t) { return std::nullopt; };
    callbacks.save = [](std::size_t, const results::Document&) {};
    callbacks.done = [](std::size_t, const results::Document&, bool) {};
    const std::atomic<bool> never = false;
    result = run_rank(cluster.job, transport, callbacks, never);
    shut_down(transport);
  });
  EXPECT_FALSE(result.complete);
  return result;
}

TEST(Cluster, ARankThatCannotStartIsNamed) {
  const RankResult result = result_beside(
      [](Transport& transport) { refuse_to_run(transport, "cannot read study.json"); });
  EXPECT_EQ(result.error, "rank 1: cannot read study.json");
}

TEST(Cluster, ARankThatHasEndedIsNamed) {
  const RankResult result = result_beside([](Transport&) {});
  EXPECT_EQ(result.error, "rank 1: has ended; start all ranks with the same arguments");
}

TEST(Cluster, RankZeroMayShutDownBeforeTheEnd) {
  Cluster cluster(40);
  on_ranks(nodes(3), [&](MailboxTransport& transport) {
    if (transport.rank() == 0) return shut_down(transport);
    const std::atomic<bool> never = false;
    EXPECT_THROW(run_rank(cluster.job, transport, {}, never), ShutDownEarly);
  });
}

TEST(Cluster, FilesThatDifferBetweenNodesAreRefused) {
  for (const char* preludes : {"none", "LAGs:1"}) {
    Cluster cluster(30);
    cluster.job.preludes.request = synth::PreludeRequest::parse(preludes);
    const auto change = [](std::size_t rank, Job& job) {
      if (rank != 1) return;
      for (Task& task : job.tasks) {
        const data::Input good = task.open();
        std::vector<std::byte> bytes(good.bytes().begin(), good.bytes().end());
        for (std::size_t i = 0; i < bytes.size(); i += 4096) bytes[i] ^= std::byte{1};
        const data::Input bad(good.name(), bytes, good.native());
        task.open = [bad] { return bad; };
      }
    };
    const RankResult result = cluster.run(nodes(2), change);
    EXPECT_FALSE(result.complete);
    EXPECT_TRUE(contains(result.error, "the same")) << result.error;
    EXPECT_TRUE(contains(result.error, "varied")) << result.error;
    cluster.saved.clear();
    EXPECT_TRUE(cluster.run(nodes(2)).complete);
    cluster.expect_whole();
  }
}

TEST(Cluster, PreludesAreUndone) {
  Cluster cluster;
  cluster.job.preludes.request = synth::PreludeRequest::parse("LAGs:1");
  std::atomic<int> undone = 0;
  cluster.job.preludes.restores = [&](const auto&, const auto&, const auto&) {
    ++undone;
    return false;
  };
  EXPECT_TRUE(cluster.run(nodes(2)).complete);
  EXPECT_EQ(undone, 3);  // one prelude of each of three documents
  for (const auto& [task, document] : cluster.saved) {
    EXPECT_EQ(document->failed.size(), document->space.pipelines()) << task;
    EXPECT_EQ(document->run.failures, 1u) << task;
  }
}

TEST(Cluster, OtherVersionsAndStudiesAreRefused) {
  Cluster cluster;
  const RankResult other_study = cluster.run(
      nodes(2), [](std::size_t rank, Job& job) { job.identity = rank ? "another" : "study"; });
  EXPECT_TRUE(contains(other_study.error, "rank 1 on node node1 was started for another search"))
      << other_study.error;

  const auto tap = [](MailboxTransport& transport) {
    if (transport.rank() == 0) return;
    transport.sent = [](Message& message) {
      const AnyMessage any = unpacked(message.bytes);
      const auto* to_leader = std::get_if<ToLeader>(&any);
      const auto* hello = to_leader ? std::get_if<Hello>(to_leader) : nullptr;
      if (!hello) return;
      Hello older = *hello;
      older.version = "0.0.1";
      message.bytes = packed(ToLeader(older));
    };
  };
  const RankResult other_version = cluster.run(nodes(2), {}, tap);
  EXPECT_TRUE(contains(other_version.error, "rank 1 on node node1 runs fpsynth 0.0.1"))
      << other_version.error;
  EXPECT_TRUE(contains(other_version.error, "install one version on all nodes"));
}

TEST(Cluster, AnEarlierSearchOfOtherDataIsRefused) {
  Cluster cluster;
  EXPECT_TRUE(cluster.run(nodes(2)).complete);
  const results::Document before = *cluster.saved[0];
  cluster.saved[0]->data.xxh3 = "0123456789abcdef";
  cluster.saved[1]->run.complete = false;
  EXPECT_TRUE(contains(cluster.run(nodes(2)).error, "version of the data"));
  EXPECT_EQ(cluster.saved[0]->payload_bytes, before.payload_bytes);
}

TEST(Cluster, AFullDiskEndsItWithItsMessage) {
  Cluster cluster(20);
  cluster.full_disk = true;
  const RankResult result = cluster.run(nodes(2));
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.error, "cannot write: No space left on device");
}

TEST(Cluster, MessagesThatAreNoneAreRefused) {
  const std::string message = message_of([] { unpacked({1, 2, 3}); });
  EXPECT_TRUE(contains(message, "different versions of the program")) << message;
}

TEST(PartSearch, ReadsTheChunksOfTheConvertedWhole) {
  const data::Input stored = varied(5, 3);
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    for (const std::uint64_t sample : {1, 2}) {
      Cluster cluster;
      cluster.job.tasks.clear();
      cluster.add(stored, precision);
      cluster.job.options.sample = sample;
      const data::Input whole = stored.in(precision);
      std::vector<std::byte> expected = search::sampled(whole, sample);
      expected.resize(expected.size() - whole.view().tail);
      std::vector<std::byte> bytes;
      for (std::uint64_t chunk = 0; chunk < cluster.job.chunks(0); ++chunk) {
        const auto one = bytes_of(stored, cluster.job, 0, {chunk, chunk + 1});
        bytes.insert(bytes.end(), one.begin(), one.end());
      }
      EXPECT_EQ(bytes, expected);
      EXPECT_EQ(bytes_of(stored, cluster.job, 0, {0, cluster.job.chunks(0)}), expected);
    }
  }
}

}  // namespace
}  // namespace fpsynth::cluster
