#pragma once
// A pipeline: a chain of component stages and the cut at which words become bytes
// (MPC paper, section IV.D).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/common/error.hpp"

namespace fpsynth::synth {

inline constexpr std::size_t kMaxStages = 8;
/// Words in a chunk. The last chunk of an input may be shorter.
inline constexpr std::size_t kChunkWords = 1024;
/// Chunk lengths that a user may ask for, and the longest one of a space: what is searched at once
/// fits into the memory next to a core.
inline constexpr std::size_t kChunkLengths[] = {1024, 2048, 4096, 16384, 65536};
inline constexpr std::size_t kLongestSearched = 4096;
/// Throws Error if a chunk length is not one of them.
void check_chunk_words(std::size_t words);

/// One stage's component: a family of the registry (its row) and the n of DIMn and LNVn
/// (1..64; 0 for families without a parameter).
struct Component {
  std::uint8_t family = 0;
  std::uint8_t parameter = 0;
  friend auto operator<=>(const Component&, const Component&) = default;
};

/// Properties of a component family that runners and plans need, from the registry.
struct FamilyTraits {
  std::string_view name;      ///< "LNV"; the text is name + n + suffix
  std::string_view suffix;    ///< "s", "x" or empty
  std::uint8_t wire;          ///< the family's number in files; never changes
  bool parametric;            ///< has an n
  bool reduces;               ///< may be the last stage: ZE, RLE, ...
  bool identity;              ///< output = input: NUL
  std::uint8_t frame_fields;  ///< lengths that a decoder needs: 0, 1 (words) or 2 (words, values)
  bool has_tables;            ///< needs components::Scratch::tables
  std::string_view type;      ///< "LnvSub": its type in namespace fpsynth::components
  bool counted;               ///< a block's counts decide the length of its output
};

std::size_t family_count();
const FamilyTraits& family(std::size_t index);
/// True if stages of two families give the same block in either order, with any parameters and on
/// words of one size.
bool commute(std::size_t family, std::size_t other);
/// Family of a number read from a file; nullopt if no family has it.
std::optional<std::uint8_t> family_of_wire(std::uint8_t wire);
/// Worst-case output length, in words, of one stage on `words` words of `word_bytes` bytes.
std::size_t worst_case(Component component, std::size_t word_bytes, std::size_t words);

/// "LNV2s", "BIT", "DIM16".
std::string to_string(Component component);
/// Case-insensitive; nullopt if there is no such component (LNV0s, LNV65x, FOO).
std::optional<Component> parse_component(std::string_view text);
/// The components that may be the last stage: "ZE, RLE, RRE, ZEC, REC, CLOG, RLP or BINS".
std::string reducer_names();
/// The known name nearest to a misspelt one, for suggestions.
std::string nearest_component(std::string_view text);

/// 1 to 8 stages. The first `cut` of them run on words of the data, the others on bytes.
struct Pipeline {
  std::vector<Component> stages;
  unsigned cut = 0;
  friend bool operator==(const Pipeline&, const Pipeline&) = default;

  /// Word size in bytes at which stage `index` runs on data of `word_bytes`-byte words.
  std::size_t stage_word_bytes(std::size_t index, std::size_t word_bytes) const {
    return index < cut ? word_bytes : 1;
  }
};

/// "LNV2s LNV2s LNV2x | ZE"; a cut at the end is not printed.
std::string to_string(const Pipeline& pipeline);

/// The pipeline without the stages that change nothing (NUL). Pipelines for which it is the same
/// are one algorithm.
Pipeline without_identities(const Pipeline& pipeline);

/// Parses 1 to 8 component names separated by blanks or commas, with at most one `|` at the cut.
/// Without a `|`, or if it is at the end, all stages run on words. Case-insensitive. The last stage
/// must be a reducer. Parses text[begin..), and shows all of it in errors. Throws ParseError
/// (parsing.hpp).
Pipeline parse_pipeline(std::string_view text, std::size_t begin = 0);

}  // namespace fpsynth::synth
