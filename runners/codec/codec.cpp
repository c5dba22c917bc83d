#include "runners/codec/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "runners/codec/archive.hpp"
#include "runners/codec/chain.hpp"
#include "runners/codec/container.hpp"
#include "runners/codec/hash.hpp"
#include "runners/codec/parallel.hpp"
#include "synth/error.hpp"

namespace fpsynth::codec {
namespace {

std::vector<Chain> chains(const Header& header, int threads, const Options& options) {
  const auto& table = options.stages ? *options.stages : components::default_stages();
  std::vector<Chain> result;
  for (int i = 0; i < threads; ++i) {
    result.emplace_back(header.pipeline, header.word_bytes, header.chunk_words, table);
  }
  return result;
}

/// Frames and blocks of a run of slices on their way to the sink.
struct Batch {
  std::uint64_t first_chunk = 0;
  std::vector<std::byte> frames;
  std::vector<std::vector<std::byte>> blocks;  ///< one per slice
};

class Compressor {
 public:
  Compressor(std::span<const std::byte> input, const Header& header, PatchableSink& sink,
             const Options& options)
      : input_(input),
        header_(header),
        sink_(sink),
        layout_(header.pipeline, header.word_bytes, header.chunk_words),
        slice_chunks_(slice_chunks(chunk_bytes())),
        slices_((header.chunks() + slice_chunks_ - 1) / slice_chunks_),
        threads_(team_size(options.threads, slices_)),
        chains_(chains(header, threads_, options)) {}

  std::uint64_t run() {
    write_front();
    const std::uint64_t batch_slices = slices_per_batch();
    std::array<Batch, 2> batches;
    Batch* previous = nullptr;
    for (std::uint64_t first = 0; first < slices_; first += batch_slices) {
      const std::uint64_t end = std::min(first + batch_slices, slices_);
      Batch& batch = batches[(first / batch_slices) % 2];
      prepare(batch, first, end);
      parallel_slices(
          end - first, threads_,
          [&](std::size_t i, std::size_t thread) {
            encode(first + i, chains_[thread], batch, batch.blocks[i]);
          },
          [&] {
            if (previous) write(*previous);
            hash_.update(bytes_of(first, end));
          });
      previous = &batch;
    }
    if (previous) write(*previous);
    hash_.update(input_.last(header_.tail_bytes()));
    sink_.patch(checksum_offset(header_.pipeline), checksum_bytes(hash_.digest()));
    return written_;
  }

 private:
  std::size_t chunk_bytes() const { return header_.chunk_words * header_.word_bytes; }

  /// As many slices as make a batch, or fewer for a pipeline that may make them grow a lot.
  std::uint64_t slices_per_batch() const {
    const std::size_t grown =
        synth::worst_case_bytes(header_.pipeline, header_.word_bytes, header_.chunk_words,
                                header_.pipeline.stages.size() - 1);
    const std::size_t most = slice_chunks_ * std::max(grown, 2 * chunk_bytes());
    return std::max<std::uint64_t>(2 * kBatchBytes / most, static_cast<std::uint64_t>(threads_));
  }

  std::span<const std::byte> bytes_of(std::uint64_t first_slice, std::uint64_t end_slice) const {
    const std::uint64_t whole = input_.size() - header_.tail_bytes();
    const std::uint64_t slice = slice_chunks_ * chunk_bytes();
    return input_.first(whole).subspan(first_slice * slice,
                                       std::min(end_slice * slice, whole) - first_slice * slice);
  }

  void put(std::span<const std::byte> bytes) {
    sink_.write(bytes);
    written_ += bytes.size();
  }

  /// Header and tail, and zeros where the frames will stand.
  void write_front() {
    put(serialize(header_));
    put(input_.last(header_.tail_bytes()));
    frames_at_ = written_;
    std::uint64_t left = header_.chunks() * layout_.bytes();
    const std::vector<std::byte> zeros(std::min<std::uint64_t>(left, std::uint64_t{1} << 20));
    while (left > 0) {
      const std::uint64_t piece = std::min<std::uint64_t>(left, zeros.size());
      put(std::span(zeros).first(piece));
      left -= piece;
    }
  }

  void prepare(Batch& batch, std::uint64_t first_slice, std::uint64_t end_slice) const {
    batch.first_chunk = first_slice * slice_chunks_;
    const std::uint64_t end = std::min<std::uint64_t>(end_slice * slice_chunks_, header_.chunks());
    batch.frames.resize((end - batch.first_chunk) * layout_.bytes());
    batch.blocks.resize(end_slice - first_slice);
    for (auto& blocks : batch.blocks) blocks.clear();
  }

  void encode(std::uint64_t slice, Chain& chain, Batch& batch, std::vector<std::byte>& blocks) {
    std::span<const std::byte> left = bytes_of(slice, slice + 1);
    std::byte* frame =
        batch.frames.data() + (slice * slice_chunks_ - batch.first_chunk) * layout_.bytes();
    while (!left.empty()) {
      const std::size_t size = std::min(left.size(), chunk_bytes());
      const auto [block, extents] = chain.encode(left.first(size));
      blocks.insert(blocks.end(), block.begin(), block.end());
      layout_.write(extents, frame);
      frame += layout_.bytes();
      left = left.subspan(size);
    }
  }

