#pragma once
// The codec for data that are already in a GPU's memory. Using this header does not need nvcc.

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

/// Device memory, for callers without a CUDA compiler. Must be freed before the codec that
/// allocated it. Members throw device::DeviceError.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual std::byte* data() = 0;  ///< on the device
  /// Copy from and to the host's memory. Both wait for the copy, but for no other stream.
  virtual void write(std::span<const std::byte> bytes, std::size_t at = 0) = 0;
  virtual void read_into(std::span<std::byte> bytes, std::size_t at = 0) = 0;
  std::vector<std::byte> read(std::size_t bytes, std::size_t at = 0) {
    std::vector<std::byte> host(bytes);
    read_into(host, at);
    return host;
  }
};

/// Writes and reads whole containers in one GPU's memory, with the same bytes as codec.hpp.
///
/// `in` and `out` point to the caller's device memory. They may have any alignment; 16-byte
/// alignment is fastest. `stream` is a cudaStream_t; null is the default stream. encode() and
/// decode() put their work into the stream and return. Until the stream has completed, the caller
/// must not change what they read and must not use what they write. The codec owns its working
/// memory, so an object has at most one encode() or decode() in progress, from that call to its
/// finish_...() call. One thread at a time may use an object; calls set that thread's current
/// device.
///
/// All members throw device::DeviceError if the device fails; the object and its output are then
/// unusable.
class DeviceCodec {
 public:
  virtual ~DeviceCodec() = default;

  /// The most bytes that a container of an original of `bytes` bytes can have.
  virtual std::size_t bound(std::size_t bytes) const = 0;
  /// Device memory, in bytes, that the codec allocates for originals of up to `bytes` bytes.
  virtual std::size_t workspace_bytes(std::size_t bytes) const = 0;
  /// Allocates that memory, which waits for the device. Otherwise the first encode() or decode()
  /// that needs more memory than the codec has allocates it.
  virtual void reserve(std::size_t bytes) = 0;

  /// Compresses in[0..bytes) to a container at out[0..capacity). Throws Error
  /// if `capacity` is too small for the parts before the blocks; a capacity below bound() may be
  /// enough. `checksum` is the container's checksum of the original (format/header.hpp); a
  /// wrong one makes a container that readers refuse. Without it, separate kernels compute the
  /// checksum (gpu/content_hash.hpp).
  virtual void encode(const void* in, std::size_t bytes, void* out, std::size_t capacity,
                      void* stream, std::optional<std::uint64_t> checksum = {}) = 0;
  /// Waits for encode() and returns the container's length. Throws Error if the capacity was too
  /// small; nothing was then written after out[capacity - 1].
  virtual std::size_t finish_encode() = 0;

  /// Reads the header of the container in[0..bytes). Waits for the stream. Throws Error as
  /// parse_header() does.
  virtual Header header(const void* in, std::size_t bytes, void* stream) = 0;
  /// Decompresses the container in[0..bytes), which may hold anything after its header, to
  /// out[0..header.original_bytes). `header`: the result of header(); throws Error unless its
  /// pipeline, word size and chunk length are the codec's. `verify`: also hash what was decoded.
  virtual void decode(const void* in, std::size_t bytes, const Header& header, void* out,
                      void* stream, bool verify = true) = 0;
  /// Waits for decode(). Throws Error if the container is damaged, naming the first damaged chunk;
  /// the output must then not be used.
  virtual void finish_decode() = 0;

  /// Allocates `bytes` bytes on the codec's device; their contents are unspecified.
  virtual std::unique_ptr<DeviceBuffer> buffer(std::size_t bytes) = 0;

  /// Seconds that the codec's kernels and the checksum's kernels took in the last finished call,
  /// measured by events on the device.
  struct Seconds {
    double codec = 0, checksum = 0;
  };
  virtual Seconds seconds() = 0;
};

/// The codec of a pipeline on words of `word_bytes` (8, 4 or 2) bytes on a GPU. `chunk_words`
/// differs from synth::kChunkWords only to read files with other chunk lengths. Throws DeviceError
/// if the program was built without CUDA or the device cannot run the codec, and Error if the
/// container cannot hold the pipeline.
std::unique_ptr<DeviceCodec> cuda_codec(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                        const device::DeviceInfo& device,
                                        std::size_t chunk_words = synth::kChunkWords);

/// The same, with kernels generated for the pipeline instead of those that interpret any pipeline.
/// `cubin` is machine code for the device, compiled from synth::generate_kernels(), for chunks of
/// synth::kChunkWords words.
std::unique_ptr<DeviceCodec> cuda_loaded_codec(const synth::Pipeline& pipeline,
                                               std::size_t word_bytes,
                                               const device::DeviceInfo& device,
                                               std::span<const std::byte> cubin);

}  // namespace fpsynth::codec
