#pragma once
// Divides a space that is too large for one plan: into prefixes, the first stages of its pipelines,
// and tail plans, the stages that may follow. The same tail plan is walked behind many prefixes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "components/scratch.hpp"
#include "components/stage_table.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// The stages that may follow some prefixes.
struct Tail {
  synth::Plan plan;
  /// Word size of its first stages: 1 behind prefixes that end with bytes.
  std::size_t word_bytes = 0;
  std::vector<std::uint64_t> id_of_leaf;  ///< of the plan's space: one id of each leaf
};

/// All prefixes with as many stages on words and on bytes as each other, by number.
struct PrefixGroup {
  unsigned words = 0, bytes = 0;  ///< stages of a prefix
  std::uint64_t first = 0;        ///< number of the first prefix
  std::uint64_t count = 0;
  std::size_t tail = 0;  ///< which tail plan follows
};

/// Every distinct pipeline of a space, none twice, as a prefix and a leaf of the tail plan behind
/// it. NULs are left out of both, so that prefixes have 0 to stages - tail stages where the space
/// has a NUL. The empty prefix, if there is one, is number 0, shorter ones come first.
class Division {
 public:
  /// Most leaves of a tail's plan. A tail has as many stages as this allows.
  static constexpr std::uint64_t kMostLeaves = 300'000;

  /// `word_bytes`: of the data, 4 or 8. Throws Error if the space is not valid or a list, or if
  /// it has more than kMostPrefixes prefixes. Tails of fewer leaves are for tests.
  Division(const synth::Space& space, std::size_t word_bytes,
           std::uint64_t most_leaves = kMostLeaves);

  static constexpr std::uint64_t kMostPrefixes = std::uint64_t{1} << 26;

  const synth::Space& space() const { return space_; }
  std::span<const Tail> tails() const { return tails_; }
  std::span<const PrefixGroup> groups() const { return groups_; }
  std::uint64_t prefixes() const;
  /// Most stages of a prefix.
  unsigned longest_prefix() const { return space_.stages - tail_stages_; }
  /// Bytes of the longest block that a tail begins with.
  std::size_t longest_block() const { return input_bytes_; }
  /// Bytes of the longest block before or behind any stage.
  std::size_t longest_output() const { return output_bytes_; }
  /// Distinct pipelines.
  std::uint64_t pipelines() const;

  /// The stages of a prefix of a group; number < prefixes().
  std::vector<synth::PlanEdge> prefix(std::uint64_t number) const;
  const PrefixGroup& group_of(std::uint64_t number) const;
  /// The pipeline without NULs.
  synth::Pipeline pipeline(std::uint64_t number, std::uint32_t leaf) const;
  /// The id in the space of a pipeline without NULs, with NULs in front of its words and, where the
  /// space's cuts ask for it, of its bytes.
  std::uint64_t id_of(const synth::Pipeline& pipeline) const;

 private:
  /// True if pipelines may have so many stages on words and on bytes, NULs not counted.
  bool allowed(unsigned words, unsigned bytes) const;
  void add_group(unsigned words, unsigned bytes);
  std::size_t tail_for(const synth::Space& space, std::size_t word_bytes);

  synth::Space space_;
  std::size_t word_bytes_;
  std::vector<synth::Component> choices_;  ///< of stages but the last, without NUL
  bool has_identity_ = false;
  synth::Component identity_;
  unsigned tail_stages_ = 0;
  std::size_t input_bytes_ = 0, output_bytes_ = 0;
  std::vector<Tail> tails_;
  std::vector<PrefixGroup> groups_;
};

/// Runs the stages of prefixes on chunks. Owns the memory of two blocks. Used by one thread at a
/// time; allocates nothing after its construction.
class PrefixBlocks {
 public:
  /// For chunks of words of `word_bytes` bytes, and blocks of up to `longest` bytes, those of the
  /// chunks included.
  PrefixBlocks(const components::StageTable& stages, std::size_t word_bytes, std::size_t longest);

  /// The output of the stages for a chunk; valid until the next call.
  std::span<const std::byte> run(std::span<const synth::PlanEdge> stages,
                                 std::span<const std::byte> chunk);

 private:
  const components::StageTable& stages_;
  std::size_t word_bytes_;
  components::BlockBuffer in_, out_;
  components::ScratchBuffer scratch_;
};

}  // namespace fpsynth::search
