#include "runners/codec/format/container.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "components/words/word_type.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/streams.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// The first thing wrong with a header, or an empty string.
std::string defect(const Header& header) {
  const auto& [stages, cut] = header.pipeline;
  if (!words::is_word_size(header.word_bytes)) {
    return fmt::format("words of {} bytes; they are 8, 4, 2 or 1 bytes long", header.word_bytes);
  }
  if (stages.empty() || stages.size() > synth::kMaxStages) {
    return fmt::format("{} stages; a pipeline has 1 to {}", stages.size(), synth::kMaxStages);
  }
  if (cut > stages.size()) {
    return fmt::format("a cut of {} in a pipeline of {} stages", cut, stages.size());
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].family >= synth::family_count()) {
      return fmt::format("stage {} of unknown component family {}", i + 1, stages[i].family);
    }
    const auto& traits = synth::family(stages[i].family);
    const unsigned parameter = stages[i].parameter;
    if (traits.parametric ? parameter < 1 || parameter > 64 : parameter != 0) {
      return fmt::format("parameter {} in stage {} ({}{}); {}", parameter, i + 1, traits.name,
                         traits.suffix, traits.parametric ? "it is 1 to 64" : "it takes none");
    }
  }
  if (!synth::family(stages.back().family).reduces) {
    return fmt::format("the last stage is {}; it must be {}", synth::to_string(stages.back()),
                       synth::reducer_names());
  }
  if (header.chunk_words < 1 || header.chunk_words > kMaxChunkWords) {
    return fmt::format("chunks of {} words; they have 1 to {}", header.chunk_words, kMaxChunkWords);
  }
  return {};
}

std::string frame_text(const Header& header, std::uint64_t chunk, const std::byte* frame) {
  const PipelineFrames frames(header);
  std::array<components::Extent, kMostStages> extents;
  const std::uint32_t bad = frames.read(frame, header.words_of(chunk), extents);
  return fmt::format("chunk {}: stage {} ({}) cannot have put out {} words, {} of them values",
                     chunk, bad + 1, synth::to_string(header.pipeline.stages[bad]),
                     extents.at(bad).words, extents.at(bad).values);
}

std::string text_of(const Header& format) {
  return fmt::format("{} on {}-byte words in chunks of {}", synth::to_string(format.pipeline),
                     format.word_bytes, format.chunk_words);
}

[[noreturn]] void fail(std::string_view name, std::string_view what) {
  raise(
      "{}: {}; the file is damaged or was not written by fpsynth compress, get it again or "
      "compress the original again",
      name, what);
}

}  // namespace

std::size_t header_bytes(const synth::Pipeline& pipeline) {
  return header_bytes(pipeline.stages.size());
}

std::size_t overhead_bytes(const synth::Pipeline& pipeline, std::uint64_t original_bytes,
                           std::size_t word_bytes) {
  return header_bytes(pipeline) + static_cast<std::size_t>(original_bytes % word_bytes);
}

std::vector<std::byte> serialize(const Header& header) {
  if (const std::string what = defect(header); !what.empty()) {
    raise("cannot write a file with {}", what);
  }
  const synth::PipelineStages stages(header.pipeline, header.word_bytes);
  std::vector<std::byte> bytes(header_bytes(header.pipeline));
  store_prefix(stages, header.chunk_words, bytes.data());
  store(&bytes[original_bytes_at(stages.size())], header.original_bytes);
  store(&bytes[checksum_at(stages.size())], header.checksum);
  return bytes;
}

Header header_of(const synth::Pipeline& pipeline, std::size_t word_bytes, std::size_t chunk_words,
                 std::uint64_t original_bytes) {
  Header header;
  header.pipeline = pipeline;
  header.word_bytes = word_bytes;
  header.chunk_words = static_cast<std::uint32_t>(chunk_words);
  header.original_bytes = original_bytes;
  serialize(header);
  return header;
}

Header parse_header(std::span<const std::byte> file, std::string_view name) {
  const auto magic = std::as_bytes(std::span(kMagic));
  if (is_compact(file.data(), file.size())) {
    raise(
        "{}: it is compact (format version {}), which is not possible here; restore it with "
        "fpsynth decompress",
        name, kCompactVersion);
  }
  if (file.size() < kStagesAt ||
      match_prefix(file.data(), file.size(), magic.data(), magic.size()) != Status::Ok) {
    raise(
        "{}: not a file that fpsynth compress wrote (it does not start with FPSY); check the path",
        name);
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(file[at]); };
  if (byte(kVersionAt) < kVersion) {
    raise(
        "{}: format version {}, of an earlier development version of fpsynth; this program reads "
        "versions {} to {}: compress the original again with this program",
        name, byte(kVersionAt), kVersion, kCompactVersion);
  }
  if (byte(kVersionAt) == kDescribedVersion || byte(kVersionAt) == kSectionsVersion) {
    raise(
        "{}: it {} (format version {}), which is not possible here; restore it with fpsynth "
        "decompress",
        name,
        byte(kVersionAt) == kDescribedVersion ? "begins with a description of its values"
                                              : "has sections, each with its method",
        byte(kVersionAt));
  }
  if (has_prelude(file)) {
    raise(
        "{}: it was compressed with a prelude (format version {}), which is not possible here; "
        "name a file without one",
        name, byte(kVersionAt));
  }
  if (byte(kVersionAt) != kVersion) {
    raise(
        "{}: format version {}, this program reads versions {} to {}; use the program that wrote "
        "it",
        name, byte(kVersionAt), kVersion, kCompactVersion);
  }
  Header header;
  header.word_bytes = byte(kWordBytesAt);
  header.pipeline.stages.resize(byte(kStageCountAt));
  header.pipeline.cut = byte(kCutAt);
  if (header.pipeline.stages.size() > synth::kMaxStages) {
    fail(name,
         fmt::format("{} stages; a pipeline has 1 to {}", byte(kStageCountAt), synth::kMaxStages));
  }
  if (file.size() < header_bytes(header.pipeline)) {
    fail(name, fmt::format("it ends within its header, after {}", counted(file.size(), "byte")));
  }
  auto& stages = header.pipeline.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t at = kStagesAt + 2 * i;
    const auto family = synth::family_of_wire(byte(at));
    if (!family) fail(name, fmt::format("unknown component family {}", byte(at)));
    stages[i] = {*family, byte(at + 1)};
  }
  header.chunk_words = load<std::uint32_t>(&file[chunk_words_at(stages.size())]);
  header.original_bytes = load<std::uint64_t>(&file[original_bytes_at(stages.size())]);
  header.checksum = load<std::uint64_t>(&file[checksum_at(stages.size())]);
  if (const std::string what = defect(header); !what.empty()) fail(name, what);
  return header;
}

