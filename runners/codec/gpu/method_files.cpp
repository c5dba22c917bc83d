#include "runners/codec/gpu/method_files.hpp"

#include "runners/codec/format/prelude_archive.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/preludes.hpp"

namespace fpsynth::codec {

std::uint64_t compress_cuda(std::span<const std::byte> input, std::string_view name,
                            const synth::Method& method, std::size_t word_bytes,
                            PatchableSink& sink, const device::DeviceInfo& device,
                            const CodecOptions& options) {
  return compress_behind(input, method.prelude, word_bytes, sink, options,
                         [&](std::span<const std::byte> bytes, PatchableSink& rest) {
                           return compress_cuda(bytes, name, method.pipeline, word_bytes, rest,
                                                device, options);
                         });
}

std::uint64_t decompress_file_cuda(std::span<const std::byte> file, std::string_view name,
                                   Sink& sink, const device::DeviceInfo& device,
                                   const CodecOptions& options) {
  if (!has_prelude(file)) return decompress_cuda(file, name, sink, device, options);
  const PreludeArchive archive(file, name);
  MemorySink decoded;
  decompress_cuda(archive.inner(), name, decoded, device, options);
  restore_original(archive, decoded.bytes(), name, options);
  sink.write(decoded.bytes());
  return archive.original_bytes();
}

}  // namespace fpsynth::codec
