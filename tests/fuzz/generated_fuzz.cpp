// Decompresses arbitrary bytes with generated codecs, each with its header made fit: they must be
// an error or give as many bytes as their header promises. The codecs also restore what they
// compress.
//
// Generated when the fuzz targets are built (tests/CMakeLists.txt): `words` as a whole project with
// all its instruction sets, of which one runs per call; the others as headers, `ranks` with a
// prelude.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "bytes.hpp"
#include "components/teams/simd/detect.hpp"
#include "ranks.hpp"
#include "runs.hpp"
#include "words.hpp"
#include "words_levels.hpp"

namespace {

constexpr std::size_t kLimit = std::size_t{1} << 22;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Memory of exactly this size, so that sanitizers find every access past it.
struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size;
  explicit Bytes(std::size_t bytes) : data(new std::byte[bytes]), size(bytes) {}
  Bytes(const std::byte* from, std::size_t bytes) : Bytes(bytes) {
    if (bytes) std::memcpy(data.get(), from, bytes);
  }
};

template <class Decompress>
void decode(const Bytes& container, std::size_t original, int size_status, Decompress decompress) {
  if (size_status != 0 || original > kLimit) return;
  Bytes out(original);
  std::size_t written = 0;
  if (decompress(container, out, written) == 0) require(written == original);
}

/// Writes `prefix` to bytes[at..) as far as there are bytes.
template <class Prefix>
void overwrite(Bytes& bytes, std::size_t at, const Prefix& prefix) {
  if (at >= bytes.size) return;
  std::memcpy(bytes.data.get() + at, prefix.data(), std::min(prefix.size(), bytes.size - at));
}

/// Seeds and finds of one codec are of use to all: the codec's own prefix replaces theirs.
template <class Codec>
void fit(Bytes& bytes) {
  overwrite(bytes, 0, Codec::Container::prefix());
}

/// With a prelude (DEC:1 DICT LAGx:3), lengths of side data are reduced to the bytes that there
/// are, and the beginnings of side data and of the inner container are made fit, too.
template <>
void fit<ranks::Codec>(Bytes& bytes) {
  namespace codec = ranks::fpsynth::codec;
  using Header = ranks::Codec::Header;
  using Side = codec::StaticContainer<codec::SidePipeline<std::uint64_t>>;
  std::byte* const data = bytes.data.get();
  if (bytes.size < Header::kBytes) return;
  codec::PreludeFields fields = Header::fields();
  std::size_t at = Header::kBytes;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto wanted =
        codec::load<std::uint64_t>(data + codec::step_at(i) + codec::kSideBytesInStep);
    const std::size_t length = wanted % (bytes.size - at + 1);
    if (length > 8) overwrite(bytes, at + (i == 0 ? 8 : 0), Side::prefix());
    fields.step[i].side_bytes = length;
    at += length;
  }
  constexpr auto inner = ranks::Codec::Codec::Container::prefix();
  overwrite(bytes, at, inner);
  if (bytes.size - at >= inner.size() + 8) {
    fields.original_bytes = codec::load<std::uint64_t>(data + at + inner.size());
  }
  fields.checksum = codec::load<std::uint64_t>(data + Header::kChecksumAt);
  codec::store_prelude_header(fields, data);
}

template <class Codec>
void fuzz(const std::byte* data, std::size_t size) {
  Bytes container(data, size);
  for (int fitted = 0; fitted < 2; ++fitted) {
    std::size_t original = 0;
    const auto status = Codec::original_size(container.data.get(), size, original);
    decode(container, original, int(status), [](const Bytes& in, Bytes& out, std::size_t& written) {
      return int(Codec::decompress(in.data.get(), in.size, out.data.get(), out.size, written, 1));
    });
    fit<Codec>(container);
  }
  if (size == 0) return;
  Bytes packed(Codec::bound(size)), back(size);
  std::size_t length = 0, restored = 0;
  require(Codec::compress(data, size, packed.data.get(), packed.size, length, 1) ==
          decltype(Codec::compress(data, size, packed.data.get(), 0, length, 1)){});
  const Bytes exact(packed.data.get(), length);
  require(int(Codec::decompress(exact.data.get(), length, back.data.get(), size, restored, 1)) ==
          0);
  require(restored == size && std::memcmp(back.data.get(), data, size) == 0);
}

void fuzz_level(const words_levels::Level& level, const std::byte* data, std::size_t size) {
  Bytes container(data, size);
  fit<words::Codec>(container);
  std::size_t original = 0;
  const int status = level.original_size(container.data.get(), size, &original);
  decode(container, original, status, [&](const Bytes& in, Bytes& out, std::size_t& written) {
    written = out.size;
    return level.decompress(in.data.get(), in.size, out.data.get(), &written, 1);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const input = reinterpret_cast<const std::byte*>(data);
  fuzz<words::Codec>(input, size);
  fuzz<bytes::Codec>(input, size);
  fuzz<runs::Codec>(input, size);
  fuzz<ranks::Codec>(input, size);
  fuzz_level(words_levels::baseline, input, size);
#ifndef FPSYNTH_WITHOUT_AVX2
  if (fpsynth::teams::has_avx2()) fuzz_level(words_levels::avx2, input, size);
#endif
#ifndef FPSYNTH_WITHOUT_AVX512
  if (fpsynth::teams::has_avx512()) fuzz_level(words_levels::avx512, input, size);
#endif
  return 0;
}
