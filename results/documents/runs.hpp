#pragma once
// All result documents of a directory, ready to be queried together.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/documents/document.hpp"

namespace fpsynth::results {

/// Documents over one space (of any preludes, and of lists that races have left of it), sorted by
/// data set, double before single. There is at least one.
class Runs {
 public:
  /// Throws Error if there is no document, if spaces differ, or if two documents have the same data
  /// set and precision.
  explicit Runs(std::vector<Document> documents);

  /// The space of all documents, without their preludes, which are of one data set each, and whole,
  /// also if documents have but some of its pipelines.
  const synth::Space& space() const { return space_; }
  const std::vector<Document>& documents() const { return documents_; }

  /// The documents of a precision that have at least one searched byte. notes() names the others.
  std::vector<const Document*> of(synth::Precision precision) const;
  /// The same for both precisions.
  std::vector<const Document*> searched() const;
  /// Remarks for the reader: which documents are raced, sampled, incomplete, unverified or have
  /// failures.
  std::vector<std::string> notes() const;

  /// The documents of a data set, of a precision, or of both. Throws UsageError, which lists the
  /// existing ones, if there are none.
  Runs select(std::optional<std::string_view> data_set,
              std::optional<synth::Precision> precision) const;

 private:
  std::vector<Document> documents_;
  synth::Space space_;
};

/// True if a document has only some of the pipelines of its space, so that figures of the whole
/// space are not known.
bool raced(const Document& document);
/// A remark on a raced document: "raced: risk 1 %, margin 0.1 %, 70 of 138240 pipelines were
/// searched whole".
std::string raced_text(const Document& document);

/// Reads every DIR/<name>.<precision>.json. Throws Error if one is damaged or if there are none.
Runs load_runs(const std::filesystem::path& directory);

}  // namespace fpsynth::results
