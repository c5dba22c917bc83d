#pragma once
// The header of NumPy's .npy files, which needs no library.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "synth/common/precision.hpp"

namespace fpsynth::data {

struct NpyHeader {
  std::string type;                           ///< "float64", "int16", "structured", ...
  std::optional<synth::Precision> precision;  ///< nothing for other types than float32 and float64
  bool big_endian = false;
  bool fortran_order = false;        ///< the first index counts fastest
  std::vector<std::uint64_t> shape;  ///< unknown (empty) for structured types
  std::size_t data = 0;              ///< where the values begin, in bytes of the file
};

/// The header at the start of any bytes. Throws Error with the cause alone if there is none, or a
/// damaged one.
NpyHeader parse_npy_header(std::span<const std::byte> bytes);

}  // namespace fpsynth::data
