#include "tests/ptx/interpreter/operations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

namespace fpsynth::ptx {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

template <class T>
constexpr Width width_of = std::is_same_v<T, bool> ? Width::Predicate : Width(8 * sizeof(T));

/// Lane `lane` of an argument.
template <class T>
struct Argument {
  const T* lanes;
  T operator()(uint32_t lane) const { return lanes[lane]; }
};
template <>
struct Argument<bool> {
  const uint32_t* mask;
  bool operator()(uint32_t lane) const { return *mask >> lane & 1; }
};
template <class T>
Argument<T> argument(const Files& files, const Operand& operand) {
  return {files.lanes<std::conditional_t<std::is_same_v<T, bool>, uint32_t, T>>(operand)};
}

/// Applies a function of one lane to all lanes. Lanes that are not in the mask are computed too,
/// which is faster, but keep their values.
template <class F, class R, class... A>
void run(const Files& files, const Instruction& instruction, uint32_t mask) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto result =
        [&, arguments = std::tuple(argument<A>(files, instruction.operands[1 + I])...)](
            uint32_t lane) { return static_cast<R>(F()(std::get<I>(arguments)(lane)...)); };
    if constexpr (std::is_same_v<R, bool>) {
      uint32_t bits = 0;
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) bits |= uint32_t{result(lane)} << lane;
      uint32_t& out = *files.lanes<uint32_t>(instruction.operands[0]);
      out = (out & ~mask) | (bits & mask);
    } else {
      R results[kWarpLanes];
      for (uint32_t lane = 0; lane < kWarpLanes; ++lane) results[lane] = result(lane);
      R* const out = files.lanes<R>(instruction.operands[0]);
      if (mask == kAllLanes) {
        std::memcpy(out, results, sizeof(results));
      } else {
        for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
          if (mask >> lane & 1) out[lane] = results[lane];
        }
      }
    }
  }
  (std::index_sequence_for<A...>{});
}

/// A type of PTX: its letter and the C++ type.
template <char Letter, class T>
struct Type {
  using Word = T;
  static std::string name() { return Letter + std::to_string(8 * sizeof(T)); }
};
using B16 = Type<'b', uint16_t>;
using B32 = Type<'b', uint32_t>;
using B64 = Type<'b', uint64_t>;
using U8 = Type<'u', uint8_t>;
using U16 = Type<'u', uint16_t>;
using U32 = Type<'u', uint32_t>;
using U64 = Type<'u', uint64_t>;
using S8 = Type<'s', int8_t>;
using S16 = Type<'s', int16_t>;
using S32 = Type<'s', int32_t>;
using S64 = Type<'s', int64_t>;
using F32 = Type<'f', float>;
using F64 = Type<'f', double>;
struct Predicate {
  using Word = bool;
  static std::string name() { return "pred"; }
};

/// Arithmetic modulo a power of 2 has no sign, and must have none in C++.
template <class T>
auto modular(T value) {
  if constexpr (std::is_integral_v<T>) {
    return std::make_unsigned_t<decltype(value + 0u)>(value);
  } else {
    return value;
  }
}
/// The only NaN that NVIDIA's float operations produce.
template <class T>
T canonical(T value) {
  if constexpr (sizeof(T) == 4) return std::isnan(value) ? std::bit_cast<T>(0x7fffffffu) : value;
  return value;
}
template <class T>
constexpr uint32_t bits_of = 8 * sizeof(T);

class Table {
 public:
  std::map<std::string, std::vector<Operation>, std::less<>> rows;

