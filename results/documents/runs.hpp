#pragma once
// All result documents of a directory, ready to be queried together.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// Documents over one space, by data set, then double before single. Holds at least one.
class Runs {
 public:
  /// Throws Error where there is none, where spaces differ, or where two documents hold the same
  /// data set and precision.
  explicit Runs(std::vector<Document> documents);

  const synth::Space& space() const { return documents_.front().space; }
  const std::vector<Document>& documents() const { return documents_; }

  /// Documents of a precision that hold at least one searched byte. What is left out is in notes().
  std::vector<const Document*> of(synth::Precision precision) const;
  /// Same, of both precisions.
  std::vector<const Document*> searched() const;
  /// What a reader must know: which documents are sampled, incomplete, unverified, have failures.
  std::vector<std::string> notes() const;

  /// Those of one data set, one precision, or both. Throws UsageError naming what there is.
  Runs select(std::optional<std::string_view> data_set,
              std::optional<synth::Precision> precision) const;

 private:
  std::vector<Document> documents_;
};

/// "num_plasma (double)".
std::string label(const Document& document);

/// Mean of compressed / original bytes over documents, for every id: the reciprocal of the harmonic
/// mean of the ratios. Infinity where the pipeline failed in one of them.
std::vector<double> mean_costs(const std::vector<const Document*>& documents);

/// Reads every DIR/<name>.<precision>.json. Throws Error for a damaged one, and where there is
/// none.
Runs load_runs(const std::filesystem::path& directory);

}  // namespace fpsynth::results
