#include "runners/codec/cpu/parallel_hash.hpp"

#include <algorithm>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/parallel.hpp"

namespace fpsynth::codec {

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

}  // namespace fpsynth::codec