  template <class R, class... A, class F>
  void add(const std::string& name, F) {
    rows[name].push_back({run<F, R, A...>, {width_of<R>, width_of<A>...}});
  }
  template <class... T, class F>
  void unary(const std::string& name, F f) {
    (add<typename T::Word, typename T::Word>(name + "." + T::name(), f), ...);
  }
  template <class... T, class F>
  void binary(const std::string& name, F f) {
    (add<typename T::Word, typename T::Word, typename T::Word>(name + "." + T::name(), f), ...);
  }
  template <class... T, class F>
  void shift(const std::string& name, F f) {
    (add<typename T::Word, typename T::Word, uint32_t>(name + "." + T::name(), f), ...);
  }
  template <class... T, class F>
  void compare(const std::string& name, F f) {
    (add<bool, typename T::Word, typename T::Word>("setp." + name + "." + T::name(), f), ...);
  }
  template <class... T>
  void select() {
    (add<typename T::Word, typename T::Word, typename T::Word, bool>(
         "selp." + T::name(), [](auto a, auto b, bool first) { return first ? a : b; }),
     ...);
  }
  /// Conversions from a register of any width that holds the bits of type From.
  template <class To, class From>
  void convert() {
    using R = std::conditional_t<sizeof(typename To::Word) == 1, uint16_t, typename To::Word>;
    const std::string name = "cvt." + To::name() + "." + From::name();
    const auto f = [](auto value) {
      return static_cast<typename To::Word>(static_cast<typename From::Word>(value));
    };
    if constexpr (sizeof(typename From::Word) <= 2) add<R, uint16_t>(name, f);
    if constexpr (sizeof(typename From::Word) <= 4) add<R, uint32_t>(name, f);
    add<R, uint64_t>(name, f);
  }
};

