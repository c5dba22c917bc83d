#pragma once
// compress_cuda() and decompress_cuda() on any kind of device.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "components/preludes/registry.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/gpu/batches.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/interpreted_program.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/codec/prelude_files.hpp"

namespace fpsynth::codec {

template <device::Device Device>
[[noreturn]] void refuse_prelude(Device& device, std::size_t needed, std::size_t free) {
  refuse_memory(device.name(), "a prelude, which works on the whole input,", needed, free);
}

/// Splits a prelude behind its last step with side data: the processor executes what is before, the
/// device the rest.
inline std::array<synth::Prelude, 2> split(const synth::Prelude& prelude) {
  auto end = prelude.steps.end();
  while (end != prelude.steps.begin() &&
         !preludes::takes_values(synth::prelude_traits(std::prev(end)->kind).shape)) {
    --end;
  }
  return {synth::Prelude{{prelude.steps.begin(), end}}, synth::Prelude{{end, prelude.steps.end()}}};
}

/// A whole original in device memory, as it is before or after some steps of a prelude.
template <device::Device Device>
class ResidentBytes {
 public:
  using Stream = typename Device::Stream;
  using DeviceBytes = typename Device::template Buffer<std::byte>;

  /// `piece`: bytes that are copied between the host and the device at once. Throws
  /// DeviceUnsuitable unless there are `copies` times `bytes` bytes of device memory.
  ResidentBytes(Device& device, std::size_t bytes, unsigned copies, std::size_t piece, int threads)
      : device_(device), bytes_(bytes), threads_(threads) {
    const std::size_t free = device.free_memory() / 10 * 9;
    if (bytes > free / copies) refuse_prelude(device, copies * bytes, free);
    piece_ = std::clamp<std::size_t>(bytes, 1, std::max<std::size_t>(1, piece));
    for (Half& half : halves_) {
      half.stream = device.make_stream();
      half.memory = device.template allocate_host<std::byte>(piece_);
    }
    memory_ = allocate();
  }

  std::byte* data() { return memory_.data(); }
  /// Memory for as many bytes.
  DeviceBytes allocate() {
    return device_.template allocate<std::byte>(std::max<std::size_t>(1, bytes_));
  }
  /// Puts `other`, from allocate(), in the place of the memory, and the other way round.
  void swap(DeviceBytes& other) { std::swap(memory_, other); }

  /// Copies `original` to the device and returns its checksum: of what was copied, because another
  /// program may write to it.
  std::uint64_t upload(std::span<const std::byte> original) {
    ContentHash hash;
    in_pieces([&](Half& half, std::size_t at, std::size_t bytes) {
      device_.wait(half.stream);
      hash_in_parallel(hash, {half.memory.data(), bytes}, threads_,
                       [&](std::size_t from, std::size_t count) {
                         std::memcpy(half.memory.data() + from, original.data() + at + from, count);
                       });
      device_.to_device(half.stream, data() + at, half.memory.data(), bytes);
    });
    for (Half& half : halves_) device_.wait(half.stream);
    return hash.digest();
  }
  /// Writes all bytes to `sink` and returns their checksum.
  std::uint64_t download(Sink& sink) {
    ContentHash hash;
    const auto finish = [&](Half& half) {
      device_.wait(half.stream);
      hash_in_parallel(hash, {half.memory.data(), half.bytes}, threads_);
      sink.write({half.memory.data(), half.bytes});
      half.bytes = 0;
    };
    Half* before = nullptr;
    in_pieces([&](Half& half, std::size_t at, std::size_t bytes) {
      device_.to_host(half.stream, half.memory.data(), data() + at, bytes);
      half.bytes = bytes;
      if (before) finish(*before);
      before = &half;
    });
    if (before) finish(*before);
    return hash.digest();
  }

 private:
  /// One of two pieces on their way.
  struct Half {
    typename Device::template HostBuffer<std::byte> memory;
    std::size_t bytes = 0;
    Stream stream;  ///< destroyed first, which waits for what uses the memory
  };
  template <class Work>
  void in_pieces(Work work) {
    std::size_t turn = 0;
    for (std::size_t at = 0; at < bytes_; at += piece_, turn ^= 1) {
      work(halves_[turn], at, std::min(piece_, bytes_ - at));
    }
  }

