#pragma once
// The results of PTX instructions.

#include <array>
#include <string_view>
#include <vector>

#include "tests/ptx/interpreter/program.hpp"

namespace fpsynth::ptx {

/// An instruction that accesses neither memory nor other lanes, with its operands.
struct Operation {
  Compute compute = nullptr;
  std::array<Width, 6> widths{};  ///< of the result, then of the arguments

  /// True if it accepts operands of these widths. None stands for a constant, which fits any width.
  bool takes(const std::vector<Width>& operands) const;
};

/// The operations of a PTX name ("add.s32"), one for each choice of operands; empty if it is
/// unknown.
const std::vector<Operation>& operations(std::string_view name);

/// The move of a load or store of this type ("u8", without "v4") to or from a register of `width`.
/// Null if the type is unknown or wider than the register.
Transfer transfer(bool load, std::string_view type, Width width);

/// The function of two values of an atomic access or a reduction over lanes, such as "add.u32".
/// Null if it is unknown.
Combine combine(std::string_view name);

/// The source lane of a shuffle ("up", "bfly", "idx"). Null if it is unknown.
Source source(std::string_view mode);

}  // namespace fpsynth::ptx
