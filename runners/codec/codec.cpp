#include "runners/codec/codec.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <utility>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/format/sections.hpp"
#include "runners/codec/prelude_files.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::codec {
namespace {

const PreludeTable& table_of(const CodecOptions& options) {
  return preludes_beside(options.stages ? *options.stages : components::default_stages());
}

constexpr std::string_view kUnnamed = "the input";

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

std::uint64_t checksum_of(std::span<const std::byte> content, int threads) {
  ContentHash hash;
  hash_in_parallel(hash, content, threads);
  return hash.digest();
}

/// The container behind a description.
std::span<const std::byte> inner_of(std::span<const std::byte> file, std::string_view name) {
  return DescribedFile(file, name).inner();
}

/// Restores in place what was decoded from the container within, and checks its checksum.
void restore_original(const PreludeArchive& archive, std::span<std::byte> decoded,
                      std::string_view name, const CodecOptions& options) {
  restore(decoded, archive.prelude(), archive.word_bytes(), archive.side(), name, options);
  refuse_wrong_sum(name, archive.header(), checksum_of(decoded, options.threads));
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
  compress(input, kUnnamed, method, word_bytes, sink, options);
  return std::move(sink.bytes());
}

std::uint64_t decompress(std::span<const std::byte> file, std::string_view name, Sink& sink,
                         const CodecOptions& options) {
  if (is_described(file)) return decompress(inner_of(file, name), name, sink, options);
  if (has_sections(file)) {
    const SectionedFile sectioned(file, name);
    refuse_over_limit(sectioned.header(), name, options);
    for (const SectionView& section : sectioned.sections()) {
      decompress(section.container, section.name, sink, options);
    }
    return sectioned.header().original_bytes;
  }
  if (!has_prelude(file)) return decompress_container(file, name, sink, options);
  const std::vector<std::byte> original = decompress(file, options, name);
  sink.write(original);
  return original.size();
}

std::vector<std::byte> decompress(std::span<const std::byte> file, const CodecOptions& options,
                                  std::string_view name) {
  if (is_described(file)) return decompress(inner_of(file, name), options, name);
  if (has_sections(file)) {
    MemorySink sink;
    decompress(file, name, sink, options);
    return std::move(sink.bytes());
  }
  if (!has_prelude(file)) return decompress_container(file, name, options);
  const PreludeArchive archive(file, name);
  std::vector<std::byte> decoded = decompress_container(archive.inner(), name, options);
  restore_original(archive, decoded, name, options);
  return decoded;
}

void decompress_into(std::span<const std::byte> file, std::span<std::byte> out,
                     const CodecOptions& options, std::string_view name) {
  if (is_described(file)) return decompress_into(inner_of(file, name), out, options, name);
  if (has_sections(file)) {
    const SectionedFile sectioned(file, name);
    refuse_over_limit(sectioned.header(), name, options);
    refuse_other_size(sectioned.header(), name, out.size());
    for (const SectionView& section : sectioned.sections()) {
      const auto bytes = original_header(section.container, section.name).original_bytes;
      decompress_into(section.container, out.first(bytes), options, section.name);
      out = out.subspan(bytes);
    }
    return;
  }
  if (!has_prelude(file)) return decompress_container_into(file, name, out, options);
  const PreludeArchive archive(file, name);
  decompress_container_into(archive.inner(), name, out, options);
  restore_original(archive, out, name, options);
}

std::uint64_t Transformed::overhead_bytes() const { return side.empty() ? 0 : overhead_of(side); }

Transformed transform(std::span<const std::byte> input, const synth::Prelude& prelude,
                      std::size_t word_bytes, const CodecOptions& options) {
  synth::check(prelude, word_bytes);
  if (prelude.empty()) return {{input.begin(), input.end()}, {}};
  try {
    Transformed result;
    reserve_output(result.bytes, input.size());
    result.bytes.resize(input.size());
    result.side = transform_to(input, result.bytes, prelude, word_bytes, kUnnamed, options);
    return result;
  } catch (const std::bad_alloc&) {
    refuse_for_memory(kUnnamed, prelude, input.size());
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
