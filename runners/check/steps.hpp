#pragma once
// The steps of the check, a function for each topic, and what they share.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/check/check.hpp"

namespace fpsynth::check {

void add_code_step(const Work& work, std::vector<Step>& steps);
void add_stage_steps(const Work& work, std::vector<Step>& steps);
void add_search_steps(const Work& work, std::vector<Step>& steps);
void add_lookback_step(const Work& work, std::vector<Step>& steps);
void add_checksum_step(const Work& work, std::vector<Step>& steps);
void add_prelude_steps(const Work& work, std::vector<Step>& steps);
void add_baseline_steps(const Work& work, std::vector<Step>& steps);

/// `words` words of `word_bytes` (8, 4 or 1) bytes: blocks of `block_words` words of different
/// contents in turn, always the same ones. Smooth values, runs, pairs, few that are not zero,
/// random bits.
std::vector<std::byte> sample(std::size_t words, std::size_t word_bytes,
                              std::size_t block_words = synth::kChunkWords);

/// The first byte that differs, as "byte 17 of 300 is 0x3a, not 0x3b", or the lengths if one is the
/// other's beginning. They must differ.
std::string difference(std::span<const std::byte> found, std::span<const std::byte> expected);
/// The number of equal bytes at the beginning.
std::size_t first_difference(std::span<const std::byte> a, std::span<const std::byte> b);

/// Throws Difference, which names the kernel that encodes and the chunk and byte, unless `found` is
/// `expected`, a file of the codec, of either version.
void expect_same_file(std::string_view what, std::span<const std::byte> found,
                      std::span<const std::byte> expected);
/// The same for what was decoded, in chunks of `chunk_bytes` bytes.
void expect_same_original(std::string_view what, std::span<const std::byte> found,
                          std::span<const std::byte> expected, std::size_t chunk_bytes);

/// Calls `restore`, and then `compare` even if that has found damage, a wrong checksum above all:
/// where bytes differ says more. Errors of the device itself are thrown at once.
template <class Restore, class Compare>
void compare_after(Restore restore, Compare compare) {
  std::exception_ptr damage;
  try {
    restore();
  } catch (const device::DeviceError&) {
    throw;
  } catch (const Error&) {
    damage = std::current_exception();
  }
  compare();
  if (damage) std::rethrow_exception(damage);
}

}  // namespace fpsynth::check
