#pragma once
// A prelude: invertible maps of the whole input, before it is cut into chunks. A method is a
// prelude and the pipeline behind it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "components/preludes/shape.hpp"
#include "components/words/word_type.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::synth {

/// One map: its number in files (preludes::Steps), its parameter, the L of LAG, the d of DEC and
/// the B of RAT, 0 for steps without one, and the divisors of RAT.
struct PreludeStep {
  std::uint8_t kind = 0;
  std::uint64_t parameter = 0;
  preludes::Divisors divisors{};
  friend auto operator<=>(const PreludeStep&, const PreludeStep&) = default;
};

/// Up to preludes::kMostSteps steps, the first one first. Without steps, it changes nothing.
struct Prelude {
  std::vector<PreludeStep> steps;
  bool empty() const { return steps.empty(); }
  friend auto operator<=>(const Prelude&, const Prelude&) = default;
};

struct Method {
  Prelude prelude;
  Pipeline pipeline;

  Method() = default;
  Method(Prelude steps, Pipeline behind) : prelude(std::move(steps)), pipeline(std::move(behind)) {}
  /// A pipeline alone is a method without a prelude.
  Method(Pipeline alone) : pipeline(std::move(alone)) {}
  friend bool operator==(const Method&, const Method&) = default;
};

/// Properties of a kind of step that runners need, from the list of steps.
struct PreludeTraits {
  std::uint8_t wire;  ///< its number in files
  std::string_view
      name;  ///< "LAG"; the text is name + suffix, with ":" and the parameter and divisors
  std::string_view suffix;  ///< "s", "x" or empty
  std::string_view type;    ///< "LagSub": its type in namespace fpsynth::preludes
  preludes::Shape shape;
  bool parametric;
  /// By column of the word size; without numbers where it is not for such words.
  std::array<preludes::ParameterRange, words::kColumns> ranges;

  preludes::ParameterRange range(std::size_t word_bytes) const {
    return ranges[words::column(word_bytes)];
  }
  bool suits(std::size_t word_bytes) const {
    return range(word_bytes).least <= range(word_bytes).most;
  }
};

std::span<const PreludeTraits> prelude_kinds();
/// Null for a number that no kind has.
const PreludeTraits* find_prelude_kind(std::size_t kind);
/// Of a kind that there is; else throws std::out_of_range.
const PreludeTraits& prelude_traits(std::size_t kind);

/// "LAGs:18200", "ORD", "RAT:512:10:32768".
std::string to_string(const PreludeStep& step);
/// "DICT LAGs:2401"; empty for the empty prelude.
std::string to_string(const Prelude& prelude);
/// "DICT LAGs:2401 / LNV1s ZE | RLE"; without a prelude, the pipeline alone.
std::string to_string(const Method& method);

/// Parses 0 to 5 steps separated by blanks; "none" is the empty prelude, too. Case-insensitive.
/// Throws ParseError, whose message shows the text with a mark under the wrong word.
Prelude parse_prelude(std::string_view text);
/// Parses "PRELUDE / PIPELINE", or a pipeline. Throws ParseError.
Method parse_method(std::string_view text);

/// The defect of a prelude for words of `word_bytes` bytes, or an empty string: more than
/// five steps, an unknown kind, a parameter out of its range, divisors that do not suit it.
std::string defect(const Prelude& prelude, std::size_t word_bytes);
/// Throws Error if the prelude has a defect().
void check(const Prelude& prelude, std::size_t word_bytes);

/// The preludes that a search is to try in front of its pipelines.
struct PreludeRequest {
  enum class Kind {
    None,   ///< none: pipelines alone
    Found,  ///< those that the data themselves suggest
    Named,  ///< `named`
  };
  Kind kind = Kind::None;
  std::vector<Prelude> named;  ///< different ones, none empty

  /// "none", "auto", or preludes separated by commas. Case-insensitive. Throws UsageError.
  static PreludeRequest parse(std::string_view text);
  /// Throws UsageError if a named one does not suit words of this size.
  void check(std::size_t word_bytes) const;
  /// The text that parse() takes.
  std::string text() const;
  friend bool operator==(const PreludeRequest&, const PreludeRequest&) = default;
};

}  // namespace fpsynth::synth
