#include "runners/codec/sections.hpp"

#include <fmt/core.h>

#include <utility>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/sections.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::codec {
namespace {

/// Writes to another sink, as if what comes began there.
class SinkFrom : public PatchableSink {
 public:
  SinkFrom(PatchableSink& sink, std::uint64_t begin) : sink_(sink), begin_(begin) {}
  void write(std::span<const std::byte> bytes) override { sink_.write(bytes); }
  void patch(std::uint64_t offset, std::span<const std::byte> bytes) override {
    sink_.patch(begin_ + offset, bytes);
  }
  void finish() override {}

 private:
  PatchableSink& sink_;
  std::uint64_t begin_;
};

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
    SinkFrom behind(sink, written);
    const std::uint64_t bytes = compressed(part, section, behind);
    ContentHash hash;
    hash_in_parallel(hash, part, options.threads);
    entries.push_back({part.size(), bytes, hash.digest()});
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

}  // namespace fpsynth::codec
