#pragma once
// A container of a pipeline, compressed and decompressed on any kind of device in batches: between
// the host's memory and the device's, or in the device's alone.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/gpu/content_hash.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// The most bytes of original in a batch, and the most bytes of device memory in use.
inline constexpr std::size_t kDeviceBatchBytes = std::size_t{64} << 20;
inline constexpr std::size_t kDeviceMemory = std::size_t{1} << 30;

/// Throws DeviceUnsuitable: `what` needs `needed` bytes of device memory, but only `free` are
/// available.
[[noreturn]] inline void refuse_memory(std::string_view device, std::string_view what,
                                       std::size_t needed, std::size_t free) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  throw device::DeviceUnsuitable(
      std::string(device) + ": " + std::string(what) + " needs " +
      std::to_string(needed / kMiB + 1) + " MiB of device memory, but " +
      std::to_string(free / kMiB) +
      " MiB are available; end other programs that use the GPU, or use the CPU's codec (fpsynth: "
      "--backend cpu)");
}

/// The common part of both directions: two batches, each with a stream, which take turns.
template <device::Device Device, ProgramSizes Program>
class DeviceBatches {
 public:
  using Launcher = ChunkLauncher<Device, Program>;
  using DeviceBytes = typename Device::template Buffer<std::byte>;
  using HostBytes = typename Device::template HostBuffer<std::byte>;

  /// The memory and the stream of a batch.
  struct Batch {
    typename Launcher::Workspace workspace;
    DeviceBytes original, frames, blocks;
    HostBytes host_original, host_frames, host_blocks;
    typename Device::template HostBuffer<std::uint64_t> words;
    std::uint64_t first = 0, count = 0;  ///< of units, which are chunks or slices; 0: idle
    typename Device::Stream stream;      ///< destroyed first, which waits for what uses the others
    LaunchWords found() { return LaunchWords{words.data()}; }
  };

  DeviceBatches(Device device, const Program& program)
      : device_(std::move(device)), launcher_(device_, program) {
    device_.use();
  }

 protected:
  /// The most units per batch, up to `most` (at least 1), such that both batches fit into device
  /// memory. A batch of n units needs `bytes(n)` bytes. Throws DeviceError if not even one unit
  /// fits.
  template <class Bytes>
  std::uint64_t fitting(std::uint64_t most, Bytes bytes) {
    const std::size_t free = std::min(device_.free_memory() / 10 * 9, kDeviceMemory);
    std::uint64_t units = most;
    while (units > 1 && bytes(units) > free / batches_.size()) units = (units + 1) / 2;
    if (bytes(units) > free / batches_.size()) {
      refuse_memory(device_.name(), "the codec, for one chunk at a time,",
                    bytes(units) * batches_.size(), free);
    }
    return units;
  }
  /// Allocates both batches for up to `words` words each, which are in batches only if `batched`.
  void make_batches(std::uint64_t words, std::size_t block_bytes, std::size_t host_block_bytes,
                    bool batched) {
    const std::size_t bytes = batched ? words * sizeof(typename Program::Word) : 0;
    const std::size_t frames = launcher_.chunks(words) * launcher_.program().frame_bytes;
    for (Batch& batch : batches_) {
      batch.stream = device_.make_stream();
      batch.workspace = launcher_.workspace(words);
      batch.original = device_.template allocate<std::byte>(bytes);
      batch.frames = device_.template allocate<std::byte>(frames);
      batch.blocks = device_.template allocate<std::byte>(block_bytes);
      batch.host_original = device_.template allocate_host<std::byte>(bytes);
      batch.host_frames = device_.template allocate_host<std::byte>(frames);
      batch.host_blocks = device_.template allocate_host<std::byte>(host_block_bytes);
      batch.words = device_.template allocate_host<std::uint64_t>(LaunchWords::kCount);
    }
  }
  std::size_t device_bytes(std::uint64_t words, std::size_t block_bytes, bool batched) const {
    return launcher_.workspace_bytes(words) +
           (batched ? words * sizeof(typename Program::Word) : 0) +
           launcher_.chunks(words) * launcher_.program().frame_bytes + block_bytes;
  }
  /// Calls start(batch) and finish(batch) for every `each` of `units` units, with two batches in
  /// progress at a time.
  template <class Start, class Finish>
  void run(std::uint64_t units, std::uint64_t each, Start start, Finish finish) {
    std::size_t turn = 0;
    const auto end = [&](Batch& batch) {
      if (batch.count > 0) finish(batch);
      batch.count = 0;
    };
    for (std::uint64_t first = 0; first < units; first += each, turn ^= 1) {
      Batch& batch = batches_[turn];
      end(batch);
      batch.first = first;
      batch.count = std::min(each, units - first);
      start(batch);
    }
    end(batches_[turn]);
    end(batches_[turn ^ 1]);
  }

  /// The checksum of bytes in device memory.
  std::uint64_t checksum(const std::byte* bytes, std::size_t count) {
    auto stream = device_.make_stream();
    auto hash = device_.template allocate<std::uint64_t>(1);
    auto sums = device_.template allocate<std::uint64_t>(hash_words(count));
    launch_hash(device_, stream, bytes, count, sums.data(), hash.data());
    std::uint64_t found = 0;
    device_.to_host(stream, &found, hash.data(), 1);
    device_.wait(stream);
    return found;
  }

