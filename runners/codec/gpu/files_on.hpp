#pragma once
// compress_cuda() and decompress_cuda() on any kind of device.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container_writer.hpp"
#include "runners/codec/format/errors.hpp"
#include "runners/codec/format/hash.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/launcher.hpp"
#include "runners/codec/gpu/program_of.hpp"

namespace fpsynth::codec {

/// Bytes of original in a batch, and of device memory in use, at most.
inline constexpr std::size_t kDeviceBatchBytes = std::size_t{64} << 20;
inline constexpr std::size_t kDeviceMemory = std::size_t{1} << 30;

/// What both directions have: two slots, each with a stream, which take turns.
template <class Device, class Program>
class DeviceBatches {
 public:
  using Launcher = ChunkLauncher<Device, Program>;
  using DeviceBytes = typename Device::template Buffer<std::byte>;
  using HostBytes = typename Device::template HostBuffer<std::byte>;

  /// Memory and stream of one batch under way.
  struct Slot {
    typename Device::Stream stream;
    typename Launcher::Workspace workspace;
    DeviceBytes original, frames, blocks;
    HostBytes host_original, host_frames, host_blocks;
    typename Device::template HostBuffer<std::uint64_t> words;
    std::uint64_t first = 0, count = 0;  ///< of units, chunks or slices; 0: nothing under way
    LaunchWords found() { return LaunchWords{words.data()}; }
  };

  DeviceBatches(Device device, const Program& program)
      : device_(std::move(device)), launcher_(device_, program) {
    device_.use();
  }

 protected:
  /// The most units, up to `most` (at least 1), of which batches fit into memory, where a batch of
  /// n needs `bytes(n)` bytes of it.
  template <class Bytes>
  std::uint64_t fitting(std::uint64_t most, Bytes bytes) {
    const std::size_t free = std::min(device_.free_memory() / 10 * 9, kDeviceMemory);
    std::uint64_t units = most;
    while (units > 1 && bytes(units) > free / slots_.size()) units = (units + 1) / 2;
    if (bytes(units) > free / slots_.size()) {
      refuse_memory(device_.name(), bytes(units) * slots_.size(), free);
    }
    return units;
  }
  /// Makes the slots for batches of up to `words` words.
  void make_slots(std::uint64_t words, std::size_t block_bytes, std::size_t host_block_bytes) {
    const std::size_t bytes = words * sizeof(typename Program::Word);
    const std::size_t frames = launcher_.chunks(words) * launcher_.program().frame_bytes;
    for (Slot& slot : slots_) {
      slot.stream = device_.make_stream();
      slot.workspace = launcher_.workspace(words);
      slot.original = device_.template allocate<std::byte>(bytes);
      slot.frames = device_.template allocate<std::byte>(frames);
      slot.blocks = device_.template allocate<std::byte>(block_bytes);
      slot.host_original = device_.template allocate_host<std::byte>(bytes);
      slot.host_frames = device_.template allocate_host<std::byte>(frames);
      slot.host_blocks = device_.template allocate_host<std::byte>(host_block_bytes);
      slot.words = device_.template allocate_host<std::uint64_t>(LaunchWords::kCount);
    }
  }
  std::size_t slot_bytes(std::uint64_t words, std::size_t block_bytes) const {
    return launcher_.workspace_bytes(words) + words * sizeof(typename Program::Word) +
           launcher_.chunks(words) * launcher_.program().frame_bytes + block_bytes;
  }
  /// start(slot) and finish(slot) for every `each` of `units` units, two of them under way at a
  /// time.
  template <class Start, class Finish>
  void run(std::uint64_t units, std::uint64_t each, Start start, Finish finish) {
    std::size_t turn = 0;
    const auto end = [&](Slot& slot) {
      if (slot.count > 0) finish(slot);
      slot.count = 0;
    };
    for (std::uint64_t first = 0; first < units; first += each, turn ^= 1) {
      Slot& slot = slots_[turn];
      end(slot);
      slot.first = first;
      slot.count = std::min(each, units - first);
      start(slot);
    }
    end(slots_[turn]);
    end(slots_[turn ^ 1]);
  }

