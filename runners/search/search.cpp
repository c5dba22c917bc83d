#include "runners/search/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runners/codec/format/container.hpp"
#include "runners/data/description.hpp"
#include "runners/search/preludes.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {

Verification Verification::parse(std::string_view text) {
  if (!results::is_verification(text)) {
    raise<UsageError>("verification '{}': give all, none or top=K with K from 1", text);
  }
  if (text == "all") return {Kind::All, 0};
  if (text == "none") return {Kind::None, 0};
  return {Kind::Top, whole_number(text.substr(text.find('=') + 1)).value()};
}

std::string Verification::text() const {
  if (kind == Kind::Top) return fmt::format("top={}", top);
  return kind == Kind::All ? "all" : "none";
}

results::ChunkRange SearchOptions::part_of(std::uint64_t chunks) const {
  if (!part) return {0, chunks};
  const std::uint64_t end = std::min(part->end, chunks);
  return {std::min(part->begin, end), end};
}

results::Document search(const data::Input& input, const synth::Plan& plan,
                         const SearchOptions& options, const results::Document* done) {
  return search_with_preludes(input, plan, {}, options, done);
}

results::Document empty_document(results::DataSet data, const synth::Space& space,
                                 const SearchOptions& options) {
  results::Document document;
  const std::size_t word_bytes = synth::word_bytes(data.precision);
  const results::Cutting cutting = data.cutting(space.chunk_words);
  document.overhead_bytes =
      data.hdf5 ? cutting.share_of(
                      cutting.parts * codec::overhead_bytes(
                                          space.at(0), cutting.part_words * word_bytes, word_bytes),
                      options.sample)
                : codec::overhead_bytes(space.at(0), data.bytes, word_bytes);
  document.data = std::move(data);
  document.space = space;
  document.run.program_version = synth::kVersion;
  document.run.commit = synth::kCommit;
  document.run.compiler = synth::kCompiler;
  document.run.verification = options.verification.text();
  document.run.sample = options.sample;
  document.race = options.race;
  return document;
}

std::span<const std::byte> chunk_of(const data::Input& input, std::size_t chunk_words,
                                    std::uint64_t sample, std::uint64_t index) {
  const auto [begin, words] = input.cutting(chunk_words).at(index * sample);
  const std::size_t word_bytes = synth::word_bytes(input.native());
  return input.bytes().subspan(begin * word_bytes, words * word_bytes);
}

std::vector<std::byte> sampled(const data::Input& input, std::uint64_t sample,
                               std::size_t chunk_words) {
  std::vector<std::byte> bytes;
  const std::uint64_t chunks = input.cutting(chunk_words).chunks(sample);
  for (std::uint64_t index = 0; index < chunks; ++index) {
    const auto chunk = chunk_of(input, chunk_words, sample, index);
    bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  }
  const auto tail = input.bytes().last(input.view().tail);
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

void refuse_no_words(const data::Input& input) {
  const data::View view = input.view();
  if (view.words > 0) return;
  raise("{}: {} of data hold no whole word of {} bytes; nothing to search", input.name(),
        counted(view.bytes.size(), "byte"), synth::word_bytes(input.native()));
}

void refuse_changed(const data::Input& input, const results::DataSet& searched) {
  input.check_unchanged();
  if (data::description_of(input).xxh3 == searched.xxh3) return;
  raise("{} changed while it was searched; let nothing write to it, and search again",
        input.path().empty() ? input.name() : input.path().string());
}

void refuse_other_data(const std::string& document, std::span<const Peers::Bytes> given) {
  const auto xxh3_of = [&](std::size_t rank) {
    return from_cbor(given[rank]).at("xxh3").get<std::string>();
  };
  for (std::size_t rank = 1; rank < given.size(); ++rank) {
    if (xxh3_of(rank) == xxh3_of(0)) continue;
    raise(
        "{}: the data of rank {} are not the same as those of rank 0; copy the file again, or use "
        "a folder that the nodes share",
        document, rank);
  }
}

void check_resumable(const results::Document& done, const results::Document& fresh) {
  auto refuse = [&](std::string_view what) {
    raise("{}: the earlier result has another {}; search into another directory", fresh.data.name,
          what);
  };
  if (done.data.xxh3 != fresh.data.xxh3 || done.data.bytes != fresh.data.bytes ||
      done.data.precision != fresh.data.precision) {
    refuse("version of the data");
  }
  if (done.space != fresh.space) refuse("search space");
  if (done.race != fresh.race) refuse("race");
  if (done.run.verification != fresh.run.verification) refuse("verification mode");
  if (done.data.hdf5 != fresh.data.hdf5) refuse("shape of HDF5 chunks");
  if (done.run.sample != fresh.run.sample) refuse("sample");
}

bool is_prepared(const results::Document& document) {
  return !document.space.has_preludes() || !document.prelude_overhead_bytes.empty();
}

bool is_finished(const results::Document& done, const SearchOptions& options) {
  const results::Run& run = done.run;
  // All chunks are done, but the best are not verified yet.
  if (run.complete || run.chunks_done == run.chunks_total) return run.complete;
  const results::ChunkRange part = options.part_of(run.chunks_total);
  return options.part && results::chunks_in(done.chunk_ranges, part) == part.size();
}

}  // namespace fpsynth::search
