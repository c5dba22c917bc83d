#pragma once
// Inputs of `compress`: words, and the description of them that the compressed file keeps; and what
// `decompress` makes of both.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runners/cli/arguments.hpp"
#include "runners/cli/type_option.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/streams.hpp"
#include "runners/data/input.hpp"

namespace fpsynth::cli {

/// An input to compress. Movable.
struct Original {
  codec::Input file;
  std::shared_ptr<const void> owner;  ///< of words that are not those of the file
  /// Little-endian words, and for raw files a tail; called as the user named the input.
  data::Input words;
  /// Nothing for little-endian raw floats of which nothing else is known.
  std::optional<codec::Description> description;

  void check_unchanged() const { file.check_unchanged(); }
};

/// Opens FILE, FILE:VARIABLE or standard input ("-", raw or .npy). Throws UsageError for a shape
/// that the words cannot have, and what data::open_input() and type_of() throw.
Original open_original(const std::string& path, const TypeOption& option);

/// Adds --any-size.
void add_any_size(Command command, bool& any_size);

/// Decodes one part of a compressed file; returns the bytes of its original.
using DecodePart =
    std::function<std::uint64_t(const codec::SectionView&, const codec::CodecOptions&)>;

/// Calls `decode` for each section of a compressed file, which may be anything, called `name`;
/// returns the sum of what it returns. Unless `any_size`, the limit in its options is this
/// machine's memory for parts with a prelude, which are held in memory, and for those that claim to
/// be over 1024 times smaller than their original, as forged ones do. Throws Error if the file is
/// damaged.
std::uint64_t decode_parts(std::span<const std::byte> file, const std::string& name, int threads,
                           bool any_size, const DecodePart& decode);

/// Forms of what decompress writes. Original: as it was compressed, and .npy for a variable.
enum class Form { Original, Npy, Raw };

/// Writes an original: what stood before its words, and these in its byte order.
class RestoringSink : public codec::Sink {
 public:
  /// `file`: what was compressed, which may be anything, called `name`; it and `target` outlive
  /// this. Throws Error if the description is damaged, or if the words have no such form.
  RestoringSink(codec::Sink& target, std::span<const std::byte> file, const std::string& name,
                Form form);
  /// The container, whose words are to be written. Pieces are whole words, but for the last one.
  std::span<const std::byte> container() const { return container_; }
  void write(std::span<const std::byte> bytes) override;
  /// Writes what stands before the words if there were none. Does not finish the target.
  void finish() override;
  /// Bytes before the words.
  std::size_t head_bytes() const { return head_.size(); }

 private:
  codec::Sink& target_;
  std::span<const std::byte> container_;
  std::vector<std::byte> head_;
  std::optional<synth::Precision> swap_;  ///< nothing for words that stay as they are
  bool begun_ = false;
};

}  // namespace fpsynth::cli
