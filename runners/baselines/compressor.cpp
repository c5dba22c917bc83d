#include "runners/baselines/compressor.hpp"

#include <fmt/core.h>

#include <utility>

#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::baselines {

void expect_allowed(std::string_view text, std::uint64_t parameter, std::uint64_t least,
                    std::uint64_t most) {
  if (parameter >= least && parameter <= most) return;
  raise<UsageError>("{}; {} to {} are allowed", fmt::format(fmt::runtime(text), parameter), least,
                    most);
}

Compressor compressor_of_doubles(std::string name, std::string_view format, int threads,
                                 EncodeDoubles encode, DecodeDoubles decode) {
  return {.name = std::move(name),
          .version = synth::kVersion,
          .threads = threads,
          .precisions = {synth::Precision::Double},
          .compress =
              [format = std::string(format), encode = std::move(encode)](
                  std::span<const std::byte> input, synth::Precision precision,
                  std::vector<std::byte>& file) {
                if (precision != synth::Precision::Double) {
                  raise("{} compresses doubles only; use double precision", format);
                }
                file = encode(input, std::move(file));
              },
          .decompress = [name = fmt::format("{} file", format), decode = std::move(decode)](
                            std::span<const std::byte> file, synth::Precision,
                            std::span<std::byte> original) { decode(file, name, original); }};
}

}  // namespace fpsynth::baselines
