#include "runners/search/checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/data/description.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::search {

void refuse_no_words(const data::Input& input) {
  const data::View view = input.view();
  if (view.words > 0) return;
  throw Error(fmt::format("{}: {} of data hold no whole word of {} bytes; nothing to search",
                          input.name(), counted(view.bytes.size(), "byte"),
                          synth::word_bytes(input.native())));
}

void refuse_changed(const data::Input& input, const results::DataSet& searched) {
  input.check_unchanged();
  if (data::description_of(input).xxh3 == searched.xxh3) return;
  throw Error(
      fmt::format("{} changed while it was searched; let nothing write to it, and search again",
                  input.path().empty() ? input.name() : input.path().string()));
}

void refuse_other_data(const std::string& document, std::span<const Peers::Bytes> given) {
  const auto xxh3_of = [&](std::size_t rank) {
    return from_cbor(given[rank]).at("xxh3").get<std::string>();
  };
  for (std::size_t rank = 1; rank < given.size(); ++rank) {
    if (xxh3_of(rank) == xxh3_of(0)) continue;
    throw Error(
        fmt::format("{}: the data of rank {} are not the same as those of rank 0; copy the file "
                    "again, or use a "
                    "folder that the nodes share",
                    document, rank));
  }
}

void check_resumable(const results::Document& done, const results::Document& fresh) {
  auto refuse = [&](std::string_view what) {
    throw Error(fmt::format("{}: the earlier result has another {}; search into another directory",
                            fresh.data.name, what));
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

device::DeviceError with_rest_saved(const device::DeviceError& error, std::uint64_t chunks_done,
                                    std::uint64_t chunks_total) {
  return device::DeviceError(
      fmt::format("{}; the results of {} of {} are saved, continue with --resume", error.what(),
                  chunks_done, counted(chunks_total, "chunk")));
}

bool decodes(std::span<const Part> parts, const synth::Method& method, std::size_t word_bytes,
             std::size_t chunk_words, std::uint64_t file_bytes, const SearchOptions& options) {
  try {
    std::atomic<bool> same = true;
    const std::uint64_t written = sum_over(
        parts, options, [&](Part part, std::size_t, codec::CodecOptions codec) -> std::uint64_t {
          codec.chunk_words = chunk_words;
          codec.limit = part.size();
          const std::vector<std::byte> file = codec::compress(part, method, word_bytes, codec);
          codec::ComparingSink sink(part);
          codec::decompress(file, "the compressed data", sink, codec);
          if (!sink.same()) same = false;
          return file.size();
        });
    return written == file_bytes && same;
  } catch (const Error&) {
    // If the codec refuses its own output, that proves a failure as well as a difference does.
    return false;
  }
}

void verify_top(results::Document& document, const SearchOptions& options,
                const std::function<bool(std::uint64_t id)>& good) {
  const std::uint64_t count =
      std::min<std::uint64_t>(options.verification.top, document.ranking.size());
  const std::vector<std::uint64_t> best(document.ranking.begin(),
                                        document.ranking.begin() + std::ptrdiff_t(count));
  std::vector<std::uint64_t> failed;
  for (const std::uint64_t id : best) {
    if (options.stopped()) {
      document.run.complete = false;  // all chunks are done, but verification must start again
      return;
    }
    if (!good(id)) failed.push_back(id);
  }
  document.failed.insert(document.failed.end(), failed.begin(), failed.end());
  document.run.failures += failed.size();
  results::finish(document);
}

}  // namespace fpsynth::search
