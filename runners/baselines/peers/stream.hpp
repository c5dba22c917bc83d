#pragma once
// The loop around the streaming libraries bzip2, zlib and xz. Their stream structures have the same
// fields, which count in 32 bits in two of them, so inputs and outputs of any size are passed in
// pieces.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "synth/common/error.hpp"

namespace fpsynth::baselines {

/// The result of a call of a library's stream function.
enum class StreamStatus { More, End, Damaged };

inline constexpr std::size_t kStreamPiece = std::size_t{1} << 30;

/// Gives the stream the next piece of `rest` if it has used up the last one.
template <typename Stream>
void refill(Stream& stream, std::span<const std::byte>& rest) {
  if (stream.avail_in > 0 || rest.empty()) return;
  const std::size_t piece = std::min(rest.size(), kStreamPiece);
  // The libraries do not write to their input, which two of them declare as non-const.
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<std::byte*>(rest.data()));
  stream.avail_in = static_cast<unsigned>(piece);
  rest = rest.subspan(piece);
}

/// Compresses all of `input` with a stream and replaces the contents of `file`. `step(finish)`
/// calls the library; `finish` is true if there is no more input.
template <typename Stream, typename Call>
void stream_compress(Stream& stream, std::span<const std::byte> input, std::vector<std::byte>& file,
                     Call step) {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  const auto block = std::make_unique<std::byte[]>(kBlock);
  file.clear();
  for (StreamStatus status = StreamStatus::More; status != StreamStatus::End;) {
    refill(stream, input);
    stream.next_out = reinterpret_cast<decltype(stream.next_out)>(block.get());
    stream.avail_out = kBlock;
    status = step(input.empty());
    if (status == StreamStatus::Damaged)
      throw Error("a compression library failed; free some memory");
    file.insert(file.end(), block.get(), block.get() + (kBlock - stream.avail_out));
  }
}

/// Decodes a file that consists of exactly one stream to exactly the bytes of `original`. Throws
/// Error, which starts with `name`, for anything else.
template <typename Stream, typename Call>
void stream_decompress(Stream& stream, std::span<const std::byte> file,
                       std::span<std::byte> original, std::string_view name, Call step) {
  const auto fail = [name](std::string_view what) {
    throw Error(fmt::format("{}: the compressed data is damaged: {}", name, what));
  };
  std::size_t given = 0;
  std::byte beyond;  // receives a byte only if the stream decodes to more than `original`
  for (;;) {
    refill(stream, file);
    if (stream.avail_out == 0) {
      const std::size_t piece = std::min(original.size() - given, kStreamPiece);
      std::byte* const to = piece > 0 ? original.data() + given : &beyond;
      stream.next_out = reinterpret_cast<decltype(stream.next_out)>(to);
      stream.avail_out = piece > 0 ? static_cast<unsigned>(piece) : 1;
      given += piece;
    }
    const bool at_end = given == original.size();
    const auto* const out = reinterpret_cast<const std::byte*>(stream.next_out);
    const auto avail_in = stream.avail_in;
    const auto avail_out = stream.avail_out;
    const StreamStatus status = step();
    if (status == StreamStatus::Damaged) fail("its codes or checksum are wrong");
    if (at_end && out == &beyond && stream.avail_out == 0) fail("it decodes to too many bytes");
    if (status == StreamStatus::End) break;
    if (stream.avail_in == avail_in && stream.avail_out == avail_out && file.empty()) {
      fail("it is cut off");
    }
  }
  const bool whole =
      given == original.size() &&
      (stream.avail_out == 0 || reinterpret_cast<const std::byte*>(stream.next_out) == &beyond);
  if (!whole) fail("it decodes to too few bytes");
  if (stream.avail_in > 0 || !file.empty()) fail("bytes follow its end");
}

}  // namespace fpsynth::baselines
