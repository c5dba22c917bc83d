#include "runners/codec/format/description.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "components/words/word_type.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// Offsets in bytes; FORMAT.md has the table. The shape follows, then the name, the head and the
/// checksum of all of these.
constexpr std::size_t kKindAt = 6, kFlagsAt = 7, kOriginAt = 8, kExtentsAt = 9, kNameBytesAt = 10;
constexpr std::size_t kHeadBytesAt = 12, kShapeAt = 16, kSumBytes = 8;
constexpr unsigned kBigEndian = 1, kFortranOrder = 2;

/// The fields of fixed places, and what follows from them.
struct Fields {
  ValueKind kind;
  Origin origin;
  unsigned flags;
  std::size_t word_bytes, extents, name_bytes, head_bytes;

  std::size_t name_at() const { return kShapeAt + 8 * extents; }
  std::size_t head_at() const { return name_at() + name_bytes; }
  std::size_t sum_at() const { return head_at() + head_bytes; }
};

/// Reads them from the beginning of a file that is_described().
Fields fields_of(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < kShapeAt) refuse_damaged(name, "it ends within the description of its values");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(file[at]); };
  const Fields fields{.kind = ValueKind(byte(kKindAt)),
                      .origin = Origin(byte(kOriginAt)),
                      .flags = byte(kFlagsAt),
                      .word_bytes = byte(kWordBytesAt),
                      .extents = byte(kExtentsAt),
                      .name_bytes = load<std::uint16_t>(&file[kNameBytesAt]),
                      .head_bytes = load<std::uint32_t>(&file[kHeadBytesAt])};
  const auto refuse = [&](std::size_t at, std::string_view what) {
    refuse_damaged(name, fmt::format("the description of its values has {} {}", what, byte(at)));
  };
  if (!words::is_word_size(fields.word_bytes)) refuse(kWordBytesAt, "the word size");
  const synth::ValueType type(synth::precision_of_words(fields.word_bytes), fields.kind);
  if (std::ranges::find(synth::kValueTypes, type, &synth::NamedType::type) ==
      std::end(synth::kValueTypes)) {
    refuse(kKindAt, "the type");
  }
  if (fields.flags > (kBigEndian | kFortranOrder)) refuse(kFlagsAt, "the orders");
  if (fields.origin > Origin::Variable) refuse(kOriginAt, "the origin");
  if (fields.extents > kMostExtents) refuse(kExtentsAt, "the number of extents");
  return fields;
}

/// The number of values of a shape; nothing if it has more than 64 bits.
std::optional<std::uint64_t> values_of(std::span<const std::uint64_t> shape) {
  if (std::ranges::find(shape, 0u) != shape.end()) return 0;
  std::uint64_t values = 1;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(values, extent, &values)) return std::nullopt;
  }
  return values;
}

}  // namespace

synth::ValueType type_of(const Description& description, std::size_t word_bytes) {
  return {synth::precision_of_words(word_bytes), description.kind};
}

void check_shape(std::span<const std::uint64_t> shape, std::size_t bytes, std::size_t word_bytes,
                 std::string_view name, std::string_view option) {
  const auto values = values_of(shape);
  const std::size_t words = bytes / word_bytes, tail = bytes % word_bytes;
  if (values == words && tail == 0) return;
  raise<UsageError>("{} {} makes {} of {} bytes, and {} has {}{}", option, fmt::join(shape, "x"),
                    values ? counted(*values, "value") : "more values than can be counted,",
                    word_bytes, name, counted(words, "value"),
                    tail > 0 ? fmt::format(" and {} more", counted(tail, "byte")) : "");
}

