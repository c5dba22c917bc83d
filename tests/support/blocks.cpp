#include "tests/support/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace fpsynth::testing {

std::string to_string(Content content) {
  switch (content) {
    case Content::Zeros:
      return "zeros";
    case Content::Ones:
      return "ones";
    case Content::OneValue:
      return "one value";
    case Content::Alternating:
      return "alternating";
    case Content::Pairs:
      return "pairs";
    case Content::LongRuns:
      return "long runs";
    case Content::Sparse:
      return "sparse";
    case Content::Random:
      return "random";
    case Content::Smooth:
      return "smooth";
    case Content::Specials:
      return "specials";
  }
  return "?";
}

std::vector<std::byte> make_block(Content content, std::size_t word_bytes, std::size_t words,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed + 1000 * static_cast<std::uint64_t>(content));
  std::vector<std::byte> block(words * word_bytes);
  std::uint64_t value = random(), run = 0;
  static constexpr std::uint64_t doubles[] = {
      0x7ff8000000000001, 0xfff0000000000001, 0x8000000000000000, 0x0000000000000001,
      0x000fffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000000};
  static constexpr std::uint32_t singles[] = {0x7fc00001, 0xff800001, 0x80000000, 0x00000001,
                                              0x007fffff, 0x7f800000, 0xff800000, 0x00000000};
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    switch (content) {
      case Content::Zeros:
        break;
      case Content::Ones:
        word = ~std::uint64_t{0};
        break;
      case Content::OneValue:
        word = value;
        break;
      case Content::Alternating:
        word = i % 2 ? value : ~value;
        break;
      case Content::Pairs:
        word = i / 2 * 0x0101010101010101;
        break;
      case Content::LongRuns:
        if (run-- == 0) run = random() % 400, value = random() % 2 ? random() : 0;
        word = value;
        break;
      case Content::Sparse:
        word = random() % 10 ? 0 : random();
        break;
      case Content::Random:
        word = random();
        break;
      case Content::Smooth:
        word = 0x3ff0000000000000 / 256 * (i % 256) + random() % 16;
        break;
      case Content::Specials:
        word = word_bytes == 8 ? doubles[random() % 8] : singles[random() % 8];
        break;
    }
    std::memcpy(block.data() + i * word_bytes, &word, word_bytes);
  }
  return block;
}

std::vector<std::size_t> block_lengths(std::size_t word_bytes) {
  const std::size_t w = 8 * word_bytes, chunk = 8192 / word_bytes;
  std::vector<std::size_t> lengths = {1,
                                      2,
                                      3,
                                      5,
                                      w - 1,
                                      w,
                                      w + 1,
                                      63,
                                      64,
                                      65,
                                      66,
                                      127,
                                      128,
                                      129,
                                      130,
                                      200,
                                      257,
                                      511,
                                      513,
                                      chunk - 1,
                                      chunk,
                                      chunk + 1,
                                      chunk + 63,
                                      chunk * 9 / 8,
                                      chunk * 3 / 2};
  if (word_bytes == 1) lengths.insert(lengths.end(), {4095, 4096, 12289});
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace fpsynth::testing
