#pragma once
// How compression and decompression end: the one vocabulary of all codecs. Codecs that throw turn
// it into messages where they meet their callers.

#include <cstdint>

namespace fpsynth::codec {

/// How an attempt ended. The numbers are part of C interfaces.
enum class Status : int {
  Ok = 0,
  BadCall = 1,       ///< a null pointer, or nothing to compress
  TooSmall = 2,      ///< the capacity of the output
  NoMemory = 3,      ///< for working memory
  NotOurs = 4,       ///< not a container at all
  OtherCodec = 5,    ///< a container of another version, pipeline, word size or chunk length
  Damaged = 6,       ///< truncated, forged, or with bytes behind its end
  WrongSum = 7,      ///< decoded, but the checksum of the original differs
  DeviceFailed = 8,  ///< a GPU, of codecs that run on one
};

constexpr const char* describe(Status status) {
  switch (status) {
    case Status::Ok:
      return "no error";
    case Status::BadCall:
      return "bad call: a null pointer, or an input of no bytes";
    case Status::TooSmall:
      return "the room for the output is too small";
    case Status::NoMemory:
      return "out of memory";
    case Status::NotOurs:
      return "not compressed data: it does not start with FPSY";
    case Status::OtherCodec:
      return "compressed with another pipeline, word size, chunk length or format version";
    case Status::Damaged:
      return "damaged: it is truncated, or a length or a block in it cannot be";
    case Status::WrongSum:
      return "damaged: the checksum of what was decoded is wrong";
    case Status::DeviceFailed:
      return "the GPU failed, or there is none that this can run on";
  }
  return "unknown error";
}

/// What is wrong behind the header of a container whose status is Damaged. Frames and ends are
/// looked at together, chunk by chunk, before all others. Encoders on a device know `End` alone:
/// the capacity for the blocks is too small.
enum class FaultKind : std::uint8_t {
  Frame = 0,     ///< a length in a chunk's frame cannot be
  End = 1,       ///< the data end within a chunk's block
  Trailing = 2,  ///< bytes follow the last block
  Block = 3,     ///< a chunk's block is not one that the pipeline writes
  None = 4,
};

/// The first thing that is wrong, and where.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::uint64_t chunk = 0;
  std::uint64_t bytes = 0;  ///< that follow the last block

  constexpr bool found() const { return kind != FaultKind::None; }
};

}  // namespace fpsynth::codec
