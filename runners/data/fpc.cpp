#include "runners/data/fpc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "runners/data/fcm_predictor.hpp"
#include "synth/error.hpp"

namespace fpsynth::data {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read and written in place");

constexpr std::size_t kBlockValues = 32768;
constexpr std::size_t kHeaderBytes = 6;
// Residuals are moved eight bytes at a time, whatever their length, so buffers have this slack.
constexpr std::size_t kSlack = 8;

[[noreturn]] void fail(std::string_view name, std::size_t offset, std::string_view what) {
  throw Error(fmt::format("{}: byte {}: {}; the file is damaged or no FPC file, fetch it again",
                          name, offset, what));
}

std::uint64_t load(const std::byte* from) {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

void store(std::byte* to, std::uint64_t word) { std::memcpy(to, &word, sizeof word); }

std::size_t load3(const std::byte* from) {
  return std::to_integer<std::size_t>(from[0]) | std::to_integer<std::size_t>(from[1]) << 8 |
         std::to_integer<std::size_t>(from[2]) << 16;
}

void store3(std::byte* to, std::size_t value) {
  for (unsigned i = 0; i < 3; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

struct Block {
  std::size_t values;
  std::size_t bytes;  ///< with the header
  std::size_t code_bytes() const { return (values + 1) / 2; }
};

/// The block that starts at an offset, its header checked against the bounds of the format and of
/// the file.
Block read_header(std::span<const std::byte> file, std::size_t offset, std::string_view name) {
  const std::size_t left = file.size() - offset;
  if (left < kHeaderBytes) {
    fail(name, offset, fmt::format("a block header needs 6 bytes, {} are left", left));
  }
  const Block block{load3(file.data() + offset), load3(file.data() + offset + 3)};
  if (block.values == 0 || block.values > kBlockValues) {
    fail(name, offset, fmt::format("a block of {} values, not 1 to 32768", block.values));
  }
  const std::size_t least = kHeaderBytes + block.code_bytes();
  if (block.bytes < least || block.bytes > least + 8 * block.values) {
    fail(name, offset + 3,
         fmt::format("a block of {} values cannot take {} bytes", block.values, block.bytes));
  }
  if (block.bytes > left) {
    fail(name, offset, fmt::format("a block of {} bytes, {} are left", block.bytes, left));
  }
  return block;
}

/// Residual bytes that the codes of a block announce.
std::size_t residual_bytes(const std::byte* codes, std::size_t values) {
  static constexpr auto kPairBytes = [] {
    std::array<std::uint8_t, 256> bytes{};
    for (unsigned i = 0; i < 256; ++i) {
      bytes[i] = kResidualBytes[(i >> 4) & 7] + kResidualBytes[i & 7];
    }
    return bytes;
  }();
  std::size_t sum = 0;
  for (std::size_t i = 0; i < values / 2; ++i) sum += kPairBytes[std::to_integer<int>(codes[i])];
  if (values % 2) sum += kResidualBytes[std::to_integer<int>(codes[values / 2] >> 4) & 7];
  return sum;
}

/// Decodes a block whose codes and residuals agree. Up to kSlack bytes behind it are read.
FcmPredictor decode_block(FcmPredictor predictor, const std::byte* codes, std::size_t values,
                          std::byte* out) {
  const std::byte* residual = codes + (values + 1) / 2;
  const auto one = [&](unsigned code) {
    const std::uint64_t bits = load(residual) & kResidualMask[code & 7];
    residual += kResidualBytes[code & 7];
    store(out, predictor.decode(code, bits));
    out += 8;
  };
  for (std::size_t i = 0; i < values / 2; ++i) {
    const auto pair = std::to_integer<unsigned>(codes[i]);
    one(pair >> 4);
    one(pair & 15);
  }
  if (values % 2) one(std::to_integer<unsigned>(codes[values / 2]) >> 4);
  return predictor;
}

/// Encodes a block behind its header and returns where its bytes end. Up to kSlack bytes behind
/// that are written.
std::byte* encode_block(FcmPredictor& state, const std::byte* in, std::size_t values,
                        std::byte* codes) {
  FcmPredictor predictor = state;
  std::byte* residual = codes + (values + 1) / 2;
  const auto one = [&] {
    const auto [bits, code] = predictor.encode(load(in));
    in += 8;
    store(residual, bits);
    residual += kResidualBytes[code & 7];
    return code;
  };
  for (std::size_t i = 0; i < values / 2; ++i) {
    const unsigned first = one();
    codes[i] = static_cast<std::byte>(first << 4 | one());
  }
  if (values % 2) codes[values / 2] = static_cast<std::byte>(one() << 4);
  state = predictor;
  return residual;
}

}  // namespace

std::vector<std::byte> decode_fpc(std::span<const std::byte> file, std::string_view name) {
  if (file.empty()) fail(name, 0, "an empty file, without even its table size");
  const auto table_bits = std::to_integer<unsigned>(file[0]);
  if (table_bits < kMinTableBits || table_bits > kMaxTableBits) {
    fail(name, 0,
         fmt::format("tables of 2^{} entries, not 2^{} to 2^{}", table_bits, kMinTableBits,
                     kMaxTableBits));
  }

  // Nothing is allocated before all headers and codes have been found to agree with the file.
  std::size_t values = 0;
  for (std::size_t offset = 1; offset < file.size();) {
    const Block block = read_header(file, offset, name);
    const std::byte* codes = file.data() + offset + kHeaderBytes;
    const std::size_t bytes =
        kHeaderBytes + block.code_bytes() + residual_bytes(codes, block.values);
    if (bytes != block.bytes) {
      fail(name, offset + 3,
           fmt::format("a block of {} bytes, but its codes ask for {}", block.bytes, bytes));
    }
    values += block.values;
    offset += block.bytes;
  }

  std::vector<std::byte> out(8 * values);
  const FcmTables tables(table_bits, values);
  FcmPredictor predictor(tables);
  std::vector<std::byte> padded;
  std::byte* to = out.data();
  for (std::size_t offset = 1; offset < file.size();) {
    const Block block = read_header(file, offset, name);
    const std::byte* codes = file.data() + offset + kHeaderBytes;
    offset += block.bytes;
    if (file.size() - offset < kSlack) {
      padded.assign(codes, file.data() + offset);
      padded.resize(padded.size() + kSlack);
      codes = padded.data();
    }
    predictor = decode_block(predictor, codes, block.values, to);
    to += 8 * block.values;
  }
  return out;
}

std::vector<std::byte> encode_fpc(std::span<const std::byte> doubles, unsigned table_bits) {
  if (doubles.size() % 8 != 0) {
    throw Error(
        fmt::format("{} bytes are not a whole number of doubles, and FPC files hold nothing "
                    "else; cut off the last {} bytes",
                    doubles.size(), doubles.size() % 8));
  }
  const std::size_t values = doubles.size() / 8;
  const FcmTables tables(table_bits, values);
  FcmPredictor predictor(tables);
  std::vector<std::byte> out{static_cast<std::byte>(table_bits)};
  std::vector<std::byte> block(kHeaderBytes + kBlockValues / 2 + 8 * kBlockValues + kSlack);
  for (std::size_t first = 0; first < values; first += kBlockValues) {
    const std::size_t count = std::min(kBlockValues, values - first);
    std::byte* const end =
        encode_block(predictor, doubles.data() + 8 * first, count, block.data() + kHeaderBytes);
    const auto bytes = static_cast<std::size_t>(end - block.data());
    store3(block.data(), count);
    store3(block.data() + 3, bytes);
    out.insert(out.end(), block.data(), end);
  }
  return out;
}

}  // namespace fpsynth::data
