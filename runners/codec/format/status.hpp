#pragma once
// The results of compression and decompression, which all codecs share. Codecs that throw convert
// them to messages in their public functions.

#include <cstdint>

namespace fpsynth::codec {

/// The result of a call. The numbers are part of C interfaces.
enum class Status : int {
  Ok = 0,
  BadCall = 1,       ///< a null pointer, or a workspace that is not aligned
  TooSmall = 2,      ///< the capacity of the output is too small
  NoMemory = 3,      ///< no working memory could be allocated
  NotOurs = 4,       ///< not a container at all
  OtherCodec = 5,    ///< a container of another version, pipeline, word size or chunk length
  Damaged = 6,       ///< truncated, forged, or with bytes after its end
  WrongSum = 7,      ///< decoded, but the checksum of the original differs
  DeviceFailed = 8,  ///< the GPU, in codecs that run on one
  OldVersion = 9,    ///< a container of an earlier development version, which is no longer read
  Described = 10,    ///< containers behind a description of values, in sections, or compact
};

constexpr const char* describe(Status status) {
  switch (status) {
    case Status::Ok:
      return "no error";
    case Status::BadCall:
      return "bad call: a null pointer, or a workspace that is not aligned";
    case Status::TooSmall:
      return "the output buffer is too small";
    case Status::NoMemory:
      return "out of memory";
    case Status::NotOurs:
      return "not compressed data: it does not start with FPSY";
    case Status::OtherCodec:
      return "compressed with another pipeline, word size, chunk length or format version";
    case Status::Damaged:
      return "damaged: it is truncated, or a length or a block in it is invalid";
    case Status::WrongSum:
      return "damaged: the decoded data have another checksum";
    case Status::DeviceFailed:
      return "the GPU failed, or no GPU can run this codec";
    case Status::OldVersion:
      return "compressed by an earlier development version, whose format is no longer read: "
             "compress "
             "the original again";
    case Status::Described:
      return "compressed with a description of its values, in sections or compactly (format "
             "version 4 to 6): restore it with fpsynth decompress";
  }
  return "unknown error";
}

/// Faults behind the header of a container whose status is Damaged. Frames and ends are
/// checked together, chunk by chunk, before the other kinds. Encoders on a device use only `End`:
/// the capacity for the blocks is too small.
enum class FaultKind : std::uint8_t {
  Frame = 0,     ///< a length in a chunk's frame is impossible
  End = 1,       ///< the data end within a chunk's block
  Trailing = 2,  ///< bytes follow the last block
  Block = 3,     ///< a chunk's block is not a valid encoding
  None = 4,
};

/// The first fault of a container, and where it is.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::uint64_t chunk = 0;
  std::uint64_t bytes = 0;  ///< number of bytes after the last block

  constexpr bool found() const { return kind != FaultKind::None; }
};

}  // namespace fpsynth::codec
