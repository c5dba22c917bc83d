#pragma once
// Preludes on whole inputs, and the files of methods that have one (FORMAT.md, version 3).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/format/prelude_archive.hpp"
#include "runners/codec/streams.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// An input after a prelude.
struct Transformed {
  /// As many bytes as the input: its words after all steps, then its tail unchanged.
  std::vector<std::byte> bytes;
  /// The side data of each step, as the file holds them; empty for steps that have none.
  std::vector<std::vector<std::byte>> side;

  /// Bytes of a file in front of the container of `bytes`: the header with the prelude, and the
  /// side data. 0 for the empty prelude.
  std::uint64_t overhead_bytes() const;
};

/// Applies a prelude to all words of `input`, which may have any length. options.threads threads;
/// the result does not depend on their number. The memory used is the input's size, and DICT's
/// tables. Throws Error if the prelude does not suit words of `word_bytes` (8 or 4) bytes,
/// and if memory is insufficient.
Transformed transform(std::span<const std::byte> input, const synth::Prelude& prelude,
                      std::size_t word_bytes, const CodecOptions& options = {});

/// Restores the input of transform() in place. `bytes` and `side` may hold anything; throws Error,
/// which starts with `name`, if transform() cannot have given them, and if memory is insufficient.
/// What DICT and DEC hold is decoded to no more bytes than `bytes` (and its positions) has.
void restore(std::span<std::byte> bytes, const synth::Prelude& prelude, std::size_t word_bytes,
             std::span<const std::span<const std::byte>> side, std::string_view name,
             const CodecOptions& options = {});

/// Compresses with a method: a container of version 3, or with the empty prelude what
/// codec::compress() writes. The same contract, but the memory used grows with the input.
std::uint64_t compress(std::span<const std::byte> input, std::string_view name,
                       const synth::Method& method, std::size_t word_bytes, PatchableSink& sink,
                       const CodecOptions& options = {});
std::vector<std::byte> compress(std::span<const std::byte> input, const synth::Method& method,
                                std::size_t word_bytes, const CodecOptions& options = {});

/// What decompress() does with a file that has a prelude, after the container within has been
/// decoded: restores the original in place and checks its checksum. Throws Error.
void restore_original(const PreludeArchive& archive, std::span<std::byte> decoded,
                      std::string_view name, const CodecOptions& options);

}  // namespace fpsynth::codec
