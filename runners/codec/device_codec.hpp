#pragma once
// The codec for data that are in a GPU's memory already. Needs no nvcc.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runners/codec/format/container.hpp"
#include "runners/device/device.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::codec {

/// Device memory, for callers without a CUDA compiler. Must be freed before the codec that made it.
/// Members throw device::DeviceError.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual std::byte* data() = 0;  ///< on the device
  /// Copies from and to the host's memory; both wait for the copy, and for no other stream.
  virtual void write(std::span<const std::byte> bytes, std::size_t at = 0) = 0;
  virtual void read_into(std::span<std::byte> bytes, std::size_t at = 0) = 0;
  std::vector<std::byte> read(std::size_t bytes, std::size_t at = 0) {
    std::vector<std::byte> host(bytes);
    read_into(host, at);
    return host;
  }
};

/// Writes and reads whole containers, byte for byte those of codec.hpp, in one GPU's memory.
///
/// Pointers named in and out are to device memory of the caller's, which may begin at any byte;
/// whole aligned sixteens are fastest. `stream` is a cudaStream_t, null the default stream.
/// encode() and decode() put their work into the stream and return; what they read must stay as it
/// is, and what they write be left alone, until the stream has come to its end. Working memory is
/// the codec's own, so that an object has one encode() or decode() under way at a time, from call
/// to finish. An object is used by one thread at a time; it sets that thread's current device.
///
/// All members throw device::DeviceError where the device fails; the object and what it was to
/// write are then of no more use.
class DeviceCodec {
 public:
  virtual ~DeviceCodec() = default;

  /// Bytes that a container of an original of `bytes` bytes has at most.
  virtual std::size_t bound(std::size_t bytes) const = 0;
  /// Device memory, in bytes, that the codec takes for originals of up to `bytes` bytes.
  virtual std::size_t workspace_bytes(std::size_t bytes) const = 0;
  /// Takes that memory, which waits for the device. Without it, the first call to encode() or
  /// decode() that needs more than there is does.
  virtual void reserve(std::size_t bytes) = 0;

  /// Compresses in[0..bytes), at least one byte, to a container at out[0..capacity).
  /// `capacity` must be enough for what precedes the blocks, else Error; less than bound() may do.
  /// The container's checksum, XXH3-64 of the original, is `checksum` if given (a wrong one makes a
  /// container that readers refuse), and else computed in kernels of its own, which run at a
  /// fraction of the codec's speed (gpu/xxh3.hpp).
  virtual void encode(const void* in, std::size_t bytes, void* out, std::size_t capacity,
                      void* stream, std::optional<std::uint64_t> checksum = {}) = 0;
  /// Waits for encode() and returns the container's length. Throws Error if the capacity was too
  /// small, in which case nothing behind it was written.
  virtual std::size_t finish_encode() = 0;

  /// The header at the front of the container in[0..bytes). Waits for the stream. Throws Error
  /// where parse_header() does.
  virtual Header header(const void* in, std::size_t bytes, void* stream) = 0;
  /// Decompresses the container in[0..bytes), which may hold anything behind the header, to
  /// out[0..header.original_bytes). `header`: what header() returned; its pipeline, word size and
  /// chunk length must be the codec's, else Error. `verify`: also hashes what was decoded.
  virtual void decode(const void* in, std::size_t bytes, const Header& header, void* out,
                      void* stream, bool verify = true) = 0;
  /// Waits for decode(). Throws Error if the container is damaged, naming the first chunk that
  /// tells; what was written is then not to be used.
  virtual void finish_decode() = 0;

  /// `bytes` bytes of the codec's device's memory, their contents unspecified.
  virtual std::unique_ptr<DeviceBuffer> buffer(std::size_t bytes) = 0;

  /// Seconds, by events on the device, that the codec's kernels and those of the checksum took in
  /// the last call that was finished.
  struct Seconds {
    double codec = 0, checksum = 0;
  };
  virtual Seconds seconds() = 0;
};

/// The codec of a pipeline on words of `word_bytes` (8 or 4) bytes on a GPU. `chunk_words`: other
/// than synth::kChunkWords to read files that have other chunks. Throws DeviceError where the
/// program was built without CUDA, or the device cannot run it; Error for a pipeline that the
/// container cannot hold.
std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                        const device::DeviceInfo& device,
                                        std::size_t chunk_words = synth::kChunkWords);

/// The same, with the pipeline's own kernels instead of those that interpret any: `cubin` is
/// machine code for the device of synth::generate_kernels(), in chunks of synth::kChunkWords words.
std::unique_ptr<DeviceCodec> cuda_loaded_codec(const synth::Pipeline& pipeline,
                                               std::size_t word_bytes,
                                               const device::DeviceInfo& device,
                                               std::span<const std::byte> cubin);

}  // namespace fpsynth::codec