std::vector<std::byte> front_of(const Description& description, std::size_t word_bytes) {
  const auto refuse_over = [](std::uint64_t size, std::uint64_t most, std::string_view what) {
    if (size <= most) return;
    raise(
        "the values have {} {}, and a compressed file can hold {}; write them to a raw file first: "
        "fpsynth data decode",
        size, what, most);
  };
  refuse_over(description.shape.size(), kMostExtents, "dimensions");
  refuse_over(description.name.size(), std::numeric_limits<std::uint16_t>::max(), "bytes of name");
  refuse_over(description.head.size(), std::numeric_limits<std::uint32_t>::max(),
              "bytes before the first");
  std::vector<std::byte> front(kShapeAt + 8 * description.shape.size());
  std::ranges::copy(std::as_bytes(std::span(kMagic)), front.begin());
  front[kVersionAt] = std::byte{kDescribedVersion};
  front[kWordBytesAt] = std::byte(word_bytes);
  front[kKindAt] = std::byte(description.kind);
  front[kFlagsAt] = std::byte((description.big_endian ? kBigEndian : 0) |
                              (description.fortran_order ? kFortranOrder : 0));
  front[kOriginAt] = std::byte(description.origin);
  front[kExtentsAt] = std::byte(description.shape.size());
  store(&front[kNameBytesAt], static_cast<std::uint16_t>(description.name.size()));
  store(&front[kHeadBytesAt], static_cast<std::uint32_t>(description.head.size()));
  for (std::size_t i = 0; i < description.shape.size(); ++i) {
    store(front.data() + kShapeAt + 8 * i, description.shape[i]);
  }
  const auto append = [&](std::span<const std::byte> bytes) {
    front.insert(front.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(description.name)));
  append(description.head);
  std::byte sum[kSumBytes];
  store(sum, ContentHash::of(front));
  append(sum);
  return front;
}

bool is_described(std::span<const std::byte> file) {
  return has_version(file.data(), file.size(), kDescribedVersion);
}

void check_described_beginning(std::span<const std::byte> beginning, std::string_view name) {
  fields_of(beginning, name);
}

DescribedFile::DescribedFile(std::span<const std::byte> file, std::string_view name) {
  const Fields fields = fields_of(file, name);
  word_bytes_ = fields.word_bytes;
  if (file.size() < kSumBytes || file.size() - kSumBytes < fields.sum_at()) {
    refuse_damaged(name, "it ends within the description of its values");
  }
  const std::uint64_t found = ContentHash::of(file.first(fields.sum_at()));
  if (const auto sum = load<std::uint64_t>(&file[fields.sum_at()]); sum != found) {
    refuse_damaged(name, fmt::format("the description of its values has checksum {:016x}, not "
                                     "{:016x}",
                                     found, sum));
  }
  description_.kind = fields.kind;
  description_.origin = fields.origin;
  description_.big_endian = (fields.flags & kBigEndian) != 0;
  description_.fortran_order = (fields.flags & kFortranOrder) != 0;
  for (std::size_t i = 0; i < fields.extents; ++i) {
    description_.shape.push_back(load<std::uint64_t>(&file[kShapeAt + 8 * i]));
  }
  const std::span<const std::byte> text = file.subspan(fields.name_at(), fields.name_bytes);
  description_.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
  const std::span<const std::byte> head = file.subspan(fields.head_at(), fields.head_bytes);
  description_.head.assign(head.begin(), head.end());

  front_bytes_ = fields.sum_at() + kSumBytes;
  inner_ = file.subspan(front_bytes_);
  const Header header = original_header(inner_, name);
  if (header.word_bytes != word_bytes_ || values_of(description_.shape) != header.words()) {
    refuse_damaged(
        name, fmt::format("it describes other values than its container's {} of {}",
                          counted(header.words(), "word"), counted(header.word_bytes, "byte")));
  }
  tail_bytes_ = header.tail_bytes();
  if (tail_bytes_ > 0 && description_.origin != Origin::Raw) {
    refuse_damaged(name, fmt::format("{} behind its last value", counted(tail_bytes_, "byte")));
  }
}

}  // namespace fpsynth::codec
