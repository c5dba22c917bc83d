#include "runners/codec/codec.hpp"

#include <fpsynth/codec.hpp>

#include "runners/codec/inspect.hpp"
#include "synth/prelude.hpp"

namespace fpsynth {
namespace {

codec::CodecOptions internal(int threads) {
  codec::CodecOptions options;
  options.threads = threads;
  return options;
}

codec::CodecOptions internal(const DecompressOptions& from) {
  codec::CodecOptions options = internal(from.threads);
  if (from.limit != DecompressOptions().limit) options.limit = from.limit;
  options.limit_is = "the limit; raise DecompressOptions::limit";
  return options;
}

template <class Value>
std::vector<std::byte> compress_values(std::span<const Value> values, std::string_view pipeline,
                                       int threads) {
  CompressOptions options;
  options.word_bytes = sizeof(Value);
  options.threads = threads;
  return compress(std::as_bytes(values), pipeline, options);
}

}  // namespace

std::vector<std::byte> compress(std::span<const std::byte> original, std::string_view pipeline,
                                const CompressOptions& options) {
  synth::check_chunk_words(options.chunk_words);
  codec::CodecOptions codec = internal(options.threads);
  codec.chunk_words = options.chunk_words;
  return codec::compress(original, synth::parse_method(pipeline), options.word_bytes, codec);
}

std::vector<std::byte> compress(std::span<const double> values, std::string_view pipeline,
                                int threads) {
  return compress_values(values, pipeline, threads);
}

std::vector<std::byte> compress(std::span<const float> values, std::string_view pipeline,
                                int threads) {
  return compress_values(values, pipeline, threads);
}

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
                        .ratio = found.ratio,
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
