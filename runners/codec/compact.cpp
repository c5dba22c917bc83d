#include "runners/codec/compact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "components/preludes/registry.hpp"
#include "components/words/word_type.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/prelude_files.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

using ByteVector = std::vector<std::byte>;

constexpr std::string_view kOwn = "the compressed data";
constexpr std::size_t kNumberBytes = 8;  ///< of numbers in side data
/// The lists in side data decode to at most so many times the bytes of the original: for each step
/// to a position, a word and a selector of each word.
constexpr std::uint64_t kMostInLists = 3 * preludes::kMostSteps;

ByteVector copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }
void append(ByteVector& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// The bytes of the container of version 2 with which bytes of a good file begin; 0 if with none.
std::size_t container_bytes(std::span<const std::byte> from) {
  if (!has_version(from.data(), from.size(), kVersion)) return 0;
  return Archive(from, kOwn, Archive::Behind::Anything).bytes();
}

/// Goes through a file of version 2, 3 or 5 and its compact form at once: writes the compact
/// form if `bits` does, else makes the file, whose bytes are empty before, and returns its
/// original.
class Form {
 public:
  Form(CompactBits& bits, const Header& header, std::string_view name, const CodecOptions& options)
      : bits_(bits),
        reads_(bits.reads()),
        word_bytes_(header.word_bytes),
        lists_left_(kMostInLists * header.original_bytes),
        name_(name),
        options_(options) {}

  /// A prelude, or none, and behind it a container or, of a `whole` file, sections. `last`: nothing
  /// is behind it.
  ByteVector part(std::uint64_t original_bytes, bool last, bool whole, ByteVector& file) {
    synth::Prelude prelude;
    SideSections side;
    std::vector<ByteVector> parts = {file};
    if (!reads_ && (has_prelude(file) || has_sections(file))) {
      const PreludeArchive archive(file, name_);
      prelude = archive.prelude();
      for (const auto of_step : archive.side()) side.push_back(copy_of(of_step));
      parts.clear();
      for (const SectionView& view : archive.sections()) parts.push_back(copy_of(view.container));
    }
    std::size_t steps = side.size();
    bits_.bits(steps, 3);
    if (steps > preludes::kMostSteps) bits_.refuse();
    prelude.steps.resize(steps);
    side.resize(steps);
    for (std::size_t i = 0; i < steps; ++i) step(prelude.steps[i], side[i]);
    std::uint64_t others = parts.size() - 1;
    if (whole) bits_.number(others);
    if (others >= kMostSections) bits_.refuse();
    parts.resize(others + 1);
    std::vector<std::uint64_t> checksums;
    ByteVector original = others == 0 ? container(word_bytes_, original_bytes, last, parts.front())
                                      : sections(original_bytes, parts, checksums);
    if (!reads_) return original;
    if (steps == 0 && others == 0) {
      file = std::move(parts.front());
      return original;
    }
    file = front_of(prelude, std::move(side), word_bytes_, original_bytes,
                    sections_checksum(checksums), checksums.size());
    for (const ByteVector& one : parts) append(file, one);
    const PreludeArchive archive(file, name_);
    if (steps == 0) return original;
    restore(original, archive.prelude(), word_bytes_, archive.side(), name_, options_);
    store(&file[prelude_header_bytes(steps) - 8], checksum_of(original, options_.threads));
    return original;
  }

 private:
  void step(synth::PreludeStep& step, ByteVector& side) {
    std::uint64_t kind = step.kind;
    bits_.number(kind);
    bits_.number(step.parameter);
    const synth::PreludeTraits* const traits = synth::find_prelude_kind(kind);
    if (!traits) bits_.refuse();
    step.kind = traits->wire;
    preludes::with_step(step.kind, [&]<class S>() {
      if (preludes::has_side_data<S>) side_data(side);
    });
  }

  /// Numbers and containers, of which some have their length before them.
  void side_data(ByteVector& side) {
    for (std::size_t at = 0;;) {
      const auto left = std::span<const std::byte>(side).subspan(at);
      bool more = !left.empty(), behind_length = false;
      bits_.bits(more, 1);
      if (!more) return;
      std::size_t bytes = reads_ ? 0 : container_bytes(left);
      std::uint64_t number = 0;
      if (!reads_ && bytes == 0) {
        if (left.size() < kNumberBytes) bits_.refuse();
        number = load<std::uint64_t>(left.data());
        bytes = container_bytes(left.subspan(kNumberBytes));
        behind_length = bytes > 0 && bytes == number;
        if (!behind_length) bytes = 0;
      }
      bool list = bytes > 0;
      bits_.bits(list, 1);
      if (!list) {
        bits_.number(number);
      } else {
        bits_.bits(behind_length, 1);
      }
      if (!list || behind_length) at += kNumberBytes;
      if (reads_) side.resize(at);
      if (list) {
        ByteVector made = copy_of(std::span(side).subspan(at, bytes));
        one_list(made);
        number = made.size();
        if (reads_) append(side, made);
        if (behind_length) store(&side[at - kNumberBytes], number);
        at += made.size();
      } else {
        store(&side[at - kNumberBytes], number);
      }
    }
  }
  void one_list(ByteVector& file) {
    Header header;
    if (!reads_) header = parse_header(file, name_);
    // In files of words of 8 and 4 bytes lists are of such numbers, too.
    std::size_t narrower = 3 - words::column(header.word_bytes);
    std::uint64_t count = header.words();
    bits_.bits(narrower, word_bytes_ < 4 ? 2 : 1);
    bits_.number(count);
    const std::size_t word_bytes = std::size_t{8} >> narrower;
    if (count > lists_left_ / word_bytes) bits_.refuse();
    lists_left_ -= count * word_bytes;
    container(word_bytes, count * word_bytes, false, file);
  }

  ByteVector sections(std::uint64_t left, std::vector<ByteVector>& parts,
                      std::vector<std::uint64_t>& checksums) {
    ByteVector all;
    for (ByteVector& one : parts) {
      const bool last = &one == &parts.back();
      std::uint64_t words = reads_ ? 0 : original_header(one, name_).words();
      if (!last) bits_.number(words);
      if (words > left / word_bytes_) bits_.refuse();
      const std::uint64_t bytes = last ? left : words * word_bytes_;
      left -= bytes;
      const ByteVector original = part(bytes, last, false, one);
      checksums.push_back(checksum_of(original, options_.threads));
      append(all, original);
    }
    return all;
  }

  void pipeline(Header& header) {
    auto& [stages, cut] = header.pipeline;
    std::size_t count = std::max<std::size_t>(1, stages.size()) - 1;
    bits_.bits(count, 3);
    stages.resize(count + 1);
    bits_.bits(cut, unsigned(std::bit_width(stages.size())));
    for (synth::Component& stage : stages) {
      std::uint8_t wire = synth::family(stage.family).wire;
      bits_.bits(wire, 5);
      const auto family = synth::family_of_wire(wire);
      if (!family) bits_.refuse();
      std::uint64_t parameter = stage.parameter;
      if (synth::family(*family).parametric) bits_.number(parameter);
      stage = {*family, std::uint8_t(std::min<std::uint64_t>(parameter, 255))};
    }
    unsigned zeros = std::min(15u, unsigned(std::countr_zero(header.chunk_words)));
    std::uint64_t above = (header.chunk_words >> zeros) - 1;
    bits_.bits(zeros, 4);
    bits_.number(above);
    if (above >= kMaxChunkWords) bits_.refuse();
    header.chunk_words = std::uint32_t((above + 1) << zeros);
  }

  /// A container of version 2.
  ByteVector container(std::size_t word_bytes, std::uint64_t original_bytes, bool last,
                       ByteVector& file) {
    Header header;
    if (!reads_) header = parse_header(file, name_);
    pipeline(header);
    if (reads_) {
      header.word_bytes = word_bytes;
      header.original_bytes = original_bytes;
      try {
        file = serialize(header);
      } catch (const Error&) {
        bits_.refuse();
      }
    }
    const PipelineFrames frames(header);
    const ContainerLayout layout = frames.layout(original_bytes);
    const synth::PipelineStages& stages = frames.stages();
    if (reads_) file.resize(layout.blocks_at);
    bits_.verbatim(file, layout.shape.header_bytes, layout.tail_bytes);
    ChunkCoder coder(header.pipeline, word_bytes, header.chunk_words,
                     options_.stages ? *options_.stages : components::default_stages());
    ByteVector original;
    std::size_t at = layout.blocks_at;
    for (std::uint64_t chunk = 0; chunk < layout.chunks; ++chunk) {
      const std::size_t words = layout.words_of(chunk), frame = layout.frame_at(chunk);
      const bool open = last && chunk + 1 == layout.chunks;
      std::array<components::Extent, kMostStages> all{};
      const std::span extents(all.data(), stages.size());
      if (!reads_) frames.read(&file[frame], words, extents);
      const auto extent = [&](std::size_t index, const synth::PipelineStage& stage,
                              std::size_t length) {
        components::Extent& of = extents[index];
        const auto width = unsigned(std::bit_width(stage.bound(length)));
        if (stage.frame_fields() >= 2) bits_.bits(of.values, width);
        if (stage.frame_fields() == 0) {
          of.words = std::uint32_t(length);
        } else if (index + 1 < stages.size() || !open) {
          bits_.bits(of.words, width);
        } else if (reads_) {
          of.words = std::uint32_t(bits_.left() / stage.word_bytes());
        }
        return of;
      };
      if (first_impossible(stages, words, extent) != kGoodFrame) bits_.refuse();
      const std::size_t bytes = extents.back().words * stages[stages.size() - 1].word_bytes();
      bits_.verbatim(file, at, bytes);
      if (reads_) {
        frames.write(extents, &file[frame]);
        const auto decoded = coder.decode(std::span(file).subspan(at, bytes), extents, words);
        if (!decoded) bits_.refuse();
        append(original, *decoded);
      }
      at += bytes;
    }
    if (!reads_) return original;
    append(original, std::span(file).subspan(layout.shape.header_bytes, layout.tail_bytes));
    store(&file[checksum_at(stages.size())], checksum_of(original, options_.threads));
    return original;
  }

  CompactBits& bits_;
  bool reads_;
  std::size_t word_bytes_;
  std::uint64_t lists_left_;  ///< bytes that lists may still decode to
  std::string name_;
  const CodecOptions& options_;
};

}  // namespace

ByteVector compacted(ByteVector file) {
  CodecOptions options;
  options.threads = 1;
  Header header = original_header(file, kOwn);
  if (header.original_bytes > kMostCompact) return file;
  try {
    header.checksum = checksum_of(decompress(file, options), 1);
    CompactBits bits(kOwn);
    pass_beginning(bits, header);
    ByteVector same = file;
    Form(bits, header, kOwn, options).part(header.original_bytes, true, true, same);
    ByteVector compact = bits.written();
    const bool good = expanded(compact, kOwn, options).file == file;
    return good && compact.size() < file.size() ? compact : file;
  } catch (const Error&) {
    return file;  // side data that it does not know
  }
}

Expanded expanded(std::span<const std::byte> compact, std::string_view name,
                  const CodecOptions& options) {
  CompactBits bits(compact, name);
  Header header;
  pass_beginning(bits, header);
  refuse_over_limit(header, name, options);
  Expanded expanded;
  expanded.original =
      Form(bits, header, name, options).part(header.original_bytes, true, true, expanded.file);
  bits.finish();
  const std::uint64_t found = checksum_of(expanded.original, options.threads);
  refuse_wrong_sum(name, header, compact_checksum(header, found));
  return expanded;
}

}  // namespace fpsynth::codec
