#pragma once
// A compressed file of version 3 that has been checked as far as possible without decoding it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/codec/format/container.hpp"
#include "runners/codec/format/prelude_header.hpp"
#include "synth/prelude.hpp"

namespace fpsynth::codec {

/// Whether a file, whose bytes may be anything, begins as one with a prelude does.
bool has_prelude(std::span<const std::byte> file);

/// Checks the beginning of a file of either version, an Input::Check. Throws Error.
void check_beginning(std::span<const std::byte> beginning, std::string_view name);

/// A view of a file with a prelude; the caller keeps the bytes, which may be anything.
class PreludeArchive {
 public:
  /// Checks the header, and that of the container within. Throws Error, which starts with `name`.
  PreludeArchive(std::span<const std::byte> file, std::string_view name);

  const synth::Prelude& prelude() const { return prelude_; }
  std::size_t word_bytes() const { return fields_.word_bytes; }
  std::uint64_t original_bytes() const { return fields_.original_bytes; }
  /// Of the original.
  std::uint64_t checksum() const { return fields_.checksum; }
  /// Bytes of the file in front of the container within.
  std::size_t overhead_bytes() const { return file_.size() - inner_.size(); }
  /// The side data of each step.
  const std::vector<std::span<const std::byte>>& side() const { return side_; }
  /// The container, of version 2, of the original after the prelude, and its header.
  std::span<const std::byte> inner() const { return inner_; }
  const Header& inner_header() const { return inner_header_; }
  /// The header that a container of the original without the prelude would have, for messages.
  Header header() const;

 private:
  std::span<const std::byte> file_, inner_;
  PreludeFields fields_;
  synth::Prelude prelude_;
  std::vector<std::span<const std::byte>> side_;
  Header inner_header_;
};

}  // namespace fpsynth::codec
