#include "runners/search/race/options.hpp"

#include <fmt/core.h>

#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {

void RaceOptions::check() const {
  if (!(risk > 0 && risk < 0.5)) {
    throw UsageError(fmt::format(
        "risk {}: a race drops pipelines after some of the chunks, and the probability that it "
        "drops the best is above 0 and below 0.5; search exhaustively to have none",
        risk));
  }
  if (!(margin >= 0 && margin < 1)) {
    throw UsageError(
        fmt::format("margin {}: give the share by which the best may be missed, 0 (no less) to "
                    "below 1, such as 0.0001",
                    margin));
  }
  if (first_chunks < 2) {
    throw UsageError(fmt::format("{} in the first round: differences need two at least",
                                 counted(first_chunks, "chunk")));
  }
}

std::string RaceOptions::text() const {
  return fmt::format("race, margin {}, risk {}, seed {}, first round {} chunks", margin, risk, seed,
                     first_chunks);
}

}  // namespace fpsynth::search
