#pragma once
// A kernel in PTX, parsed: instructions whose operands are places in a register file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fpsynth::ptx {

/// An error in PTX or in its execution: a misaligned access, a race, lanes that wait for each
/// other. It is not a DeviceError, so that no host code handles it as one.
struct Fault : std::logic_error {
  using std::logic_error::logic_error;
};

constexpr std::uint32_t kWarpLanes = 32;
constexpr std::uint32_t kAllLanes = 0xffffffff;

/// The begin of generic addresses of shared memory and of a kernel's arguments, above all host
/// addresses. In its own address space, shared memory begins at kSharedBase.
constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 56;
constexpr std::uint64_t kParameterWindow = std::uint64_t{1} << 57;
constexpr std::uint32_t kSharedBase = 1024;

/// Bits of a register per lane; 1 for a predicate. A register file holds the 32 lanes of a register
/// side by side, each with that many bits, so that predicates are masks.
enum class Width : std::uint8_t { None = 0, Predicate = 1, B16 = 16, B32 = 32, B64 = 64 };
constexpr std::size_t row_bytes(Width width) { return std::size_t(width) * kWarpLanes / 8; }

/// A register, or a constant in a separate file that never changes. The parser refers to it by its
/// number, the interpreter by the offset of its lanes in bytes.
struct Operand {
  std::uint32_t at = 0;
  bool constant = false;
  Width width = Width::None;
};

/// The lanes of registers and constants.
struct Files {
  std::byte* registers;
  std::byte* constants;

  template <class T>
  T* lanes(const Operand& operand) const {
    return reinterpret_cast<T*>((operand.constant ? constants : registers) + operand.at);
  }
  std::uint32_t predicate(const Operand& operand) const { return *lanes<std::uint32_t>(operand); }
};

enum class Kind : std::uint8_t {
  Compute,
  Load,
  Store,
  Atomic,
  Branch,
  Return,
  Pause,
  // Instructions that all lanes of a warp run together,
  Shuffle,
  Ballot,
  Reduce,
  WarpBarrier,
  // and instructions that all warps of a block run together.
  Barrier,
  BarrierOr,
};
constexpr bool is_collective(Kind kind) { return kind >= Kind::Shuffle; }

enum class Space : std::uint8_t { Generic, Global, Shared, Parameter };

struct Instruction;
/// Runs an instruction on the lanes of a mask.
using Compute = void (*)(const Files&, const Instruction&, std::uint32_t mask);
/// Moves one element between every lane of a register in a mask and that lane's address.
using Transfer = void (*)(std::byte* lanes, std::byte* const* addresses, std::size_t offset,
                          std::uint32_t mask);
/// The new value of a word, or of two lanes.
using Combine = std::uint64_t (*)(std::uint64_t old, std::uint64_t value);
/// The lane from which a lane gets its value; none if it is not below 32.
using Source = std::uint32_t (*)(std::uint32_t lane, std::uint32_t distance, std::uint32_t clamp);

struct Instruction {
  Kind kind = Kind::Compute;
  enum class Guard : std::uint8_t { None, If, Unless } guard = Guard::None;
  Space space = Space::Generic;
  bool ordered = false;      ///< an atomic access
  std::uint8_t outputs = 0;  ///< number of results, the first operands
  std::uint8_t count = 0;    ///< number of operands
  std::uint8_t bytes = 0;    ///< of an element in memory
  std::uint8_t elements = 1;
  /// In the order of PTX; for loads and stores the elements, then the address.
  std::array<Operand, 6> operands;
  Operand predicate;  ///< of the guard
  union {
    Compute compute = nullptr;
    Transfer transfer;
    Combine combine;
    Source source;
  };
  std::int64_t offset = 0;   ///< of an address
  std::uint32_t target = 0;  ///< of a branch
  std::uint32_t line = 0;    ///< in the PTX of its kernel's file
  std::uint32_t place = 0;   ///< in the source: index in Kernel::places

  std::uint32_t access_bytes() const { return std::uint32_t{bytes} * elements; }
};

/// A line of the source and, if its function was inlined, the place of the call. Place 0 means
/// none.
struct Place {
  std::uint32_t file = 0, line = 0, caller = 0;
};

struct Kernel {
  std::string name;  ///< of the struct that it runs, demangled
  std::size_t parameter_bytes = 0;
  std::vector<Instruction> code;
  std::vector<std::string_view> texts;  ///< of the instructions
  std::vector<Place> places;
  const std::vector<std::string>* files = nullptr;  ///< names, by Place::file
  std::size_t register_bytes = 0;
  std::vector<std::byte> constants;
  /// Registers that are set when a warp starts, 32 bits per lane: %tid.x, %ctaid.x, %nctaid.x,
  /// %ntid.x.
  std::array<Operand, 4> specials;

  /// The instruction with its line in the PTX and the chain of inlined calls to it in the source.
  std::string describe(std::uint32_t pc) const;
};

/// Allocates the kernel's registers, which are numbered before, in a register file. Two share a
/// place if no lane ever needs both. `widths`: of the registers. This is for speed: if every value
/// had its own register, each warp would access megabytes.
void allocate_registers(Kernel& kernel, const std::vector<Width>& widths);

}  // namespace fpsynth::ptx
