#pragma once
// The container's checksum of content that arrives in pieces: XXH3-64 of the list of its segments'
// XXH3-64s. XXH_STATIC_LINKING_ONLY must be defined, because xxhash.h declares the state's size
// only then.

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runners/codec/format/header.hpp"

namespace fpsynth::codec {

/// The XXH3-64s of the segments that a piece of content contains whole. Threads compute them for
/// their pieces at any time; ContentHash then takes them in order. Allocates nothing.
class SegmentHashes {
 public:
  /// Pieces that contain more whole segments are hashed correctly, but the rest in order.
  static constexpr std::size_t kMost = 8;

  /// `at`: the piece's offset in the content. `xxh3`: any implementation of XXH3-64.
  void compute(std::uint64_t at, std::span<const std::byte> piece,
               std::uint64_t (*xxh3)(std::span<const std::byte>) = xxhash_h) {
    count_ = 0;
    for (std::size_t from = before_segment(at);
         count_ < kMost && from <= piece.size() && piece.size() - from >= kSegmentBytes;
         from += kSegmentBytes) {
      hashes_[count_++] = xxh3(piece.subspan(from, kSegmentBytes));
    }
  }

 private:
  friend class ContentHash;
  static std::uint64_t xxhash_h(std::span<const std::byte> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
  }
  /// Bytes from offset `at` to the next segment's begin.
  static std::size_t before_segment(std::uint64_t at) {
    return static_cast<std::size_t>(-at % kSegmentBytes);
  }
  std::size_t count_ = 0;
  std::uint64_t hashes_[kMost];
};

/// Computes the checksum. Pieces must come in order and may have any length.
class ContentHash {
 public:
  ContentHash() {
    XXH3_64bits_reset(&list_);
    XXH3_64bits_reset(&segment_);
  }

  /// The checksum of all of `content`.
  static std::uint64_t of(std::span<const std::byte> content) {
    ContentHash hash;
    hash.update(content);
    return hash.digest();
  }

  /// Number of bytes so far.
  std::uint64_t bytes() const { return bytes_; }

  /// Adds a piece and hashes it on the calling thread.
  void update(std::span<const std::byte> piece) {
    while (!piece.empty()) {
      const std::size_t in_segment = bytes_ % kSegmentBytes, left = kSegmentBytes - in_segment;
      const std::size_t size = piece.size() < left ? piece.size() : left;
      if (size == kSegmentBytes) {
        add(XXH3_64bits(piece.data(), size));
      } else {
        XXH3_64bits_update(&segment_, piece.data(), size);
        if (size == left) {
          add(XXH3_64bits_digest(&segment_));
          XXH3_64bits_reset(&segment_);
        }
      }
      bytes_ += size;
      piece = piece.subspan(size);
    }
  }
  /// Adds a piece, for which and for whose offset `hashes` were computed. Hashes only what belongs
  /// to segments that begin before or end after it.
  void update(std::span<const std::byte> piece, const SegmentHashes& hashes) {
    if (hashes.count_ > 0) {
      const std::size_t before = SegmentHashes::before_segment(bytes_);
      update(piece.first(before));
      for (std::size_t i = 0; i < hashes.count_; ++i) add(hashes.hashes_[i]);
      bytes_ += hashes.count_ * kSegmentBytes;
      piece = piece.subspan(before + hashes.count_ * kSegmentBytes);
    }
    update(piece);
  }

  /// The checksum of what has been added.
  std::uint64_t digest() const {
    if (bytes_ % kSegmentBytes == 0) return XXH3_64bits_digest(&list_);
    ContentHash whole = *this;
    whole.add(XXH3_64bits_digest(&segment_));
    return XXH3_64bits_digest(&whole.list_);
  }

 private:
  void add(std::uint64_t segment) {
    std::byte bytes[sizeof segment];
    store(bytes, segment);
    XXH3_64bits_update(&list_, bytes, sizeof bytes);
  }

  XXH3_state_t list_, segment_;
  std::uint64_t bytes_ = 0;
};

}  // namespace fpsynth::codec
