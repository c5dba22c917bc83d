#pragma once
// The types of values: the size of their words, which is all that components, pipelines and the
// search look at, and what the words' bits mean, for what reads, describes and names values.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "synth/common/precision.hpp"

namespace fpsynth::synth {

/// The numbers are those of containers (runners/codec/format/FORMAT.md).
enum class ValueKind : std::uint8_t {
  Float,
  Signed,
  Unsigned,
  Brain,  ///< bfloat16: the upper half of a single
};

struct ValueType {
  Precision precision = Precision::Double;  ///< of words of the same size
  ValueKind kind = ValueKind::Float;        ///< signed integers are in two's complement

  constexpr ValueType(Precision words, ValueKind what) : precision(words), kind(what) {}
  // Precisions alone are those of floats; there are none of a byte.
  constexpr ValueType(Precision words = Precision::Double)
      : precision(words), kind(words == Precision::Byte ? ValueKind::Unsigned : ValueKind::Float) {}
  /// True if the precision says all: of the floats of IEEE 754.
  constexpr bool is_of_precision() const { return kind == ValueKind::Float; }
  constexpr bool is_float() const { return kind == ValueKind::Float || kind == ValueKind::Brain; }
  friend constexpr bool operator==(const ValueType&, const ValueType&) = default;
};

struct NamedType {
  ValueType type;
  std::string_view name;  ///< NumPy's: "float64"
  std::string_view code;  ///< of --type, studies and files' endings: "f64"
};
inline constexpr NamedType kValueTypes[] = {
    {{Precision::Double, ValueKind::Float}, "float64", "f64"},
    {{Precision::Single, ValueKind::Float}, "float32", "f32"},
    {{Precision::Double, ValueKind::Signed}, "int64", "i64"},
    {{Precision::Single, ValueKind::Signed}, "int32", "i32"},
    {{Precision::Double, ValueKind::Unsigned}, "uint64", "u64"},
    {{Precision::Single, ValueKind::Unsigned}, "uint32", "u32"},
    {{Precision::Half, ValueKind::Float}, "float16", "f16"},
    {{Precision::Half, ValueKind::Brain}, "bfloat16", "bf16"},
    {{Precision::Half, ValueKind::Signed}, "int16", "i16"},
    {{Precision::Half, ValueKind::Unsigned}, "uint16", "u16"},
    {{Precision::Byte, ValueKind::Signed}, "int8", "i8"},
    {{Precision::Byte, ValueKind::Unsigned}, "uint8", "u8"}};

constexpr const NamedType& named(ValueType type) {
  return *std::ranges::find(kValueTypes, type, &NamedType::type);
}
constexpr std::string_view to_string(ValueType type) { return named(type).name; }

/// The precision of values in tables and messages: "double", "single" and "half", and of integers
/// and bfloat16 their type, "int32".
constexpr std::string_view precision_text(ValueType type) {
  return type.is_of_precision() ? to_string(type.precision) : to_string(type);
}

/// The type of which a name, or a code, is that; nothing if there is none.
constexpr std::optional<ValueType> type_called(std::string_view text,
                                               std::string_view NamedType::*called) {
  const auto found = std::ranges::find(kValueTypes, text, called);
  return found == std::end(kValueTypes) ? std::nullopt : std::optional(found->type);
}

constexpr std::size_t word_bytes(ValueType type) { return word_bytes(type.precision); }

}  // namespace fpsynth::synth
