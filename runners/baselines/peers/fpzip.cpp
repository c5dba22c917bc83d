// fpzip, lossless. It predicts along up to three dimensions; data sets here are sequences, so it
// uses one.

#include <fpzip.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "runners/baselines/peers/blocks.hpp"
#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

void describe(FPZ& fpz, synth::Precision precision, std::size_t words) {
  fpz.type = precision == synth::Precision::Double ? FPZIP_TYPE_DOUBLE : FPZIP_TYPE_FLOAT;
  fpz.prec = 0;  // all bits
  fpz.nx = static_cast<int>(words);
  fpz.ny = fpz.nz = fpz.nf = 1;
}

std::size_t encode(std::span<const std::byte> block, std::span<std::byte> out,
                   synth::Precision precision) {
  const std::size_t word = synth::word_bytes(precision);
  const std::size_t words = block.size() / word, tail = block.size() % word;
  if (words == 0) return 0;
  const std::unique_ptr<FPZ, void (*)(FPZ*)> fpz(
      fpzip_write_to_buffer(out.data() + tail, out.size() - tail), fpzip_write_close);
  if (!fpz) return 0;
  describe(*fpz, precision, words);
  const std::size_t size = fpzip_write(fpz.get(), block.data());
  std::memcpy(out.data(), block.data() + words * word, tail);
  return size > 0 ? tail + size : 0;
}

bool decode(std::span<const std::byte> block, std::span<std::byte> out,
            synth::Precision precision) {
  const std::size_t word = synth::word_bytes(precision);
  const std::size_t words = out.size() / word, tail = out.size() % word;
  if (words == 0 || block.size() <= tail) return false;
  std::memcpy(out.data() + words * word, block.data(), tail);
  block = block.subspan(tail);
  // When fpzip decodes damaged data from memory, it reads past their end; from a file it stops at
  // the end. So the memory is opened as a file, for reading only, and the bytes stay unchanged.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(
      fmemopen(const_cast<std::byte*>(block.data()), block.size(), "rb"), std::fclose);
  if (!stream) return false;
  const std::unique_ptr<FPZ, void (*)(FPZ*)> fpz(fpzip_read_from_file(stream.get()),
                                                 fpzip_read_close);
  if (!fpz) return false;
  describe(*fpz, precision, words);
  return fpzip_read(fpz.get(), out.data()) > 0;
}

BlockCodec codec(synth::Precision precision) {
  return {.name = "fpzip",
          .block = std::size_t{1} << 30,  // fpzip counts in int
          .variant = static_cast<unsigned>(synth::word_bytes(precision)),
          .bound = [](std::size_t n) { return n + n / 8 + 4096; },
          .encode = [precision](auto block, auto out) { return encode(block, out, precision); },
          .decode = [precision](auto block, auto out) { return decode(block, out, precision); }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  peers.present.push_back(block_compressor("fpzip", fpzip_version_string, codec));
  peers.present.back().precisions = {synth::Precision::Double, synth::Precision::Single};
}

}  // namespace fpsynth::baselines
