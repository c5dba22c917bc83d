#include "runners/codec/inspect.hpp"

#include "runners/codec/compact.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

class NullSink : public Sink {
 public:
  void write(std::span<const std::byte>) override {}
  void finish() override {}
};

/// The sums of sections, of which one is the whole.
Inspection inspect_all(std::span<const SectionView> sections, const Header& header) {
  if (sections.size() == 1) return inspect(sections.front().container, sections.front().name);
  Inspection all;
  all.header = header;
  for (const auto& [container, name] : sections) {
    const Inspection& one = all.sections.emplace_back(inspect(container, name));
    all.prelude.bytes += one.prelude.bytes;
    all.header_bytes += one.header_bytes;
    all.tail_bytes += one.tail_bytes;
    all.frames_bytes += one.frames_bytes;
    all.blocks_bytes += one.blocks_bytes;
  }
  return all;
}

}  // namespace

double Inspection::ratio() const {
  return static_cast<double>(header.original_bytes) / static_cast<double>(file_bytes);
}

double Inspection::mean_block() const {
  return chunks() == 0 ? 0 : static_cast<double>(blocks_bytes) / static_cast<double>(chunks());
}

std::uint64_t Inspection::chunks() const {
  if (sections.empty()) return header.chunks();
  std::uint64_t sum = 0;
  for (const Inspection& section : sections) sum += section.chunks();
  return sum;
}

std::string Inspection::method() const {
  if (sections.empty()) return synth::to_string(synth::Method{prelude.prelude, header.pipeline});
  const std::string methods = joined(sections, "; ", &Inspection::method);
  if (!prelude.prelude.empty()) return synth::to_string(prelude.prelude) + " / {" + methods + "}";
  return methods;
}

Inspection inspect(std::span<const std::byte> file, std::string_view name) {
  if (is_described(file)) {
    const DescribedFile described(file, name);
    Inspection found = inspect(described.inner(), name);
    found.version = kDescribedVersion;
    found.description = described.description();
    found.description_bytes = described.front_bytes();
    found.file_bytes = file.size();
    return found;
  }
  if (is_compact(file)) {
    // Its parts are bits: all but trailing bytes and blocks is the header.
    Inspection found = inspect(expanded(file, name).file, name);
    found.version = std::to_integer<int>(file[1]) & 0x3f;
    found.file_bytes = file.size();
    found.header_bytes = file.size() - found.blocks_bytes - found.tail_bytes;
    found.frame_bytes = found.frames_bytes = found.index_bytes = found.prelude.bytes = 0;
    found.prelude.header_bytes = 0;
    found.header.checksum = compact_header(file, name).checksum;
    return found;
  }
  if (has_prelude(file) || has_sections(file)) {
    const PreludeArchive archive(file, name);
    Inspection found = inspect_all(archive.sections(), archive.header());
    found.version = std::to_integer<std::uint8_t>(file[kVersionAt]);
    const std::size_t steps = archive.side().size();
    (steps > 0 ? found.prelude.header_bytes : found.index_bytes) = prelude_header_bytes(steps);
    found.prelude.prelude = archive.prelude();
    for (const auto side : archive.side()) found.prelude.side_bytes.push_back(side.size());
    found.prelude.bytes += archive.overhead_bytes() - found.index_bytes;
    found.header.checksum = archive.checksum();
    found.file_bytes = file.size();
    return found;
  }
  const Archive archive(file, name);
  Inspection found;
  found.header = archive.header();
  found.file_bytes = file.size();
  found.header_bytes = header_bytes(found.header.pipeline);
  found.tail_bytes = found.header.tail_bytes();
  found.frame_bytes = archive.frames().bytes();
  found.frames_bytes = found.header.chunks() * found.frame_bytes;
  found.blocks = archive.block_lengths();
  found.blocks_bytes = found.blocks.total;
  return found;
}

void verify(std::span<const std::byte> file, std::string_view name, const CodecOptions& options) {
  NullSink sink;
  decompress(file, name, sink, options);
}

}  // namespace fpsynth::codec
