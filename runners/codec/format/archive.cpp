#include "runners/codec/format/archive.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "components/preludes/registry.hpp"
#include "components/words/word_type.hpp"
#include "runners/codec/format/compact_header.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/rest_coding.hpp"
#include "runners/codec/format/side_data.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// Reads the header at the start of in[0..size), which has_prelude() or has_sections(). Returns
/// Damaged if it is cut off, or if a number is not one that is accepted.
Status load_prelude_header(const std::byte* in, std::uint64_t size, PreludeFields& fields) {
  if (size < kStepsAt) return Status::Damaged;
  fields.word_bytes = std::uint8_t(in[kWordBytesAt]);
  fields.steps = std::uint8_t(in[kStageCountAt]);
  fields.sections = std::uint8_t(in[kSectionsAt]);
  const bool several = in[kVersionAt] == std::byte{kSectionsVersion};
  if (!words::is_word_size(fields.word_bytes)) return Status::Damaged;
  if (fields.steps > preludes::kMostSteps || (fields.steps == 0 && !several)) {
    return Status::Damaged;
  }
  if (several ? fields.sections < 2 || fields.sections > kMostSections : fields.sections != 0) {
    return Status::Damaged;
  }
  if (size < prelude_header_bytes(fields.steps)) return Status::Damaged;
  for (std::size_t i = 0; i < fields.steps; ++i) {
    const std::byte* const at = in + step_at(i);
    PreludeFields::Step& step = fields.step[i];
    step = {std::uint8_t(at[0]), load<std::uint64_t>(at + kParameterInStep),
            load<std::uint64_t>(at + kSideBytesInStep)};
    const synth::PreludeTraits* const kind = synth::find_prelude_kind(step.kind);
    if (!kind || !kind->range(fields.word_bytes).has(step.parameter) ||
        (!preludes::takes_values(kind->shape) && step.side_bytes != 0)) {
      return Status::Damaged;
    }
  }
  const std::byte* const end = in + step_at(fields.steps);
  fields.original_bytes = load<std::uint64_t>(end);
  fields.checksum = load<std::uint64_t>(end + 8);
  return Status::Ok;
}

/// Of file[0..), the beginning of `bytes` bytes, within which the side data must be.
PreludeFields fields_of(std::span<const std::byte> file, std::uint64_t bytes,
                        std::string_view name) {
  PreludeFields fields;
  if (load_prelude_header(file.data(), file.size(), fields) != Status::Ok) {
    refuse_damaged(name,
                   "the header of its prelude or sections is cut off or has an impossible "
                   "value");
  }
  std::uint64_t left = bytes - prelude_header_bytes(fields.steps);
  for (std::size_t i = 0; i < fields.steps; ++i) {
    if (fields.step[i].side_bytes > left) {
      refuse_damaged(name, fmt::format("the {} bytes of side data of step {} of its prelude are "
                                       "more than are left",
                                       fields.step[i].side_bytes, i + 1));
    }
    left -= fields.step[i].side_bytes;
  }
  return fields;
}

/// Sets the divisors of a step that has some, from its side data.
void load_divisors(std::span<const std::byte> side, std::string_view name,
                   synth::PreludeStep& step) {
  if (synth::prelude_traits(step.kind).shape != preludes::Shape::Selected) return;
  SideArchives lists{side, side_name(name, step)};
  std::size_t at = 0;
  SideParts::decode_divisors(lists, side.size(), 1, step.divisors, at);
}

template <class W>
void check_side(SideArchives lists, preludes::Shape shape, std::uint64_t words) {
  SideData<W> none;
  decode_any_side(shape, lists, lists.in.size(), words, none);
}

}  // namespace

Archive::Archive(std::span<const std::byte> file, std::string_view name, Behind behind)
    : file_(file),
      name_(name),
      header_(parse_header(file, name)),
      frames_(header_),
      layout_(frames_.layout(header_.original_bytes)) {
  refuse_truncated(name_, header_, layout_, file.size());
  starts_.reserve(layout_.slices());
  const Fault fault =
      find_blocks(frames_.stages(), frames_.wide(), layout_, file.data(), file.size(),
                  [&](std::uint64_t chunk, std::uint64_t at, std::uint64_t length) {
                    if (chunk % layout_.chunks_in_slice == 0) starts_.push_back(at);
                    lengths_.shortest = chunk == 0 ? length : std::min(lengths_.shortest, length);
                    lengths_.longest = std::max(lengths_.longest, length);
                    lengths_.total += length;
                  });
  if (fault.kind == FaultKind::Trailing && behind == Behind::Anything) {
    file_ = file.first(file.size() - fault.bytes);
  } else if (fault.found()) {
    refuse_fault(name_, header_, fault, file.data() + layout_.frame_at(fault.chunk));
  }
}

std::span<const std::byte> Archive::frames_of(std::size_t first, std::size_t count) const {
  const std::size_t begin = layout_.frame_at(layout_.first_chunk(first));
  return file_.subspan(begin, layout_.frame_at(layout_.end_chunk(first + count - 1)) - begin);
}

std::span<const std::byte> Archive::blocks_of(std::size_t first, std::size_t count) const {
  const std::uint64_t begin = starts_[first];
  const std::uint64_t end = first + count < starts_.size() ? starts_[first + count] : file_.size();
  return file_.subspan(begin, end - begin);
}

