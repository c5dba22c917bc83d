#pragma once
// What the instructions of PTX compute.

#include <array>
#include <string_view>
#include <vector>

#include "tests/support/ptx/program.hpp"

namespace fpsynth::ptx {

/// An instruction without memory or other lanes, by what it asks of its operands.
struct Operation {
  Compute compute = nullptr;
  std::array<Width, 6> widths{};  ///< of the result, then of the arguments

  /// Whether these are widths of operands that it takes; None stands for a constant, of any.
  bool takes(const std::vector<Width>& operands) const;
};

/// The operations of a name as PTX has it ("add.s32"), one for each choice of operands; empty where
/// it is unknown.
const std::vector<Operation>& operations(std::string_view name);

/// What a load or store of this type ("u8", "v4" not included) does with a register of `width`.
/// Null where the type is unknown or wider than the register.
Transfer transfer(bool load, std::string_view type, Width width);

/// What "add.u32" and the like, of an atomic access or of a reduction over lanes, make of two
/// values. Null where it is unknown.
Combine combine(std::string_view name);

/// Where a shuffle ("up", "bfly", "idx") has a lane's value from. Null where it is unknown.
Source source(std::string_view mode);

}  // namespace fpsynth::ptx
