#pragma once
// Lossless compression in memory with any pipeline, in the containers that `fpsynth compress`
// writes. Target fpsynth::codec; <fpsynth.h> has the same for C, and for the caller's buffers.
//
// Several threads may call all functions at once; the functions keep no state between calls. The
// bytes that compress() returns depend only on the values, the method and the options, not on the
// number of threads or the processor. In addition to what is documented below, all functions throw
// std::bad_alloc.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fpsynth/error.hpp>

namespace fpsynth {

/// Floats of 4 and 8 bytes, integers of 1 to 8; and std::byte, taken for the bytes of doubles.
template <class T>
concept ValueType = std::same_as<T, std::byte> ||(std::floating_point<T> && sizeof(T) <= 8) ||
                    (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

/// Values that the caller keeps. A function that takes Values takes a vector, a span or an array of
/// any ValueType.
struct Values {
  std::span<const std::byte> bytes;
  std::string type;                  ///< "float64" to "float16", "bfloat16", "int64" to "uint8"
  std::vector<std::uint64_t> shape;  ///< extents, the slowest first; empty: nothing is known

  template <std::ranges::contiguous_range Range>
  requires ValueType<std::ranges::range_value_t<Range>> Values(
      const Range& values, std::vector<std::uint64_t> extents = {})
      : Values(std::as_bytes(std::span(values)), type_of<std::ranges::range_value_t<Range>>(),
               std::move(extents)) {}
  /// Bytes, any or none, of values of a type in the machine's byte order. Those behind the last
  /// whole value are stored verbatim, unless there is a shape.
  Values(std::span<const std::byte> all, std::string_view named,
         std::vector<std::uint64_t> extents = {})
      : bytes(all), type(named), shape(std::move(extents)) {}

 private:
  template <class T>
  static constexpr std::string_view type_of() {
    if constexpr (std::same_as<T, std::byte>) return "float64";
    if constexpr (std::floating_point<T>) return sizeof(T) == 8 ? "float64" : "float32";
    constexpr std::string_view integers[] = {"uint8", "uint16", "uint32", "uint64"};
    constexpr int number = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return integers[number].substr(std::signed_integral<T> ? 1 : 0);
  }
};

struct CompressOptions {
  int threads = 0;  ///< 0: one for each processor that this process may use
  /// Of a chunk: 1024, 2048, 4096, 16384 or 65536; 0: 1024, of "auto" the best.
  std::size_t chunk_words = 0;
  std::string effort = "normal";  ///< of "auto": "quick" (seconds), "normal", "thorough" (minutes)
};

/// Compresses values with a pipeline such as "LNV2s LNV2s LNV2x | ZE": 1 to 8 component names, the
/// last one a reducer, such as ZE or RLE, with a | where words become bytes. A prelude may stand
/// before it, as in "LAGx:18200 / LNV1s ZE". "auto" does what `fpsynth compress auto` does; it
/// needs the target fpsynth::fpsynth, whose best_method() finds one method. The container keeps a
/// shape, and of integers their type. Throws UsageError if `method` is no method, for an unknown
/// type or effort, and for a shape of other values; Error for another length of chunks.
std::vector<std::byte> compress(const Values& values, std::string_view method,
                                const CompressOptions& options = {});

struct DecompressOptions {
  int threads = 0;  ///< as for compression
  /// Longer originals are refused before anything is decoded. If left out, decompress() refuses
  /// those that are longer than the machine, its cgroup or `ulimit -v` has memory.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Restores the original. `container` may hold any bytes from any source. Throws Error if they are
/// not a complete, undamaged container (a checksum of the original is compared), or if the original
/// is longer than the limit. Of containers that describe their values, as `fpsynth compress` makes
/// of .npy files, the original is the values in the machine's byte order, without a header.
std::vector<std::byte> decompress(std::span<const std::byte> container,
                                  const DecompressOptions& options = {});

/// The same, to memory of exactly the original's size, which inspect() returns. Throws Error for
/// any other size. If it throws, the contents of `original` must not be used.
void decompress_into(std::span<const std::byte> container, std::span<std::byte> original,
                     const DecompressOptions& options = {});

/// Facts about a container, read from its structure.
struct ContainerInfo {
  /// As canonical_pipeline() spells it; those of a file of sections with semicolons between them.
  std::string pipeline;
  std::size_t word_bytes = 8;
  std::uint64_t original_bytes = 0, compressed_bytes = 0;
  std::uint64_t chunks = 0;
  /// Words in a chunk; the last chunk may be shorter. 0: a file of sections, which may differ.
  std::uint32_t chunk_words = 0;
  /// XXH3-64 of the XXH3-64s (little-endian, in order) of the original's segments of 64 KiB; of
  /// sections, that of their index.
  std::uint64_t checksum = 0;
  double ratio = 0;  ///< original_bytes / compressed_bytes
  /// The type of the values, "float64" or "int32", if the container describes them, as those of
  /// arrays and variables do (version 4); else this and the rest are empty.
  std::string type;
  std::vector<std::uint64_t> shape;  ///< empty for one value
  bool fortran_order = false;        ///< the first index counts fastest, not the last
  std::string name;                  ///< of a variable
};

/// Reads a container's structure without decoding it. Throws Error if the structure is damaged.
ContainerInfo inspect(std::span<const std::byte> container);

/// A pipeline in the spelling that documents and containers use. Throws UsageError if `pipeline` is
/// not a pipeline; the message marks the wrong word and suggests one.
std::string canonical_pipeline(std::string_view pipeline);

}  // namespace fpsynth
