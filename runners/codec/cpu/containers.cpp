#include "runners/codec/cpu/containers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::codec {
namespace {

/// One coder for each thread.
std::vector<ChunkCoder> chunk_coders(const Header& header, int threads,
                                     const CodecOptions& options) {
  const auto& table = options.stages ? *options.stages : components::default_stages();
  std::vector<ChunkCoder> result;
  for (int i = 0; i < threads; ++i) {
    result.emplace_back(header.pipeline, header.word_bytes, header.chunk_words, table);
  }
  return result;
}

/// Another program may write to the input during compression. Every byte is therefore read once,
/// and the checksum is that of the bytes that were compressed.
class Compressor {
 public:
  Compressor(std::span<const std::byte> input, const Header& header, PatchableSink& sink,
             const CodecOptions& options)
      : input_(input),
        frames_(header),
        layout_(frames_.layout(input.size())),
        threads_(threads_for(options.threads, layout_.slices())),
        coders_(chunk_coders(header, threads_, options)),
        buffers_(buffer_count(threads_)),
        tail_(input.end() - static_cast<std::ptrdiff_t>(layout_.tail_bytes), input.end()),
        writer_(header, tail_, sink) {}

  std::uint64_t run() {
    in_order(
        0, layout_.slices(), threads_,
        [&](std::uint64_t slice, std::size_t buffer, std::size_t thread) {
          encode(slice, coders_[thread], buffers_[buffer]);
        },
        [&](std::uint64_t, std::size_t buffer) { write(buffers_[buffer]); });
    hash_.update(tail_);
    return writer_.finish(hash_.digest());
  }

 private:
  /// A slice and its encoding, until it is written to the sink.
  struct Encoded {
    components::BlockBuffer memory;
    std::span<const std::byte> original;  ///< in `memory`
    std::vector<std::byte> frames, blocks;
    SegmentHashes hashes;
  };

  std::span<const std::byte> slice_of(std::uint64_t slice) const {
    return input_.subspan(slice * layout_.slice_bytes(), layout_.bytes_of(slice));
  }

  void encode(std::uint64_t index, ChunkCoder& coder, Encoded& encoded) const {
    std::span<const std::byte> slice = slice_of(index);
    if (encoded.memory.size() < slice.size()) {
      encoded.memory = components::BlockBuffer(layout_.slice_bytes());
    }
    std::memcpy(encoded.memory.data(), slice.data(), slice.size());
    encoded.original = slice = {encoded.memory.data(), slice.size()};
    encoded.hashes.compute(index * layout_.slice_bytes(), slice, fastest_xxh3);
    const std::size_t chunk_bytes = layout_.shape.chunk_bytes();
    encoded.frames.resize(chunk_count(slice.size(), chunk_bytes) * frames_.bytes());
    encoded.blocks.clear();
    std::byte* frame = encoded.frames.data();
    while (!slice.empty()) {
      const std::size_t size = std::min(slice.size(), chunk_bytes);
      const auto [block, extents] = coder.encode_in_place(slice.first(size));
      encoded.blocks.insert(encoded.blocks.end(), block.begin(), block.end());
      frames_.write(extents, frame);
      frame += frames_.bytes();
      slice = slice.subspan(size);
    }
  }

  void write(const Encoded& encoded) {
    hash_.update(encoded.original, encoded.hashes);
    writer_.add_blocks(encoded.blocks);
    writer_.add_frames(encoded.frames);
  }

  std::span<const std::byte> input_;
  PipelineFrames frames_;
  ContainerLayout layout_;
  int threads_;
  std::vector<ChunkCoder> coders_;
  std::vector<Encoded> buffers_;
  std::vector<std::byte> tail_;
  ContentHash hash_;
  ContainerWriter writer_;
};

/// Decodes a slice to out[0..layout().bytes_of(slice)). `coder` was constructed for the archive's
/// header. Throws Error that names the first chunk whose block is not a valid encoding.
void decode_slice(const Archive& archive, std::size_t slice, ChunkCoder& coder, std::byte* out) {
  const PipelineFrames& frames = archive.frames();
  const ContainerLayout& layout = archive.layout();
  std::array<components::Extent, kMostStages> all;
  const std::span extents(all.data(), frames.stages().size());
  const std::size_t last_word = frames.stages()[extents.size() - 1].word_bytes();
  const std::byte* frame = archive.frames_of(slice, 1).data();
  std::span<const std::byte> blocks = archive.blocks_of(slice, 1);
  const std::uint64_t end = layout.end_chunk(slice);
  for (std::uint64_t chunk = layout.first_chunk(slice); chunk < end; ++chunk) {
    const std::size_t words = layout.words_of(chunk);
    frames.read(frame, words, extents);
    // The archive checked the length, but the file may have changed since.
    const std::size_t length =
        std::min<std::size_t>(extents.back().words * last_word, blocks.size());
    const auto decoded = coder.decode(blocks.first(length), extents, words);
    if (!decoded) {
      refuse_fault(archive.name(), archive.header(), {FaultKind::Block, chunk, 0});
    }
    std::memcpy(out, decoded->data(), decoded->size());
    out += decoded->size();
    frame += frames.bytes();
    blocks = blocks.subspan(length);
  }
}

/// Decodes the slices of an archive, and checks the checksum of the whole original.
class Decoder {
 public:
  /// `archive` outlives it. Throws Error if the original is longer than the limit.
  Decoder(const Archive& archive, const CodecOptions& options) : archive_(archive) {
    refuse_over_limit(archive.header(), archive.name(), options);
    threads_ = threads_for(options.threads, archive.layout().slices());
    coders_ = chunk_coders(archive.header(), threads_, options);
    hashes_.resize(buffer_count(threads_));
  }