  void write(const Batch& batch) {
    sink_.patch(frames_at_ + batch.first_chunk * layout_.bytes(), batch.frames);
    for (const auto& blocks : batch.blocks) put(blocks);
  }

  std::span<const std::byte> input_;
  Header header_;
  PatchableSink& sink_;
  FrameLayout layout_;
  std::size_t slice_chunks_;
  std::uint64_t slices_;
  int threads_;
  std::vector<Chain> chains_;
  Hash hash_;
  std::uint64_t written_ = 0, frames_at_ = 0;
};

/// Decodes batch after batch. room(offset, bytes) gives the memory for the original's bytes from
/// `offset` on; done(offset, bytes) is called for each batch in order, on any one thread, while the
/// next batch is decoded. Then checks the checksum that done() kept.
template <typename Room, typename Done>
void decode_batches(const Archive& archive, const Options& options, const Room& room,
                    const Done& done) {
  const int threads = team_size(options.threads, archive.slices());
  std::vector<Chain> team = chains(archive.header(), threads, options);
  const std::size_t batch_slices = std::max<std::size_t>(1, kBatchBytes / archive.slice_bytes());
  std::uint64_t done_offset = 0, done_bytes = 0;
  for (std::size_t first = 0; first < archive.slices(); first += batch_slices) {
    const std::size_t end = std::min(first + batch_slices, archive.slices());
    const std::uint64_t offset = std::uint64_t{first} * archive.slice_bytes();
    const std::uint64_t bytes =
        std::uint64_t{end - 1 - first} * archive.slice_bytes() + archive.bytes_of(end - 1);
    std::byte* out = room(offset, bytes);
    parallel_slices(
        end - first, threads,
        [&](std::size_t i, std::size_t thread) {
          archive.decode(first + i, team[thread], out + i * archive.slice_bytes());
        },
        [&] {
          if (done_bytes > 0) done(done_offset, done_bytes);
        });
    done_offset = offset;
    done_bytes = bytes;
  }
  if (done_bytes > 0) done(done_offset, done_bytes);
}

void check_limit(const Archive& archive, const Options& options, std::string_view name) {
  if (archive.header().original_bytes > options.limit) {
    throw Error(fmt::format("{}: its original has {} bytes, more than the limit of {}; raise it",
                            name, archive.header().original_bytes, options.limit));
  }
}

}  // namespace

std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Pipeline& pipeline, std::size_t word_bytes, PatchableSink& sink,
                       const Options& options) {
  if (input.empty()) {
    throw Error(fmt::format("{} is empty; there is nothing to compress", name));
  }
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
  check_limit(archive, options, name);
  Hash hash;
  std::array<std::unique_ptr<std::byte[]>, 2> buffers;
  std::array<std::uint64_t, 2> sizes{};
  std::uint64_t turn = 0, written = 0;
  decode_batches(
      archive, options,
      [&](std::uint64_t, std::uint64_t bytes) {
        // Not std::vector: its zeros would cost a pass over memory that decoding fills anyway.
        auto& buffer = buffers[turn % 2];
        if (sizes[turn % 2] < bytes) buffer.reset(new std::byte[bytes]);
        sizes[turn % 2] = std::max(sizes[turn % 2], bytes);
        return buffers[turn++ % 2].get();
      },
      [&](std::uint64_t, std::uint64_t bytes) {
        const std::span<const std::byte> batch(buffers[written++ % 2].get(), bytes);
        hash.update(batch);
        sink.write(batch);
      });
  hash.update(archive.tail());
  sink.write(archive.tail());
  archive.verify(hash.digest());
  return archive.header().original_bytes;
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const Options& options,
                                  std::string_view name) {
  const Archive archive(file, name);
  check_limit(archive, options, name);
  const std::uint64_t size = archive.header().original_bytes;
  Hash hash;
  std::vector<std::byte> out;
  decode_batches(
      archive, options,
      [&](std::uint64_t offset, std::uint64_t bytes) {
        if (offset + bytes > out.size()) {
          const std::uint64_t earned = 64 * file.size();
          out.resize(std::min(size, std::max({offset + bytes, 2 * offset, earned})));
        }
        return out.data() + offset;
      },
      [&](std::uint64_t offset, std::uint64_t bytes) {
        hash.update(std::span(out).subspan(offset, bytes));
      });
  out.resize(size);
  const auto tail = archive.tail();
  std::copy(tail.begin(), tail.end(), out.end() - static_cast<std::ptrdiff_t>(tail.size()));
  hash.update(tail);
  archive.verify(hash.digest());
  return out;
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const Options& options, std::string_view name) {
  const Archive archive(file, name);
  if (archive.header().original_bytes != out.size()) {
    throw Error(fmt::format("{}: its original has {} bytes, the room given for it {}", name,
                            archive.header().original_bytes, out.size()));
  }
  Hash hash;
  decode_batches(
      archive, options, [&](std::uint64_t offset, std::uint64_t) { return out.data() + offset; },
      [&](std::uint64_t offset, std::uint64_t bytes) { hash.update(out.subspan(offset, bytes)); });
  const auto tail = archive.tail();
  std::copy(tail.begin(), tail.end(), out.end() - static_cast<std::ptrdiff_t>(tail.size()));
  hash.update(tail);
  archive.verify(hash.digest());
}

}  // namespace fpsynth::codec
