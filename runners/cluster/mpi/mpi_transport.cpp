#include "runners/cluster/mpi/mpi_transport.hpp"

#include <fmt/core.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth::cluster {
namespace {

/// Messages are at most this long for MPI, which counts in int; longer ones are of several parts.
constexpr std::size_t kPart = std::size_t{1} << 30;
constexpr int kWhole = 1, kMore = 2;  // tags: the last part of a message, or one that others follow

std::string name_of_node() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name;
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace

struct MpiTransport::Sending {
  std::vector<std::uint8_t> bytes;
  std::vector<MPI_Request> requests;

  bool done() {
    int all = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
    return all != 0;
  }
};

MpiTransport::MpiTransport(int* argc, char*** argv) {
  int provided = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw Error("MPI cannot be initialized; start the program with mpirun or srun");
  }
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Error(
        fmt::format("{} cannot be used by a program with threads; use a build of it with "
                    "MPI_THREAD_FUNNELED",
                    mpi_library()));
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank_ = static_cast<std::size_t>(rank);
  ranks_ = static_cast<std::size_t>(ranks);
  find_place();
}

void MpiTransport::find_place() {
  place_.node = name_of_node();
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, static_cast<int>(rank_), MPI_INFO_NULL,
                      &node);
  int local_rank = 0, local_ranks = 1;
  MPI_Comm_rank(node, &local_rank);
  MPI_Comm_size(node, &local_ranks);
  place_.local_rank = static_cast<std::size_t>(local_rank);
  place_.local_ranks = static_cast<std::size_t>(local_ranks);
  // Several ranks may be bound to one processor, or none to any.
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  std::vector<cpu_set_t> all(place_.local_ranks);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, node);
  double share = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &own)) continue;
    share += 1 / double(std::count_if(all.begin(), all.end(),
                                      [&](cpu_set_t& set) { return CPU_ISSET(cpu, &set); }));
  }
  place_.processors = std::max(1, static_cast<int>(share + 0.5));
  MPI_Comm_free(&node);
}

MpiTransport::~MpiTransport() {
  // A large message may not leave a rank before another receives it. Each rank receives what still
  // comes until all have sent what they had.
  own_.clear();
  const auto receive_until = [this](auto done) {
    for (Pause pause; !done();) pause.after(!receive());
  };
  receive_until([this] { return sending_.empty(); });
  MPI_Request barrier;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  receive_until([&] {
    int passed = 0;
    MPI_Test(&barrier, &passed, MPI_STATUS_IGNORE);
    return passed != 0;
  });
  MPI_Finalize();
}

void MpiTransport::send(std::size_t to, std::vector<std::uint8_t> bytes) {
  sending_.remove_if([](Sending& one) { return one.done(); });
  if (to == rank_) {
    own_.push_back({rank_, std::move(bytes)});
    return;
  }
  Sending& one = sending_.emplace_back();
  one.bytes = std::move(bytes);
  for (std::size_t begin = 0; begin == 0 || begin < one.bytes.size(); begin += kPart) {
    const std::size_t size = std::min(kPart, one.bytes.size() - begin);
    const int tag = begin + size == one.bytes.size() ? kWhole : kMore;
    MPI_Isend(one.bytes.data() + begin, static_cast<int>(size), MPI_BYTE, static_cast<int>(to), tag,
              MPI_COMM_WORLD, &one.requests.emplace_back());
  }
}

std::optional<Message> MpiTransport::receive() {
  if (!own_.empty()) {
    Message message = std::move(own_.front());
    own_.pop_front();
    return message;
  }
  int arrived = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
  if (!arrived) {
    sending_.remove_if([](Sending& one) { return one.done(); });
    return std::nullopt;
  }
  Message message;
  message.from = static_cast<std::size_t>(status.MPI_SOURCE);
  while (true) {
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    const std::size_t before = message.bytes.size();
    message.bytes.resize(before + static_cast<std::size_t>(size));
    const int tag = status.MPI_TAG;
    MPI_Recv(message.bytes.data() + before, size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (tag == kWhole) return message;
    MPI_Probe(static_cast<int>(message.from), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  }
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name;
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  const std::string text(name.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

}  // namespace fpsynth::cluster
