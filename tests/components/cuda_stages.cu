// Each call copies its block to the device, runs the stage on one thread block and copies the
// result back.

#include "tests/components/cuda_stages.hpp"

#include <stdexcept>
#include <string>

#include "components/bind.hpp"
#include "components/teams/cuda.cuh"

namespace fpsynth::components {
namespace {

constexpr std::uint32_t kLanes = 256;
using Hardware = teams::CudaHardware<kLanes>;
using Team = teams::BlockTeam<Hardware>;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears it, so that no later call reports it
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// The places of blocks, scratch and team memory, in bytes from the begin of a thread block's
/// memory.
struct Layout {
  std::size_t in, out, out_bytes, scratch, items, team, bytes;

  /// For `in_bytes` bytes of input, a block of up to `items` bytes before or after the stage.
  Layout(std::size_t in_bytes, std::size_t block_bytes) : items(block_bytes) {
    bytes = 0;
    in = place(in_bytes);
    // A block grows by at most half, and a word at least.
    out_bytes = 2 * items + 64;
    out = place(out_bytes);
    scratch = place(scratch_bytes(items));
    team = place(Team::memory_bytes(items, kLanes));
  }

 private:
  /// The next `size` bytes, with slack in front and behind.
  std::size_t place(std::size_t size) {
    const std::size_t at = bytes + kBlockSlack;
    bytes = at + round_up_to_alignment(size) + kBlockSlack;
    return at;
  }
};

/// The result of a stage, on the device.
struct Outcome {
  Extent extent;
  bool good;
  teams::BlockCounts counts;
};

/// The arguments of a kernel.
struct Call {
  std::size_t words;  ///< of the block that is encoded, or was
  Extent extent;      ///< of what is decoded
  unsigned parameter;
  Layout layout;
  std::byte* memory;  ///< laid out so, on the device
  bool in_shared;     ///< work on a copy in shared memory, and copy it back
  Outcome* outcome;
};

__device__ void copy_block(const std::byte* from, std::byte* to, std::size_t bytes) {
  for (std::size_t i = threadIdx.x; i < bytes / sizeof(uint4); i += kLanes) {
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  }
}

/// A thread block runs a stage: in shared memory, where runners have their blocks and where alone
/// compute-sanitizer's racecheck looks, or in global memory.
template <class Stage>
__global__ void stage_kernel(const __grid_constant__ Call call) {
  std::byte* const memory = call.in_shared ? Hardware::shared() : call.memory;
  if (call.in_shared) {
    copy_block(call.memory, memory, call.layout.bytes);
    __syncthreads();
  }
  Team team(Hardware{}, memory + call.layout.team);
  const Outcome outcome = Stage::run(team, call, memory + call.layout.in, memory + call.layout.out,
                                     scratch_in(memory + call.layout.scratch, call.layout.items));
  __syncthreads();
  if (call.in_shared) copy_block(memory, call.memory, call.layout.bytes);
  if (threadIdx.x == 0) *call.outcome = outcome;
}

template <class Family, class W>
struct Encode {
  __device__ static Outcome run(Team& team, const Call& call, const std::byte* in, std::byte* out,
                                const Scratch& scratch) {
    return {Family::template encode<W>(team, reinterpret_cast<const W*>(in), call.words,
                                       reinterpret_cast<W*>(out), call.parameter, scratch),
            true,
            {}};
  }
};
template <class Family, class W>
struct Decode {
  __device__ static Outcome run(Team& team, const Call& call, const std::byte* in, std::byte* out,
                                const Scratch& scratch) {
    return {
        call.extent,
        Family::template decode<W>(team, reinterpret_cast<const W*>(in), call.extent,
                                   reinterpret_cast<W*>(out), call.words, call.parameter, scratch),
        {}};
  }
};
template <class Family, class W>
struct Measure {
  __device__ static Outcome run(Team& team, const Call& call, const std::byte* in, std::byte*,
                                const Scratch& scratch) {
    return {Family::template measure<W>(team, reinterpret_cast<const W*>(in), call.words,
                                        call.parameter, scratch),
            true,
            {}};
  }
};
template <class W>
struct Count {
  __device__ static Outcome run(Team& team, const Call& call, const std::byte* in, std::byte*,
                                const Scratch& scratch) {
    return {{}, true, count_block<W>(team, reinterpret_cast<const W*>(in), call.words, scratch)};
  }
};

/// Shared memory that a thread block may have.
std::size_t shared_per_block() {
  static const std::size_t bytes = [] {
    int most = 0;
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
          "its shared memory");
    return std::size_t(most);
  }();
  return bytes;
}

/// Memory of the device, poisoned.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) {
    check(cudaMalloc(&memory_, bytes), "device memory");
    if (const cudaError_t error = cudaMemset(memory_, 0xa5, bytes); error != cudaSuccess) {
      cudaFree(memory_);
      check(error, "device memory");
    }
  }
  ~DeviceBytes() { cudaFree(memory_); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// Runs a stage on the `in_bytes` bytes at `in`, in memory for blocks of up to `block_bytes` bytes.
/// `out` gets as many bytes as out_bytes(outcome) says.
template <class Stage, class OutBytes>
Outcome run_stage(const std::byte* in, std::size_t in_bytes, std::size_t block_bytes, Call call,
                  std::byte* out, OutBytes out_bytes) {
  const DeviceBytes memory(call.layout.bytes), outcome(sizeof(Outcome));
  call.memory = memory.data();
  call.outcome = reinterpret_cast<Outcome*>(outcome.data());
  call.in_shared = call.layout.bytes <= shared_per_block();
  check(cudaMemcpy(call.memory + call.layout.in, in, in_bytes, cudaMemcpyHostToDevice),
        "copy to the device");
  const Scratch scratch = scratch_in(call.memory + call.layout.scratch, block_bytes);
  for (std::uint64_t* mask : {scratch.mask, scratch.starts, scratch.runs}) {
    check(cudaMemset(mask - 1, 0, sizeof(*mask)), "device memory");
  }
  const auto* const entry = reinterpret_cast<const void*>(stage_kernel<Stage>);
  const std::size_t shared = call.in_shared ? call.layout.bytes : 0;
  check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
        "get shared memory");
  void* arguments[] = {&call};
  check(cudaLaunchKernel(entry, dim3(1), dim3(kLanes), arguments, shared, nullptr), "launch");
  Outcome host;
  check(cudaMemcpy(&host, call.outcome, sizeof(host), cudaMemcpyDeviceToHost),
        "stage on the device");
  check(cudaMemcpy(out, call.memory + call.layout.out, out_bytes(host), cudaMemcpyDeviceToHost),
        "copy from the device");
  return host;
}

