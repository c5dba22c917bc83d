#pragma once
// FPC files (*.fpc), the form in which the 13 data sets of the papers are distributed.
//
// Byte 0 is the table size exponent p. Then come blocks of up to 32,768 doubles: 3 bytes number of
// values n, 3 bytes size of the block with these 6, ceil(n/2) bytes of 4-bit codes (first value in
// the high half), the residual bytes. Little endian. The predictor runs on from block to block.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fpsynth::data {

/// Table size exponent of the published files.
inline constexpr unsigned kFpcTableBits = 22;

/// The doubles of an FPC file, 8 bytes each. Error messages call the file `name`. Every
/// length is checked before use, and checked lengths determine the memory: 8 bytes per value (which
/// has at least half a byte in the file), 24 per block (at least 7), and the tables (see
/// FcmTables). Throws Error with the byte offset if a file is truncated, contradicts itself or has
/// p out of 1..28. The file may change meanwhile: the doubles are then any, or there is an Error.
std::vector<std::byte> decode_fpc(std::span<const std::byte> file, std::string_view name);

/// The same, to the caller's memory. Also throws Error if the doubles do not fill it.
void decode_fpc_into(std::span<const std::byte> file, std::string_view name,
                     std::span<std::byte> out);

/// Throws Error for data that end with a part of a double, in a format of doubles alone.
void expect_whole_doubles(std::size_t bytes, std::string_view format);

/// The FPC file of doubles (whole 8-byte words), with tables of 2^table_bits entries, in the memory
/// of `buffer`, whose contents are overwritten. Gives the bytes of the published files with
/// kFpcTableBits. Throws Error if `doubles` has a tail that is no whole double or table_bits is out
/// of 1..28.
std::vector<std::byte> encode_fpc(std::span<const std::byte> doubles, unsigned table_bits,
                                  std::vector<std::byte> buffer = {});

}  // namespace fpsynth::data