void add_arithmetic(Table& table) {
  table.binary<S16, U16, S32, U32, S64, U64>(
      "add", [](auto a, auto b) { return modular(a) + modular(b); });
  table.binary<S16, U16, S32, U32, S64, U64>(
      "sub", [](auto a, auto b) { return modular(a) - modular(b); });
  table.binary<S16, U16, S32, U32, S64, U64>(
      "mul.lo", [](auto a, auto b) { return modular(a) * modular(b); });
  table.add<uint32_t, uint16_t, uint16_t>("mul.wide.u16",
                                          [](uint32_t a, uint32_t b) { return a * b; });
  table.add<uint64_t, uint32_t, uint32_t>("mul.wide.u32",
                                          [](uint64_t a, uint64_t b) { return a * b; });
  table.add<int64_t, int32_t, int32_t>("mul.wide.s32", [](int64_t a, int64_t b) { return a * b; });
  table.add<uint32_t, uint32_t, uint32_t>("mul.hi.u32",
                                          [](uint64_t a, uint64_t b) { return a * b >> 32; });
  for (const char* name : {"mad.lo.s32", "mad.lo.u32"}) {
    table.add<uint32_t, uint32_t, uint32_t, uint32_t>(
        name, [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
  }
  table.binary<U16, U32, U64>("div", [](auto a, auto b) { return b ? a / b : ~decltype(b){0}; });
  table.binary<U16, U32, U64>("rem", [](auto a, auto b) { return b ? a % b : a; });
  table.binary<U16, U32, S32, U64, S64>("min", [](auto a, auto b) { return std::min(a, b); });
  table.binary<U16, U32, S32, U64, S64>("max", [](auto a, auto b) { return std::max(a, b); });
  table.unary<S16, S32, S64>("neg", [](auto a) { return 0 - modular(a); });
  table.unary<S16, S32, S64>("abs", [](auto a) { return a < 0 ? 0 - modular(a) : modular(a); });
  // Without ".rn", ptxas may contract a multiplication and an addition.
  for (const std::string suffix : {"", ".rn"}) {
    table.binary<F32, F64>("add" + suffix, [](auto a, auto b) { return canonical(a + b); });
    table.binary<F32, F64>("mul" + suffix, [](auto a, auto b) { return canonical(a * b); });
  }
  table.binary<F32, F64>("div.rn", [](auto a, auto b) { return canonical(a / b); });
  table.unary<F32, F64>("neg", [](auto a) { return -a; });
}

void add_bits(Table& table) {
  table.binary<B16, B32, B64, Predicate>("and", [](auto a, auto b) { return a & b; });
  table.binary<B16, B32, B64, Predicate>("or", [](auto a, auto b) { return a | b; });
  table.binary<B16, B32, B64, Predicate>("xor", [](auto a, auto b) { return a ^ b; });
  table.unary<B16, B32, B64>("not", [](auto a) { return ~a; });
  table.unary<Predicate>("not", [](bool a) { return !a; });
  table.shift<B16, B32, B64>(
      "shl", [](auto a, uint32_t n) { return n < bits_of<decltype(a)> ? modular(a) << n : 0; });
  table.shift<U16, B32, U32, B64, U64>(
      "shr", [](auto a, uint32_t n) { return n < bits_of<decltype(a)> ? a >> n : 0; });
  table.shift<S16, S32, S64>(
      "shr", [](auto a, uint32_t n) { return a >> std::min(n, bits_of<decltype(a)> - 1); });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>(
      "shf.r.wrap.b32",
      [](uint64_t low, uint64_t high, uint32_t n) { return (high << 32 | low) >> (n & 31); });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>(
      "shf.l.wrap.b32",
      [](uint64_t low, uint64_t high, uint32_t n) { return (high << 32 | low) << (n & 31) >> 32; });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>("shf.r.clamp.b32",
                                                    [](uint64_t low, uint64_t high, uint32_t n) {
                                                      return (high << 32 | low) >> std::min(n, 32u);
                                                    });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>(
      "shf.l.clamp.b32", [](uint64_t low, uint64_t high, uint32_t n) {
        return (high << 32 | low) << std::min(n, 32u) >> 32;
      });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>("dp4a.u32.u32",
                                                    [](uint32_t a, uint32_t b, uint32_t c) {
                                                      for (uint32_t k = 0; k < 32; k += 8)
                                                        c += (a >> k & 0xff) * (b >> k & 0xff);
                                                      return c;
                                                    });
  table.add<uint32_t, uint32_t>("popc.b32", [](uint32_t a) { return std::popcount(a); });
  table.add<uint32_t, uint64_t>("popc.b64", [](uint64_t a) { return std::popcount(a); });
  table.add<uint32_t, uint32_t>("clz.b32", [](uint32_t a) { return std::countl_zero(a); });
  table.add<uint32_t, uint64_t>("clz.b64", [](uint64_t a) { return std::countl_zero(a); });
  table.add<uint32_t, uint32_t>("bfind.shiftamt.u32",
                                [](uint32_t a) { return a ? std::countl_zero(a) : -1; });
  table.add<uint32_t, uint32_t>("bfind.u32",
                                [](uint32_t a) { return a ? 31 - std::countl_zero(a) : -1; });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>(
      "lop3.b32", [](uint32_t a, uint32_t b, uint32_t c, uint32_t truth) {
        // Bit 4a + 2b + c of the truth table.
        uint32_t result = 0;
        for (uint32_t row = 0; row < 8; ++row) {
          if (truth >> row & 1) {
            result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
          }
        }
        return result;
      });
  table.add<uint32_t, uint32_t>("brev.b32", [](uint32_t a) {
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
    return reversed;
  });
  table.add<uint32_t, uint32_t, uint32_t, uint32_t>(
      "prmt.b32", [](uint64_t a, uint64_t b, uint32_t selection) {
        uint32_t result = 0;
        for (uint32_t i = 0; i < 4; ++i) {
          const uint32_t nibble = selection >> 4 * i & 15;
          uint32_t byte = uint32_t((b << 32 | a) >> 8 * (nibble & 7)) & 0xff;
          if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
          result |= byte << 8 * i;
        }
        return result;
      });
  const auto insert = [](auto bits, auto into, uint32_t at, uint32_t count) {
    using W = decltype(bits);
    at &= 0xff, count &= 0xff;
    if (at >= bits_of<W>) return into;
    const W mask = W((count >= bits_of<W> ? ~W{0} : (W{1} << count) - 1) << at);
    return W((into & ~mask) | (W(bits << at) & mask));
  };
  table.add<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>("bfi.b32", insert);
  table.add<uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>("bfi.b64", insert);
}

void add_comparisons(Table& table) {
  table.compare<B16, S16, U16, B32, S32, U32, B64, S64, U64, F32, F64>(
      "eq", [](auto a, auto b) { return a == b; });
  table.compare<B16, S16, U16, B32, S32, U32, B64, S64, U64>("ne",
                                                             [](auto a, auto b) { return a != b; });
  table.compare<S16, U16, S32, U32, S64, U64, F32, F64>("lt", [](auto a, auto b) { return a < b; });
  table.compare<S16, U16, S32, U32, S64, U64, F32, F64>("le",
                                                        [](auto a, auto b) { return a <= b; });
  table.compare<S16, U16, S32, U32, S64, U64, F32, F64>("gt", [](auto a, auto b) { return a > b; });
  table.compare<S16, U16, S32, U32, S64, U64, F32, F64>("ge",
                                                        [](auto a, auto b) { return a >= b; });
  table.compare<F32, F64>("num", [](auto a, auto b) { return !std::isunordered(a, b); });
  table.compare<F32, F64>("nan", [](auto a, auto b) { return std::isunordered(a, b); });
  table.compare<F32, F64>("ltu", [](auto a, auto b) { return !(a >= b); });
  table.compare<F32, F64>("gtu", [](auto a, auto b) { return !(a <= b); });
  table.select<B16, U16, S16, B32, U32, S32, B64, U64, S64>();
}

void add_moves(Table& table) {
  table.unary<Predicate, B16, U16, B32, U32, B64, U64>("mov", [](auto a) { return a; });
  // Moves the bits, also of a signalling NaN.
  table.add<uint32_t, uint32_t>("mov.f32", [](uint32_t a) { return a; });
  table.add<uint64_t, uint64_t>("mov.f64", [](uint64_t a) { return a; });
  table.add<uint64_t, uint32_t, uint32_t>(
      "mov.b64", [](uint64_t low, uint64_t high) { return high << 32 | low; });
  table.add<uint32_t, uint64_t>("mov.b64.0", [](uint64_t a) { return a; });
  table.add<uint32_t, uint64_t>("mov.b64.1", [](uint64_t a) { return a >> 32; });
  table.add<uint32_t, uint16_t, uint16_t>(
      "mov.b32", [](uint32_t low, uint32_t high) { return high << 16 | low; });
  table.add<uint16_t, uint32_t>("mov.b32.0", [](uint32_t a) { return a; });
  table.add<uint16_t, uint32_t>("mov.b32.1", [](uint32_t a) { return a >> 16; });
  table.add<uint64_t, uint64_t>("cvta.shared.u64", [](uint64_t a) { return a + kSharedWindow; });
  table.add<uint64_t, uint64_t>("cvta.to.shared.u64", [](uint64_t a) { return a - kSharedWindow; });
  table.add<uint64_t, uint64_t>("cvta.to.global.u64", [](uint64_t a) { return a; });
  table.convert<U16, U8>(), table.convert<S16, S8>(), table.convert<U32, U8>();
  table.convert<S32, S8>(), table.convert<U32, U16>(), table.convert<S32, S16>();
  table.convert<U16, U32>(), table.convert<U16, U64>(), table.convert<U32, U64>();
  table.convert<U64, U16>(), table.convert<U64, U32>(), table.convert<S64, S32>();
  table.add<double, float>("cvt.f64.f32", [](float a) { return canonical(double(a)); });
  table.add<float, double>("cvt.rn.f32.f64", [](double a) { return canonical(float(a)); });
  table.add<float, int32_t>("cvt.rn.f32.s32", [](int32_t a) { return float(a); });
  table.add<double, int32_t>("cvt.rn.f64.s32", [](int32_t a) { return double(a); });
  table.add<double, uint64_t>("cvt.rn.f64.u64", [](uint64_t a) { return double(a); });
  table.add<double, double>("cvt.rni.f64.f64", [](double a) { return std::rint(a); });
}

template <class Word, class Lane, bool Load>
void move(std::byte* lanes, std::byte* const* addresses, std::size_t offset, uint32_t mask) {
  for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    Lane value;
    std::byte* const own = lanes + lane * sizeof(Lane);
    Word word;
    if constexpr (Load) {
      std::memcpy(&word, addresses[lane] + offset, sizeof(word));
      value = Lane(word);
      std::memcpy(own, &value, sizeof(value));
    } else {
      std::memcpy(&value, own, sizeof(value));
      word = Word(value);
      std::memcpy(addresses[lane] + offset, &word, sizeof(word));
    }
  }
}
template <class Word>
Transfer move_to(bool load, Width width) {
  if constexpr (sizeof(Word) <= 2) {
    if (width == Width::B16) return load ? move<Word, uint16_t, true> : move<Word, uint16_t, false>;
  }
  if constexpr (sizeof(Word) <= 4) {
    if (width == Width::B32) return load ? move<Word, uint32_t, true> : move<Word, uint32_t, false>;
  }
  if (width == Width::B64) return load ? move<Word, uint64_t, true> : move<Word, uint64_t, false>;
  return nullptr;
}

}  // namespace

