#pragma once
// A StaticCodec on vectors, with exceptions.

#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

class CodecError : public std::runtime_error {
 public:
  explicit CodecError(Status status) : std::runtime_error(describe(status)), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

inline void check(Status status) {
  if (status != Status::Ok) throw CodecError(status);
}

/// Compresses any bytes. Throws CodecError.
template <class Codec>
std::vector<std::byte> compress_vector(std::span<const std::byte> original, int threads) {
  std::vector<std::byte> out(Codec::bound(original.size()));
  std::size_t written = 0;
  check(
      Codec::compress(original.data(), original.size(), out.data(), out.size(), written, threads));
  out.resize(written);
  return out;
}

/// Restores the original of a container, which may hold anything. Throws CodecError if it is not a
/// container of this codec, is damaged, or claims an original of more than `limit` bytes.
template <class Codec>
std::vector<std::byte> decompress_vector(std::span<const std::byte> container, int threads,
                                         std::size_t limit) {
  std::size_t size = 0;
  check(Codec::original_size(container.data(), container.size(), size));
  if (size > limit) throw CodecError(Status::TooSmall);
  std::vector<std::byte> out(size);
  check(
      Codec::decompress(container.data(), container.size(), out.data(), out.size(), size, threads));
  return out;
}

}  // namespace fpsynth::codec
