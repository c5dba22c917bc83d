// The papers' compressors that run on devices.

#include <fmt/core.h>

#include <algorithm>

#include "runners/baselines/gfc/format.hpp"
#include "runners/baselines/holt/format.hpp"
#include "runners/check/steps.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::check {
namespace {

using Bytes = std::vector<std::byte>;

/// In pieces (chunks, runs) with these offsets in a file.
Place at_offsets(std::string_view piece, std::vector<std::size_t> offsets) {
  return [=](std::size_t at) -> std::string {
    if (at < offsets.front()) return "the header";
    const auto after = std::ranges::upper_bound(offsets, at) - 1;
    return fmt::format("byte {} of {} {}", at - *after, piece, after - offsets.begin());
  };
}

std::string gfc(Target& target) {
  const auto device = target.gfc();
  const Bytes doubles = sample(target.work().whole_words + 5, 8);
  unsigned rounds = 0;
  for (const unsigned chunks : {1, 7, 100}) {
    for (const unsigned dimensionality : {1, 3, 32}) {
      const Bytes file = baselines::encode_gfc(doubles, chunks, dimensionality);
      const std::string what =
          fmt::format("GFC, {}, dimensionality {}: ", counted(chunks, "chunk"), dimensionality);
      const auto parsed = baselines::parse_gfc(file, "the CPU's file");
      expect_same(what + "encoding kernels", device->encode(doubles, chunks, dimensionality), file,
                  at_offsets("chunk", parsed.offsets));
      expect_same(what + "decoding kernels", device->decode(file, "the CPU's file"), doubles,
                  in_pieces("chunk", 8 * parsed.layout.chunk_doubles()));
      ++rounds;
    }
  }
  return fmt::format("{} there and back, {} times", counted(doubles.size() / 8, "double"), rounds);
}

std::string holt(Target& target) {
  const auto device = target.holt();
  std::size_t values = 0;
  for (const auto precision : {synth::Precision::Double, synth::Precision::Single}) {
    const std::size_t word_bytes = synth::word_bytes(precision);
    Bytes input = sample(target.work().whole_words + 5, word_bytes);
    values = input.size() / word_bytes;
    input.resize(input.size() + 3);
    for (const baselines::HoltParameters& parameters :
         {baselines::HoltParameters{}, baselines::HoltParameters{0.5, 0.25, 31},
          baselines::HoltParameters{0.5, 0.25, 31, true}}) {
      const Bytes file = baselines::encode_holt(input, precision, parameters);
      const std::string what =
          fmt::format("Holt, {}s, runs of {}: ", synth::to_string(precision), parameters.run);
      const auto layout = baselines::parse_holt(file, "the CPU's file");
      expect_same(what + "encoding kernels", device->encode(input, precision, parameters), file,
                  at_offsets("run", baselines::holt_offsets(file, layout, "the CPU's file")));
      Bytes back(input.size());
      compare_after([&] { device->decode_into(file, "the CPU's file", back); },
                    [&] {
                      expect_same(what + "decoding kernels", back, input,
                                  in_pieces("run", word_bytes * parameters.run));
                    });
    }
  }
  return fmt::format("{} in doubles and singles there and back, 3 times each",
                     counted(values, "value"));
}

}  // namespace

void add_baseline_steps(std::vector<Step>& steps) {
  steps.push_back({"GFC", gfc});
  steps.push_back({"Holt", holt});
}

}  // namespace fpsynth::check
