#include "runners/codec/archive.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runners/codec/parallel.hpp"
#include "synth/error.hpp"

namespace fpsynth::codec {

using components::Extent;

Archive::Archive(std::span<const std::byte> file, std::string_view name)
    : file_(file),
      name_(name),
      header_(parse_header(file, name)),
      layout_(header_.pipeline, header_.word_bytes, header_.chunk_words),
      slice_chunks_(slice_chunks(chunk_bytes())) {
  const std::size_t overhead =
      overhead_bytes(header_.pipeline, header_.original_bytes, header_.word_bytes);
  const std::uint64_t chunks = header_.chunks();
  // A forged original size ends here, before anything is allocated for it: every chunk has a frame,
  // since the last stage is one that reduces.
  if (file.size() < overhead || chunks > (file.size() - overhead) / layout_.bytes()) {
    fail(fmt::format("{} bytes are too few for an original of {} bytes", file.size(),
                     header_.original_bytes));
  }
  frames_ = file.data() + overhead;

  const std::uint64_t blocks = overhead + chunks * layout_.bytes();
  const std::uint64_t room = file.size() - blocks;
  const auto& pipeline = header_.pipeline;
  const std::size_t last_word =
      pipeline.stage_word_bytes(pipeline.stages.size() - 1, header_.word_bytes);
  std::array<Extent, synth::kMaxStages> all;
  const std::span extents(all.data(), pipeline.stages.size());
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    if (chunk % slice_chunks_ == 0) starts_.push_back(blocks + lengths_.total);
    const std::size_t words = header_.words_of(chunk);
    layout_.read(frames_ + chunk * layout_.bytes(), words, extents);
    const std::size_t bad = check_extents(pipeline, header_.word_bytes, words, extents);
    if (bad < extents.size()) {
      fail(fmt::format("chunk {}: {} words, {} of them values, out of stage {} ({}) cannot be",
                       chunk, extents[bad].words, extents[bad].values, bad + 1,
                       synth::to_string(pipeline.stages[bad])));
    }
    const std::uint64_t length = extents.back().words * last_word;
    if (length > room - lengths_.total) {
      fail(fmt::format("it ends within the block of chunk {} of {}", chunk, chunks));
    }
    lengths_.shortest = chunk == 0 ? length : std::min(lengths_.shortest, length);
    lengths_.longest = std::max(lengths_.longest, length);
    lengths_.total += length;
  }
  if (lengths_.total != room) {
    fail(fmt::format("{} bytes follow its last block", room - lengths_.total));
  }
}

void Archive::fail(std::string_view what) const {
  throw Error(fmt::format(
      "{}: {}; the file is damaged, get it again or compress the original again", name_, what));
}

std::size_t Archive::bytes_of(std::size_t slice) const {
  const std::uint64_t all = header_.words() * header_.word_bytes;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(slice_bytes(), all - std::uint64_t{slice} * slice_bytes()));
}

void Archive::decode(std::size_t slice, Chain& chain, std::byte* out) const {
  std::array<Extent, synth::kMaxStages> all;
  const auto& pipeline = header_.pipeline;
  const std::span extents(all.data(), pipeline.stages.size());
  const std::size_t last_word =
      pipeline.stage_word_bytes(pipeline.stages.size() - 1, header_.word_bytes);
  const std::uint64_t first = std::uint64_t{slice} * slice_chunks_;
  const std::uint64_t end = std::min<std::uint64_t>(first + slice_chunks_, header_.chunks());
  std::uint64_t at = starts_[slice];
  for (std::uint64_t chunk = first; chunk < end; ++chunk) {
    const std::size_t words = header_.words_of(chunk);
    layout_.read(frames_ + chunk * layout_.bytes(), words, extents);
    const std::size_t length = extents.back().words * last_word;
    const auto decoded = chain.decode(file_.subspan(at, length), extents, words);
    if (!decoded) {
      fail(fmt::format("chunk {}: its block is not one that {} writes", chunk,
                       synth::to_string(pipeline)));
    }
    std::memcpy(out, decoded->data(), decoded->size());
    out += decoded->size();
    at += length;
  }
}

void Archive::verify(std::uint64_t checksum) const {
  if (checksum == header_.checksum) return;
  fail(fmt::format("its contents have checksum {:016x}, not {:016x}", checksum, header_.checksum));
}

}  // namespace fpsynth::codec
