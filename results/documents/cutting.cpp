#include "results/documents/cutting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "synth/common/raise.hpp"

namespace fpsynth::results {
namespace {

std::uint64_t chunks_along(std::uint64_t extent, std::uint64_t chunk) {
  return extent / chunk + (extent % chunk != 0);
}

/// The values in the first `words` of a chunk's, of which `valid` along each extent are values.
std::uint64_t values_of_chunk(const std::vector<std::uint64_t>& chunk,
                              const std::vector<std::uint64_t>& valid, std::uint64_t words) {
  std::uint64_t values = 0, stride = 1, below = 1;
  for (const std::uint64_t extent : chunk) stride *= extent;
  for (const std::uint64_t extent : valid) below *= extent;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    stride /= chunk[i];
    below /= valid[i];
    const std::uint64_t rows = words / stride;
    values += std::min(rows, valid[i]) * below;
    if (rows >= valid[i]) break;
    words %= stride;
  }
  return values;
}

}  // namespace

std::string extents_text(const std::vector<std::uint64_t>& extents) {
  return extents.empty() ? "1 value" : fmt::format("{}", fmt::join(extents, "x"));
}

std::uint64_t product_of(const std::vector<std::uint64_t>& extents) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  if (std::ranges::find(extents, 0u) != extents.end()) return 0;
  std::uint64_t product = 1;
  for (const std::uint64_t extent : extents) {
    if (extent > kMost / product) {
      raise("its shape {} has more values than can be counted", extents_text(extents));
    }
    product *= extent;
  }
  return product;
}

std::uint64_t Hdf5Chunks::count() const {
  std::vector<std::uint64_t> along;
  for (std::size_t i = 0; i < shape.size(); ++i) along.push_back(chunks_along(shape[i], chunk[i]));
  return product_of(along);
}

std::uint64_t Hdf5Chunks::words() const { return product_of(chunk); }

std::uint64_t Hdf5Chunks::values_in(std::uint64_t chunks, std::uint64_t words) const {
  // Along each extent: the values of whole slabs of chunks, then what is left of the next slab.
  std::uint64_t values = 0, left = chunks, behind = count(), below = product_of(shape), before = 1;
  std::vector<std::uint64_t> valid;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    behind /= chunks_along(shape[i], chunk[i]);
    below /= shape[i];
    const std::uint64_t begin = std::min(left / behind * chunk[i], shape[i]);
    values += before * begin * below;
    if (begin == shape[i]) return values;
    left %= behind;
    valid.push_back(std::min(chunk[i], shape[i] - begin));
    before *= valid.back();
  }
  return values + values_of_chunk(chunk, valid, words);
}

std::string Hdf5Chunks::text() const {
  return fmt::format("{} of {}", extents_text(chunk), extents_text(shape));
}

std::uint64_t Cutting::words_in(std::uint64_t sample) const {
  if (sample == 1) return words();
  std::uint64_t words = 0;
  for (std::uint64_t index = 0; index < chunks(sample); ++index) words += at(index * sample).words;
  return words;
}

std::uint64_t Cutting::share_of(std::uint64_t bytes, std::uint64_t sample) const {
  if (sample == 1 || words() == 0) return bytes;
  return static_cast<std::uint64_t>(double(bytes) * double(words_in(sample)) / double(words()) +
                                    0.5);
}

}  // namespace fpsynth::results
