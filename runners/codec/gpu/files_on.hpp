#pragma once
// compress_cuda() and decompress_cuda() on any kind of device.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/gpu/batches.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/preludes/prelude_on.hpp"
#include "runners/codec/gpu/program_of.hpp"
#include "runners/codec/prelude_files.hpp"

namespace fpsynth::codec {

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
    if (bytes > free / copies) refuse_prelude_memory(device.name(), copies * bytes, free);
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
    const std::uint64_t checksum = resident.upload(input);
    const std::size_t tail = header.tail_bytes(), tail_at = input.size() - tail;
    auto stream = device.make_stream();
    PreludeOn<Device, W> prelude(device);
    SideSections sections;
    for (const synth::PreludeStep& step : method.prelude.steps) {
      SideMemory<W> data;
      data.data.divisors = step.divisors;
      refuse_unless_ok(prelude.forward(stream, step.kind, resident.data(), other.data(),
                                       header.words(), step.parameter, data.data),
                       step, name);
      device.copy(stream, other.data() + tail_at, resident.data() + tail_at, tail);
      device.wait(stream);
      resident.swap(other);
      sections.push_back(encode_side(data.data, synth::prelude_traits(step.kind).shape, options));
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
    PreludeOn<Device, W> steps_on(device);
    const std::uint64_t words = archive.header().words();
    const std::vector<synth::PreludeStep>& steps = prelude->prelude().steps;
    for (std::size_t i = steps.size(); i-- > 0;) {
      DecodedSide<W> side(prelude->side()[i], steps[i], words, name, options);
      refuse_unless_ok(steps_on.backward(stream, steps[i].kind, resident.data(), words,
                                         steps[i].parameter, side.data),
                       steps[i], name);
    }
    device.wait(stream);
    refuse_wrong_sum(name, prelude->header(), resident.download(sink));
  });
  return archive.header().original_bytes;
}

}  // namespace fpsynth::codec
