#pragma once
// The preludes that a search is to try in front of its pipelines.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "synth/prelude.hpp"

namespace fpsynth::synth {

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
