#include "runners/hdf5_filter/options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "components/words/word_type.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/header.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::hdf5 {
namespace {

constexpr std::string_view kName = "the filter's options";
constexpr unsigned kMagic = 'F' | 'P' << 8 | 'H' << 16 | 1 << 24;  // "FPH", version 1
constexpr std::size_t kValueBytes = 4, kFixedBytes = 8, kStepBytes = 9;
constexpr unsigned kResized = 0x10000;  // beside the sizes of words and of elements
constexpr std::size_t kChunksValues = 3;

[[noreturn]] void fail(const std::string& what) {
  raise("{}: {}; fpsynth hdf5 options METHOD prints right ones", kName, what);
}

std::vector<std::byte> bytes_of(std::span<const unsigned> values) {
  std::vector<std::byte> bytes(kValueBytes * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    codec::store(&bytes[kValueBytes * i], std::uint32_t{values[i]});
  }
  return bytes;
}

/// Any of these values may be damaged where HDF5 has no checksum of its own, and a damaged byte
/// order gives wrong values from a chunk that is right.
unsigned checksum_of(std::span<const unsigned> values) {
  return static_cast<unsigned>(codec::ContentHash::of(bytes_of(values)));
}

/// The word size that a header states where the options leave it open.
std::size_t stated(std::size_t word_bytes) { return word_bytes ? word_bytes : 8; }

/// True if a step of this kind, which may be anything, is followed by divisors: their number, a
/// byte, and each in bytes of seven bits, the lowest first, of which all but the last have the
/// highest bit. So h5repack, which takes 20 numbers, takes most methods.
bool has_divisors(std::size_t kind) {
  const synth::PreludeTraits* const found = synth::find_prelude_kind(kind);
  return found && found->shape == preludes::Shape::Selected;
}

void check(const Options& options) {
  synth::check(options.method.prelude, stated(options.word_bytes));
}

}  // namespace

std::vector<unsigned> pack(const Options& options) {
  check(options);
  const auto& [prelude, pipeline] = options.method;
  // A container's header, without magic and version in front, and size and checksum at its end.
  std::vector<std::byte> bytes = codec::serialize(
      codec::header_of(pipeline, stated(options.word_bytes), options.chunk_words, 0));
  bytes.resize(codec::original_bytes_at(pipeline.stages.size()));
  codec::store(bytes.data(), kMagic);
  bytes[4] = std::byte(options.word_bytes);
  bytes[5] = std::byte(pipeline.stages.size());
  bytes[6] = std::byte(pipeline.cut);
  bytes[7] = std::byte(prelude.steps.size());
  for (const synth::PreludeStep& step : prelude.steps) {
    bytes.resize(bytes.size() + kStepBytes);
    bytes[bytes.size() - kStepBytes] = std::byte(step.kind);
    codec::store(&bytes[bytes.size() - sizeof step.parameter], step.parameter);
    if (!has_divisors(step.kind)) continue;
    bytes.push_back(std::byte(step.divisors.count));
    for (std::size_t i = 0; i < step.divisors.count; ++i) {
      std::uint64_t divisor = step.divisors.of[i];
      for (; divisor >= 0x80; divisor >>= 7) bytes.push_back(std::byte(divisor | 0x80));
      bytes.push_back(std::byte(divisor));
    }
  }
  bytes.resize((bytes.size() + kValueBytes - 1) / kValueBytes * kValueBytes);
  std::vector<unsigned> values(bytes.size() / kValueBytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = codec::load<std::uint32_t>(&bytes[kValueBytes * i]);
  }
  return values;
}

Options unpack(std::span<const unsigned> values, std::span<const unsigned>& behind) {
  std::vector<std::byte> bytes = bytes_of(values);
  if (values.empty()) fail("there are none, and they name the method");
  if (values[0] != kMagic) {
    fail(fmt::format("the first number is {}, not {}", values[0], kMagic));
  }
  if (bytes.size() < kFixedBytes) fail("they end after the first number");
  const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(bytes[at]); };
  const std::size_t stages = byte(5), steps = byte(7), words_at = codec::chunk_words_at(stages);
  // As far as they are needed; what follows is not the method's.
  const auto need = [&](std::size_t end) {
    if (bytes.size() < end) fail(fmt::format("they end after {} numbers", values.size()));
    return end;
  };
  need(codec::original_bytes_at(stages));

  Options options;
  options.word_bytes = byte(4);
  std::vector<std::byte> header(codec::header_bytes(stages));
  std::copy(bytes.begin(), bytes.begin() + std::ptrdiff_t(words_at + 4), header.begin());
  std::copy_n(reinterpret_cast<const std::byte*>(codec::kMagic), sizeof codec::kMagic,
              header.begin());
  header[codec::kVersionAt] = std::byte(codec::kVersion);
  header[codec::kWordBytesAt] = std::byte(stated(options.word_bytes));
  header[codec::kStageCountAt] = std::byte(stages);
  header[codec::kCutAt] = bytes[6];
  const codec::Header parsed = codec::parse_header(header, kName);
  options.method.pipeline = parsed.pipeline;
  options.chunk_words = parsed.chunk_words;
  std::size_t end = words_at + 4;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t at = end;
    end = need(at + kStepBytes);
    synth::PreludeStep step{std::uint8_t(byte(at)), codec::load<std::uint64_t>(&bytes[at + 1]), {}};
    if (has_divisors(step.kind)) {
      const std::size_t divisors = byte(need(end + 1) - 1);
      if (divisors > preludes::kMostDivisors) fail(fmt::format("{} divisors of a step", divisors));
      for (++end; step.divisors.count < divisors;) {
        std::uint64_t divisor = 0;
        unsigned shift = 0;
        do {
          if (shift > 56) fail("a divisor is too large");
          divisor |= std::uint64_t{byte(need(end + 1) - 1) & 0x7f} << shift;
          shift += 7;
        } while ((byte(end++) & 0x80) != 0);
        step.divisors.add(divisor);
      }
    }
    options.method.prelude.steps.push_back(step);
  }
  check(options);
  behind = values.subspan((end + kValueBytes - 1) / kValueBytes);
  return options;
}

void append(std::vector<unsigned>& values, const Chunks& chunks) {
  values.push_back(unsigned(chunks.word_bytes) | unsigned(chunks.turned) << 8 |
                   (chunks.resized ? kResized : 0));
  values.push_back(unsigned(chunks.bytes & 0xffffffff));
  values.push_back(unsigned(chunks.bytes >> 32));
  values.push_back(checksum_of(values));
}

Chunks unpack_chunks(std::span<const unsigned> values, std::span<const unsigned> behind) {
  if (behind.size() < kChunksValues) {
    fail("the four numbers are missing that the filter adds when a data set is created");
  }
  // Development versions of the filter added no checksum.
  if (behind.size() > kChunksValues &&
      values.back() != checksum_of(values.first(values.size() - 1))) {
    raise("{} are damaged: their checksum differs", kName);
  }
  const Chunks chunks{behind[0] & 0xff, behind[0] >> 8 & 0xff, (behind[0] & kResized) != 0,
                      std::uint64_t{behind[2]} << 32 | behind[1]};
  const std::size_t turned = chunks.turned;
  if (behind[0] > (kResized | 0xffff) || !words::is_word_size(chunks.word_bytes) ||
      (turned != 0 && turned != 2 && turned != 4 && turned != 8)) {
    fail(fmt::format("{} stands for no kind of elements", behind[0]));
  }
  return chunks;
}

}  // namespace fpsynth::hdf5
