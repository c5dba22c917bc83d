// The data that steps run on, and how they name what differs.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "runners/check/steps.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/data/synthetic/common.hpp"

namespace fpsynth::check {
namespace {

enum Content : std::size_t { Smooth, Runs, Pairs, Sparse, Noise, kContents };

/// The place of a byte of a container of the codec, without a prelude.
std::string place_in_container(std::span<const std::byte> file, std::size_t at) {
  const codec::Archive archive(file, "the CPU's file");
  const codec::ContainerLayout& layout = archive.layout();
  if (at < layout.frames_at) return "the header";
  if (at < layout.blocks_at) {
    return fmt::format("the frame of chunk {}", (at - layout.frames_at) / layout.shape.frame_bytes);
  }
  std::string place = "what follows the last block";
  codec::find_blocks(archive.frames().stages(), archive.frames().wide(), layout, file.data(),
                     file.size(),
                     [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t length) {
                       if (at < begin || at >= begin + length) return;
                       place = fmt::format("byte {} of the block of chunk {}", at - begin, chunk);
                     });
  return place;
}

/// The number of equal bytes at the beginning.
std::size_t first_difference(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::size_t(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string place_in_file(std::span<const std::byte> file, std::size_t at) {
  if (!codec::has_prelude(file)) return place_in_container(file, at);
  const codec::PreludeArchive archive(file, "the CPU's file");
  const std::size_t overhead = archive.overhead_bytes();
  if (at >= overhead) return place_in_container(archive.inner(), at - overhead);
  std::size_t side_at = codec::prelude_header_bytes(archive.prelude().steps.size());
  for (std::size_t step = 0; step < archive.side().size(); ++step) {
    const std::size_t bytes = archive.side()[step].size();
    if (at >= side_at && at < side_at + bytes) {
      return fmt::format("byte {} of the side data of {}", at - side_at,
                         synth::to_string(archive.prelude().steps[step]));
    }
    side_at += bytes;
  }
  return "the header";
}

}  // namespace

std::vector<std::byte> sample(std::size_t words, std::size_t word_bytes, std::size_t block_words) {
  data::synthetic::Random random(7);
  std::vector<std::byte> bytes(words * word_bytes);
  std::uint64_t word = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < words; ++i) {
    switch (i / block_words % kContents) {
      case Smooth: {
        // Multiples of 1/8 are decimals, too.
        const double value = double((i * i / 64 + i % 3) % 4096) / 8;
        const float single = float(value);
        word = 0;
        if (word_bytes == 4)
          std::memcpy(&word, &single, 4);
        else
          std::memcpy(&word, &value, 8);
        if (word_bytes == 1) word = std::uint64_t(value);
        break;
      }
      case Runs:
        if (run == 0) {
          run = 1 + random.below(150);
          word = random.below(2) ? random.bits() : 0;
        }
        --run;
        break;
      case Pairs:
        if (i % 2 == 0) word = random.bits();
        break;
      case Sparse:
        word = random.below(10) ? 0 : random.bits();
        break;
      default:
        word = random.bits();
    }
    std::memcpy(bytes.data() + i * word_bytes, &word, word_bytes);
  }
  return bytes;
}

std::string difference(std::span<const std::byte> found, std::span<const std::byte> expected) {
  const std::size_t at = first_difference(found, expected);
  if (at == std::min(found.size(), expected.size())) {
    return fmt::format("{} bytes, not {}", found.size(), expected.size());
  }
  return fmt::format("byte {} of {} is {:#04x}, not {:#04x}", at, expected.size(),
                     unsigned(found[at]), unsigned(expected[at]));
}

Place in_file(std::span<const std::byte> file) {
  return [file](std::size_t at) { return place_in_file(file, at); };
}

Place in_pieces(std::string_view piece, std::size_t each) {
  return
      [=](std::size_t at) { return fmt::format("byte {} of {} {}", at % each, piece, at / each); };
}

void expect_same(std::string_view kernels, std::span<const std::byte> found,
                 std::span<const std::byte> expected, const Place& place) {
  if (std::ranges::equal(found, expected)) return;
  const std::size_t at = first_difference(found, expected);
  throw Difference(fmt::format("{} differ in {}: {}", kernels,
                               at < expected.size() ? place(at) : "its length",
                               difference(found, expected)));
}

}  // namespace fpsynth::check
