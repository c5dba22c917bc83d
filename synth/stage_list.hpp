#pragma once
// A pipeline as a components::StageList.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "components/stage_list.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::synth {

/// A stage of a pipeline that is known at run time.
class PipelineStage {
 public:
  PipelineStage(Component component, std::size_t word_bytes)
      : component_(component), word_bytes_(word_bytes), traits_(&family(component.family)) {}

  Component component() const { return component_; }
  const FamilyTraits& traits() const { return *traits_; }
  std::uint8_t wire() const { return traits_->wire; }
  std::uint8_t parameter() const { return component_.parameter; }
  std::size_t word_bytes() const { return word_bytes_; }
  unsigned frame_fields() const { return traits_->frame_fields; }
  bool has_tables() const { return traits_->has_tables; }
  std::size_t bound(std::size_t words) const {
    return traits_->frame_fields == 0 ? words : worst_case(component_, word_bytes_, words);
  }

 private:
  Component component_;
  std::size_t word_bytes_;
  const FamilyTraits* traits_;
};

/// The stages of a pipeline on data of `word_bytes`-byte words. A copy, independent of the
/// pipeline.
class PipelineStages {
 public:
  using Length = std::size_t;

  PipelineStages(const Pipeline& pipeline, std::size_t word_bytes)
      : cut_(pipeline.cut), word_bytes_(word_bytes) {
    stages_.reserve(pipeline.stages.size());
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
      stages_.emplace_back(pipeline.stages[i], pipeline.stage_word_bytes(i, word_bytes));
    }
  }

  std::size_t size() const { return stages_.size(); }
  std::size_t cut() const { return cut_; }
  std::size_t word_bytes() const { return word_bytes_; }
  const PipelineStage& operator[](std::size_t index) const { return stages_[index]; }

  template <class F>
  bool for_each(F f) const {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (!f(i, stages_[i])) return false;
    }
    return true;
  }

 private:
  std::vector<PipelineStage> stages_;
  std::size_t cut_, word_bytes_;
};

/// Bytes of a chunk's frame in the container: one length per ZE stage, two per RLE stage.
inline std::size_t frame_bytes(const Pipeline& pipeline, std::size_t word_bytes,
                               std::size_t chunk_words) {
  return components::frame_bytes(PipelineStages(pipeline, word_bytes), chunk_words);
}

}  // namespace fpsynth::synth
