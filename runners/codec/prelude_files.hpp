#pragma once
// The part of files with a prelude in front of the container within, for the codecs of all back
// ends. (Nothing here needs the formatting library, which nvcc does not compile.)

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/codec/cpu/containers.hpp"
#include "runners/codec/streams.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// The side data of each step of a prelude, as the file holds them.
using SideSections = std::vector<std::vector<std::byte>>;

/// transform() of a prelude that is not empty to `out`, which has as many bytes as the input, whose
/// name is for errors. Sets the input's checksum, unless null; of a mapped file, what has been read
/// is then released where the first step can follow in place. Throws std::bad_alloc, too.
SideSections transform_to(std::span<const std::byte> input, std::span<std::byte> out,
                          const synth::Prelude& prelude, std::size_t word_bytes,
                          std::string_view name, const CodecOptions& options,
                          std::uint64_t* checksum = nullptr);
/// Throws Error: there is not enough memory for a prelude on `bytes` bytes.
[[noreturn]] void refuse_for_memory(std::string_view name, const synth::Prelude& prelude,
                                    std::size_t bytes);

/// The header and the side data. `count`: of sections behind them; 0: a container.
std::vector<std::byte> front_of(const synth::Prelude& prelude, SideSections sections,
                                std::size_t word_bytes, std::uint64_t original_bytes,
                                std::uint64_t checksum, std::size_t count = 0);

/// Writes a container behind others' bytes in a sink.
class SinkBehind : public PatchableSink {
 public:
  /// Behind `front`, which is written together with the container's first bytes: without memory on
  /// a device, the processor writes the container, and all before it.
  SinkBehind(std::vector<std::byte> front, PatchableSink& sink)
      : front_(std::move(front)), begin_(front_.size()), sink_(sink) {}
  /// Behind `begin` bytes that are there.
  SinkBehind(std::uint64_t begin, PatchableSink& sink) : begin_(begin), sink_(sink) {}
  std::uint64_t front_bytes() const { return front_.size(); }
  void write(std::span<const std::byte> bytes) override {
    if (!begun_) sink_.write(front_);
    begun_ = true;
    sink_.write(bytes);
  }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    sink_.patch(begin_ + offset, bytes);
  }
  void finish() override {}

 private:
  std::vector<std::byte> front_;
  std::uint64_t begin_;
  PatchableSink& sink_;
  bool begun_ = false;
};

}  // namespace fpsynth::codec