  Device device_;
  Launcher launcher_;
  std::array<Batch, 2> batches_;
};

template <device::Device Device, ProgramSizes Program>
class DeviceCompressor : DeviceBatches<Device, Program> {
  using Base = DeviceBatches<Device, Program>;
  using Base::device_;
  using Base::launcher_;
  using typename Base::Batch;

 public:
  /// `resident`: what is compressed, if device memory holds it already; it has the size of
  /// `input`, of which nothing is then read.
  DeviceCompressor(Device device, const Program& program, std::span<const std::byte> input,
                   const Header& header, PatchableSink& sink, int threads,
                   const std::byte* resident = nullptr)
      : Base(std::move(device), program),
        resident_(resident),
        words_(input.first(input.size() - header.tail_bytes())),
        chunks_(header.chunks()),
        threads_(threads),
        tail_(input.begin() + static_cast<std::ptrdiff_t>(words_.size()), input.end()),
        header_(header),
        sink_(sink) {}

  std::uint64_t run(std::size_t batch_bytes) {
    const std::uint64_t each = chunks_ > 0 ? prepare(batch_bytes) : 0;
    if (resident_) inspect_resident();
    return device::with_output([&] { return write(each); });
  }

 private:
  std::uint64_t write(std::uint64_t each) {
    writer_.emplace(header_, tail_, sink_);  // writes, so that there must be the memory
    Base::run(
        chunks_, each, [&](Batch& batch) { start(batch); }, [&](Batch& batch) { finish(batch); });
    if (resident_) return writer_->finish(resident_sum_);
    hash_.update(tail_);
    return writer_->finish(hash_.digest());
  }
  /// Makes the batches, and returns the chunks of each.
  std::uint64_t prepare(std::size_t batch_bytes) {
    const std::size_t chunk = launcher_.chunk_bytes(), worst = launcher_.worst_block();
    const std::uint64_t words = launcher_.program().chunk_words;
    const std::uint64_t each = this->fitting(
        std::clamp<std::uint64_t>(batch_bytes / chunk, 1, chunks_), [&](std::uint64_t count) {
          return this->device_bytes(count * words, count * worst, !resident_);
        });
    // The host's buffer for blocks may be shorter than the blocks, which are then copied in pieces.
    this->make_batches(each * words, each * worst, each * chunk, !resident_);
    return each;
  }

  void start(Batch& batch) {
    const std::size_t at = batch.first * launcher_.chunk_bytes();
    const std::size_t bytes = std::min(batch.count * launcher_.chunk_bytes(), words_.size() - at);
    if (!resident_) upload(batch, words_.subspan(at, bytes));
    launcher_.encode(batch.stream, batch.workspace,
                     resident_ ? resident_ + at : batch.original.data(),
                     bytes / sizeof(typename Program::Word), batch.frames.data(),
                     batch.blocks.data(), batch.blocks.size());
    launcher_.fetch(batch.stream, batch.workspace, batch.words.data());
    device_.to_host(batch.stream, batch.host_frames.data(), batch.frames.data(), frames_of(batch));
  }
  /// Sets the tail and the checksum: what needs memory comes before any output.
  void inspect_resident() {
    resident_sum_ = this->checksum(resident_, words_.size() + tail_.size());
    auto stream = device_.make_stream();
    device_.to_host(stream, tail_.data(), resident_ + words_.size(), tail_.size());
    device_.wait(stream);
  }
  void upload(Batch& batch, std::span<const std::byte> original) {
    // Hashes the copy, because another program may write to the input.
    hash_in_parallel(hash_, {batch.host_original.data(), original.size()}, threads_,
                     [&](std::size_t from, std::size_t bytes) {
                       std::memcpy(batch.host_original.data() + from, original.data() + from,
                                   bytes);
                     });
    device_.to_device(batch.stream, batch.original.data(), batch.host_original.data(),
                      original.size());
  }
  void finish(Batch& batch) {
    device_.wait(batch.stream);
    const std::uint64_t bytes = *batch.found().bytes();
    if (*batch.found().fault()) {  // the buffer is large enough for any blocks
      throw device::DeviceError(device_.name() +
                                ": its kernels gave invalid lengths; use --backend cpu");
    }
    for (std::uint64_t at = 0; at < bytes; at += batch.host_blocks.size()) {
      const std::size_t piece = std::min<std::uint64_t>(bytes - at, batch.host_blocks.size());
      device_.to_host(batch.stream, batch.host_blocks.data(), batch.blocks.data() + at, piece);
      device_.wait(batch.stream);
      writer_->add_blocks({batch.host_blocks.data(), piece});
    }
    writer_->add_frames({batch.host_frames.data(), frames_of(batch)});
  }
  std::size_t frames_of(const Batch& batch) const {
    return batch.count * launcher_.program().frame_bytes;
  }

