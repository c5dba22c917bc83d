#pragma once
// The work of a stage, as the throughput model counts it.

#include <cmath>
#include <cstddef>

#include "components/family.hpp"
#include "components/scratch_view.hpp"
#include "results/throughput/throughput_model.hpp"

namespace fpsynth::codec {

/// The mean load of one stage over the blocks that it ran on.
class StageLoadMean {
 public:
  /// Adds a block of `in_bytes` bytes that the stage, on words of `word_bytes` bytes, made `out`
  /// of.
  void add(std::size_t in_bytes, components::Extent out, std::size_t word_bytes) {
    const std::size_t out_bytes = out.words * word_bytes;
    ++blocks_;
    sum_.in_bytes += static_cast<double>(in_bytes);
    sum_.out_bytes += static_cast<double>(out_bytes);
    sum_.ragged += in_bytes % components::kBlockAlignment != 0;
    if (out.values > 0) {
      sum_.control += std::sqrt(static_cast<double>(out_bytes - out.values * word_bytes));
    }
  }

  /// Of at least one block.
  results::StageLoad mean() const {
    return {sum_.in_bytes / blocks_, sum_.out_bytes / blocks_, sum_.ragged / blocks_,
            sum_.control / blocks_};
  }

 private:
  results::StageLoad sum_;
  double blocks_ = 0;
};

}  // namespace fpsynth::codec
