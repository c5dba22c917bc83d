#pragma once
// Compression and decompression in memory with a static pipeline, on the CPU, for generated
// projects. Writes and reads the same bytes as the codec for all pipelines.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "runners/codec/cpu/ordered_pool.hpp"
#include "runners/codec/cpu/static_chunk_coder.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/static_container.hpp"

namespace fpsynth::codec {

/// Pipeline: components::StaticPipeline. Team: runs it; constructed anew for every chunk. Several
/// threads may call all functions at once; none of them throws. `threads`: the most threads to use,
/// 0: as many as OpenMP would use. The output is the same for any number.
template <class Pipeline, class Team>
class StaticCodec {
 public:
  using Container = StaticContainer<Pipeline>;
  /// Starting a thread is not worth it for fewer slices than these.
  static constexpr std::size_t kSlicesPerThread = 16;

  /// A capacity that is enough for any original of `bytes` bytes; 0 if no memory is that large.
  static std::size_t bound(std::size_t bytes) { return Container::layout(bytes).bound(); }

  /// Compresses in[0..bytes) to out[0..capacity), which must not overlap, and sets `written`. A
  /// capacity below bound() may be enough; if it is not, returns TooSmall.
  static Status compress(const std::byte* in, std::size_t bytes, std::byte* out,
                         std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    if ((!in && bytes > 0) || !out) return Status::BadCall;
    const ContainerLayout layout = Container::layout(bytes);
    if (capacity < layout.blocks_at) return Status::TooSmall;
    struct Blocks {
      std::byte *encoded, *target;
      std::size_t bytes;
      SegmentHashes hashes;
    };
    const std::size_t slices = layout.slices();
    const int used = threads_for(threads, slices, kSlicesPerThread);
    OrderedPool pool(used, slices, used * kBuffersPerThread);
    // A single thread writes its blocks directly to their places. Several threads write to buffers
    // first, because a block's place depends on the lengths of all blocks before it.
    const bool alone = pool.threads() == 1;
    const std::unique_ptr<Worker[]> workers(new (std::nothrow) Worker[pool.threads()]);
    const std::unique_ptr<Blocks[]> encoded(new (std::nothrow) Blocks[pool.buffers()]);
    const std::unique_ptr<std::byte[]> memory(
        new (std::nothrow) std::byte[alone ? 1 : pool.buffers() * kSliceCapacity]);
    if (!workers || !encoded || !memory || !pool.allocate()) return Status::NoMemory;
    Container::write_header(layout, out);
    if (layout.tail_bytes > 0) {
      std::memcpy(out + Container::kHeaderBytes, in + bytes - layout.tail_bytes, layout.tail_bytes);
    }
    const auto slice_of = [&](std::size_t slice) {
      return std::span(in + slice * layout.slice_bytes(), layout.bytes_of(slice));
    };
    std::size_t end = layout.blocks_at;
    ContentHash hash;
    const bool fits = pool.run(
        [&](std::size_t slice, std::size_t buffer, std::size_t thread) {
          std::byte* const to = alone ? out + end : memory.get() + buffer * kSliceCapacity;
          const std::size_t most = alone ? capacity - end : kSliceCapacity;
          Blocks& blocks = encoded[buffer];
          blocks.encoded = blocks.target = to;
          blocks.bytes = encode(workers[thread], layout, slice, in, to, most, out);
          blocks.hashes.compute(slice * layout.slice_bytes(), slice_of(slice));
        },
        [&](std::size_t slice, std::size_t buffer) {
          Blocks& blocks = encoded[buffer];
          if (blocks.bytes == 0 || blocks.bytes > capacity - end) return false;
          hash.update(slice_of(slice), blocks.hashes);
          blocks.target = out + end;
          end += blocks.bytes;
          return true;
        },
        [&](std::size_t, std::size_t buffer) {
          const Blocks& blocks = encoded[buffer];
          if (blocks.target != blocks.encoded)
            std::memcpy(blocks.target, blocks.encoded, blocks.bytes);
        });
    if (!fits) return Status::TooSmall;
    hash.update({in + bytes - layout.tail_bytes, layout.tail_bytes});
    store(out + Container::kChecksumAt, hash.digest());
    written = end;
    return Status::Ok;
  }

  /// Sets `original` to the size of the original of in[0..bytes), which may hold anything. Ok means
  /// that the header is this codec's, not that the container can be decompressed.
  static Status original_size(const std::byte* in, std::size_t bytes, std::size_t& original) {
    original = 0;
    return in ? Container::read_header(in, bytes, original) : Status::BadCall;
  }

