#include "runners/codec/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <utility>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/sections.hpp"
#include "runners/codec/prelude_files.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

const PreludeTable& table_of(const CodecOptions& options) {
  return preludes_beside(options.stages ? *options.stages : components::default_stages());
}

/// Applies a prelude that is not empty: `out` gets as many bytes as `input` has. `name` is that of
/// the input, for errors.
template <class W>
SideSections transform_words(std::span<const std::byte> input, std::span<std::byte> out,
                             const synth::Prelude& prelude, std::string_view name,
                             const CodecOptions& options) {
  const std::size_t words = input.size() / sizeof(W);
  const int threads = threads_for(options.threads, UINT64_MAX);
  SideSections sections;
  const std::byte* in = input.data();
  for (const synth::PreludeStep& step : prelude.steps) {
    const preludes::Shape shape = synth::prelude_traits(step.kind).shape;
    SideMemory<W> side;
    side.data.divisors = step.divisors;
    refuse_unless_ok(table_of(options).of<W>().forward(step.kind, in, out.data(), words,
                                                       step.parameter, threads, side.data),
                     step, name);
    sections.push_back(encode_side(side.data, shape, options));
    in = out.data();
  }
  std::ranges::copy(input.subspan(words * sizeof(W)), out.subspan(words * sizeof(W)).begin());
  return sections;
}

SideSections transform_to(std::span<const std::byte> input, std::span<std::byte> out,
                          const synth::Prelude& prelude, std::size_t word_bytes,
                          std::string_view name, const CodecOptions& options) {
  return word_bytes == 8 ? transform_words<std::uint64_t>(input, out, prelude, name, options)
                         : transform_words<std::uint32_t>(input, out, prelude, name, options);
}

std::uint64_t overhead_of(const SideSections& sections) {
  std::uint64_t total = prelude_header_bytes(sections.size());
  for (const std::vector<std::byte>& section : sections) total += section.size();
  return total;
}

[[noreturn]] void refuse_for_memory(std::string_view name, const synth::Prelude& prelude,
                                    std::size_t bytes) {
  throw Error(
      fmt::format("{}: not enough memory for the prelude '{}' on {} bytes; use a method "
                  "without one, or a larger machine",
                  name, synth::to_string(prelude), bytes));
}

template <class W>
void restore_words(std::span<std::byte> bytes, const synth::Prelude& prelude,
                   std::span<const std::span<const std::byte>> side, std::string_view name,
                   const CodecOptions& options) {
  const std::size_t words = bytes.size() / sizeof(W);
  const int threads = threads_for(options.threads, UINT64_MAX);
  for (std::size_t i = prelude.steps.size(); i-- > 0;) {
    const synth::PreludeStep& step = prelude.steps[i];
    DecodedSide<W> decoded(side[i], step, words, name, options);
    refuse_unless_ok(table_of(options).of<W>().backward(step.kind, bytes.data(), words,
                                                        step.parameter, threads, decoded.data),
                     step, name);
  }
}

/// The containers of a file: one, or those of its sections. Throws Error if sections are together
/// longer than the limit or, unless that is null, not of the size of the output.
std::vector<SectionView> containers_of(std::span<const std::byte> file, std::string_view name,
                                       const CodecOptions& options,
                                       const std::span<std::byte>* out = nullptr) {
  if (is_described(file)) file = DescribedFile(file, name).inner();
  if (!has_sections(file)) return {{file, std::string(name)}};
  const SectionedFile sectioned(file, name);
  refuse_over_limit(sectioned.header(), name, options);
  if (out) refuse_other_size(sectioned.header(), name, out->size());
  return sectioned.sections();
}

/// Decodes a container by decode(container), which returns the words, and undoes its prelude.
template <class Decode>
auto restored(const SectionView& from, const CodecOptions& options, const Decode& decode) {
  if (!has_prelude(from.container)) return decode(from.container);
  const PreludeArchive archive(from.container, from.name);
  auto words = decode(archive.inner());
  restore(words, archive.prelude(), archive.word_bytes(), archive.side(), from.name, options);
  refuse_wrong_sum(from.name, archive.header(), checksum_of(words, options.threads));
  return words;
}
std::vector<std::byte> restored(const SectionView& from, const CodecOptions& options) {
  return restored(from, options, [&](std::span<const std::byte> container) {
    return decompress_container(container, from.name, options);
  });
}

void refuse_other_words(std::span<const Section> sections, std::uint64_t words,
                        std::string_view name) {
  if (sections.empty() || sections.size() > kMostSections) {
    throw Error(
        fmt::format("{}: {} sections; a file has 1 to {}", name, sections.size(), kMostSections));
  }
  std::uint64_t left = words;
  for (const Section& section : sections) {
    if (section.words > left || (section.words == 0 && sections.size() > 1)) {
      throw Error(
          fmt::format("{}: a section of {}, and there are {} left for it; sections have at "
                      "least one and together {}",
                      name, counted(section.words, "word"), left, words));
    }
    left -= section.words;
  }
  if (left == 0) return;
  throw Error(fmt::format("{}: its sections leave {} of {} out; add another one", name,
                          counted(left, "word"), words));
}

}  // namespace

