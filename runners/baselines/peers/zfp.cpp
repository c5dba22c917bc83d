// zfp's reversible mode, which keeps every bit. It transforms blocks of four values along each of
// up to four dimensions; data sets here are sequences, so it uses one.
//
// zfp and CFITSIO, which reads data sets, both export functions stream_open(), stream_close(),
// stream_size() and stream_flush(), and whichever library is loaded first gives them to both. So
// the bit stream is compiled into this file, as zfp's header provides, and blocks are coded one by
// one: zfp_compress() and zfp_decompress() call these functions, those for blocks do not. The bytes
// are those of zfp_compress().

#include <fmt/core.h>

#include <cstring>
#include <memory>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/peers.hpp"

#define inline_ static inline
#define BIT_STREAM_WORD_TYPE uint8  // with which the distributions build zfp
#include <zfp/bitstream.inl>

#include <zfp.h>  // knows by inline_ that the bit stream's functions are there

namespace fpsynth::baselines {
namespace {

constexpr const char* kName = "zfp reversible";
constexpr std::size_t kBlock = 4;  // values of a block of one dimension
constexpr std::size_t kStreamWord = sizeof(bitstream_word);

struct Doubles {
  using Value = double;
  static constexpr auto kType = zfp_type_double;
  static constexpr auto encode = zfp_encode_block_double_1;
  static constexpr auto encode_partial = zfp_encode_partial_block_strided_double_1;
  static constexpr auto decode = zfp_decode_block_double_1;
  static constexpr auto decode_partial = zfp_decode_partial_block_strided_double_1;
};

struct Singles {
  using Value = float;
  static constexpr auto kType = zfp_type_float;
  static constexpr auto encode = zfp_encode_block_float_1;
  static constexpr auto encode_partial = zfp_encode_partial_block_strided_float_1;
  static constexpr auto decode = zfp_decode_block_float_1;
  static constexpr auto decode_partial = zfp_decode_partial_block_strided_float_1;
};

using Stream = std::unique_ptr<zfp_stream, void (*)(zfp_stream*)>;
using Bits = std::unique_ptr<bitstream, void (*)(bitstream*)>;

/// Null: out of memory.
Stream reversible() {
  Stream stream(zfp_stream_open(nullptr), zfp_stream_close);
  if (stream) zfp_stream_set_reversible(stream.get());
  return stream;
}

/// Bits of a stream, at an address that suits its words. Null: out of memory.
Bits open(zfp_stream& stream, std::byte* bytes, std::size_t size) {
  Bits bits(stream_open(bytes, size), stream_close);
  if (bits) zfp_stream_set_bit_stream(&stream, bits.get());
  return bits;
}

/// The most bytes to which so many values compress, in whole words of the stream. Decoding reads no
/// more, whatever the bytes are.
template <class Kind>
std::size_t maximum(zfp_stream& stream, std::size_t count) {
  const std::unique_ptr<zfp_field, void (*)(zfp_field*)> field(
      zfp_field_1d(nullptr, Kind::kType, count), zfp_field_free);
  const std::size_t size = field ? zfp_stream_maximum_size(&stream, field.get()) : 0;
  return (size + kStreamWord - 1) / kStreamWord * kStreamWord;
}

template <class Kind>
std::size_t bound(std::size_t size) {
  const Stream stream = reversible();
  const std::size_t most = stream ? maximum<Kind>(*stream, size / sizeof(typename Kind::Value)) : 0;
  return most + sizeof(typename Kind::Value);  // behind the stream, the bytes of no whole word
}

template <class Kind>
std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out) {
  using Value = typename Kind::Value;
  const std::size_t count = block.size() / sizeof(Value), whole = count / kBlock * kBlock;
  const auto tail = block.subspan(count * sizeof(Value));
  if (count == 0) return 0;
  const Stream stream = reversible();
  if (!stream || maximum<Kind>(*stream, count) + tail.size() > out.size()) return 0;
  const Bits bits = open(*stream, out.data(), out.size());
  if (!bits) return 0;
  const auto* const values = reinterpret_cast<const Value*>(block.data());
  for (std::size_t i = 0; i < whole; i += kBlock) Kind::encode(stream.get(), values + i);
  if (whole < count) Kind::encode_partial(stream.get(), values + whole, count - whole, 1);
  stream_flush(bits.get());
  const std::size_t size = stream_size(bits.get());
  std::memcpy(out.data() + size, tail.data(), tail.size());
  return size + tail.size();
}

template <class Kind>
bool decode(std::span<const std::byte> block, std::span<std::byte> out) {
  using Value = typename Kind::Value;
  const std::size_t count = out.size() / sizeof(Value), whole = count / kBlock * kBlock;
  const auto tail = out.subspan(count * sizeof(Value));
  if (count == 0 || block.size() <= tail.size()) return false;
  const std::size_t size = block.size() - tail.size();
  const Stream stream = reversible();
  if (!stream) return false;
  const std::size_t most = maximum<Kind>(*stream, count);
  if (size > most) return false;
  // zfp reads on behind the end of damaged data, so it reads a copy with zeros behind it.
  const std::unique_ptr<std::byte[]> copy(new std::byte[most + kStreamWord]);
  std::memcpy(copy.get(), block.data(), size);
  std::memset(copy.get() + size, 0, most + kStreamWord - size);
  const Bits bits = open(*stream, copy.get(), most);
  if (!bits) return false;
  auto* const values = reinterpret_cast<Value*>(out.data());
  for (std::size_t i = 0; i < whole; i += kBlock) Kind::decode(stream.get(), values + i);
  if (whole < count) Kind::decode_partial(stream.get(), values + whole, count - whole, 1);
  stream_align(bits.get());
  if (stream_size(bits.get()) != size) return false;
  std::memcpy(tail.data(), block.data() + size, tail.size());
  return true;
}

template <class Kind>
BlockCodec codec() {
  return {.name = kName,
          .block = std::size_t{1} << 26,  // bounds the copy in decode()
          .variant = sizeof(typename Kind::Value),
          .bound = bound<Kind>,
          .encode = encode<Kind>,
          .decode = decode<Kind>};
}

BlockCodec codec(synth::Precision precision) {
  return precision == synth::Precision::Double ? codec<Doubles>() : codec<Singles>();
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  if (stream_word_bits != 8 * kStreamWord) {
    peers.missing.push_back(
        {kName, fmt::format("this zfp was built with words of {} bits in its bit stream, and not "
                            "with {}; install libzfp-dev of the distribution and build again",
                            stream_word_bits, 8 * kStreamWord)});
    return;
  }
  peers.present.push_back(block_compressor(
      kName, zfp_version_string, [](synth::Precision precision) { return codec(precision); }));
}

}  // namespace fpsynth::baselines