  const std::byte* resident_;  ///< or null
  std::uint64_t resident_sum_ = 0;
  std::span<const std::byte> words_;
  std::uint64_t chunks_;
  int threads_;
  std::vector<std::byte> tail_;
  const Header& header_;
  PatchableSink& sink_;
  ContentHash hash_;
  std::optional<ContainerWriter> writer_;
};

template <device::Device Device, ProgramSizes Program>
class DeviceDecompressor : DeviceBatches<Device, Program> {
  using Base = DeviceBatches<Device, Program>;
  using Base::device_;
  using Base::launcher_;
  using typename Base::Batch;

 public:
  DeviceDecompressor(Device device, const Program& program, const Archive& archive,
                     std::string_view name, Sink& sink, int threads)
      : Base(std::move(device), program),
        archive_(archive),
        name_(name),
        sink_(&sink),
        threads_(threads) {}
  /// Decodes to device memory, where it stays.
  DeviceDecompressor(Device device, const Program& program, const Archive& archive,
                     std::string_view name, std::byte* resident, int threads)
      : Base(std::move(device), program),
        archive_(archive),
        name_(name),
        resident_(resident),
        threads_(threads) {}

  void run(std::size_t batch_bytes) {
    if (archive_.layout().slices() > 0) run_batches(batch_bytes);
    if (resident_) {
      const std::size_t bytes = archive_.header().original_bytes, tail = archive_.tail().size();
      auto stream = device_.make_stream();
      device_.to_device(stream, resident_ + bytes - tail, archive_.tail().data(), tail);
      device_.wait(stream);
      refuse_wrong_sum(name_, archive_.header(), this->checksum(resident_, bytes));
      return;
    }
    hash_.update(archive_.tail());
    sink_->write(archive_.tail());
    refuse_wrong_sum(name_, archive_.header(), hash_.digest());
  }

 private:
  void run_batches(std::size_t batch_bytes) {
    const std::uint64_t words = archive_.layout().slice_bytes() / sizeof(typename Program::Word);
    const std::uint64_t each =
        this->fitting(std::clamp<std::uint64_t>(batch_bytes / archive_.layout().slice_bytes(), 1,
                                                archive_.layout().slices()),
                      [&](std::uint64_t count) {
                        return this->device_bytes(count * words, longest_blocks(count), !resident_);
                      });
    this->make_batches(each * words, longest_blocks(each), longest_blocks(each), !resident_);
    const auto all = [&] {
      Base::run(
          archive_.layout().slices(), each, [&](Batch& batch) { start(batch); },
          [&](Batch& batch) { finish(batch); });
    };
    resident_ ? all() : device::with_output(all);
  }
  /// The longest blocks of a batch, if batches have `each` slices.
  std::size_t longest_blocks(std::uint64_t each) const {
    std::size_t longest = 0;
    for (std::uint64_t first = 0; first < archive_.layout().slices(); first += each) {
      longest = std::max(longest, archive_.blocks_of(first, each).size());
    }
    return longest;
  }
  std::size_t bytes_of(const Batch& batch) const {
    return (batch.count - 1) * archive_.layout().slice_bytes() +
           archive_.layout().bytes_of(batch.first + batch.count - 1);
  }

  void start(Batch& batch) {
    const auto frames = archive_.frames_of(batch.first, batch.count);
    const auto blocks = archive_.blocks_of(batch.first, batch.count);
    copy_in_parallel(batch.host_frames.data(), frames, 1);
    copy_in_parallel(batch.host_blocks.data(), blocks, threads_);
    device_.to_device(batch.stream, batch.frames.data(), batch.host_frames.data(), frames.size());
    device_.to_device(batch.stream, batch.blocks.data(), batch.host_blocks.data(), blocks.size());
    launcher_.decode(batch.stream, batch.workspace, batch.frames.data(), batch.blocks.data(),
                     blocks.size(), bytes_of(batch) / sizeof(typename Program::Word),
                     resident_ ? resident_ + batch.first * archive_.layout().slice_bytes()
                               : batch.original.data());
    launcher_.fetch(batch.stream, batch.workspace, batch.words.data());
    if (resident_) return;
    device_.to_host(batch.stream, batch.host_original.data(), batch.original.data(),
                    bytes_of(batch));
  }
  void finish(Batch& batch) {
    device_.wait(batch.stream);
    if (const std::uint64_t fault = *batch.found().fault()) {
      // The archive has checked all lengths, so the fault is in a block.
      const std::uint64_t before = archive_.layout().first_chunk(batch.first);
      refuse_fault(name_, archive_.header(),
                   {FaultKind::Block, before + FaultWord::chunk(fault), 0});
    }
    if (resident_) return;
    const std::span<const std::byte> decoded(batch.host_original.data(), bytes_of(batch));
    hash_in_parallel(hash_, decoded, threads_);
    sink_->write(decoded);
  }

  const Archive& archive_;
  std::string_view name_;
  Sink* sink_ = nullptr;           ///< null if what is decoded stays in device memory:
  std::byte* resident_ = nullptr;  ///< null if not
  int threads_;
  ContentHash hash_;
};

}  // namespace fpsynth::codec
