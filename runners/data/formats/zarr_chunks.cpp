// The chunks of an array of Zarr: the files in its directory.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "results/documents/cutting.hpp"
#include "runners/data/formats/decoders/decoder.hpp"
#include "runners/data/formats/zarr_metadata.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

namespace fs = std::filesystem;

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t kMostChunkBytes = std::uint64_t{1} << 31;  // of a chunk: Blosc's own limit

DecodeChunk& decoder_named(std::string_view name) {
  return modules::entry<DecodeChunk>("decode_" + std::string(name), "fpsynth_decode_chunk");
}

/// The bytes of values of these extents, or more than kMostChunkBytes.
std::uint64_t bytes_of(const std::vector<std::uint64_t>& extents, std::uint64_t word) {
  std::uint64_t bytes = word;
  for (const std::uint64_t extent : extents) {
    if (extent > kMostChunkBytes / bytes) return kMostChunkBytes + 1;
    bytes *= extent;
  }
  return bytes;
}

/// The steps between neighbours along each axis, in values, if the last axis counts fastest.
std::vector<std::uint64_t> strides_of(const std::vector<std::uint64_t>& extents) {
  std::vector<std::uint64_t> strides(extents.size());
  std::uint64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) strides[i] = stride;
  return strides;
}

/// Calls visit(place) for every place in a grid, the last axis fastest.
template <class Visit>
void for_each_place(const std::vector<std::uint64_t>& grid, Visit visit) {
  std::vector<std::uint64_t> place(grid.size(), 0);
  while (true) {
    visit(place);
    std::size_t axis = grid.size();
    while (axis > 0 && ++place[axis - 1] == grid[axis - 1]) place[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Throws Error, which names the path, for what is no folder, such as a link that leads nowhere.
void check_folder(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  raise("{}: {}", path.string(),
        error ? why_not_opened(path, error.value())
              : fmt::format("it is no folder, as chunks need; {}", kRestore));
}

/// CRC-32C (Castagnoli's polynomial) of bytes.
std::uint32_t crc32c(Bytes bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = made[i] >> 1 ^ (made[i] & 1 ? 0x82f6'3b78u : 0);
    }
    return made;
  }();
  std::uint32_t sum = ~0u;
  for (const std::byte byte : bytes) {
    sum = sum >> 8 ^ table[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  return ~sum;
}

/// The bytes in front of their checksum.
Bytes checked(Bytes bytes) {
  std::uint32_t stored = 0;
  if (bytes.size() <= sizeof stored) {
    raise("it is cut off, in front of its checksum; {}", kRestore);
  }
  std::memcpy(&stored, bytes.last(sizeof stored).data(), sizeof stored);
  bytes = bytes.first(bytes.size() - sizeof stored);
  if (crc32c(bytes) == stored) return bytes;
  raise("it is damaged: its checksum (crc32c) does not match; {}", kRestore);
}

/// Undoes what the bytes of a chunk went through; `memory` holds them if that was anything but
/// checksums. `size`: that of the values in them; `exact`: also that of the bytes, and not only
/// what these may go beyond by the headers and checksums of chunks in a shard.
Bytes unpacked(const ZarrCodecs& codecs, Bytes bytes, std::uint64_t size, bool exact,
               std::vector<std::byte>& memory) {
  constexpr std::uint64_t kMostGrowth = 32, kHeader = 65536;  // of shards of single values
  std::vector<std::byte> spare;
  for (std::size_t i = codecs.packed.size(); i-- > 0;) {
    if (codecs.packed[i] == kCrc32c) {
      bytes = checked(bytes);
      continue;
    }
    DecodeChunk& decode = decoder_named(codecs.packed[i]);
    if (bytes.data() == memory.data()) std::swap(memory, spare);
    const bool known = i == 0 && exact;
    const std::size_t most =
        known ? size
              : std::min(kMostChunkBytes, std::min(size, kMostChunkBytes) * kMostGrowth + kHeader);
    memory.resize(known ? size : std::min(most, 4 * bytes.size() + 4096));
    std::size_t decoded = 0;
    const auto decode_to = [&] {
      try {
        return decode(bytes, memory);
      } catch (const Error& error) {
        raise("it does not decode: {}; {}", error.what(), kRestore);
      }
    };
    while ((decoded = decode_to()) > memory.size()) {
      if (decoded > most) {
        raise("it is damaged: it has more than {}; {}", counted(most, "byte"), kRestore);
      }
      memory.resize(std::min(most, std::max(decoded, 2 * memory.size())));
    }
    bytes = Bytes(memory).first(decoded);
  }
  return bytes;
}

/// A box of the array's values, which a chunk fills.
struct Box {
  std::byte* values;
  std::vector<std::uint64_t> strides;  ///< between neighbours along each axis, in values
  std::vector<std::uint64_t> extents;  ///< those within the array
};

/// The extents or strides of axes, in an order of these.
std::vector<std::uint64_t> in_order(const std::vector<std::uint64_t>& of_axes,
                                    const std::vector<std::size_t>& order) {
  std::vector<std::uint64_t> result;
  for (const std::size_t axis : order) result.push_back(of_axes[axis]);
  return result;
}

/// Reads the values of one array, a chunk after the other.
class ChunkReader {
 public:
  ChunkReader(const ZarrArray& array, fs::path folder)
      : array_(array), folder_(std::move(folder)), word_(synth::word_bytes(*array.held)) {
    const std::vector<std::uint64_t>* chunk = &array.chunk;
    for (const ZarrShard* shard = array.codecs.shard.get(); shard;
         shard = shard->codecs.shard.get()) {
      chunk = &shard->chunk;
    }
    chunk_bytes_ = bytes_of(*chunk, word_);
    if (chunk_bytes_ > kMostChunkBytes) {
      raise("its chunks of {} have more than 2 GiB each; write it again with smaller ones",
            shape_text(*chunk));
    }
  }

  std::string read(std::span<std::byte> values) {
    put_parts({values.data(), strides_of(array_.shape), array_.shape}, array_.chunk,
              [&](const auto& place, Box box) {
                const std::string name = array_.file_of(place);
                const auto file = chunk_file(folder_, name);
                located("its chunk " + (folder_ / name).string(), [&] {
                  if (!file) return put(array_.codecs, array_.chunk, std::nullopt, std::move(box));
                  while_unchanged(*file, [&] {
                    put(array_.codecs, array_.chunk, file->bytes(), std::move(box));
                  });
                });
              });
    if (absent_ == 0) return "";
    return fmt::format("{} of {} {} not there and {} as the fill value {}", absent_,
                       counted(chunks_, "chunk"), by_count(absent_, "is", "are"),
                       by_count(absent_, "counts", "count"), array_.fill_text);
  }

 private:
  /// Calls work(place, box) for the parts of some extents of which a box has values.
  template <class Work>
  void put_parts(const Box& box, const std::vector<std::uint64_t>& part, Work work) {
    std::vector<std::uint64_t> grid;
    for (std::size_t i = 0; i < part.size(); ++i) {
      grid.push_back((box.extents[i] - 1) / part[i] + 1);
    }
    for_each_place(grid, [&](const std::vector<std::uint64_t>& place) {
      Box inside = box;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::uint64_t begin = place[i] * part[i];
        inside.values += begin * box.strides[i] * word_;
        inside.extents[i] = std::min(part[i], box.extents[i] - begin);
      }
      work(place, std::move(inside));
    });
  }

  /// Fills a box from a chunk, of which there are no bytes if it is not there.
  void put(const ZarrCodecs& codecs, const std::vector<std::uint64_t>& chunk,
           std::optional<Bytes> bytes, Box box) {
    box.strides = in_order(box.strides, codecs.order);
    box.extents = in_order(box.extents, codecs.order);
    const std::vector<std::uint64_t> extents = in_order(chunk, codecs.order);
    if (codecs.shard) {
      std::vector<std::byte> memory;
      if (bytes) bytes = unpacked(codecs, *bytes, bytes_of(chunk, word_), false, memory);
      return put_shard(*codecs.shard, extents, bytes, box);
    }
    ++chunks_;
    if (bytes) return copy(extents, decoded(codecs, extents, *bytes), box);
    copy(box.extents, filled(bytes_of(box.extents, word_)), box);  // not all of a huge chunk
  }

  void put_shard(const ZarrShard& shard, const std::vector<std::uint64_t>& extents,
                 std::optional<Bytes> bytes, const Box& box) {
    std::vector<std::uint64_t> grid;
    for (std::size_t i = 0; i < extents.size(); ++i) grid.push_back(extents[i] / shard.chunk[i]);
    const std::vector<std::uint64_t> index =
        bytes ? index_of(shard, grid, *bytes) : std::vector<std::uint64_t>();
    const std::vector<std::uint64_t> steps = strides_of(grid);
    put_parts(box, shard.chunk, [&](const std::vector<std::uint64_t>& place, Box inside) {
      std::uint64_t number = 0;
      for (std::size_t i = 0; i < place.size(); ++i) number += place[i] * steps[i];
      constexpr std::uint64_t kAbsent = std::numeric_limits<std::uint64_t>::max();
      try {
        const std::uint64_t begin = bytes ? index[2 * number] : kAbsent;
        const std::uint64_t size = bytes ? index[2 * number + 1] : kAbsent;
        const bool absent = begin == kAbsent && size == kAbsent;
        if (!absent && (begin > bytes->size() || size > bytes->size() - begin)) {
          raise("it is damaged: the shard has {}, and the index says {} from {} on; {}",
                counted(bytes->size(), "byte"), size, begin, kRestore);
        }
        const auto inner = absent ? std::nullopt : std::optional(bytes->subspan(begin, size));
        put(shard.codecs, shard.chunk, inner, std::move(inside));
      } catch (const Error& error) {
        throw Error(fmt::format("chunk {} of the shard: {}", shape_text(place), error.what()),
                    error.status());
      }
    });
  }

  /// Where each chunk of a shard begins, and its size.
  std::vector<std::uint64_t> index_of(const ZarrShard& shard,
                                      const std::vector<std::uint64_t>& grid, Bytes bytes) {
    constexpr std::uint64_t kEach = 2 * sizeof(std::uint64_t);
    const std::uint64_t chunks = results::product_of(grid);
    const std::uint64_t size = chunks * kEach + shard.index.packed.size() * sizeof(std::uint32_t);
    if (chunks > bytes.size() / kEach || size > bytes.size()) {
      raise("it is damaged: it has {}, and the index of {} has more; {}",
            counted(bytes.size(), "byte"), counted(chunks, "chunk"), kRestore);
    }
    std::vector<std::uint64_t> index(2 * chunks);
    std::vector<std::byte> memory;
    bytes = located("its index", [&] {
      return unpacked(shard.index, shard.index_first ? bytes.first(size) : bytes.last(size),
                      chunks * kEach, true, memory);
    });
    std::memcpy(index.data(), bytes.data(), chunks * kEach);
    if (shard.index.big_endian) {
      swap_words(std::as_writable_bytes(std::span(index)), Precision::Double);
    }
    return index;
  }

  /// So many bytes of the values of chunks that have no file. They are kept.
  Bytes filled(std::size_t bytes) {
    if (!array_.fill) {
      throw Error(
          "it is not there, and the metadata gives no fill value (null) that it would have; "
          "restore it from a copy, or write the array again with a fill value");
    }
    ++absent_;
    std::size_t at = fill_.size();
    if (at < bytes) fill_.resize(bytes);
    for (; at < bytes; at += word_) std::memcpy(fill_.data() + at, &*array_.fill, word_);
    return Bytes(fill_).first(bytes);
  }

  Bytes decoded(const ZarrCodecs& codecs, const std::vector<std::uint64_t>& extents, Bytes bytes) {
    bytes = unpacked(codecs, bytes, chunk_bytes_, true, chunk_);
    if (bytes.size() != chunk_bytes_) {
      raise("it is damaged: it has {}, and a chunk of {} has {}; {}", counted(bytes.size(), "byte"),
            shape_text(extents), chunk_bytes_, kRestore);
    }
    if (!codecs.big_endian) return bytes;
    if (bytes.data() != chunk_.data()) chunk_.assign(bytes.begin(), bytes.end());
    const auto words = std::span(chunk_).first(chunk_bytes_);
    swap_words(words, array_.held->precision);
    return words;
  }

  /// Copies the values of a chunk that lie within the array.
  void copy(const std::vector<std::uint64_t>& extents, Bytes chunk, const Box& box) {
    if (extents.empty()) return void(std::ranges::copy(chunk, box.values));
    const std::vector<std::uint64_t> from = strides_of(extents);
    const std::uint64_t row = box.extents.back(), step = box.strides.back();
    const std::vector<std::uint64_t> rows(box.extents.begin(), box.extents.end() - 1);
    for_each_place(rows, [&](const std::vector<std::uint64_t>& at) {
      std::byte* to = box.values;
      const std::byte* value = chunk.data();
      for (std::size_t i = 0; i < at.size(); ++i) {
        to += at[i] * box.strides[i] * word_;
        value += at[i] * from[i] * word_;
      }
      if (step == 1) return void(std::memcpy(to, value, row * word_));
      for (std::uint64_t i = 0; i < row; ++i) {
        std::memcpy(to + i * step * word_, value + i * word_, word_);
      }
    });
  }

  const ZarrArray& array_;
  const fs::path folder_;
  const std::size_t word_;
  std::size_t chunk_bytes_ = 0;
  std::uint64_t chunks_ = 0, absent_ = 0;  ///< that were put, and those of them without bytes
  std::vector<std::byte> chunk_, fill_;
};

}  // namespace

std::shared_ptr<const MappedFile> chunk_file(const fs::path& array, const std::string& name) {
  const fs::path below = name;
  if (!is_folder_in(array, below.parent_path())) return nullptr;
  const fs::path path = array / below;
  if (!is_there(path)) return nullptr;
  return located(path.string(), [&] { return map_file(path, kRestore); });
}

bool is_folder_in(const fs::path& folder, const fs::path& below) {
  fs::path path = folder;
  for (const fs::path& part : below) {
    path /= part;
    if (!is_there(path)) return false;
    check_folder(path);
  }
  return true;
}

std::string read_chunks(const ZarrArray& array, const fs::path& folder,
                        std::span<std::byte> values) {
  return ChunkReader(array, folder).read(values);
}

}  // namespace fpsynth::data
