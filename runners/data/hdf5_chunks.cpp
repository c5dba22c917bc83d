#include "runners/data/hdf5_chunks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "runners/data/description.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

/// Copies rows of the array's values in one chunk, which begins at `from` of the array and at `to`
/// of the chunk's words, from dimension `dimension` on.
class ChunkCopy {
 public:
  ChunkCopy(const results::Hdf5Chunks& chunks, std::size_t word) : chunks_(chunks), word_(word) {}

  void copy(std::span<const std::uint64_t> place, const std::byte* from, std::byte* to) const {
    copy(0, place, results::product_of(chunks_.shape), chunks_.words(), from, to);
  }

 private:
  void copy(std::size_t i, std::span<const std::uint64_t> place, std::uint64_t array_stride,
            std::uint64_t chunk_stride, const std::byte* from, std::byte* to) const {
    const std::uint64_t begin = place[i] * chunks_.chunk[i];
    const std::uint64_t valid = std::min(chunks_.chunk[i], chunks_.shape[i] - begin);
    array_stride /= chunks_.shape[i];
    chunk_stride /= chunks_.chunk[i];
    from += begin * array_stride * word_;
    if (i + 1 == place.size()) {
      std::memcpy(to, from, valid * word_);
      return;
    }
    for (std::uint64_t row = 0; row < valid; ++row) {
      copy(i + 1, place, array_stride, chunk_stride, from + row * array_stride * word_,
           to + row * chunk_stride * word_);
    }
  }

  const results::Hdf5Chunks& chunks_;
  std::size_t word_;
};

}  // namespace

std::vector<std::uint64_t> parse_extents(std::string_view option, std::string_view text) {
  const std::vector<std::uint64_t> extents = positive_numbers(text, 'x');
  if (extents.empty()) {
    raise<UsageError>("{} '{}': give the extents, slowest first, as 100x200", option, text);
  }
  try {
    results::product_of(extents);
  } catch (const Error& error) {
    raise<UsageError>("{}: {}", option, error.what());
  }
  return extents;
}

results::Hdf5Chunks hdf5_chunks_of(const Input& input, std::vector<std::uint64_t> shape,
                                   std::vector<std::uint64_t> extents) {
  const auto refuse = [&](const std::string& why) {
    raise("{}: {}", input.path().empty() ? input.name() : input.path().string(), why);
  };
  const View view = input.view();
  if (shape.empty()) {
    refuse("its shape is not known, and HDF5 chunks are parts of an array; give --shape");
  }
  if (results::product_of(shape) != view.words || view.tail > 0) {
    refuse(fmt::format("the shape {} is not that of its {} values{}", results::extents_text(shape),
                       view.words,
                       view.tail > 0 ? fmt::format(" and {}", counted(view.tail, "byte")) : ""));
  }
  const bool own = extents.empty();
  if (own) extents = input.hdf5_storage().chunk;
  if (extents.empty()) {
    refuse("its values are in no HDF5 chunks; give their extents, as in --hdf5-chunk 64x64");
  }
  if (extents.size() != shape.size()) {
    refuse(fmt::format("--hdf5-chunk {}: it has {} extents, the values have {} ({})",
                       results::extents_text(extents), extents.size(), shape.size(),
                       results::extents_text(shape)));
  }
  for (std::size_t i = 0; i < shape.size() && !own; ++i) {
    if (extents[i] <= shape[i]) continue;
    refuse(fmt::format("--hdf5-chunk {}: HDF5 takes no chunk longer than the array, which is {}",
                       results::extents_text(extents), results::extents_text(shape)));
  }
  const std::size_t word = synth::word_bytes(input.native());
  constexpr std::uint64_t kMostBytes = 0xffff'ffff;  // of a chunk, in HDF5's format
  if (results::product_of(extents) > kMostBytes / word) {
    refuse(fmt::format("--hdf5-chunk {}: HDF5 takes chunks of less than 4 GiB",
                       results::extents_text(extents)));
  }
  const std::uint64_t fill = input.hdf5_storage().fill;
  return {std::move(shape), std::move(extents),
          fill == 0 ? "" : fmt::format("{:0{}x}", fill, 2 * word)};
}

Input in_hdf5_chunks(const Input& input, results::Hdf5Chunks chunks) {
  const std::size_t word = synth::word_bytes(input.native());
  auto data = std::make_shared<results::DataSet>(description_of(input));
  data->hdf5 = std::move(chunks);
  const results::Hdf5Chunks& of = *data->hdf5;
  const std::uint64_t count = of.count(), chunk_bytes = of.words() * word;
  const std::uint64_t fill = of.fill.empty() ? 0 : std::stoull(of.fill, nullptr, 16);
  std::vector<std::byte> bytes(count * chunk_bytes);
  for (std::size_t at = 0; fill != 0 && at < bytes.size(); at += word) {
    std::memcpy(&bytes[at], &fill, word);
  }
  const ChunkCopy copying(of, word);
  std::vector<std::uint64_t> place(of.shape.size());
  while_unchanged(input, [&] {
    for (std::uint64_t index = 0; index < count; ++index) {
      copying.copy(place, input.bytes().data(), &bytes[index * chunk_bytes]);
      for (std::size_t i = place.size(); i-- > 0;) {
        if (++place[i] * of.chunk[i] < of.shape[i]) break;
        place[i] = 0;
      }
    }
  });
  Input laid(input.name(), std::move(bytes), input.type(), input.path());
  laid.version_ = input.version();
  laid.reading_ = input.reading();
  laid.shape_ = of.chunk;
  laid.shape_.insert(laid.shape_.begin(), count);
  laid.in_chunks_of_ = std::move(data);
  return laid;
}

}  // namespace fpsynth::data
