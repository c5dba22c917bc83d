#include "runners/codec/codec.hpp"

#include <fpsynth/codec.hpp>

#include "runners/codec/format/description.hpp"
#include "runners/codec/inspect.hpp"
#include "runners/library/front.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/prelude.hpp"

namespace fpsynth {
namespace {

codec::CodecOptions internal(const DecompressOptions& from) {
  codec::CodecOptions options;
  options.threads = from.threads;
  if (from.limit != DecompressOptions().limit) options.limit = from.limit;
  options.limit_is = "the limit; raise DecompressOptions::limit";
  return options;
}

}  // namespace

namespace library {

Described described(const Values& values) {
  const auto type = synth::type_called(values.type, &synth::NamedType::name);
  if (!type) {
    raise<UsageError>("type '{}': give one of {}", values.type,
                      joined(synth::kValueTypes, ", ", &synth::NamedType::name));
  }
  Described described{*type, {}};
  const std::size_t bytes = values.bytes.size(), word = described.word_bytes();
  codec::Description description{.kind = type->kind, .shape = values.shape};
  if (values.shape.empty()) {
    description.shape = {bytes / word};
  } else {
    codec::check_shape(values.shape, bytes, word, "the input", "the shape");
  }
  if (!values.shape.empty() || !type->is_of_precision()) {
    described.front = codec::front_of(description, word);
  }
  return described;
}

codec::Section named_section(const Values& values, std::string_view method,
                             const CompressOptions& options) {
  const std::size_t words = values.bytes.size() / described(values).word_bytes();
  codec::Section section{words, synth::parse_method(method)};
  if (options.chunk_words != 0) section.chunk_words = options.chunk_words;
  synth::check_chunk_words(section.chunk_words);
  return section;
}

std::size_t bound(const Values& values, std::string_view method, const CompressOptions& options) {
  const Described type = described(values);
  const codec::Section all = named_section(values, method == kAuto ? "ZE" : method, options);
  const std::size_t container =
      codec::bound(values.bytes.size(), all.method, type.word_bytes(), all.chunk_words);
  if (container > 0 && container <= SIZE_MAX - type.front.size()) {
    return type.front.size() + container;
  }
  raise("no memory holds what {} bytes become at worst", values.bytes.size());
}

}  // namespace library

std::vector<std::byte> decompress(std::span<const std::byte> container,
                                  const DecompressOptions& options) {
  return codec::decompress(container, internal(options));
}

void decompress_into(std::span<const std::byte> container, std::span<std::byte> original,
                     const DecompressOptions& options) {
  codec::CodecOptions codec = internal(options);
  codec.limit = options.limit;  // the memory is the caller's, and may be that of a file
  codec::decompress_into(container, original, codec);
}

ContainerInfo inspect(std::span<const std::byte> container) {
  const codec::Inspection found = codec::inspect(container, "compressed data");
  ContainerInfo info = {.pipeline = found.method(),
                        .word_bytes = found.header.word_bytes,
                        .original_bytes = found.header.original_bytes,
                        .compressed_bytes = found.file_bytes,
                        .chunks = found.chunks(),
                        .chunk_words = found.sections.empty() ? found.header.chunk_words : 0,
                        .checksum = found.header.checksum,
                        .ratio = found.ratio(),
                        .type = {},
                        .shape = {},
                        .name = {}};
  if (const auto& described = found.description) {
    info.type = synth::to_string(codec::type_of(*described, info.word_bytes));
    info.shape = described->shape;
    info.fortran_order = described->fortran_order;
    info.name = described->name;
  }
  return info;
}

std::string canonical_pipeline(std::string_view pipeline) {
  return synth::to_string(synth::parse_method(pipeline));
}

}  // namespace fpsynth