  /// Number of slices that are decoded and not yet consumed.
  std::size_t buffers() const { return hashes_.size(); }

  /// Decodes slices first..end-1, each to the bytes that place_of(slice, buffer) returns, and calls
  /// consume(bytes) for each in order.
  template <class PlaceOf, class Consume>
  void decode(std::size_t first, std::size_t end, PlaceOf place_of, Consume consume) {
    in_order(
        first, end, threads_,
        [&](std::uint64_t slice, std::size_t buffer, std::size_t thread) {
          const std::span<std::byte> place = place_of(slice, buffer);
          decode_slice(archive_, slice, coders_[thread], place.data());
          hashes_[buffer].compute(slice * archive_.layout().slice_bytes(), place, fastest_xxh3);
        },
        [&](std::uint64_t slice, std::size_t buffer) {
          const std::span<std::byte> place = place_of(slice, buffer);
          hash_.update(place, hashes_[buffer]);
          consume(place);
          constexpr std::uint64_t kReleased = 64;  // slices
          if (slice % kReleased == kReleased - 1) {
            release_mapped(archive_.blocks_of(slice + 1 - kReleased, kReleased));
          }
        });
  }
  /// Decodes slices first..end-1 to their places in `out`, the original's beginning.
  void decode_to(std::span<std::byte> out, std::size_t first, std::size_t end) {
    const ContainerLayout& layout = archive_.layout();
    decode(
        first, end,
        [&](std::uint64_t slice, std::size_t) {
          return out.subspan(slice * layout.slice_bytes(), layout.bytes_of(slice));
        },
        [](std::span<std::byte>) {});
  }
  /// Checks the checksum, after the last slice.
  void finish() {
    hash_.update(archive_.tail());
    refuse_wrong_sum(archive_.name(), archive_.header(), hash_.digest());
  }
  /// The same, after the trailing bytes have been copied to the end of the original.
  void finish(std::span<std::byte> out) {
    std::ranges::copy(archive_.tail(), out.last(archive_.tail().size()).begin());
    finish();
  }

 private:
  const Archive& archive_;
  int threads_ = 1;
  std::vector<ChunkCoder> coders_;
  std::vector<SegmentHashes> hashes_;
  ContentHash hash_;
};

}  // namespace

void refuse_over_limit(const Header& header, std::string_view name, const CodecOptions& options) {
  if (header.original_bytes <= options.limit) return;
  raise("{}: its original has {} bytes, more than {}, {}", name, header.original_bytes,
        options.limit, options.limit_is);
}

void refuse_other_size(const Header& header, std::string_view name, std::size_t size) {
  if (header.original_bytes == size) return;
  raise("{}: its original has {} bytes, but the output buffer has {}", name, header.original_bytes,
        size);
}

std::uint64_t compress_container(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                 std::size_t word_bytes, PatchableSink& sink,
                                 const CodecOptions& options) {
  return Compressor(input, header_of(pipeline, word_bytes, options.chunk_words, input.size()), sink,
                    options)
      .run();
}

std::uint64_t decompress_container(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const CodecOptions& options) {
  const Archive archive(file, name);
  const ContainerLayout& layout = archive.layout();
  Decoder decoder(archive, options);
  // Not std::vector: its zeros would cost a pass over memory that decoding fills anyway.
  const std::size_t buffers = std::min(decoder.buffers(), layout.slices());
  const std::unique_ptr<std::byte[]> memory(new std::byte[buffers * layout.slice_bytes()]);
  decoder.decode(
      0, layout.slices(),
      [&](std::uint64_t slice, std::size_t buffer) {
        return std::span(memory.get() + buffer * layout.slice_bytes(), layout.bytes_of(slice));
      },
      [&](std::span<std::byte> decoded) { sink.write(decoded); });
  sink.write(archive.tail());
  decoder.finish();
  return archive.header().original_bytes;
}

void decompress_container_into(std::span<const std::byte> file, std::string_view name,
                               std::span<std::byte> out, const CodecOptions& options) {
  const Archive archive(file, name);
  Decoder decoder(archive, options);
  refuse_other_size(archive.header(), name, out.size());
  decoder.decode_to(out, 0, archive.layout().slices());
  decoder.finish(out);
}

}  // namespace fpsynth::codec
