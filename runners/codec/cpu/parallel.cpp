#include "runners/codec/cpu/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "runners/codec/cpu/ordered_pool.hpp"
#include "runners/codec/format/content_hash.hpp"

/// Declared in xxh_x86dispatch.h, where the library was built with it; null elsewhere.
extern "C" [[gnu::weak]] XXH64_hash_t XXH3_64bits_dispatch(const void* input, std::size_t bytes);

namespace fpsynth::codec {
namespace {

/// The exception that f() throws, or null.
template <class F>
std::exception_ptr thrown_by(F f) {
  try {
    f();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void in_order(std::uint64_t first, std::uint64_t end, int threads,
              const std::function<void(std::uint64_t, std::size_t, std::size_t)>& produce,
              const std::function<void(std::uint64_t, std::size_t)>& consume) {
  OrderedPool pool(threads, end - first, buffer_count(threads));
  if (!pool.allocate()) throw std::bad_alloc();
  std::vector<std::exception_ptr> errors(pool.buffers());
  std::exception_ptr failure;
  pool.run(
      [&](std::uint64_t item, std::size_t buffer, std::size_t thread) {
        errors[buffer] = thrown_by([&] { produce(first + item, buffer, thread); });
      },
      [&](std::uint64_t item, std::size_t buffer) {
        failure =
            errors[buffer] ? errors[buffer] : thrown_by([&] { consume(first + item, buffer); });
        return !failure;
      },
      [](std::uint64_t, std::size_t) {});
  if (failure) std::rethrow_exception(failure);
}

void copy_in_parallel(std::byte* to, std::span<const std::byte> from, int threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t pieces = (from.size() + kPiece - 1) / kPiece;
  in_any_order(pieces, threads_for(threads, pieces), [&](std::size_t piece) {
    const std::size_t at = piece * kPiece;
    std::memcpy(to + at, from.data() + at, std::min(kPiece, from.size() - at));
  });
}

std::uint64_t fastest_xxh3(std::span<const std::byte> bytes) {
  const auto xxh3 = XXH3_64bits_dispatch ? XXH3_64bits_dispatch : XXH3_64bits;
  return xxh3(bytes.data(), bytes.size());
}

void hash_in_parallel(ContentHash& hash, std::span<const std::byte> content, int threads,
                      const std::function<void(std::size_t, std::size_t)>& prepare) {
  // Pieces end where segments do, so the first one may be shorter.
  constexpr std::size_t kPiece = SegmentHashes::kMost * kSegmentBytes;
  const std::uint64_t begin = hash.bytes(), skipped = begin % kPiece;
  const std::size_t pieces = (skipped + content.size() + kPiece - 1) / kPiece;
  const auto at = [&](std::size_t piece) { return piece == 0 ? 0 : piece * kPiece - skipped; };
  const auto bytes = [&](std::size_t piece) {
    return std::min<std::size_t>(at(piece + 1), content.size()) - at(piece);
  };
  std::vector<SegmentHashes> hashes(pieces);
  in_any_order(pieces, threads_for(threads, pieces), [&](std::size_t piece) {
    if (prepare) prepare(at(piece), bytes(piece));
    hashes[piece].compute(begin + at(piece), content.subspan(at(piece), bytes(piece)),
                          fastest_xxh3);
  });
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    hash.update(content.subspan(at(piece), bytes(piece)), hashes[piece]);
  }
}

std::uint64_t checksum_of(std::span<const std::byte> content, int threads) {
  ContentHash hash;
  hash_in_parallel(hash, content, threads);
  return hash.digest();
}

}  // namespace fpsynth::codec
