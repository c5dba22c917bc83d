#pragma once
// The search of one document: all pipelines of a plan behind every prelude, alone or by processes
// together.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "runners/data/input.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/preludes.hpp"
#include "synth/common/clock.hpp"
#include "synth/plan.hpp"

namespace fpsynth::search {

/// Chunks are walked in parts, behind all preludes after each other, so that the sizes of a
/// document are those of the same chunks behind each. A search without preludes has the empty one
/// alone. Processes divide each part among them; rank 0 adds up their sums at every checkpoint.
class DocumentSearch {
 public:
  /// All arguments must outlive the search. Throws as search_with_preludes() does.
  DocumentSearch(const data::Input& input, const synth::Plan& plan, const PreludeOptions& preludes,
                 const SearchOptions& options);

  /// Searches the chunks that `done` lacks, if it is given, and returns the document of all: on
  /// another rank than 0, one of no use.
  results::Document run(const results::Document* done);

 private:
  /// The agreement of all processes before a part: any is to end, rank 0 wants to save, and the
  /// seconds of the slowest for the part before.
  struct Agreement {
    bool stop = false, save = false;
    double seconds = 0;
  };

  const synth::Space& space() const { return plan_.space(); }
  results::Cutting cutting() const { return input_.cutting(space().chunk_words); }
  results::ChunkRange own_part() const { return options_.part_of(document_.run.chunks_total); }
  std::size_t processes() const { return options_.peers ? options_.peers->count() : 1; }
  bool leads() const { return !options_.peers || options_.peers->rank() == 0; }
  std::size_t finalists() const { return document_.space.preludes.size(); }
  std::uint64_t chunks_done() const;
  bool has_all_chunks() const { return chunks_done() == own_part().size(); }
  /// True in the process whose part has the last chunk: it counts the findings on the whole input.
  bool has_last_chunk() const;

  bool try_candidates();
  bool prepare_finalists();
  TransformedInput finalist(std::size_t index);
  void start_document();
  results::Document unprepared(const results::Document* done);
  void refuse_other_overheads() const;

  /// Tells all processes the finalists and the chunks that rank 0 has. Returns false if rank 0 has
  /// nothing for them to do. Throws Error if one has other data.
  bool begin_together(bool begins);
  Agreement agree(const std::string& step, const Agreement& own);
  /// Adds the sums of all processes up on rank 0.
  void collect();

  void search_parts();
  results::ChunkRange first_missing(std::uint64_t length) const;
  /// Walks this process's share of a range behind every finalist, and adds the findings to the
  /// document: with one finalist those on the chunks that were finished, else on all or none.
  void search_part(const results::ChunkRange& range);
  /// Walks chunks behind a finalist. The sums of chunks that were finished are in the return value.
  Totals walk(const data::Input& behind, const results::ChunkRange& range,
              std::vector<std::uint8_t>& finished, std::exception_ptr& failed);
  void note_engine(results::Run& run) const;
  void add_walk(results::Document& part, const Totals& sums, std::uint64_t chunks) const;
  /// Keeps the document after a device has failed, and throws.
  [[noreturn]] void give_up(const std::exception_ptr& failed);
  void save();
  void report();
  void verify();
  bool is_excluded(std::size_t index) const;

  const data::Input& input_;
  const synth::Plan& plan_;
  const PreludeOptions& preludes_;
  const SearchOptions& options_;
  std::size_t word_bytes_;
  Mode mode_;
  std::unique_ptr<Engine> engine_;
  Totals counted_;                     ///< by the engine, in all walks so far
  std::vector<std::uint64_t> frames_;  ///< bytes of the frame of a chunk, by pipeline
  results::Document document_;
  std::vector<results::ChunkRange> covered_;  ///< chunks done by all processes together
  bool keep_ = false;
  std::vector<std::optional<TransformedInput>> kept_;  ///< by finalist
  std::vector<bool> restored_;
  std::vector<std::uint64_t> overheads_;  ///< in front of the containers
  /// Chunks behind a finalist each: done before this search, and walked by this process.
  std::uint64_t walks_before_ = 0, walked_ = 0;
  Clock::time_point start_ = Clock::now(), timed_ = start_, saved_ = start_, reported_ = start_;
};

}  // namespace fpsynth::search
