#include "runners/codec/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/ordered_pool.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/container_writer.hpp"
#include "runners/codec/format/hash.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

std::vector<ChunkCoder> chains(const Header& header, int threads, const Options& options) {
  const auto& table = options.stages ? *options.stages : components::default_stages();
  std::vector<ChunkCoder> result;
  for (int i = 0; i < threads; ++i) {
    result.emplace_back(header.pipeline, header.word_bytes, header.chunk_words, table);
  }
  return result;
}

class Compressor {
 public:
  Compressor(std::span<const std::byte> input, const Header& header, PatchableSink& sink,
             const Options& options)
      : input_(input),
        header_(header),
        layout_(header.pipeline, header.word_bytes, header.chunk_words),
        slice_chunks_(slice_chunks(header.chunk_words * header.word_bytes)),
        slices_((header.chunks() + slice_chunks_ - 1) / slice_chunks_),
        threads_(team_size(options.threads, slices_)),
        chains_(chains(header, threads_, options)),
        slots_(slot_count(threads_)),
        writer_(header, input, sink) {}

  std::uint64_t run() {
    in_order(
        0, slices_, threads_,
        [&](std::uint64_t slice, std::size_t slot, std::size_t thread) {
          encode(slice_of(slice), chains_[thread], slots_[slot]);
        },
        [&](std::uint64_t slice, std::size_t slot) { write(slice_of(slice), slots_[slot]); });
    hash_.update(input_.last(header_.tail_bytes()));
    return writer_.finish(hash_.digest());
  }

 private:
  /// A slice's result on its way to the sink.
  struct Slot {
    std::vector<std::byte> frames, blocks;
  };

  std::span<const std::byte> slice_of(std::uint64_t slice) const {
    const std::size_t size = slice_chunks_ * header_.chunk_words * header_.word_bytes;
    const auto words = input_.first(input_.size() - header_.tail_bytes()).subspan(slice * size);
    return words.first(std::min(size, words.size()));
  }

  void encode(std::span<const std::byte> slice, ChunkCoder& chain, Slot& slot) const {
    const std::size_t chunk_bytes = header_.chunk_words * header_.word_bytes;
    slot.frames.resize((slice.size() + chunk_bytes - 1) / chunk_bytes * layout_.bytes());
    slot.blocks.clear();
    std::byte* frame = slot.frames.data();
    while (!slice.empty()) {
      const std::size_t size = std::min(slice.size(), chunk_bytes);
      const auto [block, extents] = chain.encode(slice.first(size));
      slot.blocks.insert(slot.blocks.end(), block.begin(), block.end());
      layout_.write(extents, frame);
      frame += layout_.bytes();
      slice = slice.subspan(size);
    }
  }

  void write(std::span<const std::byte> slice, const Slot& slot) {
    hash_.update(slice);
    writer_.add_blocks(slot.blocks);
    writer_.add_frames(slot.frames);
  }

  std::span<const std::byte> input_;
  Header header_;
  FrameLayout layout_;
  std::size_t slice_chunks_;
  std::uint64_t slices_;
  int threads_;
  std::vector<ChunkCoder> chains_;
  std::vector<Slot> slots_;
  Hash hash_;
  ContainerWriter writer_;
};

/// Decodes into memory of the original's size (without its tail) and more, from slice `first` to
/// slice `end` - 1, and hashes what it decodes.
void decode_to(const Archive& archive, std::size_t first, std::size_t end, std::span<std::byte> out,
               std::vector<ChunkCoder>& team, Hash& hash) {
  const auto slice_of = [&](std::uint64_t slice) {
    return out.subspan(slice * archive.slice_bytes(), archive.bytes_of(slice));
  };
  in_order(
      first, end, static_cast<int>(team.size()),
      [&](std::uint64_t slice, std::size_t, std::size_t thread) {
        archive.decode(slice, team[thread], slice_of(slice).data());
      },
      [&](std::uint64_t slice, std::size_t) { hash.update(slice_of(slice)); });
}

