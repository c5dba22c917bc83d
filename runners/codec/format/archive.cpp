#include "runners/codec/format/archive.hpp"

#include <algorithm>

#include "runners/codec/format/errors.hpp"

namespace fpsynth::codec {

Archive::Archive(std::span<const std::byte> file, std::string_view name)
    : file_(file),
      name_(name),
      header_(parse_header(file, name)),
      frames_(header_),
      layout_(frames_.layout(header_.original_bytes)) {
  refuse_truncated(name_, header_, layout_, file.size());
  starts_.reserve(layout_.slices());
  const Fault fault =
      find_blocks(frames_.stages(), frames_.wide(), layout_, file.data(), file.size(),
                  [&](std::uint64_t chunk, std::uint64_t at, std::uint64_t length) {
                    if (chunk % layout_.chunks_in_slice == 0) starts_.push_back(at);
                    lengths_.shortest = chunk == 0 ? length : std::min(lengths_.shortest, length);
                    lengths_.longest = std::max(lengths_.longest, length);
                    lengths_.total += length;
                  });
  if (fault.found()) {
    refuse_fault(name_, header_, fault, file.data() + layout_.frame_at(fault.chunk));
  }
}

std::span<const std::byte> Archive::frames_of(std::size_t first, std::size_t count) const {
  const std::size_t begin = layout_.frame_at(layout_.first_chunk(first));
  return file_.subspan(begin, layout_.frame_at(layout_.end_chunk(first + count - 1)) - begin);
}

std::span<const std::byte> Archive::blocks_of(std::size_t first, std::size_t count) const {
  const std::uint64_t begin = starts_[first];
  const std::uint64_t end = first + count < starts_.size() ? starts_[first + count] : file_.size();
  return file_.subspan(begin, end - begin);
}

}  // namespace fpsynth::codec