const PreludeTable& preludes_beside(const components::StageTable& stages) {
#ifndef FPSYNTH_WITHOUT_AVX512
  if (stages.name() == "avx512") return kPreludesAvx512;
#endif
#ifndef FPSYNTH_WITHOUT_AVX2
  if (stages.name() == "avx2") return kPreludesAvx2;
#endif
  return kPreludesBaseline;
}

std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options) {
  if (method.prelude.empty()) {
    return compress_container(input, method.pipeline, word_bytes, sink, options);
  }
  synth::check(method.prelude, word_bytes);
  try {
    LargeBuffer words(input.size());
    SideSections sections =
        transform_to(input, words.bytes(), method.prelude, word_bytes, name, options);
    SinkBehind behind(front_of(method.prelude, std::move(sections), word_bytes, input.size(),
                               checksum_of(input, options.threads)),
                      sink);
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

std::uint64_t compress_sections(std::span<const std::byte> input, std::string_view name,
                                std::span<const Section> sections, std::size_t word_bytes,
                                PatchableSink& sink, const CodecOptions& options,
                                const SectionCompressor& one) {
  refuse_other_words(sections, input.size() / word_bytes, name);
  const auto compressed = [&](std::span<const std::byte> part, const Section& section,
                              PatchableSink& to) {
    if (one) return one(part, section, to);
    CodecOptions own = options;
    own.chunk_words = section.chunk_words;
    return compress(part, name, section.method, word_bytes, to, own);
  };
  if (sections.size() == 1) return compressed(input, sections.front(), sink);
  const std::size_t front_bytes = sections_front_bytes(sections.size());
  sink.write(std::vector<std::byte>(front_bytes));
  std::uint64_t written = front_bytes;
  std::vector<SectionEntry> entries;
  for (const Section& section : sections) {
    const bool last = entries.size() + 1 == sections.size();
    const auto part = input.first(last ? input.size() : section.words * word_bytes);
    SinkBehind behind(written, sink);
    const std::uint64_t bytes = compressed(part, section, behind);
    entries.push_back({part.size(), bytes, checksum_of(part, options.threads)});
    written += bytes;
    input = input.subspan(part.size());
  }
  sink.patch(0, front_of(entries, word_bytes));
  return written;
}

std::vector<std::byte> compress_sections(std::span<const std::byte> input,
                                         std::span<const Section> sections, std::size_t word_bytes,
                                         const CodecOptions& options) {
  MemorySink sink;
  reserve_output(sink.bytes(), input.size());
  compress_sections(input, "the input", sections, word_bytes, sink, options);
  return std::move(sink.bytes());
}

std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options) {
  std::uint64_t bytes = 0;
  for (const SectionView& from : containers_of(file, name, options)) {
    if (has_prelude(from.container)) {
      const std::vector<std::byte> original = restored(from, options);
      sink.write(original);
      bytes += original.size();
    } else {
      bytes += decompress_container(from.container, from.name, sink, options);
    }
  }
  return bytes;
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options,
                                  std::string_view name) {
  std::vector<std::byte> all;
  for (const SectionView& from : containers_of(file, name, options)) {
    std::vector<std::byte> original = restored(from, options);
    if (all.empty()) {
      all = std::move(original);
    } else {
      all.insert(all.end(), original.begin(), original.end());
    }
  }
  return all;
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options, std::string_view name) {
  const std::vector<SectionView> all = containers_of(file, name, options, &out);
  for (const SectionView& from : all) {
    const auto part = all.size() == 1
                          ? out
                          : out.first(original_header(from.container, from.name).original_bytes);
    restored(from, options, [&](std::span<const std::byte> container) {
      decompress_container_into(container, from.name, part, options);
      return part;
    });
    out = out.subspan(part.size());
  }
}

std::uint64_t Transformed::overhead_bytes() const { return side.empty() ? 0 : overhead_of(side); }

Transformed transform(std::span<const std::byte> input, const synth::Prelude& prelude,
                      std::size_t word_bytes, const CodecOptions& options, std::string_view name) {
  synth::check(prelude, word_bytes);
  if (prelude.empty()) return {{input.begin(), input.end()}, {}};
  try {
    Transformed result;
    reserve_output(result.bytes, input.size());
    result.bytes.resize(input.size());
    result.side = transform_to(input, result.bytes, prelude, word_bytes, name, options);
    return result;
  } catch (const std::bad_alloc&) {
    refuse_for_memory(name, prelude, input.size());
  }
}

void restore(std::span<std::byte> bytes, const synth::Prelude& prelude, std::size_t word_bytes,
             std::span<const std::span<const std::byte>> side, std::string_view name,
             const CodecOptions& options) {
  synth::check(prelude, word_bytes);
  word_bytes == 8 ? restore_words<std::uint64_t>(bytes, prelude, side, name, options)
                  : restore_words<std::uint32_t>(bytes, prelude, side, name, options);
}

}  // namespace fpsynth::codec