/// Puts the trailing bytes where they belong and checks the checksum of the whole.
void finish(const Archive& archive, std::span<std::byte> out, Hash& hash) {
  const auto tail = archive.tail();
  std::copy(tail.begin(), tail.end(), out.last(tail.size()).begin());
  hash.update(tail);
  archive.verify(hash.digest());
}

}  // namespace

void refuse_empty(std::span<const std::byte> input, std::string_view name) {
  if (!input.empty()) return;
  throw Error(fmt::format("{} is empty; there is nothing to compress", name));
}

void refuse_over_limit(const Header& header, std::string_view name, const Options& options) {
  if (header.original_bytes <= options.limit) return;
  throw Error(fmt::format("{}: its original has {} bytes, more than the limit of {}; raise it",
                          name, header.original_bytes, options.limit));
}

std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Pipeline& pipeline, std::size_t word_bytes, PatchableSink& sink,
                       const Options& options) {
  refuse_empty(input, name);
  Header header;
  header.pipeline = pipeline;
  header.word_bytes = word_bytes;
  header.original_bytes = input.size();
  serialize(header);  // refuses what the container cannot hold, before anything relies on it
  return Compressor(input, header, sink, options).run();
}

std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Pipeline& pipeline,
                                std::size_t word_bytes, const Options& options) {
  MemorySink sink;
  sink.bytes().reserve(input.size());
  compress(input, "the input", pipeline, word_bytes, sink, options);
  return std::move(sink.bytes());
}

std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const Options& options) {
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  const int threads = team_size(options.threads, archive.slices());
  std::vector<ChunkCoder> team = chains(archive.header(), threads, options);
  // Not std::vector: its zeros would cost a pass over memory that decoding fills anyway.
  const std::size_t slots = std::min(slot_count(threads), archive.slices());
  const std::unique_ptr<std::byte[]> buffer(new std::byte[slots * archive.slice_bytes()]);
  Hash hash;
  in_order(
      0, archive.slices(), threads,
      [&](std::uint64_t slice, std::size_t slot, std::size_t thread) {
        archive.decode(slice, team[thread], buffer.get() + slot * archive.slice_bytes());
      },
      [&](std::uint64_t slice, std::size_t slot) {
        const std::span<const std::byte> decoded(buffer.get() + slot * archive.slice_bytes(),
                                                 archive.bytes_of(slice));
        hash.update(decoded);
        sink.write(decoded);
      });
  hash.update(archive.tail());
  sink.write(archive.tail());
  archive.verify(hash.digest());
  return archive.header().original_bytes;
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const Options& options,
                                  std::string_view name) {
  const Archive archive(file, name);
  refuse_over_limit(archive.header(), name, options);
  const std::uint64_t size = archive.header().original_bytes;
  std::vector<ChunkCoder> team =
      chains(archive.header(), team_size(options.threads, archive.slices()), options);
  Hash hash;
  std::vector<std::byte> out;
  // Most files are decoded in one go. One that claims to expand by more than 64 is believed step by
  // step.
  for (std::size_t first = 0; first < archive.slices();) {
    const std::uint64_t earned = std::max<std::uint64_t>({64 * file.size(), 2 * out.size()});
    out.resize(std::min<std::uint64_t>(size, std::max(earned, archive.slice_bytes())));
    const std::size_t end =
        out.size() == size ? archive.slices() : out.size() / archive.slice_bytes();
    decode_to(archive, first, end, out, team, hash);
    first = end;
  }
  out.resize(size);
  finish(archive, out, hash);
  return out;
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const Options& options, std::string_view name) {
  const Archive archive(file, name);
  if (archive.header().original_bytes != out.size()) {
    throw Error(fmt::format("{}: its original has {} bytes, the room given for it {}", name,
                            archive.header().original_bytes, out.size()));
  }
  std::vector<ChunkCoder> team =
      chains(archive.header(), team_size(options.threads, archive.slices()), options);
  Hash hash;
  decode_to(archive, 0, archive.slices(), out, team, hash);
  finish(archive, out, hash);
}

}  // namespace fpsynth::codec