bool Operation::takes(const std::vector<Width>& operands) const {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool given = i < operands.size(), wanted = widths[i] != Width::None;
    if (given != wanted) return false;
    if (given && operands[i] != Width::None && operands[i] != widths[i]) return false;
  }
  return true;
}

const std::vector<Operation>& operations(std::string_view name) {
  static const Table table = [] {
    Table made;
    add_arithmetic(made);
    add_bits(made);
    add_comparisons(made);
    add_moves(made);
    return made;
  }();
  static const std::vector<Operation> none;
  const auto row = table.rows.find(name);
  return row == table.rows.end() ? none : row->second;
}

Transfer transfer(bool load, std::string_view type, Width width) {
  if (type == "u8" || type == "b8") return move_to<uint8_t>(load, width);
  if (type == "s8") return move_to<int8_t>(load, width);
  if (type == "u16" || type == "b16") return move_to<uint16_t>(load, width);
  if (type == "s16") return move_to<int16_t>(load, width);
  if (type == "u32" || type == "b32" || type == "f32") return move_to<uint32_t>(load, width);
  if (type == "s32") return move_to<int32_t>(load, width);
  if (type == "u64" || type == "b64" || type == "f64" || type == "s64") {
    return move_to<uint64_t>(load, width);
  }
  return nullptr;
}

