#include "runners/codec/format/archive.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "runners/codec/cpu/ordered_pool.hpp"
#include "runners/codec/format/damage.hpp"

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
    fail(damage::too_short(file.size(), header_));
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
    if (const std::string bad = damage::frame(header_, chunk, extents); !bad.empty()) fail(bad);
    const std::uint64_t length = extents.back().words * last_word;
    if (length > room - lengths_.total) {
      fail(damage::end(header_, chunk));
    }
    lengths_.shortest = chunk == 0 ? length : std::min(lengths_.shortest, length);
    lengths_.longest = std::max(lengths_.longest, length);
    lengths_.total += length;
  }
  if (lengths_.total != room) {
    fail(damage::trailing(room - lengths_.total));
  }
}

void Archive::fail(std::string_view what) const { damage::refuse(name_, what); }

std::size_t Archive::bytes_of(std::size_t slice) const {
  const std::uint64_t all = header_.words() * header_.word_bytes;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(slice_bytes(), all - std::uint64_t{slice} * slice_bytes()));
}

std::span<const std::byte> Archive::frames(std::size_t first, std::size_t count) const {
  const std::uint64_t begin = std::uint64_t{first} * slice_chunks_;
  const std::uint64_t end =
      std::min<std::uint64_t>(begin + std::uint64_t{count} * slice_chunks_, header_.chunks());
  return {frames_ + begin * layout_.bytes(), (end - begin) * layout_.bytes()};
}

std::span<const std::byte> Archive::blocks(std::size_t first, std::size_t count) const {
  const std::uint64_t begin = starts_[first];
  return file_.subspan(
      begin, (first + count < starts_.size() ? starts_[first + count] : file_.size()) - begin);
}

void Archive::decode(std::size_t slice, ChunkCoder& chain, std::byte* out) const {
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
      fail(damage::block(header_, chunk));
    }
    std::memcpy(out, decoded->data(), decoded->size());
    out += decoded->size();
    at += length;
  }
}

void Archive::verify(std::uint64_t checksum) const {
  if (checksum == header_.checksum) return;
  fail(damage::checksum(header_, checksum));
}

}  // namespace fpsynth::codec
