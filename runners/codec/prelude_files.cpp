#include "runners/codec/prelude_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "components/words/word_type.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/key_coding.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "runners/codec/format/rest_coding.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::codec {
namespace {

/// The pipeline of a static one.
template <class Static>
synth::Pipeline pipeline_of() {
  synth::Pipeline pipeline;
  const typename Static::Stages stages;
  pipeline.cut = static_cast<unsigned>(stages.cut());
  stages.for_each([&](std::size_t, const auto& stage) {
    pipeline.stages.push_back({synth::family_of_wire(stage.wire()).value(), stage.parameter()});
    return true;
  });
  return pipeline;
}

const PreludeTable& table_of(const CodecOptions& options) {
  return preludes_beside(options.stages ? *options.stages : components::default_stages());
}
int threads_of(const CodecOptions& options) { return threads_for(options.threads, UINT64_MAX); }

/// Lists for SideCoding, written to a vector of bytes.
struct HostLists : SideArchives {
  const CodecOptions& options;
  std::vector<std::byte> out{};  ///< where side data are written
  static constexpr bool kDecodes = true;

  template <class T, class Pipeline = SidePipeline<T>>
  Status encode(std::size_t at, const T* values, std::size_t count, std::size_t& written) {
    CodecOptions usual = options;
    usual.chunk_words = Pipeline::kChunkWords;  // whatever the words have
    MemorySink sink;
    written = compress_container(std::as_bytes(std::span(values, count)), pipeline_of<Pipeline>(),
                                 sizeof(T), sink, usual);
    out.resize(at);
    out.insert(out.end(), sink.bytes().begin(), sink.bytes().end());
    return Status::Ok;
  }
  /// Decodes to memory of malloc(), which the caller frees in any case.
  template <class T, class Pipeline = SidePipeline<T>>
  Status decode(std::size_t at, std::size_t bytes, std::size_t most, T*& values,
                std::size_t& count) {
    SideArchives::decode<T, Pipeline>(at, bytes, most, values, count);
    CodecOptions own = options;
    own.limit = count * sizeof(T);
    values = static_cast<T*>(std::malloc(own.limit + 1));
    if (!values) throw std::bad_alloc();
    decompress_container_into(in.subspan(at, bytes), name,
                              std::as_writable_bytes(std::span(values, count)), own);
    return Status::Ok;
  }
  Status store(std::size_t at, const std::uint64_t* numbers, std::size_t count) {
    out.resize(std::max(out.size(), at + count * sizeof *numbers));
    for (std::size_t i = 0; i < count; ++i) {
      codec::store(out.data() + at + i * sizeof *numbers, numbers[i]);
    }
    return Status::Ok;
  }
  template <class Step, class W>
  Status rank(std::byte* words, std::size_t count, SideData<W>& side) const {
    return table_of(options).of<W>().forward(Step::wire, words, words, count, 0,
                                             threads_of(options), side);
  }
  template <class Step, class W>
  Status unrank(std::byte* words, std::size_t count, const SideData<W>& side) const {
    return table_of(options).of<W>().backward(Step::wire, words, count, 0, threads_of(options),
                                              side);
  }
};

/// Throws unless Ok; HostLists has thrown all else but NoMemory.
void refuse_without_memory(Status status) {
  if (status != Status::Ok) throw std::bad_alloc();
}

/// Throws Error, which starts with `name`, unless the status that a step returned is Ok.
void refuse_unless_ok(Status status, const synth::PreludeStep& step, std::string_view name) {
  if (status == Status::Ok) return;
  if (status == Status::NoMemory) {
    raise(
        "{}: not enough memory for {}; free some, raise its limit (ulimit -v), or compress with a "
        "method without it",
        name, synth::to_string(step));
  }
  refuse_damaged(
      name, fmt::format("its words or side data are not what {} gives", synth::to_string(step)));
}

template <class W>
SideSections transform_words(std::span<const std::byte> input, std::span<std::byte> out,
                             const synth::Prelude& prelude, std::string_view name,
                             const CodecOptions& options) {
  const std::size_t words = input.size() / sizeof(W);
  SideSections sections;
  const std::byte* in = input.data();
  for (const synth::PreludeStep& step : prelude.steps) {
    SideMemory<W> side;
    side.data.divisors = step.divisors;
    refuse_unless_ok(
        table_of(options).of<W>().forward(step.kind, in, out.data(), words, step.parameter,
                                          threads_of(options), side.data),
        step, name);
    HostLists lists{{}, options};
    std::size_t written = 0;
    refuse_without_memory(
        encode_any_side(synth::prelude_traits(step.kind).shape, lists, side.data, written));
    sections.push_back(std::move(lists.out));
    in = out.data();
  }
  if (input.data() != out.data()) {
    std::ranges::copy(input.subspan(words * sizeof(W)), out.subspan(words * sizeof(W)).begin());
  }
  return sections;
}

template <class W>
void restore_words(std::span<std::byte> bytes, const synth::Prelude& prelude,
                   std::span<const std::span<const std::byte>> side, std::string_view name,
                   const CodecOptions& options) {
  const std::size_t words = bytes.size() / sizeof(W);
  for (std::size_t i = prelude.steps.size(); i-- > 0;) {
    const synth::PreludeStep& step = prelude.steps[i];
    SideMemory<W> decoded;
    HostLists lists{{side[i], side_name(name, step)}, options};
    refuse_without_memory(decode_any_side(synth::prelude_traits(step.kind).shape, lists,
                                          side[i].size(), words, decoded.data));
    refuse_unless_ok(
        table_of(options).of<W>().backward(step.kind, bytes.data(), words, step.parameter,
                                           threads_of(options), decoded.data),
        step, name);
  }
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

void refuse_for_memory(std::string_view name, const synth::Prelude& prelude, std::size_t bytes) {
  raise(
      "{}: not enough memory for the prelude '{}' on {} bytes; use a method without one, or a "
      "larger machine",
      name, synth::to_string(prelude), bytes);
}

SideSections transform_to(std::span<const std::byte> input, std::span<std::byte> out,
                          const synth::Prelude& prelude, std::size_t word_bytes,
                          std::string_view name, const CodecOptions& options,
                          std::uint64_t* checksum) {
  const bool permutes =
      synth::prelude_traits(prelude.steps.front().kind).shape == preludes::Shape::Permuted;
  const bool moves = checksum && !permutes && release_mapped(input.first(0));
  if (moves) {
    ContentHash hash;
    hash_in_parallel(hash, out, options.threads, [&](std::size_t at, std::size_t bytes) {
      std::memcpy(out.data() + at, input.data() + at, bytes);
      release_mapped(input.subspan(at, bytes));
    });
    *checksum = hash.digest();
    input = out;
  } else if (checksum) {
    *checksum = checksum_of(input, options.threads);
  }
  return words::with_word(word_bytes, [&]<class W>() {
    return transform_words<W>(input, out, prelude, name, options);
  });
}

std::vector<std::byte> front_of(const synth::Prelude& prelude, SideSections sections,
                                std::size_t word_bytes, std::uint64_t original_bytes,
                                std::uint64_t checksum, std::size_t count) {
  PreludeFields fields;
  fields.sections = static_cast<std::uint8_t>(count);
  fields.word_bytes = static_cast<std::uint8_t>(word_bytes);
  for (const synth::PreludeStep& step : prelude.steps) {
    const std::size_t side_bytes = sections[fields.steps].size();
    fields.step[fields.steps++] = {step.kind, step.parameter, side_bytes};
  }
  fields.original_bytes = original_bytes;
  fields.checksum = checksum;
  std::vector<std::byte> front(prelude_header_bytes(fields.steps));
  store_prelude_header(fields, front.data());
  for (std::vector<std::byte>& section : sections) {
    front.insert(front.end(), section.begin(), section.end());
    section = {};
  }
  return front;
}

std::uint64_t Transformed::overhead_bytes() const {
  std::uint64_t total = side.empty() ? 0 : prelude_header_bytes(side.size());
  for (const std::vector<std::byte>& section : side) total += section.size();
  return total;
}

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
  words::with_word(word_bytes,
                   [&]<class W>() { restore_words<W>(bytes, prelude, side, name, options); });
}

}  // namespace fpsynth::codec
