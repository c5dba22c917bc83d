#pragma once
// Runs the first stages of pipelines on chunks.

#include <cstddef>
#include <span>
#include <vector>

#include "components/scratch.hpp"
#include "components/stage_table.hpp"
#include "runners/codec/cpu/stage_load.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// Owns the memory of two blocks. Used by one thread at a time; allocates nothing after its
/// construction.
class PrefixBlocks {
 public:
  /// For chunks of words of `word_bytes` bytes, and blocks of up to `longest` bytes, those of the
  /// chunks included.
  PrefixBlocks(const components::StageTable& stages, std::size_t word_bytes, std::size_t longest);

  /// The output of the stages for a chunk; valid until the next call. Adds each stage's load to
  /// `loads`, one for each, if they are wanted.
  std::span<const std::byte> run(std::span<const synth::PlanEdge> stages,
                                 std::span<const std::byte> chunk,
                                 std::span<codec::StageLoadMean> loads = {});

 private:
  const components::StageTable& stages_;
  std::size_t word_bytes_;
  components::BlockBuffer in_, out_;
  components::ScratchBuffer scratch_;
};

}  // namespace fpsynth::search