  /// Decompresses in[0..bytes), which may hold anything, to out[0..capacity), which must not
  /// overlap, and sets `written`. The output is valid only if this returns Ok.
  static Status decompress(const std::byte* in, std::size_t bytes, std::byte* out,
                           std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    std::size_t original = 0;
    if (const Status status = original_size(in, bytes, original); status != Status::Ok) {
      return status;
    }
    if (!out && original > 0) return Status::BadCall;
    if (capacity < original) return Status::TooSmall;
    const ContainerLayout layout = Container::layout(original);
    const std::size_t slices = layout.slices();
    OrderedPool pool(threads_for(threads, slices, kSlicesPerThread), slices, slices);
    const std::unique_ptr<std::size_t[]> starts(new (std::nothrow) std::size_t[slices + 1]);
    const std::unique_ptr<Worker[]> workers(new (std::nothrow) Worker[pool.threads()]);
    struct Decoded {
      bool good;
      SegmentHashes hashes;
    };
    const std::unique_ptr<Decoded[]> decoded(new (std::nothrow) Decoded[pool.buffers()]);
    if (!starts || !workers || !decoded || !pool.allocate()) return Status::NoMemory;
    const Fault fault =
        find_blocks(typename Container::Stages(), Container::kWide, layout, in, bytes,
                    [&](std::uint64_t chunk, std::uint64_t at, std::uint64_t) {
                      if (chunk % kSliceChunks == 0) starts[chunk / kSliceChunks] = at;
                    });
    if (fault.found()) return Status::Damaged;
    const auto slice_of = [&](std::size_t slice) {
      return std::span(out + slice * layout.slice_bytes(), layout.bytes_of(slice));
    };
    ContentHash hash;
    const bool good = pool.run(
        [&](std::size_t slice, std::size_t buffer, std::size_t thread) {
          Decoded& result = decoded[buffer];
          result.good = decode(workers[thread], layout, slice, {in, in + bytes}, in + starts[slice],
                               slice_of(slice).data());
          if (result.good) result.hashes.compute(slice * layout.slice_bytes(), slice_of(slice));
        },
        [&](std::size_t slice, std::size_t buffer) {
          const Decoded& result = decoded[buffer];
          if (result.good) hash.update(slice_of(slice), result.hashes);
          return result.good;
        },
        [](std::size_t, std::size_t) {});
    if (!good) return Status::Damaged;
    std::byte* const tail = out + original - layout.tail_bytes;
    if (layout.tail_bytes > 0) {
      std::memcpy(tail, in + Container::kHeaderBytes, layout.tail_bytes);
    }
    hash.update({tail, layout.tail_bytes});
    if (hash.digest() != load<std::uint64_t>(in + Container::kChecksumAt)) return Status::WrongSum;
    written = original;
    return Status::Ok;
  }

 private:
  using Worker = StaticChunkCoder<Pipeline, Team>;

  /// Slices per thread that may be encoded and not yet copied to the output.
  static constexpr std::size_t kBuffersPerThread = 32;
  static constexpr std::size_t kChunkBytes = Container::kShape.chunk_bytes();
  static constexpr std::size_t kSliceChunks = slice_chunks(kChunkBytes);
  static constexpr std::size_t kSliceCapacity =
      kSliceChunks * Pipeline::kWorst + components::kBlockSlack;

  /// Writes the blocks of a slice to `to` and its frames to the container. Returns the blocks'
  /// length, or 0 if the capacity is too small.
  static std::size_t encode(Worker& worker, const ContainerLayout& layout, std::size_t slice,
                            const std::byte* original, std::byte* to, std::size_t capacity,
                            std::byte* container) {
    const MemoryRange source{original, original + layout.original_bytes};
    const std::size_t end = layout.end_chunk(slice);
    std::size_t done = 0;
    for (std::size_t chunk = layout.first_chunk(slice); chunk < end; ++chunk) {
      const std::size_t length =
          worker.encode(original + chunk * kChunkBytes, layout.words_of(chunk), source, to + done,
                        capacity - done, container + layout.frame_at(chunk));
      if (length == 0) return 0;
      done += length;
    }
    return done;
  }

  static bool decode(Worker& worker, const ContainerLayout& layout, std::size_t slice,
                     MemoryRange source, const std::byte* block, std::byte* out) {
    const std::size_t end = layout.end_chunk(slice);
    for (std::size_t chunk = layout.first_chunk(slice); chunk < end; ++chunk) {
      const std::byte* const frame = source.begin + layout.frame_at(chunk);
      if (!worker.decode(block, source, frame, out, layout.words_of(chunk))) return false;
      out += kChunkBytes;
    }
    return true;
  }
};

}  // namespace fpsynth::codec
