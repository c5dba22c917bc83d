// zfp's reversible mode, which keeps every bit. It transforms blocks of four values along each of
// up to four dimensions; data sets here are sequences, so it uses one. It knows signed integers;
// unsigned ones are such with the same bits.

#include <zfp.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

using synth::ValueKind;
using synth::ValueType;

zfp_type type_of(ValueType type) {
  const bool doubles = type.precision == synth::Precision::Double;
  if (type.is_float()) return doubles ? zfp_type_double : zfp_type_float;
  return doubles ? zfp_type_int64 : zfp_type_int32;
}

/// A sequence of values, and how zfp is to code it.
class Sequence {
 public:
  Sequence(const std::byte* bytes, std::size_t size, ValueType type)
      : field_(zfp_field_1d(const_cast<std::byte*>(bytes), type_of(type),
                            size / synth::word_bytes(type)),
               zfp_field_free),
        stream_(zfp_stream_open(nullptr), zfp_stream_close) {
    size_if(field_ && stream_, 0);
    zfp_stream_set_reversible(stream_.get());
  }

  /// The most bytes to which the values compress.
  std::size_t maximum() const { return zfp_stream_maximum_size(stream_.get(), field_.get()); }

  /// Calls zfp_compress() or zfp_decompress() with the stream's bytes, and returns how many it
  /// wrote or read; 0: it failed.
  template <class Function>
  std::size_t call(Function code, std::span<const std::byte> bytes) const {
    const std::unique_ptr<bitstream, void (*)(bitstream*)> bits(
        stream_open(const_cast<std::byte*>(bytes.data()), bytes.size()), stream_close);
    if (!bits) return 0;
    zfp_stream_set_bit_stream(stream_.get(), bits.get());
    return code(stream_.get(), field_.get());
  }

 private:
  std::unique_ptr<zfp_field, void (*)(zfp_field*)> field_;
  std::unique_ptr<zfp_stream, void (*)(zfp_stream*)> stream_;
};

PeerCalls calls(ValueType type) {
  return {// zfp looks at the number of values alone.
          .bound = [type](std::size_t size) { return Sequence(nullptr, size, type).maximum(); },
          .encode =
              [type](auto block, auto out) {
                return Sequence(block.data(), block.size(), type).call(zfp_compress, out);
              },
          .decode =
              [type](auto block, auto out) {
                return Sequence(out.data(), out.size(), type).call(zfp_decompress, block) ==
                       block.size();
              },
          .block = std::size_t{1} << 26};
}

Compressor for_kind(ValueKind kind) {
  Compressor zfp = peer("zfp reversible", zfp_version_string, [kind](synth::Precision precision) {
    return calls({precision, kind});
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
