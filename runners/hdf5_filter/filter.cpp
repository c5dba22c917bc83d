#include "runners/hdf5_filter/filter.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <span>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/hdf5_filter/chunk.hpp"
#include "runners/hdf5_filter/options.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::hdf5 {
namespace {

constexpr char kFilterName[] = "fpsynth";
constexpr int kBigEndian = 1;

/// Runs `work`, and gives the reason of what it throws to HDF5.
template <class Result, class Work>
Result guarded(const Host& host, Result failed, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    host.refuse(kFilterName, "there is not enough memory for a chunk");
  } catch (const std::exception& error) {
    host.refuse(kFilterName, error.what());
  }
  return failed;
}

Options options_of(const Host& host, Id properties, Listed& listed) {
  if (!host.complete()) throw Error("this program's HDF5 lacks a function; take 1.10 or later");
  if (!find(host, properties, kFilterId, listed)) throw Error("HDF5 lost the filter's options");
  listed.count = std::min(listed.count, std::size(listed.values));
  std::span<const unsigned> behind;
  const Options options = unpack({listed.values, listed.count}, behind);
  listed.count -= behind.size();
  return options;
}

/// The chunks of a data set that is being created. The elements may be anything: a word is the
/// largest of which they are a multiple.
Chunks chunks_of(const Host& host, const Options& options, const Listed& listed, Id type,
                 Id space) {
  const std::size_t element = host.type_size(type);
  Chunks chunks;
  const std::size_t own = std::size_t{1} << std::min(3, std::countr_zero(element));
  chunks.word_bytes = options.word_bytes ? options.word_bytes : own;
  synth::check(options.method.prelude, chunks.word_bytes);
  const std::size_t turned = std::min(element, chunks.word_bytes);
  if (host.type_order(type) == kBigEndian && turned > 1 && std::has_single_bit(turned) &&
      element % turned == 0) {
    chunks.turned = turned;
  }
  chunks.resized = listed.resized;
  chunks.bytes = chunk_bytes(host, type, space);
  return chunks;
}

/// True if the options are right; groups, whose links have no type, take no filter of words.
int can_apply(Id properties, Id type, Id) {
  const Host& host = Host::of(__builtin_return_address(0));
  return guarded(host, -1, [&] {
    Listed listed;
    options_of(host, properties, listed);
    return type < 0 ? 0 : 1;
  });
}

/// Adds the data set's chunks to the options.
int set_local(Id properties, Id type, Id space) {
  const Host& host = Host::of(__builtin_return_address(0));
  return guarded(host, -1, [&] {
    Listed listed;
    const Options options = options_of(host, properties, listed);
    if (type < 0) return 0;
    std::vector<unsigned> values(listed.values, listed.values + listed.count);
    append(values, chunks_of(host, options, listed, type, space));
    return host.modify_filter(properties, kFilterId, listed.flags, values.size(), values.data());
  });
}

void turn(const Chunks& chunks, std::span<std::byte> bytes) {
  const std::size_t step = chunks.turned;
  if (step == 0) return;
  for (std::size_t at = 0; at + step <= bytes.size(); at += step) {
    std::reverse(&bytes[at], &bytes[at] + step);
  }
}

/// A chunk in memory of HDF5's.
struct Buffer {
  std::size_t bytes;
  std::size_t* capacity;
  void** memory;
  std::span<std::byte> content() const { return {static_cast<std::byte*>(*memory), bytes}; }
};

/// Throws std::bad_alloc.
std::span<std::byte> span_of(const ChunkMemory& memory, std::size_t bytes) {
  if (!memory.get()) throw std::bad_alloc();
  return {static_cast<std::byte*>(memory.get()), bytes};
}

std::size_t decompress(const Host& host, const Chunks& chunks, const Buffer& buffer) {
  codec::CodecOptions codec;
  codec.threads = 1;
  constexpr std::string_view kChunk = "a stored chunk";
  std::uint64_t size = chunks.bytes;
  if (chunks.resized || !size) {
    codec.limit = size ? most_resized(size) : most_unnoted(buffer.bytes);
    codec.limit_is = "which no chunk of this data set exceeds; it is damaged";
    const codec::Header header = codec::original_header(buffer.content(), kChunk);
    codec::refuse_over_limit(header, kChunk, codec);
    size = header.original_bytes;
  }
  ChunkMemory out(host, size);
  const std::span<std::byte> bytes = span_of(out, size);
  codec::decompress_into(buffer.content(), bytes, codec, kChunk);
  turn(chunks, bytes);
  return out.replace(buffer.memory, buffer.capacity, bytes.size());
}

std::size_t compress(const Host& host, const Options& options, const Chunks& chunks, bool optional,
                     const Buffer& buffer) {
  codec::CodecOptions codec;
  codec.threads = 1;
  codec.chunk_words = options.chunk_words;
  std::span<const std::byte> original = buffer.content();
  if (chunks.resized && original.size() > most_resized(chunks.bytes)) {
    raise("the filters before it make {} bytes of a chunk of {}; name it first", original.size(),
          chunks.bytes);
  }
  std::vector<std::byte> turned;
  if (chunks.turned) {
    turned.assign(original.begin(), original.end());
    turn(chunks, turned);
    original = turned;
  }
  const std::vector<std::byte> packed =
      codec::compress(original, options.method, chunks.word_bytes, codec);
  if (optional && packed.size() >= buffer.bytes) return 0;  // HDF5 then stores the chunk as it is
  ChunkMemory out(host, packed.size());
  std::ranges::copy(packed, span_of(out, packed.size()).begin());
  return out.replace(buffer.memory, buffer.capacity, packed.size());
}

std::size_t filter(unsigned flags, std::size_t count, const unsigned* values, std::size_t bytes,
                   std::size_t* buffer_bytes, void** buffer) {
  const Host& host = Host::of(__builtin_return_address(0));
  return guarded(host, std::size_t{0}, [&] {
    std::span<const unsigned> behind;
    const Options options = unpack({values, count}, behind);
    const Chunks chunks = unpack_chunks({values, count}, behind);
    const Buffer chunk{bytes, buffer_bytes, buffer};
    return flags & kReverse ? decompress(host, chunks, chunk)
                            : compress(host, options, chunks, flags & kOptional, chunk);
  });
}

}  // namespace

const FilterClass& filter_class() {
  static constexpr FilterClass one{.id = kFilterId,
                                   .name = kFilterName,
                                   .can_apply = can_apply,
                                   .set_local = set_local,
                                   .filter = filter};
  return one;
}

}  // namespace fpsynth::hdf5