  Device device_;
  Launcher launcher_;
  std::array<Slot, 2> slots_;
};

template <class Device, class Program>
class DeviceCompressor : DeviceBatches<Device, Program> {
  using Base = DeviceBatches<Device, Program>;
  using Base::device_;
  using Base::launcher_;
  using typename Base::Slot;

 public:
  DeviceCompressor(Device device, const Program& program, std::span<const std::byte> input,
                   const Header& header, PatchableSink& sink, int threads)
      : Base(std::move(device), program),
        input_(input),
        words_(input.first(input.size() - header.tail_bytes())),
        chunks_(header.chunks()),
        threads_(threads),
        writer_(header, input, sink) {}

  std::uint64_t run(std::size_t batch_bytes) {
    if (chunks_ > 0) run_batches(batch_bytes);
    hash_.update(input_.subspan(words_.size()));
    return writer_.finish(hash_.digest());
  }

 private:
  void run_batches(std::size_t batch_bytes) {
    const std::size_t chunk = launcher_.chunk_bytes(), worst = launcher_.worst_block();
    const std::uint64_t words = launcher_.program().chunk_words;
    const std::uint64_t each = this->fitting(
        std::clamp<std::uint64_t>(batch_bytes / chunk, 1, chunks_),
        [&](std::uint64_t count) { return this->slot_bytes(count * words, count * worst); });
    // More is brought back in pieces.
    this->make_slots(each * words, each * worst, each * chunk);
    Base::run(
        chunks_, each, [&](Slot& slot) { start(slot); }, [&](Slot& slot) { finish(slot); });
  }

  void start(Slot& slot) {
    const std::size_t at = slot.first * launcher_.chunk_bytes();
    const auto original =
        words_.subspan(at, std::min(slot.count * launcher_.chunk_bytes(), words_.size() - at));
    copy_in_parallel(slot.host_original.data(), original, threads_);
    device_.to_device(slot.stream, slot.original.data(), slot.host_original.data(),
                      original.size());
    launcher_.encode(slot.stream, slot.workspace, slot.original.data(),
                     original.size() / sizeof(typename Program::Word), slot.frames.data(),
                     slot.blocks.data(), slot.blocks.size());
    launcher_.fetch(slot.stream, slot.workspace, slot.words.data());
    device_.to_host(slot.stream, slot.host_frames.data(), slot.frames.data(), frames_of(slot));
    hash_.update(original);
  }
  void finish(Slot& slot) {
    device_.wait(slot.stream);
    const std::uint64_t bytes = *slot.found().bytes();
    if (*slot.found().fault()) {  // there is room for the longest blocks
      throw device::DeviceError(device_.name() + ": its kernels went wrong; take --backend cpu");
    }
    for (std::uint64_t at = 0; at < bytes; at += slot.host_blocks.size()) {
      const std::size_t piece = std::min<std::uint64_t>(bytes - at, slot.host_blocks.size());
      device_.to_host(slot.stream, slot.host_blocks.data(), slot.blocks.data() + at, piece);
      device_.wait(slot.stream);
      writer_.add_blocks({slot.host_blocks.data(), piece});
    }
    writer_.add_frames({slot.host_frames.data(), frames_of(slot)});
  }
  std::size_t frames_of(const Slot& slot) const {
    return slot.count * launcher_.program().frame_bytes;
  }

  std::span<const std::byte> input_, words_;
  std::uint64_t chunks_;
  int threads_;
  Hash hash_;
  ContainerWriter writer_;
};

template <class Device, class Program>
class DeviceDecompressor : DeviceBatches<Device, Program> {
  using Base = DeviceBatches<Device, Program>;
  using Base::device_;
  using Base::launcher_;
  using typename Base::Slot;

 public:
  DeviceDecompressor(Device device, const Program& program, const Archive& archive,
                     std::string_view name, Sink& sink, int threads)
      : Base(std::move(device), program),
        archive_(archive),
        name_(name),
        sink_(sink),
        threads_(threads) {}

  void run(std::size_t batch_bytes) {
    if (archive_.layout().slices() > 0) run_batches(batch_bytes);
    hash_.update(archive_.tail());
    sink_.write(archive_.tail());
    refuse_wrong_sum(name_, archive_.header(), hash_.digest());
  }

