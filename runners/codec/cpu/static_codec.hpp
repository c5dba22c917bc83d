#pragma once
// Compression and decompression in memory with one fixed pipeline, on the CPU: what generated
// projects are made of. Writes and reads what the codec for all pipelines does.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "runners/codec/cpu/static_chunk_coder.hpp"
#include "runners/codec/cpu/static_ordered_pool.hpp"
#include "runners/codec/format/hash.hpp"
#include "runners/codec/format/static_container.hpp"

namespace fpsynth::codec {

/// Pipeline: components::StaticPipeline. Team: what runs it, made anew for every chunk. All
/// functions may be called by several threads at once and do not throw. `threads`:
/// StaticOrderedPool; the bytes are the same for any number.
template <class Pipeline, class Team>
class StaticCodec {
 public:
  using Layout = StaticLayout<Pipeline>;

  /// Room that any original of `bytes` bytes can be compressed into; 0 if no memory is that large.
  static std::size_t bound(std::size_t bytes) { return Layout(bytes).bound(); }

  /// Compresses in[0..bytes) to out[0..capacity), apart from it, and sets `written`. Less capacity
  /// than bound() may do: TooSmall where it does not.
  static Status compress(const std::byte* in, std::size_t bytes, std::byte* out,
                         std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    if (!in || !out || bytes == 0) return Status::BadCall;
    const Layout layout(bytes);
    if (capacity < layout.blocks_at) return Status::TooSmall;
    const std::size_t slices = slices_of(layout);
    struct Blocks {
      std::byte *made, *place;
      std::size_t bytes;
    };
    StaticOrderedPool<Worker, Blocks> crew(threads, slices);
    // One thread writes its blocks where they belong. Several write to rooms first, since where a
    // block belongs depends on all before it.
    const bool alone = crew.size() == 1;
    if (!crew.hire(kSliceRoom)) return Status::NoMemory;
    layout.write_front(in, out);
    std::size_t end = layout.blocks_at;
    Hash hash;
    const bool fits = crew.run(
        [&](std::size_t slice, Worker& worker, std::byte* room) {
          std::byte* const to = alone ? out + end : room;
          const std::size_t most = alone ? capacity - end : kSliceRoom;
          return Blocks{to, to, encode(worker, layout, slice, in, to, most, out)};
        },
        [&](std::size_t slice, Blocks& blocks) {
          if (blocks.bytes == 0 || blocks.bytes > capacity - end) return false;
          hash.update({in + slice * kSliceBytes, bytes_of(layout, slice)});
          blocks.place = out + end;
          end += blocks.bytes;
          return true;
        },
        [](const Blocks& blocks) {
          if (blocks.place != blocks.made) std::memcpy(blocks.place, blocks.made, blocks.bytes);
        });
    if (!fits) return Status::TooSmall;
    hash.update({in + bytes - layout.tail, layout.tail});
    store(out + Layout::kSumAt, hash.digest());
    written = end;
    return Status::Ok;
  }

  /// Sets the size of the original of in[0..bytes), which may be anything. Ok promises that this
  /// codec wrote its header, not that it can be decompressed.
  static Status original_size(const std::byte* in, std::size_t bytes, std::size_t& original) {
    original = 0;
    return in ? Layout::read_front(in, bytes, original) : Status::BadCall;
  }

  /// Decompresses in[0..bytes), which may be anything, to out[0..capacity), apart from it, and sets
  /// `written`. Whatever it returns but Ok, the output is not to be used.
  static Status decompress(const std::byte* in, std::size_t bytes, std::byte* out,
                           std::size_t capacity, std::size_t& written, int threads) {
    written = 0;
    std::size_t original = 0;
    if (const Status status = original_size(in, bytes, original); status != Status::Ok) {
      return status;
    }
    if (!out) return Status::BadCall;
    if (capacity < original) return Status::TooSmall;
    const Layout layout(original);
    const std::size_t slices = slices_of(layout);
    const std::unique_ptr<std::size_t[]> starts(new (std::nothrow) std::size_t[slices + 1]);
    StaticOrderedPool<Worker, bool> crew(threads, slices);
    if (!starts || !crew.hire(0)) return Status::NoMemory;
    if (!find_slices(layout, in, bytes, starts.get())) return Status::Damaged;
    Hash hash;
    const bool good = crew.run(
        [&](std::size_t slice, Worker& worker, std::byte*) {
          std::byte* const to = out + slice * kSliceBytes;
          return decode(worker, layout, slice, {in, in + bytes}, in + starts[slice], to);
        },
        [&](std::size_t slice, bool decoded) {
          if (decoded) hash.update({out + slice * kSliceBytes, bytes_of(layout, slice)});
          return decoded;
        },
        [](bool) {});
    if (!good) return Status::Damaged;
    if (layout.tail) {
      std::memcpy(out + original - layout.tail, in + Layout::kHeaderBytes, layout.tail);
    }
    hash.update({out + original - layout.tail, layout.tail});
    if (hash.digest() != load<std::uint64_t>(in + Layout::kSumAt)) return Status::WrongSum;
    written = original;
    return Status::Ok;
  }

