#include "runners/codec/format/container.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

using components::Extent;

/// What a reader would reject, or an empty string.
std::string defect(const Header& header) {
  const auto& [stages, cut] = header.pipeline;
  if (header.word_bytes != 8 && header.word_bytes != 4) {
    return fmt::format("words of {} bytes; they are 8 or 4 bytes long", header.word_bytes);
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
    return fmt::format("the last stage is {}; ZE or RLE must stand there",
                       synth::to_string(stages.back()));
  }
  if (header.chunk_words < 1 || header.chunk_words > kMaxChunkWords) {
    return fmt::format("chunks of {} words; they have 1 to {}", header.chunk_words, kMaxChunkWords);
  }
  if (header.original_bytes == 0) return "an original of 0 bytes; there is nothing to compress";
  return {};
}

[[noreturn]] void fail(std::string_view name, std::string_view what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was not written by fpsynth compress, get it "
                  "again or compress the original again",
                  name, what));
}

std::uint32_t saturate(std::uint64_t words) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(words, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::size_t header_bytes(const synth::Pipeline& pipeline) {
  return header_bytes(pipeline.stages.size());
}

std::size_t overhead_bytes(const synth::Pipeline& pipeline, std::uint64_t original_bytes,
                           std::size_t word_bytes) {
  return header_bytes(pipeline) + static_cast<std::size_t>(original_bytes % word_bytes);
}

std::size_t checksum_offset(const synth::Pipeline& pipeline) { return header_bytes(pipeline) - 8; }

std::vector<std::byte> checksum_bytes(std::uint64_t checksum) {
  std::vector<std::byte> bytes(8);
  store(bytes.data(), checksum);
  return bytes;
}

std::vector<std::byte> serialize(const Header& header) {
  if (const std::string what = defect(header); !what.empty()) {
    throw Error(fmt::format("cannot write a file with {}", what));
  }
  const auto& stages = header.pipeline.stages;
  std::vector<std::byte> bytes(header_bytes(header.pipeline));
  std::vector<WireStage> wire;
  for (const auto& stage : stages) {
    wire.push_back({synth::family(stage.family).wire, stage.parameter});
  }
  std::byte* const out = store_front(bytes.data(), header.word_bytes, wire.data(), wire.size(),
                                     header.pipeline.cut, header.chunk_words);
  store(out, header.original_bytes);
  store(out + 8, header.checksum);
  return bytes;
}

Header parse_header(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < kFixedFront || std::memcmp(file.data(), kMagic, sizeof kMagic) != 0) {
    throw Error(fmt::format(
        "{}: not a file that fpsynth compress wrote (it does not start with FPSY); check the path",
        name));
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(file[at]); };
  if (byte(4) != kVersion) {
    throw Error(
        fmt::format("{}: format version {}, this program reads version {}; use the program "
                    "that wrote it",
                    name, byte(4), kVersion));
  }
  Header header;
  header.word_bytes = byte(5);
  header.pipeline.stages.resize(byte(6));
  header.pipeline.cut = byte(7);
  if (header.pipeline.stages.size() > synth::kMaxStages) {
    fail(name, fmt::format("{} stages; a pipeline has 1 to {}", byte(6), synth::kMaxStages));
  }
  if (file.size() < header_bytes(header.pipeline)) {
    fail(name, fmt::format("it ends within its header, after {} bytes", file.size()));
  }
  std::size_t at = kFixedFront;
  for (auto& stage : header.pipeline.stages) {
    const auto family = synth::family_of_wire(byte(at));
    if (!family) fail(name, fmt::format("unknown component family {}", byte(at)));
    stage.family = *family;
    stage.parameter = byte(at + 1);
    at += 2;
  }
  header.chunk_words = load<std::uint32_t>(&file[at]);
  header.original_bytes = load<std::uint64_t>(&file[at + 4]);
  header.checksum = load<std::uint64_t>(&file[at + 12]);
  if (const std::string what = defect(header); !what.empty()) fail(name, what);
  return header;
}

FrameLayout::FrameLayout(const synth::Pipeline& pipeline, std::size_t word_bytes,
                         std::size_t chunk_words)
    : bytes_(synth::frame_bytes(pipeline, word_bytes, chunk_words)),
      wide_(synth::wide_frames(pipeline, word_bytes, chunk_words)) {
  std::size_t before = word_bytes;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const std::size_t own = pipeline.stage_word_bytes(i, word_bytes);
    stages_.push_back({synth::family(pipeline.stages[i].family).frame_fields,
                       static_cast<std::uint8_t>(before / own)});
    before = own;
  }
}

void FrameLayout::write(std::span<const Extent> extents, std::byte* out) const {
  const auto put = [&](std::uint32_t value) {
    if (wide_) {
      store(out, value);
      out += 4;
    } else {
      store(out, static_cast<std::uint16_t>(value));
      out += 2;
    }
  };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (stages_[i].fields >= 1) put(extents[i].words);
    if (stages_[i].fields >= 2) put(extents[i].values);
  }
}

void FrameLayout::read(const std::byte* frame, std::size_t words, std::span<Extent> extents) const {
  const auto get = [&]() -> std::uint32_t {
    const std::byte* at = frame;
    frame += wide_ ? 4 : 2;
    return wide_ ? load<std::uint32_t>(at) : load<std::uint16_t>(at);
  };
  std::uint64_t length = words;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    length *= stages_[i].rescale;
    extents[i] = {saturate(length), 0};
    if (stages_[i].fields >= 1) extents[i].words = get();
    if (stages_[i].fields >= 2) extents[i].values = get();
    length = extents[i].words;
  }
}

std::size_t check_extents(const synth::Pipeline& pipeline, std::size_t word_bytes,
                          std::size_t words, std::span<const Extent> extents) {
  std::uint64_t length = words;
  std::size_t before = word_bytes;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const std::size_t own = pipeline.stage_word_bytes(i, word_bytes);
    length *= before / own;
    before = own;
    const unsigned fields = synth::family(pipeline.stages[i].family).frame_fields;
    const Extent extent = extents[i];
    const bool good =
        fields == 0 ? extent.words == length && extent.values == 0
                    : extent.words >= 1 &&
                          extent.words <= synth::worst_case(pipeline.stages[i], own, length) &&
                          (fields == 1 ? extent.values == 0
                                       : extent.values >= 1 && extent.values <= extent.words);
    if (!good) return i;
    length = extent.words;
  }
  return pipeline.stages.size();
}

}  // namespace fpsynth::codec
