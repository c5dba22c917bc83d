#pragma once
// Decides which pipelines leave a race: a paired t-test of their sizes against the leader's.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fpsynth::search {

/// A pipeline's bytes on each of the chunks that were drawn, and its share of what is in front of
/// the chunks, which is the same on each.
struct ChunkSizes {
  std::span<const std::uint32_t> bytes;
  double overhead = 0;  ///< bytes per chunk: of a prelude's header and side data

  /// Bytes of all chunks that were drawn.
  double total() const;
};

/// The bytes of several pipelines on the same chunks: bytes[chunk * chunk_step + p * step].
struct SizeGrid {
  std::span<const std::uint32_t> bytes;
  std::size_t chunk_step = 0, step = 1;
};

/// A test after one round. The chunks were drawn without replacement, so that the more of all
/// chunks they are, the surer a mean is; of all of them it is certain. Assumes that differences are
/// distributed normally, and takes the leader for one that was chosen before.
class LeavingTest {
 public:
  /// `chunks` drawn of `population` in all. risk: probability that a pipeline leaves although it is
  /// better than the leader by more than `margin`, a share of the leader's bytes.
  LeavingTest(std::uint64_t chunks, std::uint64_t population, double risk, double margin);

  /// What `lost` is counted in: this many are one pipeline. Whole numbers, so that sums do not
  /// depend on the order.
  static constexpr double kOne = double(std::uint64_t{1} << 36);

  /// Tests pipelines with extra[p] bytes on each chunk beside those of `sizes`, and with the same
  /// overhead. A leader among them leaves, too, unless the margin is 0. Appends the numbers of
  /// those that stay to `stay`, ascending, and returns the summed probability, times kOne, that one
  /// of the others is better by more than the margin.
  std::uint64_t run(const SizeGrid& sizes, std::span<const std::uint32_t> extra, double overhead,
                    const ChunkSizes& leader, std::vector<std::uint32_t>& stay) const;

 private:
  /// The probability, times kOne, of a pipeline's mean being so many standard errors too high.
  std::uint64_t lost(double errors) const;

  std::uint64_t chunks_;
  double margin_;
  double left_ = 0;      ///< share of the variance of a mean that is left by the finite population
  double quantile_ = 0;  ///< of Student's distribution: standard errors from which one leaves
  std::vector<std::uint64_t> tail_;  ///< lost() at equal distances of the logarithm
};

}  // namespace fpsynth::search