Combine combine(std::string_view name) {
  if (name == "add.u32" || name == "add.u64") return [](uint64_t a, uint64_t b) { return a + b; };
  if (name == "max.u32" || name == "max.u64") {
    return [](uint64_t a, uint64_t b) { return std::max(a, b); };
  }
  if (name == "or.b32") return [](uint64_t a, uint64_t b) { return a | b; };
  if (name == "xor.b32") return [](uint64_t a, uint64_t b) { return a ^ b; };
  return nullptr;
}

Source source(std::string_view mode) {
  // The clamp's bits 8 to 12 divide a warp into segments; its low bits are their ends.
  if (mode == "up") {
    return [](uint32_t lane, uint32_t distance, uint32_t clamp) {
      const uint32_t first = (lane & clamp >> 8) | (clamp & 31 & ~(clamp >> 8));
      return lane >= first + distance ? lane - distance : kWarpLanes;
    };
  }
  const auto bounded = [](uint32_t from, uint32_t lane, uint32_t clamp) {
    const uint32_t last = (lane & clamp >> 8) | (clamp & 31 & ~(clamp >> 8));
    return from <= last ? from : kWarpLanes;
  };
  static_assert(std::is_empty_v<decltype(bounded)>);
  if (mode == "bfly") {
    return [](uint32_t lane, uint32_t distance, uint32_t clamp) {
      return decltype(bounded)()(lane ^ distance, lane, clamp);
    };
  }
  if (mode == "idx") {
    return [](uint32_t lane, uint32_t index, uint32_t clamp) {
      const uint32_t segment = clamp >> 8 & 31;
      return decltype(bounded)()((lane & segment) | (index & ~segment & 31), lane, clamp);
    };
  }
  return nullptr;
}

}  // namespace fpsynth::ptx