 private:
  using Worker = StaticChunkCoder<Pipeline, Team>;

  /// Chunks that are hashed, and handed to a thread, together: 128 KiB.
  static constexpr std::size_t kSliceBytes = std::size_t{128} << 10;
  static constexpr std::size_t kSliceChunks = kSliceBytes / Layout::kChunkBytes;
  static constexpr std::size_t kSliceRoom =
      kSliceChunks * Pipeline::kWorst + components::kBlockSlack;

  static std::size_t slices_of(const Layout& layout) {
    return words::words_for(layout.chunks, kSliceChunks);
  }
  static std::size_t last_chunk(const Layout& layout, std::size_t slice) {
    const std::size_t end = (slice + 1) * kSliceChunks;
    return end < layout.chunks ? end : layout.chunks;
  }
  /// Original bytes of a slice.
  static std::size_t bytes_of(const Layout& layout, std::size_t slice) {
    const std::size_t left = layout.bytes - layout.tail - slice * kSliceBytes;
    return left < kSliceBytes ? left : kSliceBytes;
  }

  /// Blocks of a slice to `to`, frames to the container's; the blocks' length, or 0: no room.
  static std::size_t encode(Worker& worker, const Layout& layout, std::size_t slice,
                            const std::byte* original, std::byte* to, std::size_t room,
                            std::byte* container) {
    const Surroundings source{original, original + layout.bytes};
    std::size_t done = 0;
    for (std::size_t chunk = slice * kSliceChunks; chunk < last_chunk(layout, slice); ++chunk) {
      const std::size_t length = worker.encode(
          original + chunk * Layout::kChunkBytes, layout.words_of(chunk), source, to + done,
          room - done, container + layout.frames_at + chunk * Frames<Pipeline>::kBytes);
      if (length == 0) return 0;
      done += length;
    }
    return done;
  }

  static bool decode(Worker& worker, const Layout& layout, std::size_t slice, Surroundings source,
                     const std::byte* block, std::byte* out) {
    for (std::size_t chunk = slice * kSliceChunks; chunk < last_chunk(layout, slice); ++chunk) {
      const std::byte* const frame =
          source.begin + layout.frames_at + chunk * Frames<Pipeline>::kBytes;
      if (!worker.decode(block, source, frame, out, layout.words_of(chunk))) return false;
      out += Layout::kChunkBytes;
    }
    return true;
  }

  /// Where every slice's first block begins. False if a frame cannot be, or if the container does
  /// not end where its last block does.
  static bool find_slices(const Layout& layout, const std::byte* in, std::size_t bytes,
                          std::size_t* starts) {
    typename Worker::Extents extents;
    std::size_t at = layout.blocks_at;
    for (std::size_t chunk = 0; chunk < layout.chunks; ++chunk) {
      if (chunk % kSliceChunks == 0) starts[chunk / kSliceChunks] = at;
      const std::byte* const frame = in + layout.frames_at + chunk * Frames<Pipeline>::kBytes;
      if (!Frames<Pipeline>::read(frame, layout.words_of(chunk), extents)) return false;
      const std::size_t length =
          extents[Pipeline::kStages - 1].words * sizeof(typename Worker::LastWord);
      if (length > bytes - at) return false;
      at += length;
    }
    return at == bytes;
  }
};

}  // namespace fpsynth::codec
