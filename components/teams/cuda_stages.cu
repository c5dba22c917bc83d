// The stage table of the cuda team, for tests: each call copies its block to the device, runs the
// stage on one thread block and copies the result back.

#include <stdexcept>
#include <string>
#include <utility>

#include "components/bind.hpp"
#include "components/teams/cuda.cuh"

namespace fpsynth::components {
namespace {

constexpr std::size_t kLanes = 256;
using Hardware = teams::CudaHardware<kLanes>;
using Team = teams::BlockTeam<Hardware>;

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
  }
}

/// A stage's return value, in device memory.
struct Outcome {
  Extent extent;
  bool good;
};

template <class Family, class W>
__global__ void encode_kernel(const W* in, std::size_t n, W* out, unsigned parameter,
                              Scratch scratch, std::byte* memory, Outcome* outcome) {
  Team team(Hardware{}, memory);
  const Extent extent = Family::template encode<W>(team, in, n, out, parameter, scratch);
  if (threadIdx.x == 0) *outcome = {extent, true};
}
template <class Family, class W>
__global__ void decode_kernel(const W* in, Extent extent, W* out, std::size_t n, unsigned parameter,
                              Scratch scratch, std::byte* memory, Outcome* outcome) {
  Team team(Hardware{}, memory);
  const bool good = Family::template decode<W>(team, in, extent, out, n, parameter, scratch);
  if (threadIdx.x == 0) *outcome = {extent, good};
}
template <class Family, class W>
__global__ void measure_kernel(const W* in, std::size_t n, unsigned parameter, Scratch scratch,
                               std::byte* memory, Outcome* outcome) {
  Team team(Hardware{}, memory);
  const Extent extent = Family::template measure<W>(team, in, n, parameter, scratch);
  if (threadIdx.x == 0) *outcome = {extent, true};
}

/// Device memory for one stage on blocks of up to `bytes` bytes; freed at the end of the call.
class Device {
 public:
  Device(const std::byte* in, std::size_t in_bytes, std::size_t items) {
    in_ = allocate(in_bytes + 2 * kBlockSlack) + kBlockSlack;
    // A block grows by at most half of its length, or by one word if that is more.
    out_bytes_ = items * 2 + 64;
    out_ = allocate(out_bytes_ + 2 * kBlockSlack) + kBlockSlack;
    scratch = scratch_in(allocate(scratch_bytes(items) + kBlockAlignment), items);
    for (std::uint64_t* mask : {scratch.mask, scratch.starts, scratch.runs}) {
      check(cudaMemset(mask - 1, 0, sizeof(*mask)), "device memory");
    }
    memory = allocate(Team::memory_bytes(items, kLanes));
    outcome = reinterpret_cast<Outcome*>(allocate(sizeof(Outcome)));
    check(cudaMemcpy(in_, in, in_bytes, cudaMemcpyHostToDevice), "copy to the device");
  }
  ~Device() { free(); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  template <class W>
  const W* in() const {
    return reinterpret_cast<const W*>(in_);
  }
  template <class W>
  W* out() const {
    return reinterpret_cast<W*>(out_);
  }
  Outcome result() const {
    check(cudaGetLastError(), "launch");
    Outcome host;
    check(cudaMemcpy(&host, outcome, sizeof(host), cudaMemcpyDeviceToHost), "stage on the device");
    return host;
  }
  void fetch(std::byte* to, std::size_t bytes) const {
    check(cudaMemcpy(to, out_, bytes, cudaMemcpyDeviceToHost), "copy from the device");
  }

  Scratch scratch;
  std::byte* memory;
  Outcome* outcome;

 private:
  std::byte* allocate(std::size_t bytes) {
    void* allocation = nullptr;
    try {
      check(cudaMalloc(&allocation, bytes), "device memory");
      allocations_[count_++] = static_cast<std::byte*>(allocation);
      check(cudaMemset(allocation, 0xa5, bytes), "device memory");
    } catch (...) {
      free();  // the destructor does not run if the constructor throws
      throw;
    }
    return static_cast<std::byte*>(allocation);
  }
  void free() {
    for (std::byte*& memory : allocations_) cudaFree(std::exchange(memory, nullptr));
  }
  std::byte *in_, *out_;
  std::size_t out_bytes_;
  std::byte* allocations_[8] = {};
  std::size_t count_ = 0;
};

/// On the host, because the tests do not test this function.
void serial_complement(const std::byte* in, std::size_t bytes, std::byte* out) {
  serial_stages().complement(in, bytes, out);
}

template <class Family, class W>
struct OnDevice {
  static Extent encode(const std::byte* in, std::size_t n, std::byte* out, unsigned parameter,
                       const Scratch&) {
    const Device device(in, n * sizeof(W), n * sizeof(W));
    encode_kernel<Family, W><<<1, kLanes>>>(device.in<W>(), n, device.out<W>(), parameter,
                                            device.scratch, device.memory, device.outcome);
    const Outcome outcome = device.result();
    device.fetch(out, outcome.extent.words * sizeof(W));
    return outcome.extent;
  }
  static bool decode(const std::byte* in, Extent extent, std::byte* out, std::size_t n,
                     unsigned parameter, const Scratch&) {
    const std::size_t words = extent.words > n ? extent.words : n;
    const Device device(in, extent.words * sizeof(W), words * sizeof(W));
    decode_kernel<Family, W><<<1, kLanes>>>(device.in<W>(), extent, device.out<W>(), n, parameter,
                                            device.scratch, device.memory, device.outcome);
    const bool good = device.result().good;
    device.fetch(out, n * sizeof(W));
    return good;
  }
  static Extent measure(const std::byte* in, std::size_t n, unsigned parameter, const Scratch&) {
    const Device device(in, n * sizeof(W), n * sizeof(W));
    measure_kernel<Family, W><<<1, kLanes>>>(device.in<W>(), n, parameter, device.scratch,
                                             device.memory, device.outcome);
    return device.result().extent;
  }
  static constexpr StageOps ops{encode, decode, measure};
};

}  // namespace

const StageTable* cuda_stages() {
  static const StageTable table("cuda", table_of<OnDevice>(), serial_complement);
  // The first device must exist, and the program must have code for it.
  cudaFuncAttributes attributes;
  const bool usable =
      cudaSetDevice(0) == cudaSuccess &&
      cudaFuncGetAttributes(&attributes, encode_kernel<Inv, std::uint64_t>) == cudaSuccess;
  cudaGetLastError();
  return usable ? &table : nullptr;
}

}  // namespace fpsynth::components