  Device& device_;
  std::size_t bytes_, piece_;
  int threads_;
  DeviceBytes memory_;
  std::array<Half, 2> halves_;
};

/// compress_cuda() on `device`, in batches of up to `batch_bytes` bytes of original.
template <device::Device Device>
std::uint64_t compress_on(Device device, std::span<const std::byte> input, std::string_view name,
                          const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                          const CodecOptions& options,
                          std::size_t batch_bytes = kDeviceBatchBytes) {
  synth::check(method.prelude, word_bytes);
  const Header header = header_of(method.pipeline, word_bytes, options.chunk_words, input.size());
  return with_program(header, [&](const auto& program) {
    using Compressor = DeviceCompressor<Device, std::remove_cvref_t<decltype(program)>>;
    using W = typename std::remove_cvref_t<decltype(program)>::Word;
    if (method.prelude.empty()) {
      return Compressor(std::move(device), program, input, header, sink, options.threads)
          .run(batch_bytes);
    }
    device.use();
    ResidentBytes<Device> resident(device, input.size(), 2, batch_bytes, options.threads);
    auto other = resident.allocate();
    const auto [on_host, on_device] = split(method.prelude);
    SideSections sections;
    std::uint64_t checksum = 0;
    if (on_host.empty()) {
      checksum = resident.upload(input);
    } else {
      Transformed transformed = transform(input, on_host, word_bytes, options, name);
      sections = std::move(transformed.side);
      resident.upload(transformed.bytes);
      checksum = checksum_of(input, options.threads);
    }
    sections.resize(method.prelude.steps.size());
    const std::size_t tail = header.tail_bytes(), tail_at = input.size() - tail;
    auto stream = device.make_stream();
    WordLauncher<Device, W> launcher(device);
    for (const synth::PreludeStep& step : on_device.steps) {
      preludes::with_step(step.kind, [&]<class Step>() {
        if constexpr (!preludes::has_side_data<Step>) {
          launcher.template forward<Step>(stream, resident.data(), other.data(), header.words(),
                                          step.parameter);
        }
      });
      device.copy(stream, other.data() + tail_at, resident.data() + tail_at, tail);
      device.wait(stream);
      resident.swap(other);
    }
    other = {};
    SinkBehind behind(
        front_of(method.prelude, std::move(sections), word_bytes, input.size(), checksum), sink);
    Compressor compressor(device, program, input, header, behind, options.threads, resident.data());
    return behind.front_bytes() + compressor.run(batch_bytes);
  });
}

/// decompress_cuda() on `device`, with the same batches.
template <device::Device Device>
std::uint64_t decompress_on(Device device, std::span<const std::byte> file, std::string_view name,
                            Sink& sink, const CodecOptions& options,
                            std::size_t batch_bytes = kDeviceBatchBytes) {
  std::optional<PreludeArchive> prelude;
  if (has_prelude(file)) prelude.emplace(file, name);
  const Archive archive(prelude ? prelude->inner() : file, name);
  refuse_over_limit(archive.header(), name, options);
  with_program(archive.header(), [&](const auto& program) {
    using Decompressor = DeviceDecompressor<Device, std::remove_cvref_t<decltype(program)>>;
    using W = typename std::remove_cvref_t<decltype(program)>::Word;
    if (!prelude) {
      Decompressor(std::move(device), program, archive, name, sink, options.threads)
          .run(batch_bytes);
      return;
    }
    device.use();
    ResidentBytes<Device> resident(device, prelude->original_bytes(), 1, batch_bytes,
                                   options.threads);
    Decompressor(device, program, archive, name, resident.data(), options.threads).run(batch_bytes);
    auto stream = device.make_stream();
    WordLauncher<Device, W> launcher(device);
    const std::uint64_t words = archive.header().words();
    const auto [on_host, on_device] = split(prelude->prelude());
    for (std::size_t i = on_device.steps.size(); i-- > 0;) {
      const synth::PreludeStep& step = on_device.steps[i];
      preludes::with_step(step.kind, [&]<class Step>() {
        if constexpr (!preludes::has_side_data<Step>) {
          const std::uint64_t count = launcher.template workspace<Step>(words, step.parameter);
          const std::size_t free = device.free_memory();
          if (count > free / sizeof(W)) refuse_prelude(device, count * sizeof(W), free);
          auto memory = device.template allocate<W>(count);
          launcher.template backward<Step>(stream, resident.data(), words, step.parameter,
                                           memory.data());
          device.wait(stream);
        }
      });
    }
    if (on_host.empty()) {
      refuse_wrong_sum(name, prelude->header(), resident.download(sink));
      return;
    }
    MemorySink original;
    reserve_output(original.bytes(), prelude->original_bytes());
    resident.download(original);
    restore(original.bytes(), on_host, sizeof(W), prelude->side(), name, options);
    refuse_wrong_sum(name, prelude->header(), checksum_of(original.bytes(), options.threads));
    sink.write(original.bytes());
  });
  return archive.header().original_bytes;
}

}  // namespace fpsynth::codec
