#include "runners/codec/format/archive.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "components/preludes/registry.hpp"
#include "runners/codec/format/compact_header.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/rest_coding.hpp"
#include "runners/codec/format/sections.hpp"
#include "runners/codec/format/side_data.hpp"

namespace fpsynth::codec {
namespace {

/// Reads the header at the start of in[0..size), which has_prelude(). Returns Damaged if it is cut
/// off, or if a number is not one that is accepted.
Status load_prelude_header(const std::byte* in, std::uint64_t size, PreludeFields& fields) {
  if (size < kStepsAt) return Status::Damaged;
  fields.word_bytes = std::uint8_t(in[kWordBytesAt]);
  fields.steps = std::uint8_t(in[kStageCountAt]);
  if (fields.word_bytes != 8 && fields.word_bytes != 4) return Status::Damaged;
  if (fields.steps < 1 || fields.steps > preludes::kMostSteps) return Status::Damaged;
  if (in[kCutAt] != std::byte{0} || size < prelude_header_bytes(fields.steps)) {
    return Status::Damaged;
  }
  for (std::size_t i = 0; i < fields.steps; ++i) {
    const std::byte* const at = in + step_at(i);
    PreludeFields::Step& step = fields.step[i];
    step = {std::uint8_t(at[0]), load<std::uint64_t>(at + kParameterInStep),
            load<std::uint64_t>(at + kSideBytesInStep)};
    bool accepted = false;
    preludes::with_step(step.kind, [&]<class S>() {
      const preludes::ParameterRange range = fields.word_bytes == 8
                                                 ? S::template range<std::uint64_t>
                                                 : S::template range<std::uint32_t>;
      accepted = range.has(step.parameter) && (preludes::has_side_data<S> || step.side_bytes == 0);
    });
    if (!accepted) return Status::Damaged;
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
    refuse_damaged(name, "the header of its prelude is cut off or has an impossible value");
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

Archive::Archive(std::span<const std::byte> file, std::string_view name)
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
  if (fault.found()) {
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

bool is_turned(std::span<const std::byte> file) {
  return has_version(file.data(), file.size(), kTurnedVersion);
}
bool has_prelude(std::span<const std::byte> file) {
  return has_prelude(file.data(), file.size()) || is_turned(file);
}

void check_beginning(std::span<const std::byte> beginning, std::string_view name) {
  if (is_described(beginning)) return check_described_beginning(beginning, name);
  if (is_compact(beginning)) return void(compact_header(beginning, name));
  if (has_sections(beginning)) return check_sections_beginning(beginning, name);
  if (!has_prelude(beginning)) {
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
  if (has_prelude(inner_)) refuse_damaged(name, "it has a prelude within a prelude");
  if (is_turned(file)) {
    if (!has_sections(inner_)) refuse_damaged(name, "there are no sections behind its prelude");
    inner_header_ = SectionedFile(inner_, name).header();
  } else {
    inner_header_ = parse_header(inner_, name);
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
    const auto check = word_bytes() == 8 ? check_side<std::uint64_t> : check_side<std::uint32_t>;
    check({side_[i], side_name(name, step)}, shape, inner_header_.words());
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

}  // namespace fpsynth::codec
