// zfp's reversible mode, which keeps every bit. It transforms blocks of four values along each of
// up to four dimensions; data sets here are sequences, so it uses one. It knows signed integers;
// unsigned ones are such with the same bits.

#include <zfp.h>

#include <cstring>
#include <memory>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

using synth::ValueKind;
using synth::ValueType;

constexpr const char* kName = "zfp reversible";

zfp_type type_of(ValueType type) {
  const bool doubles = type.precision == synth::Precision::Double;
  if (type.is_float()) return doubles ? zfp_type_double : zfp_type_float;
  return doubles ? zfp_type_int64 : zfp_type_int32;
}

/// A sequence of values, without the bytes of no whole one, and how zfp is to code it.
class Sequence {
 public:
  Sequence(std::span<const std::byte> bytes, ValueType type)
      : tail_(bytes.size() % synth::word_bytes(type)),
        field_(zfp_field_1d(const_cast<std::byte*>(bytes.data()), type_of(type),
                            bytes.size() / synth::word_bytes(type)),
               zfp_field_free),
        stream_(zfp_stream_open(nullptr), zfp_stream_close) {
    if (stream_) zfp_stream_set_reversible(stream_.get());
  }

  /// The bytes behind the values.
  std::size_t tail() const { return tail_; }

  /// The most bytes to which the values compress; 0: out of memory, or there are none. Decoding
  /// reads no more, whatever the bytes are.
  std::size_t maximum() const {
    return field_ && field_->nx > 0 && stream_
               ? zfp_stream_maximum_size(stream_.get(), field_.get())
               : 0;
  }

  /// Calls zfp_compress() or zfp_decompress() with the stream's bytes, and returns how many it
  /// wrote or read; 0: it failed.
  template <class Function>
  std::size_t call(Function code, std::byte* bytes, std::size_t size) const {
    const std::unique_ptr<bitstream, void (*)(bitstream*)> bits(stream_open(bytes, size),
                                                                stream_close);
    if (!bits) return 0;
    zfp_stream_set_bit_stream(stream_.get(), bits.get());
    return code(stream_.get(), field_.get());
  }

 private:
  std::size_t tail_;
  std::unique_ptr<zfp_field, void (*)(zfp_field*)> field_;
  std::unique_ptr<zfp_stream, void (*)(zfp_stream*)> stream_;
};

std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out, ValueType type) {
  const Sequence values(block, type);
  const std::size_t most = values.maximum();
  if (most == 0 || most + values.tail() > out.size()) return 0;
  const std::size_t size = values.call(zfp_compress, out.data(), out.size());
  std::memcpy(out.data() + size, block.last(values.tail()).data(), values.tail());
  return size > 0 ? size + values.tail() : 0;
}

bool decode(std::span<const std::byte> block, std::span<std::byte> out, ValueType type) {
  const Sequence values(out, type);
  const std::size_t most = values.maximum();
  if (most == 0 || block.size() <= values.tail()) return false;
  const std::size_t size = block.size() - values.tail();
  if (size > most) return false;
  // zfp reads on behind the end of damaged data, so it reads a copy with zeros behind it.
  constexpr std::size_t kMostWord = 8;  // what it reads at once
  const std::unique_ptr<std::byte[]> copy(new std::byte[most + kMostWord]);
  std::memcpy(copy.get(), block.data(), size);
  std::memset(copy.get() + size, 0, most + kMostWord - size);
  if (values.call(zfp_decompress, copy.get(), most) != size) return false;
  std::memcpy(out.last(values.tail()).data(), block.data() + size, values.tail());
  return true;
}

BlockCodec codec(ValueType type) {
  return {.name = kName,
          .block = std::size_t{1} << 26,  // bounds the copy in decode()
          .variant = static_cast<unsigned>(synth::word_bytes(type)) | (type.is_float() ? 0 : 16u),
          .bound =
              [type](std::size_t size) {
                // zfp looks at the number of values alone.
                return Sequence({static_cast<const std::byte*>(nullptr), size}, type).maximum() +
                       synth::word_bytes(type);
              },
          .encode = [type](auto block, auto out) { return encode(block, out, type); },
          .decode = [type](auto block, auto out) { return decode(block, out, type); }};
}

Compressor for_kind(ValueKind kind) {
  Compressor zfp = block_compressor(kName, zfp_version_string, [kind](synth::Precision precision) {
    return codec({precision, kind});
  });
  zfp.precisions = {synth::Precision::Double, synth::Precision::Single};
  return zfp;
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  peers.present.push_back(for_kind(ValueKind::Float));
  peers.present.back().of_kind = for_kind;
}

}  // namespace fpsynth::baselines
