// fpzip, lossless. It predicts along up to three dimensions; data sets here are sequences, so it
// uses one.

#include <fpzip.h>

#include <memory>

#include "runners/baselines/peers/peers.hpp"

namespace fpsynth::baselines {
namespace {

void describe(FPZ& fpz, synth::Precision precision, std::size_t bytes) {
  fpz.type = precision == synth::Precision::Double ? FPZIP_TYPE_DOUBLE : FPZIP_TYPE_FLOAT;
  fpz.prec = 0;  // all bits
  fpz.nx = static_cast<int>(bytes / synth::word_bytes(precision));
  fpz.ny = fpz.nz = fpz.nf = 1;
}

PeerCalls calls(synth::Precision precision) {
  return {.bound = [](std::size_t n) { return n + n / 8 + 4096; },
          .encode = [precision](auto block, auto out) -> std::size_t {
            const std::unique_ptr<FPZ, void (*)(FPZ*)> fpz(
                fpzip_write_to_buffer(out.data(), out.size()), fpzip_write_close);
            if (!fpz) return 0;
            describe(*fpz, precision, block.size());
            return fpzip_write(fpz.get(), block.data());
          },
          .decode =
              [precision](auto block, auto out) {
                const std::unique_ptr<FPZ, void (*)(FPZ*)> fpz(fpzip_read_from_buffer(block.data()),
                                                               fpzip_read_close);
                if (!fpz) return false;
                describe(*fpz, precision, out.size());
                return fpzip_read(fpz.get(), out.data()) > 0;
              }};
}

}  // namespace

void fpsynth_add_peers(Peers& peers) {
  peers.present.push_back(peer("fpzip", fpzip_version_string, calls));
  peers.present.back().precisions = {synth::Precision::Double, synth::Precision::Single};
}

}  // namespace fpsynth::baselines
