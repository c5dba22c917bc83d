#include "runners/cluster/mpi/mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "synth/common/raise.hpp"

namespace fpsynth::cluster {
namespace {

/// Bytes of one call of MPI, which counts in int.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

/// Waits for an operation, looking for its end less and less often: a thread of the walk of another
/// rank may have the same processor, and waiting inside MPI would take all of it.
void wait(MPI_Request& request) {
  constexpr std::chrono::microseconds kLongest{1600};
  std::chrono::microseconds pause{20};
  for (int done = 0;; pause = std::min(2 * pause, kLongest)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return;
    std::this_thread::sleep_for(pause);
  }
}

std::string name_of_node() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name;
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace

MpiRanks::MpiRanks(int* argc, char*** argv) {
  int provided = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw Error("MPI cannot be initialized; start the program with mpirun or srun");
  }
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    raise("{} cannot be used by a program with threads; use a build of it with MPI_THREAD_FUNNELED",
          mpi_library());
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank_ = static_cast<std::size_t>(rank);
  count_ = static_cast<std::size_t>(ranks);
  find_place();
}

void MpiRanks::find_place() {
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

MpiRanks::~MpiRanks() { MPI_Finalize(); }

std::vector<Ranks::Bytes> MpiRanks::gathered(const Bytes& own, bool on_all) {
  const std::uint64_t size = own.size();
  std::vector<std::uint64_t> sizes(count_);
  MPI_Request request;
  MPI_Iallgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
  wait(request);
  std::vector<Bytes> all;
  if (on_all || rank_ == 0) {
    for (const std::uint64_t each : sizes) all.emplace_back(each);
  }
  const std::size_t piece = std::max<std::size_t>(1, kMostAtOnce / count_);
  const std::uint64_t longest = *std::ranges::max_element(sizes);
  for (std::uint64_t begin = 0; begin < longest; begin += piece) {
    std::vector<int> lengths, places;
    int total = 0;
    for (const std::uint64_t each : sizes) {
      lengths.push_back(
          static_cast<int>(std::min<std::uint64_t>(piece, each - std::min(begin, each))));
      places.push_back(total);
      total += lengths.back();
    }
    Bytes pieces(all.empty() ? 0 : static_cast<std::size_t>(total));
    const std::uint8_t* const from = own.data() + std::min(begin, size);
    if (on_all) {
      MPI_Iallgatherv(from, lengths[rank_], MPI_BYTE, pieces.data(), lengths.data(), places.data(),
                      MPI_BYTE, MPI_COMM_WORLD, &request);
    } else {
      MPI_Igatherv(from, lengths[rank_], MPI_BYTE, pieces.data(), lengths.data(), places.data(),
                   MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    }
    wait(request);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      std::copy_n(pieces.begin() + places[rank], lengths[rank],
                  all[rank].begin() + std::ptrdiff_t(std::min(begin, sizes[rank])));
    }
  }
  return all;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name;
  int length = 0;
  MPI_Get_library_version(name.data(), &length);
  const std::string text(name.data(), static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(",\n"));
}

}  // namespace fpsynth::cluster