 private:
  void run_batches(std::size_t batch_bytes) {
    const std::uint64_t words = archive_.layout().slice_bytes() / sizeof(typename Program::Word);
    const std::uint64_t each =
        this->fitting(std::clamp<std::uint64_t>(batch_bytes / archive_.layout().slice_bytes(), 1,
                                                archive_.layout().slices()),
                      [&](std::uint64_t count) {
                        return this->slot_bytes(count * words, longest_blocks(count));
                      });
    this->make_slots(each * words, longest_blocks(each), longest_blocks(each));
    Base::run(
        archive_.layout().slices(), each, [&](Slot& slot) { start(slot); },
        [&](Slot& slot) { finish(slot); });
  }
  /// Of all batches of `each` slices.
  std::size_t longest_blocks(std::uint64_t each) const {
    std::size_t longest = 0;
    for (std::uint64_t first = 0; first < archive_.layout().slices(); first += each) {
      longest = std::max(longest, archive_.blocks_of(first, each).size());
    }
    return longest;
  }
  std::size_t bytes_of(const Slot& slot) const {
    return (slot.count - 1) * archive_.layout().slice_bytes() +
           archive_.layout().bytes_of(slot.first + slot.count - 1);
  }

  void start(Slot& slot) {
    const auto frames = archive_.frames_of(slot.first, slot.count);
    const auto blocks = archive_.blocks_of(slot.first, slot.count);
    copy_in_parallel(slot.host_frames.data(), frames, 1);
    copy_in_parallel(slot.host_blocks.data(), blocks, threads_);
    device_.to_device(slot.stream, slot.frames.data(), slot.host_frames.data(), frames.size());
    device_.to_device(slot.stream, slot.blocks.data(), slot.host_blocks.data(), blocks.size());
    launcher_.decode(slot.stream, slot.workspace, slot.frames.data(), slot.blocks.data(),
                     blocks.size(), bytes_of(slot) / sizeof(typename Program::Word),
                     slot.original.data());
    launcher_.fetch(slot.stream, slot.workspace, slot.words.data());
    device_.to_host(slot.stream, slot.host_original.data(), slot.original.data(), bytes_of(slot));
  }
  void finish(Slot& slot) {
    device_.wait(slot.stream);
    if (const std::uint64_t fault = *slot.found().fault()) {
      // Lengths have been checked by the archive, so it is a block.
      const std::uint64_t before = archive_.layout().first_chunk(slot.first);
      refuse_fault(name_, archive_.header(),
                   {FaultKind::Block, before + FaultWord::chunk(fault), 0});
    }
    const std::span<const std::byte> decoded(slot.host_original.data(), bytes_of(slot));
    hash_.update(decoded);
    sink_.write(decoded);
  }

  const Archive& archive_;
  std::string_view name_;
  Sink& sink_;
  int threads_;
  Hash hash_;
};

/// compress_cuda() on `device`, in batches of up to `batch_bytes` bytes of original.
template <class Device>
std::uint64_t compress_on(Device device, std::span<const std::byte> input, std::string_view name,
                          const synth::Pipeline& pipeline, std::size_t word_bytes,
                          PatchableSink& sink, const CodecOptions& options,
                          std::size_t batch_bytes = kDeviceBatchBytes) {
  refuse_empty(input, name);
  Header header;
  header.pipeline = pipeline;
  header.word_bytes = word_bytes;
  header.original_bytes = input.size();
  serialize(header);  // refuses what the container cannot hold, before anything relies on it
  return with_program(header, [&](const auto& program) {
    DeviceCompressor<Device, std::remove_cvref_t<decltype(program)>> compressor(
        std::move(device), program, input, header, sink, options.threads);
    return compressor.run(batch_bytes);
  });
}

/// decompress_cuda(), likewise.
template <class Device>
std::uint64_t decompress_on(Device device, std::span<const std::byte> file, std::string_view name,
                            Sink& sink, const CodecOptions& options,
                            std::size_t batch_bytes = kDeviceBatchBytes) {
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  with_program(archive.header(), [&](const auto& program) {
    DeviceDecompressor<Device, std::remove_cvref_t<decltype(program)>> decompressor(
        std::move(device), program, archive, name, sink, options.threads);
    decompressor.run(batch_bytes);
  });
  return archive.header().original_bytes;
}

}  // namespace fpsynth::codec