PipelineFrames::PipelineFrames(const Header& header)
    : stages_(header.pipeline, header.word_bytes),
      shape_(container_shape(stages_, header.chunk_words)),
      wide_(components::wide_frames(stages_, header.chunk_words)) {}

void PipelineFrames::write(std::span<const components::Extent> extents, std::byte* out) const {
  write_frame(stages_, wide_, extents.data(), out);
}

std::uint32_t PipelineFrames::read(const std::byte* frame, std::size_t words,
                                   std::span<components::Extent> extents) const {
  return read_frame(stages_, wide_, frame, words, extents.data());
}

void refuse_damaged(std::string_view name, std::string_view what) {
  raise("{}: {}; the file is damaged, get it again or compress the original again", name, what);
}

void refuse_truncated(std::string_view name, const Header& header, const ContainerLayout& layout,
                      std::uint64_t size) {
  if (layout.accept(size) == Status::Ok) return;
  refuse_damaged(name,
                 fmt::format("{} {} too few for an original of {}", counted(size, "byte"),
                             by_count(size, "is", "are"), counted(header.original_bytes, "byte")));
}

void refuse_fault(std::string_view name, const Header& header, const Fault& fault,
                  const std::byte* frame) {
  switch (fault.kind) {
    case FaultKind::Frame:
      refuse_damaged(name, frame_text(header, fault.chunk, frame));
    case FaultKind::End:
      refuse_damaged(name, fmt::format("it ends within the block of chunk {} of {}", fault.chunk,
                                       header.chunks()));
    case FaultKind::Trailing:
      refuse_damaged(name, fmt::format("{} {} its last block", counted(fault.bytes, "byte"),
                                       by_count(fault.bytes, "follows", "follow")));
    case FaultKind::Block:
    case FaultKind::None:
      break;
  }
  refuse_damaged(name, fmt::format("chunk {}: its block is not a valid encoding by {}", fault.chunk,
                                   synth::to_string(header.pipeline)));
}

void refuse_wrong_sum(std::string_view name, const Header& header, std::uint64_t found) {
  if (found == header.checksum) return;
  refuse_damaged(
      name, fmt::format("its contents have checksum {:016x}, not {:016x}", found, header.checksum));
}

void refuse_capacity(std::size_t capacity, std::size_t needed, std::size_t bound) {
  raise(
      "the output has {} bytes, but the container needs {}; {} are enough for any data of this "
      "size",
      capacity, needed, bound);
}

void refuse_other_format(const Header& container, const Header& codec) {
  if (container.pipeline == codec.pipeline && container.word_bytes == codec.word_bytes &&
      container.chunk_words == codec.chunk_words) {
    return;
  }
  raise("the container is of {}, but the codec is of {}; create a codec for the container's format",
        text_of(container), text_of(codec));
}

ContainerWriter::ContainerWriter(const Header& header, std::span<const std::byte> tail,
                                 PatchableSink& sink)
    : sink_(sink), checksum_at_(checksum_at(header.pipeline.stages.size())) {
  put(serialize(header));
  put(tail);
  frames_at_ = written_;
  std::uint64_t left = header.chunks() * PipelineFrames(header).bytes();
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(left, kPatchBytes));
  while (left > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(left, zeros.size());
    put(std::span(zeros).first(piece));
    left -= piece;
  }
}

void ContainerWriter::add_frames(std::span<const std::byte> frames) {
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  if (frames_.size() >= kPatchBytes) patch_frames();
}

void ContainerWriter::add_blocks(std::span<const std::byte> blocks) { put(blocks); }

std::uint64_t ContainerWriter::finish(std::uint64_t checksum) {
  patch_frames();
  std::array<std::byte, 8> bytes;
  store(bytes.data(), checksum);
  sink_.patch(checksum_at_, bytes);
  return written_;
}

void ContainerWriter::put(std::span<const std::byte> bytes) {
  sink_.write(bytes);
  written_ += bytes.size();
}

void ContainerWriter::patch_frames() {
  sink_.patch(frames_at_, frames_);
  frames_at_ += frames_.size();
  frames_.clear();
}

}  // namespace fpsynth::codec
