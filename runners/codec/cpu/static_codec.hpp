#pragma once
// Compression and decompression in memory with a static pipeline, on the CPU, for generated
// projects. Writes and reads the same bytes as the codec for all pipelines.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "components/scratch_view.hpp"
#include "components/static_pipeline.hpp"
#include "runners/codec/cpu/ordered_pool.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/static_container.hpp"

namespace fpsynth::codec {

/// The memory begin..end - 1, which may contain a block.
struct MemoryRange {
  const std::byte *begin, *end;

  /// True if stages may work on the block in place: it has slack on both sides and is aligned for
  /// words of type V.
  template <class V>
  bool suits(const std::byte* block, std::size_t bytes) const {
    constexpr auto slack = static_cast<std::ptrdiff_t>(components::kBlockSlack);
    return block - begin >= slack && end - block >= static_cast<std::ptrdiff_t>(bytes) + slack &&
           reinterpret_cast<std::uintptr_t>(block) % alignof(V) == 0;
  }
};

/// Runs a static pipeline on one chunk, directly in the caller's memory where stages can: a
/// thread's coder with its working memory, some ten KiB. It allocates nothing.
template <class Pipeline, class Team>
class alignas(components::kBlockAlignment) StaticChunkCoder {
 public:
  using Container = StaticContainer<Pipeline>;
  using Extents = typename Container::Extents;
  using Word = typename Pipeline::Word;
  using LastWord = typename Container::LastWord;

  StaticChunkCoder() {
    memory_.front = front_ + components::kBlockSlack;
    memory_.back = back_ + components::kBlockSlack;
    std::memset(scratch_, 0, sizeof scratch_);
    memory_.scratch = components::scratch_in(scratch_, Pipeline::kScratchItems);
  }

  /// Encodes the chunk of `words` words at `in`, which is within `source`, to out[0..capacity), and
  /// writes its frame. Returns the block's length in bytes, or 0 if the capacity is too small.
  std::size_t encode(const std::byte* in, std::size_t words, MemoryRange source, std::byte* out,
                     std::size_t capacity, std::byte* frame) {
    const std::size_t bytes = words * sizeof(Word);
    if (!source.suits<Word>(in, bytes)) {
      std::byte* const copy = Pipeline::input_block(memory_);
      std::memcpy(copy, in, bytes);
      in = copy;
    }
    const bool direct = capacity >= Pipeline::kWorst + components::kBlockSlack &&
                        reinterpret_cast<std::uintptr_t>(out) % alignof(LastWord) == 0;
    std::byte* const block = direct ? out : Pipeline::output_block(memory_);
    Team team;
    Extents extents;
    Pipeline::encode(team, in, words, block, extents, memory_);
    const std::size_t length = Container::block_bytes(extents);
    if (length > capacity) return 0;
    if (!direct) std::memcpy(out, block, length);
    Container::write_frame(extents, frame);
    return length;
  }

  /// Decodes a chunk of `words` words to `out` from its block at `in`, which is within `source`,
  /// and its frame, which read_frame() has accepted. Advances `in` to the block's end. Returns
  /// false if the block is not a valid encoding.
  bool decode(const std::byte*& in, MemoryRange source, const std::byte* frame, std::byte* out,
              std::size_t words) {
    Extents extents;
    if (Container::read_frame(frame, words, extents) != kGoodFrame) return false;
    const std::size_t length = Container::block_bytes(extents);
    const std::byte* block = in;
    if (!source.suits<LastWord>(block, length)) {
      std::byte* const copy = Pipeline::input_block(memory_);
      std::memcpy(copy, block, length);
      block = copy;
    }
    in += length;
    // Does not decode to `out` directly: a stage that writes with a stride is slow if memory is not
    // cached yet.
    std::byte* const decoded = Pipeline::output_block(memory_);
    Team team;
    if (!Pipeline::decode(team, block, extents, decoded, words, memory_)) return false;
    std::memcpy(out, decoded, words * sizeof(Word));
    return true;
  }

 private:
  static constexpr std::size_t kBlockBytes =
      components::round_up_to_alignment(Pipeline::kLongest) + 2 * components::kBlockSlack;

  alignas(components::kBlockAlignment) std::byte front_[kBlockBytes];
  alignas(components::kBlockAlignment) std::byte back_[kBlockBytes];
  alignas(components::kBlockAlignment)
      std::byte scratch_[components::scratch_bytes(Pipeline::kScratchItems, Pipeline::kHasTables)];
  typename Pipeline::Memory memory_;
};

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
