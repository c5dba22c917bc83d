#include "runners/data/fpc/fpc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "runners/data/fpc/fcm_predictor.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read and written in place");

constexpr std::size_t kBlockValues = 32768;
constexpr std::size_t kHeaderBytes = 6;

[[noreturn]] void fail(std::string_view name, std::size_t offset, std::string_view what) {
  raise("{}: byte {}: {}; the file is damaged or no FPC file, fetch it again", name, offset, what);
}

std::size_t load3(const std::byte* from) {
  return std::to_integer<std::size_t>(from[0]) | std::to_integer<std::size_t>(from[1]) << 8 |
         std::to_integer<std::size_t>(from[2]) << 16;
}

void store3(std::byte* to, std::size_t value) {
  for (unsigned i = 0; i < 3; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

struct Block {
  std::size_t offset;
  std::size_t values;
  std::size_t bytes;  ///< including the header
  std::size_t code_bytes() const { return (values + 1) / 2; }
};

/// Reads the block that starts at an offset, and checks its header against the limits of the format
/// and of the file.
Block read_header(std::span<const std::byte> file, std::size_t offset, std::string_view name) {
  const std::size_t left = file.size() - offset;
  if (left < kHeaderBytes) {
    fail(name, offset, fmt::format("a block header needs 6 bytes, {} are left", left));
  }
  const Block block{offset, load3(file.data() + offset), load3(file.data() + offset + 3)};
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

/// Decodes a block to its 8 bytes per value. Returns false if its codes and residuals disagree.
bool decode_block(FcmPredictor& predictor, FcmBlock block, std::byte* out) {
  while (block.left() > 0) {
    const std::size_t count = std::min(kTileValues, block.left());
    const auto read = [&](const std::byte* codes, const std::byte* residuals) {
      return decode_tile(predictor, codes, residuals, count, out);
    };
    if (!block.next(count, read)) return false;
    out += 8 * count;
  }
  return block.at_end();
}

/// Encodes a block after its header and returns the end of its bytes. Writes up to kResidualSlack
/// bytes after that.
std::byte* encode_block(FcmPredictor& predictor, const std::byte* in, std::size_t values,
                        std::byte* codes) {
  std::byte* residuals = codes + (values + 1) / 2;
  for (std::size_t done = 0; done < values; done += kTileValues) {
    const std::size_t count = std::min(kTileValues, values - done);
    residuals = encode_tile(predictor, in + 8 * done, count, codes + done / 2, residuals);
  }
  return residuals;
}

struct Contents {
  unsigned table_bits;
  std::size_t values;
  std::vector<Block> blocks;
};

/// Reads all headers, and checks them before anything is allocated for values. They are not read
/// again: another program might have written to the file in between.
Contents read_headers(std::span<const std::byte> file, std::string_view name) {
  if (file.empty()) fail(name, 0, "an empty file, without even its table size");
  const auto table_bits = std::to_integer<unsigned>(file[0]);
  if (table_bits < kMinTableBits || table_bits > kMaxTableBits) {
    fail(name, 0,
         fmt::format("tables of 2^{} entries, not 2^{} to 2^{}", table_bits, kMinTableBits,
                     kMaxTableBits));
  }
  Contents contents{table_bits, 0, {}};
  for (std::size_t offset = 1; offset < file.size();) {
    contents.blocks.push_back(read_header(file, offset, name));
    contents.values += contents.blocks.back().values;
    offset += contents.blocks.back().bytes;
  }
  return contents;
}

/// Decodes a file to its 8 * contents.values bytes.
void decode(std::span<const std::byte> file, std::string_view name, const Contents& contents,
            std::byte* to) {
  const FcmTables tables(contents.table_bits, contents.values);
  FcmPredictor predictor(tables);
  for (const Block& block : contents.blocks) {
    const std::byte* const codes = file.data() + block.offset + kHeaderBytes;
    const std::byte* const end = file.data() + block.offset + block.bytes;
    if (!decode_block(predictor, {codes, block.values, end}, to)) {
      fail(name, block.offset + 3,
           fmt::format("a block of {} bytes, but its codes ask for another number", block.bytes));
    }
    to += 8 * block.values;
  }
}

}  // namespace

std::vector<std::byte> decode_fpc(std::span<const std::byte> file, std::string_view name) {
  const Contents contents = read_headers(file, name);
  std::vector<std::byte> out(8 * contents.values);
  decode(file, name, contents, out.data());
  return out;
}

void decode_fpc_into(std::span<const std::byte> file, std::string_view name,
                     std::span<std::byte> out) {
  const Contents contents = read_headers(file, name);
  if (8 * contents.values != out.size()) {
    raise("{}: its original has {} bytes, but the output buffer has {}", name, 8 * contents.values,
          out.size());
  }
  decode(file, name, contents, out.data());
}

void expect_whole_doubles(std::size_t bytes, std::string_view format) {
  if (bytes % 8 == 0) return;
  raise("{} {} not a whole number of doubles, and {} files hold only doubles; remove the last {}",
        counted(bytes, "byte"), by_count(bytes, "is", "are"), format, counted(bytes % 8, "byte"));
}

std::vector<std::byte> encode_fpc(std::span<const std::byte> doubles, unsigned table_bits,
                                  std::vector<std::byte> buffer) {
  expect_whole_doubles(doubles.size(), "FPC");
  const std::size_t values = doubles.size() / 8;
  const FcmTables tables(table_bits, values);
  FcmPredictor predictor(tables);
  buffer.assign(1, static_cast<std::byte>(table_bits));
  std::vector<std::byte> block(kHeaderBytes + kBlockValues / 2 + 8 * kBlockValues + kResidualSlack);
  for (std::size_t first = 0; first < values; first += kBlockValues) {
    const std::size_t count = std::min(kBlockValues, values - first);
    std::byte* const end =
        encode_block(predictor, doubles.data() + 8 * first, count, block.data() + kHeaderBytes);
    const auto bytes = static_cast<std::size_t>(end - block.data());
    store3(block.data(), count);
    store3(block.data() + 3, bytes);
    buffer.insert(buffer.end(), block.data(), end);
  }
  return buffer;
}

}  // namespace fpsynth::data
