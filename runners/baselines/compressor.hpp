#pragma once
// Common parts of the baselines' compressors and file formats: little-endian integers, unaligned
// words, and formats that hold doubles alone.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/data/fpc/fpc.hpp"
#include "runners/timing/compressor.hpp"

namespace fpsynth::baselines {

using data::expect_whole_doubles;
using timing::Compressor;
using timing::expect_original_bytes;

static_assert(std::endian::native == std::endian::little, "words are read and written in place");

template <std::integral T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <std::integral T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

/// Throws UsageError for a parameter out of least..most; `text` has {} in its place: "MPC with
/// dimensionality {}".
void expect_allowed(std::string_view text, std::uint64_t parameter, std::uint64_t least,
                    std::uint64_t most);

/// Returns the file, in the memory of `buffer`.
using EncodeDoubles = std::function<std::vector<std::byte>(std::span<const std::byte> doubles,
                                                           std::vector<std::byte> buffer)>;
/// `name`: of the file, for messages.
using DecodeDoubles = std::function<void(std::span<const std::byte> file, std::string_view name,
                                         std::span<std::byte> out)>;
/// A compressor called `name` of doubles alone; compressing singles throws Error, which names the
/// `format`.
Compressor compressor_of_doubles(std::string name, std::string_view format, int threads,
                                 EncodeDoubles encode, DecodeDoubles decode);

}  // namespace fpsynth::baselines
