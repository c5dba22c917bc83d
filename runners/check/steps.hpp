#pragma once
// The steps of the check, a function for each topic, and what they share.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runners/check/target.hpp"

namespace fpsynth::check {

/// Device and processor differ. The message names the kernel, the chunk and the byte.
class Difference : public Error {
 public:
  using Error::Error;
};

/// A part of the check.
struct Step {
  std::string name;
  /// Returns what was done, in a few words. Throws Difference, or what the device throws.
  std::function<std::string(Target&)> run;
};

/// All steps, in their order.
std::vector<Step> all_steps();
/// The code that there is for the device, and single stages.
void add_stage_steps(std::vector<Step>& steps);
void add_search_steps(std::vector<Step>& steps);
/// The look-back, checksums, preludes.
void add_codec_steps(std::vector<Step>& steps);
void add_baseline_steps(std::vector<Step>& steps);

/// `words` words of `word_bytes` (8, 4 or 1) bytes: blocks of `block_words` words of different
/// contents in turn, always the same ones. Smooth values, runs, pairs, few that are not zero,
/// random bits.
std::vector<std::byte> sample(std::size_t words, std::size_t word_bytes,
                              std::size_t block_words = synth::kChunkWords);

/// The first byte that differs, as "byte 17 of 300 is 0x3a, not 0x3b", or the lengths if one is the
/// other's beginning. They must differ.
std::string difference(std::span<const std::byte> found, std::span<const std::byte> expected);

/// The name of the place of a byte, such as "byte 3 of chunk 7".
using Place = std::function<std::string(std::size_t at)>;
/// In a file of the codec, of either version, which must outlive the result.
Place in_file(std::span<const std::byte> file);
/// In pieces (chunks, runs) of `each` bytes.
Place in_pieces(std::string_view piece, std::size_t each);
/// Throws Difference, which names the kernels and the place, unless `found` is `expected`.
void expect_same(std::string_view kernels, std::span<const std::byte> found,
                 std::span<const std::byte> expected, const Place& place);

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
