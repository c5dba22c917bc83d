#include "runners/codec/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/container_writer.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/errors.hpp"
#include "runners/codec/format/prelude_archive.hpp"
#include "runners/codec/preludes.hpp"
#include "synth/common/error.hpp"

/// What xxh_x86dispatch.h declares, where the library was built with it; null elsewhere.
extern "C" [[gnu::weak]] XXH64_hash_t XXH3_64bits_dispatch(const void* input, std::size_t bytes);

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

/// Decodes slices first..end-1 and hashes what it decodes. Slice s goes to out[s *
/// slice_bytes()...), so `out` must hold at least all slices before `end`.
void decode_to(const Archive& archive, std::size_t first, std::size_t end, std::span<std::byte> out,
               std::vector<ChunkCoder>& coders, ContentHash& hash) {
  const ContainerLayout& layout = archive.layout();
  const int threads = static_cast<int>(coders.size());
  std::vector<SegmentHashes> hashes(buffer_count(threads));
  const auto slice_of = [&](std::uint64_t slice) {
    return out.subspan(slice * layout.slice_bytes(), layout.bytes_of(slice));
  };
  in_order(
      first, end, threads,
      [&](std::uint64_t slice, std::size_t buffer, std::size_t thread) {
        decode_slice(archive, slice, coders[thread], slice_of(slice).data());
        hashes[buffer].compute(slice * layout.slice_bytes(), slice_of(slice), fastest_xxh3);
      },
      [&](std::uint64_t slice, std::size_t buffer) {
        hash.update(slice_of(slice), hashes[buffer]);
      });
}

/// Copies the trailing bytes to the end of `out` and checks the checksum of the whole original.
void finish(const Archive& archive, std::span<std::byte> out, ContentHash& hash) {
  const auto tail = archive.tail();
  std::copy(tail.begin(), tail.end(), out.last(tail.size()).begin());
  hash.update(tail);
  refuse_wrong_sum(archive.name(), archive.header(), hash.digest());
}

}  // namespace

std::uint64_t fastest_xxh3(std::span<const std::byte> bytes) {
  const auto xxh3 = XXH3_64bits_dispatch ? XXH3_64bits_dispatch : XXH3_64bits;
  return xxh3(bytes.data(), bytes.size());
}

void refuse_over_limit(const Header& header, std::string_view name, const CodecOptions& options) {
  if (header.original_bytes <= options.limit) return;
  throw Error(
      fmt::format("{}: its original has {} bytes, more than the limit of {}; raise the limit", name,
                  header.original_bytes, options.limit));
}

std::uint64_t compress(std::span<const std::byte> input, std::string_view /*name*/,
                       const synth::Pipeline& pipeline, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options) {
  Header header;
  header.pipeline = pipeline;
  header.word_bytes = word_bytes;
  header.chunk_words = static_cast<std::uint32_t>(options.chunk_words);
  header.original_bytes = input.size();
  serialize(header);  // refuses what the container cannot hold, before anything relies on it
  return Compressor(input, header, sink, options).run();
}

std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                std::size_t word_bytes, const CodecOptions& options) {
  MemorySink sink;
  reserve_output(sink.bytes(), input.size());
  compress(input, "the input", pipeline, word_bytes, sink, options);
  return std::move(sink.bytes());
}

std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options) {
  if (has_prelude(file)) {
    sink.write(decompress(file, options, name));
    return PreludeArchive(file, name).original_bytes();
  }
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  const ContainerLayout& layout = archive.layout();
  const int threads = threads_for(options.threads, layout.slices());
  std::vector<ChunkCoder> coders = chunk_coders(archive.header(), threads, options);
  // Not std::vector: its zeros would cost a pass over memory that decoding fills anyway.
  const std::size_t buffers = std::min(buffer_count(threads), layout.slices());
  const std::unique_ptr<std::byte[]> memory(new std::byte[buffers * layout.slice_bytes()]);
  const auto decoded = [&](std::uint64_t slice, std::size_t buffer) {
    return std::span(memory.get() + buffer * layout.slice_bytes(), layout.bytes_of(slice));
  };
  std::vector<SegmentHashes> hashes(buffers);
  ContentHash hash;
  in_order(
      0, layout.slices(), threads,
      [&](std::uint64_t slice, std::size_t buffer, std::size_t thread) {
        decode_slice(archive, slice, coders[thread], decoded(slice, buffer).data());
        hashes[buffer].compute(slice * layout.slice_bytes(), decoded(slice, buffer), fastest_xxh3);
      },
      [&](std::uint64_t slice, std::size_t buffer) {
        hash.update(decoded(slice, buffer), hashes[buffer]);
        sink.write(decoded(slice, buffer));
      });
  hash.update(archive.tail());
  sink.write(archive.tail());
  refuse_wrong_sum(archive.name(), archive.header(), hash.digest());
  return archive.header().original_bytes;
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options,
                                  std::string_view name) {
  if (has_prelude(file)) {
    const PreludeArchive archive(file, name);
    std::vector<std::byte> decoded = decompress(archive.inner(), options, name);
    restore_original(archive, decoded, name, options);
    return decoded;
  }
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  const std::uint64_t size = archive.header().original_bytes;
  const ContainerLayout& layout = archive.layout();
  std::vector<ChunkCoder> coders =
      chunk_coders(archive.header(), threads_for(options.threads, layout.slices()), options);
  ContentHash hash;
  std::vector<std::byte> out;
  // Most files are decoded in one step. If a header claims an original of more than 64 times the
  // file's size, which may be forged, the output grows step by step with what has been decoded.
  for (std::size_t first = 0; first < layout.slices();) {
    const std::uint64_t justified = std::max<std::uint64_t>({64 * file.size(), 2 * out.size()});
    const std::uint64_t now =
        std::min<std::uint64_t>(size, std::max(justified, layout.slice_bytes()));
    reserve_output(out, now);
    out.resize(now);
    const std::size_t end =
        out.size() == size ? layout.slices() : out.size() / layout.slice_bytes();
    decode_to(archive, first, end, out, coders, hash);
    first = end;
  }
  out.resize(size);
  finish(archive, out, hash);
  return out;
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options, std::string_view name) {
  if (has_prelude(file)) {
    const PreludeArchive archive(file, name);
    decompress_into(archive.inner(), out, options, name);
    restore_original(archive, out, name, options);
    return;
  }
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  if (archive.header().original_bytes != out.size()) {
    throw Error(fmt::format("{}: its original has {} bytes, but the output buffer has {}", name,
                            archive.header().original_bytes, out.size()));
  }
  const std::size_t slices = archive.layout().slices();
  std::vector<ChunkCoder> coders =
      chunk_coders(archive.header(), threads_for(options.threads, slices), options);
  ContentHash hash;
  decode_to(archive, 0, slices, out, coders, hash);
  finish(archive, out, hash);
}

}  // namespace fpsynth::codec