// On the host, because the tests do not test these functions.
void serial_complement(const std::byte* in, std::size_t bytes, std::byte* out) {
  serial_stages().complement(in, bytes, out);
}
bool serial_verify(const std::byte* in, std::size_t bytes, std::byte* decoded) {
  return serial_stages().verify(in, bytes, decoded);
}

template <class W>
teams::BlockCounts count_on_device(const std::byte* in, std::size_t n, const Scratch&) {
  const std::size_t bytes = n * sizeof(W);
  const Call call{n, {}, 0, Layout(bytes, bytes)};
  return run_stage<Count<W>>(in, bytes, bytes, call, nullptr,
                             [](const Outcome&) { return std::size_t{0}; })
      .counts;
}

template <class Family, class W>
struct OnDevice {
  static Extent encode(const std::byte* in, std::size_t n, std::byte* out, unsigned parameter,
                       const Scratch&) {
    const std::size_t bytes = n * sizeof(W);
    const Call call{n, {}, parameter, Layout(bytes, bytes)};
    return run_stage<Encode<Family, W>>(
               in, bytes, bytes, call, out,
               [](const Outcome& outcome) { return outcome.extent.words * sizeof(W); })
        .extent;
  }
  static bool decode(const std::byte* in, Extent extent, std::byte* out, std::size_t n,
                     unsigned parameter, const Scratch&) {
    const std::size_t in_bytes = extent.words * sizeof(W), bytes = n * sizeof(W);
    const std::size_t longer = in_bytes > bytes ? in_bytes : bytes;
    const Call call{n, extent, parameter, Layout(in_bytes, longer)};
    return run_stage<Decode<Family, W>>(in, in_bytes, longer, call, out,
                                        [&](const Outcome&) { return bytes; })
        .good;
  }
  static Extent measure(const std::byte* in, std::size_t n, unsigned parameter, const Scratch&) {
    const std::size_t bytes = n * sizeof(W);
    const Call call{n, {}, parameter, Layout(bytes, bytes)};
    return run_stage<Measure<Family, W>>(in, bytes, bytes, call, nullptr,
                                         [](const Outcome&) { return std::size_t{0}; })
        .extent;
  }
  static constexpr StageOps ops{encode, decode, measure, MeasuredBy<Team, Family, W>::function,
                                nullptr};
};

}  // namespace

const StageTable* cuda_stages() {
  static const StageTable table("cuda", table_of<OnDevice>(),
                                {serial_complement,
                                 serial_verify,
                                 {count_on_device<std::uint8_t>, count_on_device<std::uint16_t>,
                                  count_on_device<std::uint32_t>, count_on_device<std::uint64_t>},
                                 {}});
  // The first device must exist, and the program must have code for it. This opens the device.
  cudaFuncAttributes attributes;
  const bool usable =
      cudaSetDevice(0) == cudaSuccess &&
      cudaFuncGetAttributes(&attributes, stage_kernel<Encode<Inv, std::uint64_t>>) == cudaSuccess;
  cudaGetLastError();
  return usable ? &table : nullptr;
}

}  // namespace fpsynth::components
