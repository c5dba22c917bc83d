#include "runners/codec/codec.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include "components/words/word_type.hpp"
#include "runners/codec/compact.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/rest_coding.hpp"
#include "runners/codec/prelude_files.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// The containers of a file: one, or those of its sections. Throws Error if sections are together
/// longer than the limit or, unless that is null, not of the size of the output.
std::vector<SectionView> containers_of(std::span<const std::byte> file, std::string_view name,
                                       const CodecOptions& options,
                                       const std::span<std::byte>* out = nullptr) {
  std::vector<SectionView> all = sections_of(file, name);
  if (all.size() == 1) return all;
  Header header;
  header.original_bytes = original_bytes(file, name);
  refuse_over_limit(header, name, options);
  if (out) refuse_other_size(header, name, out->size());
  return all;
}

/// Decodes containers to memory of the size of their originals.
void decompress_to(std::span<const SectionView> containers, std::span<std::byte> out,
                   const CodecOptions& options) {
  for (const auto& [container, name] : containers) {
    const std::span<std::byte> words =
        containers.size() == 1 ? out : out.first(original_header(container, name).original_bytes);
    if (is_compact(container)) {
      refuse_other_size(compact_header(container, name), name, words.size());
      std::ranges::copy(expanded(container, name, options).original, words.begin());
    } else if (has_prelude(container)) {
      const PreludeArchive archive(container, name);
      refuse_other_size(archive.header(), name, words.size());
      decompress_to(archive.sections(), words, options);
      restore(words, archive.prelude(), archive.word_bytes(), archive.side(), name, options);
      refuse_wrong_sum(name, archive.header(), checksum_of(words, options.threads));
    } else {
      decompress_container_into(container, name, words, options);
    }
    out = out.subspan(words.size());
  }
}

std::uint64_t decompress_one(const SectionView& from, Sink& sink, const CodecOptions& options);

/// Decompresses a container with a prelude, whose words are held in memory.
std::uint64_t decompress_held(const SectionView& from, Sink& sink, const CodecOptions& options) {
  const PreludeArchive archive(from.container, from.name);
  const Header header = archive.header();
  refuse_over_limit(header, from.name, options);
  // Memory that is not touched before threads decode to it costs no pass of its own. Of a header
  // that may be forged, the words take it step by step.
  if (header.original_bytes / kMostJustified > from.container.size()) {
    MemorySink all;
    for (const SectionView& section : archive.sections()) decompress_one(section, all, options);
    restore(all.bytes(), archive.prelude(), archive.word_bytes(), archive.side(), from.name,
            options);
    refuse_wrong_sum(from.name, header, checksum_of(all.bytes(), options.threads));
    sink.write(all.bytes());
    return header.original_bytes;
  }
  LargeBuffer original(header.original_bytes);
  const std::span<std::byte> words = original.bytes();
  decompress_to(archive.sections(), words, options);
  restore(words, archive.prelude(), archive.word_bytes(), archive.side(), from.name, options);
  // One thread writes a piece while others hash the next ones.
  constexpr std::size_t kPiece = SegmentHashes::kMost * kSegmentBytes;
  const std::size_t pieces = (words.size() + kPiece - 1) / kPiece;
  const auto piece_of = [&](std::size_t piece) {
    return words.subspan(piece * kPiece, std::min(kPiece, words.size() - piece * kPiece));
  };
  const int threads = threads_for(options.threads, pieces);
  std::vector<SegmentHashes> hashes(buffer_count(threads));
  ContentHash hash;
  in_order(
      0, pieces, threads,
      [&](std::uint64_t piece, std::size_t buffer, std::size_t) {
        hashes[buffer].compute(piece * kPiece, piece_of(piece), fastest_xxh3);
      },
      [&](std::uint64_t piece, std::size_t buffer) {
        hash.update(piece_of(piece), hashes[buffer]);
        sink.write(piece_of(piece));
      });
  refuse_wrong_sum(from.name, header, hash.digest());
  return header.original_bytes;
}

std::uint64_t decompress_one(const SectionView& from, Sink& sink, const CodecOptions& options) {
  if (has_prelude(from.container)) return decompress_held(from, sink, options);
  if (!is_compact(from.container)) {
    return decompress_container(from.container, from.name, sink, options);
  }
  const std::vector<std::byte> original = expanded(from.container, from.name, options).original;
  sink.write(original);
  return original.size();
}

void refuse_other_words(std::span<const Section> sections, std::uint64_t words,
                        std::string_view name) {
  if (sections.empty() || sections.size() > kMostSections) {
    raise("{}: {} sections; a file has 1 to {}", name, sections.size(), kMostSections);
  }
  std::uint64_t left = words;
  for (const Section& section : sections) {
    if (section.words > left || (section.words == 0 && sections.size() > 1)) {
      raise(
          "{}: a section of {}, and there are {} left for it; sections have at least one and "
          "together {}",
          name, counted(section.words, "word"), left, words);
    }
    left -= section.words;
  }
  if (left == 0) return;
  raise("{}: its sections leave {} of {} out; add another one", name, counted(left, "word"), words);
}

}  // namespace