bool has_sections(std::span<const std::byte> file) {
  return has_version(file.data(), file.size(), kSectionsVersion);
}
bool has_prelude(std::span<const std::byte> file) {
  return has_prelude(file.data(), file.size()) ||
         (has_sections(file) && file.size() > kStageCountAt && file[kStageCountAt] != std::byte{0});
}

std::uint64_t sections_checksum(std::span<const std::uint64_t> checksums) {
  std::vector<std::byte> bytes(8 * checksums.size());
  for (std::size_t i = 0; i < checksums.size(); ++i) store(bytes.data() + 8 * i, checksums[i]);
  return ContentHash::of(bytes);
}

void check_beginning(std::span<const std::byte> beginning, std::string_view name) {
  if (is_described(beginning)) return check_described_beginning(beginning, name);
  if (is_compact(beginning)) return void(compact_header(beginning, name));
  if (!has_prelude(beginning) && !has_sections(beginning)) {
    parse_header(beginning, name);
    return;
  }
  fields_of(beginning, std::numeric_limits<std::uint64_t>::max(), name);
}

PreludeArchive::PreludeArchive(std::span<const std::byte> file, std::string_view name)
    : file_(file), fields_(fields_of(file, file.size(), name)) {
  std::size_t at = prelude_header_bytes(fields_.steps);
  for (std::size_t i = 0; i < fields_.steps; ++i) {
    const PreludeFields::Step& step = fields_.step[i];
    prelude_.steps.push_back({step.kind, step.parameter, {}});
    side_.push_back(file.subspan(at, static_cast<std::size_t>(step.side_bytes)));
    load_divisors(side_.back(), name, prelude_.steps.back());
    at += static_cast<std::size_t>(step.side_bytes);
  }
  inner_ = file.subspan(at);
  if (fields_.sections > 0) {
    find_sections(name);
  } else {
    if (has_prelude(inner_)) refuse_damaged(name, "it has a prelude within a prelude");
    inner_header_ = parse_header(inner_, name);
    sections_.push_back({inner_, std::string(name)});
  }
  if (inner_header_.original_bytes != fields_.original_bytes ||
      inner_header_.word_bytes != fields_.word_bytes) {
    refuse_damaged(
        name, fmt::format("its prelude is of {} bytes in words of {}, its container of {} in "
                          "words of {}",
                          fields_.original_bytes, fields_.word_bytes, inner_header_.original_bytes,
                          inner_header_.word_bytes));
  }
  for (std::size_t i = 0; i < side_.size(); ++i) {
    const synth::PreludeStep& step = prelude_.steps[i];
    const preludes::Shape shape = synth::prelude_traits(step.kind).shape;
    words::with_word(word_bytes(), [&]<class W>() {
      check_side<W>({side_[i], side_name(name, step)}, shape, inner_header_.words());
    });
  }
}

void PreludeArchive::find_sections(std::string_view name) {
  inner_header_.word_bytes = word_bytes();
  std::vector<std::uint64_t> checksums;
  for (std::span<const std::byte> left = inner_; sections_.size() < fields_.sections;) {
    const std::string own = fmt::format("{}: section {}", name, sections_.size() + 1);
    // Before it is read: sections of sections could go on for as long as the file.
    if (has_sections(left)) refuse_damaged(own, "it has sections within a section");
    std::optional<PreludeArchive> prelude;
    if (has_prelude(left)) prelude.emplace(left, own);
    const std::size_t front = prelude ? prelude->overhead_bytes() : 0;
    const Archive container(left.subspan(front), own, Archive::Behind::Anything);
    const Header header = prelude ? prelude->header() : container.header();
    const std::uint64_t rest = original_bytes() - inner_header_.original_bytes;
    const bool last = sections_.size() + 1 == fields_.sections;
    if (header.word_bytes != word_bytes() || header.original_bytes == 0 ||
        header.original_bytes > rest ||
        (last ? header.original_bytes < rest : header.tail_bytes() > 0)) {
      refuse_damaged(
          own, fmt::format("its container is of {} in words of {}, of {} in words of {} that are "
                           "left of the original",
                           counted(header.original_bytes, "byte"), header.word_bytes, rest,
                           word_bytes()));
    }
    inner_header_.original_bytes += header.original_bytes;
    checksums.push_back(header.checksum);
    sections_.push_back({left.first(front + container.bytes()), own});
    left = left.subspan(front + container.bytes());
    if (last && !left.empty()) {
      refuse_damaged(name, fmt::format("{} behind its last section", counted(left.size(), "byte")));
    }
  }
  if (const auto found = sections_checksum(checksums); prelude_.empty() && found != checksum()) {
    refuse_damaged(
        name, fmt::format("its sections have checksum {:016x}, not {:016x}", found, checksum()));
  }
}

std::string side_name(std::string_view file, const synth::PreludeStep& step) {
  return fmt::format("{}: side data of {}", file, synth::to_string(step));
}

Header PreludeArchive::header() const {
  Header header = inner_header_;
  header.checksum = fields_.checksum;
  return header;
}

std::vector<SectionView> sections_of(std::span<const std::byte> file, std::string_view name) {
  if (is_described(file)) file = DescribedFile(file, name).inner();
  if (has_sections(file) && !has_prelude(file)) return PreludeArchive(file, name).sections();
  return {{file, std::string(name)}};
}

Header original_header(std::span<const std::byte> file, std::string_view name) {
  if (is_compact(file)) return compact_header(file, name);
  if (has_prelude(file) || has_sections(file)) return PreludeArchive(file, name).header();
  return parse_header(file, name);
}

}  // namespace fpsynth::codec
