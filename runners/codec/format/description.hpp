#pragma once
// The description of values in front of a container (version 4): their type, shape, byte order and
// name, and what stood before them in the original.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/header.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::codec {

using synth::ValueKind;

/// The kind of the original: a file of raw words, a .npy file, or a variable of another file.
enum class Origin : std::uint8_t { Raw, Npy, Variable };

/// The most extents of a shape: NumPy's.
inline constexpr std::size_t kMostExtents = 64;

struct Description {
  ValueKind kind = ValueKind::Float;
  Origin origin = Origin::Raw;
  bool big_endian = false;     ///< the original's words; those of the container never are
  bool fortran_order = false;  ///< the first index counts fastest, not the last
  std::vector<std::uint64_t> shape = {};  ///< as the original lists it; empty for one value
  std::string name = {};                  ///< of a variable
  std::vector<std::byte> head = {};       ///< the bytes of the original before its words, verbatim

  bool operator==(const Description&) const = default;
};

/// Throws UsageError, which starts with `option` ("--shape"), unless the bytes called `name` are as
/// many words as a shape has values, and no more.
void check_shape(std::span<const std::uint64_t> shape, std::size_t bytes, std::size_t word_bytes,
                 std::string_view name, std::string_view option);

/// The bytes that stand in front of the container of words of `word_bytes` bytes. Throws Error if
/// they cannot hold the description: more than kMostExtents extents, a name of more than 65,535
/// bytes, a head of more than 4 GiB.
std::vector<std::byte> front_of(const Description& description, std::size_t word_bytes);

/// The type of described values.
synth::ValueType type_of(const Description& description, std::size_t word_bytes);

/// True if a file, whose bytes may be anything, begins as one with a description does.
bool is_described(std::span<const std::byte> file);

/// Checks the beginning of such a file. Throws Error, which starts with `name`.
void check_described_beginning(std::span<const std::byte> beginning, std::string_view name);

/// A view of a file with a description; the caller keeps the bytes, which may be anything.
class DescribedFile {
 public:
  /// Checks all of the description, and that it suits the container behind it, whose header it
  /// reads. Throws Error, which starts with `name`.
  DescribedFile(std::span<const std::byte> file, std::string_view name);

  const Description& description() const { return description_; }
  /// Bytes of the file in front of the container.
  std::size_t front_bytes() const { return front_bytes_; }
  /// The container, of version 2, 3 or 5, of the words as little-endian ones.
  std::span<const std::byte> inner() const { return inner_; }
  synth::ValueType type() const { return type_of(description_, word_bytes_); }
  /// Bytes behind the last word, which only raw originals have.
  std::size_t tail_bytes() const { return tail_bytes_; }

 private:
  Description description_;
  std::size_t front_bytes_ = 0, word_bytes_ = 8, tail_bytes_ = 0;
  std::span<const std::byte> inner_;
};

}  // namespace fpsynth::codec