std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options) {
  if (method.prelude.empty()) {
    return compress_container(input, method.pipeline, word_bytes, sink, options);
  }
  synth::check(method.prelude, word_bytes);
  try {
    LargeBuffer words(input.size());
    std::uint64_t checksum = 0;
    SideSections sections =
        transform_to(input, words.bytes(), method.prelude, word_bytes, name, options, &checksum);
    SinkBehind behind(
        front_of(method.prelude, std::move(sections), word_bytes, input.size(), checksum), sink);
    return behind.front_bytes() +
           compress_container(words.bytes(), method.pipeline, word_bytes, behind, options);
  } catch (const std::bad_alloc&) {
    refuse_for_memory(name, method.prelude, input.size());
  }
}

std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Method& method,
                                std::size_t word_bytes, const CodecOptions& options) {
  MemorySink sink;
  reserve_output(sink.bytes(), input.size());
  compress(input, "the input", method, word_bytes, sink, options);
  return std::move(sink.bytes());
}

std::size_t bound(std::size_t bytes, const synth::Method& method, std::size_t word_bytes,
                  std::size_t chunk_words) {
  synth::check(method.prelude, word_bytes);
  const Header header = header_of(method.pipeline, word_bytes, chunk_words, bytes);
  std::size_t sum = PipelineFrames(header).layout(bytes).bound();
  const auto add = [&](std::size_t part) {
    sum = sum == 0 || part == 0 || part > SIZE_MAX - sum ? 0 : sum + part;
  };
  if (const std::size_t steps = method.prelude.steps.size()) add(prelude_header_bytes(steps));
  const auto add_side = [&]<class Coding>() { add(Coding::bound(bytes / word_bytes)); };
  for (const synth::PreludeStep& step : method.prelude.steps) {
    const preludes::Shape shape = synth::prelude_traits(step.kind).shape;
    words::with_word(word_bytes, [&]<class W>() { with_side_coding<W>(shape, add_side); });
  }
  return sum;
}

std::uint64_t compress_sections(std::span<const std::byte> input, std::string_view name,
                                std::span<const Section> sections, std::size_t word_bytes,
                                PatchableSink& sink, const CodecOptions& options,
                                const SectionCompressor& one, const synth::Prelude& before) {
  refuse_other_words(sections, input.size() / word_bytes, name);
  const auto compressed = [&](std::span<const std::byte> part, const Section& section,
                              PatchableSink& to) {
    if (one) return one(part, section, to);
    CodecOptions own = options;
    own.chunk_words = section.chunk_words;
    return compress(part, name, section.method, word_bytes, to, own);
  };
  if (sections.size() == 1) return compressed(input, sections.front(), sink);
  std::optional<LargeBuffer> words;
  SideSections side;
  std::uint64_t checksum = 0;
  std::span<const std::byte> left = input;
  if (!before.empty()) {
    words.emplace(input.size());
    side = transform_to(input, words->bytes(), before, word_bytes, name, options);
    checksum = checksum_of(input, options.threads);
    left = words->bytes();
  }
  const std::vector<std::byte> front =
      front_of(before, std::move(side), word_bytes, input.size(), checksum, sections.size());
  sink.write(front);
  std::uint64_t written = front.size();
  std::vector<std::uint64_t> checksums;
  for (const Section& section : sections) {
    const bool last = checksums.size() + 1 == sections.size();
    const auto part = left.first(last ? left.size() : section.words * word_bytes);
    SinkBehind behind(written, sink);
    written += compressed(part, section, behind);
    checksums.push_back(checksum_of(part, options.threads));
    left = left.subspan(part.size());
  }
  if (before.empty()) {
    std::array<std::byte, 8> bytes;
    store(bytes.data(), sections_checksum(checksums));
    sink.patch(front.size() - bytes.size(), bytes);
  }
  return written;
}

std::vector<std::byte> compress_sections(std::span<const std::byte> input,
                                         std::span<const Section> sections, std::size_t word_bytes,
                                         const CodecOptions& options,
                                         const synth::Prelude& before) {
  MemorySink sink;
  reserve_output(sink.bytes(), input.size());
  compress_sections(input, "the input", sections, word_bytes, sink, options, {}, before);
  return std::move(sink.bytes());
}

std::uint64_t original_bytes(std::span<const std::byte> file, std::string_view name) {
  if (is_described(file)) file = DescribedFile(file, name).inner();
  return original_header(file, name).original_bytes;
}

std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options) {
  std::uint64_t bytes = 0;
  for (const SectionView& from : containers_of(file, name, options)) {
    bytes += decompress_one(from, sink, options);
  }
  return bytes;
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options,
                                  std::string_view name) {
  const std::vector<SectionView> all = containers_of(file, name, options);
  Header header;
  header.original_bytes = original_bytes(file, name);
  MemorySink sink;
  if (header.original_bytes / kMostJustified <= file.size()) {
    refuse_over_limit(header, name, options);
    reserve_output(sink.bytes(), header.original_bytes);
    sink.bytes().resize(header.original_bytes);
    decompress_to(all, sink.bytes(), options);
  } else {
    for (const SectionView& from : all) decompress_one(from, sink, options);
  }
  return std::move(sink.bytes());
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options, std::string_view name) {
  decompress_to(containers_of(file, name, options, &out), out, options);
}

}  // namespace fpsynth::codec
