#pragma once
// Several static codecs as one, for generated projects of the best methods of a search.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runners/codec/format/status.hpp"

namespace fpsynth::codec {

/// Has the interface of StaticCodec. Codecs: of the same words, of this or of other namespaces.
/// A method is the number of one of them, from 1. The caller chooses one to compress with; files
/// say which one decompresses them.
template <class... Codecs>
class CodecChoice {
 public:
  static constexpr int kMethods = sizeof...(Codecs);

  /// Enough for any method.
  static std::size_t bound(std::size_t bytes) {
    const auto bounds = {Codecs::bound(bytes)...};
    return std::min(bounds) == 0 ? 0 : std::max(bounds);
  }

  /// As StaticCodec::compress() of a method; of 0, with the one whose output is the smallest, for
  /// which all of them are run, and that one again. BadCall for other numbers.
  static Status compress(const std::byte* in, std::size_t bytes, std::byte* out,
                         std::size_t capacity, std::size_t& written, int threads, int method = 0) {
    written = 0;
    if (method < 0 || method > kMethods) return Status::BadCall;
    int best = method;
    std::size_t least = SIZE_MAX;
    for (int i = 1; method == 0 && i <= kMethods; ++i) {
      const Status status = compress_with(in, bytes, out, capacity, written, threads, i);
      if (status != Status::Ok && status != Status::TooSmall) return status;
      if (status == Status::TooSmall || written >= least) continue;
      least = written;
      best = i;
      if (i == kMethods) return Status::Ok;
    }
    written = 0;
    if (best == 0) return Status::TooSmall;
    return compress_with(in, bytes, out, capacity, written, threads, best);
  }

  static Status original_size(const std::byte* in, std::size_t bytes, std::size_t& original) {
    Status status = Status::OtherCodec;
    static_cast<void>(((status = Status(Codecs::original_size(in, bytes, original)),
                        status != Status::OtherCodec) ||
                       ...));
    return status;
  }

  static Status decompress(const std::byte* in, std::size_t bytes, std::byte* out,
                           std::size_t capacity, std::size_t& written, int threads) {
    Status status = Status::OtherCodec;
    static_cast<void>(
        ((status = Status(Codecs::decompress(in, bytes, out, capacity, written, threads)),
          status != Status::OtherCodec) ||
         ...));
    return status;
  }

 private:
  static Status compress_with(const std::byte* in, std::size_t bytes, std::byte* out,
                              std::size_t capacity, std::size_t& written, int threads, int method) {
    using Compress =
        int (*)(const std::byte*, std::size_t, std::byte*, std::size_t, std::size_t&, int);
    static constexpr Compress kCompress[] = {[](const std::byte* from, std::size_t size,
                                                std::byte* to, std::size_t most,
                                                std::size_t& length, int most_threads) {
      return int(Codecs::compress(from, size, to, most, length, most_threads));
    }...};
    return Status(kCompress[method - 1](in, bytes, out, capacity, written, threads));
  }
};

}  // namespace fpsynth::codec
