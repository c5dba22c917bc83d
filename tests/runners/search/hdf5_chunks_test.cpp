// Searches within HDF5 chunks: what is reported is the sum of what the codec, and so the HDF5
// filter, makes of each chunk with its padding; parts, samples and races are of the same sizes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "results/documents/merge.hpp"
#include "runners/codec/codec.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "runners/search/preludes.hpp"
#include "runners/search/race/race.hpp"
#include "tests/runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::search {
namespace {

using synth::Precision;

/// Rows of decimals that repeat but for some, in chunks of more words than a chunk of a pipeline,
/// the last ones padded with -1.
data::Input in_chunks(Precision precision) {
  const std::vector<std::uint64_t> shape = {90, 50}, chunk = {32, 40};
  const std::size_t word_bytes = synth::word_bytes(precision);
  auto bytes = precision == Precision::Double ? periodic_bytes<double>(90 * 50)
                                              : periodic_bytes<float>(90 * 50);
  bytes.resize(90 * 50 * word_bytes);
  const char* const fill = precision == Precision::Double ? "bff0000000000000" : "bf800000";
  return data::in_hdf5_chunks(input_of(bytes, precision), {shape, chunk, fill});
}

/// The bytes of the files that the filter makes of the HDF5 chunks, all of which it restores.
std::uint64_t filtered_bytes(const data::Input& input, const synth::Method& method) {
  const std::size_t chunk_bytes = 32 * 40 * synth::word_bytes(input.native());
  EXPECT_EQ(input.bytes().size(), 6 * chunk_bytes);
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < input.bytes().size(); at += chunk_bytes) {
    const auto chunk = input.bytes().subspan(at, chunk_bytes);
    const auto file =
        codec::compress(chunk, method, synth::word_bytes(input.native()), {.threads = 1});
    EXPECT_TRUE(std::ranges::equal(codec::decompress(file), chunk));
    bytes += file.size();
  }
  return bytes;
}

constexpr std::string_view kNamedPreludes = "LAGs:40, DICT, DEC:2 LAGs:1, LAGx:1280";

TEST(Hdf5Search, EveryMethodHasTheSizeOfTheFiltersFiles) {
  for (const Precision precision : {Precision::Double, Precision::Single}) {
    const data::Input input = in_chunks(precision);
    const results::Document document =
        search_with_preludes(input, small_plan(), named(kNamedPreludes), {});
    results::validate(document);
    EXPECT_TRUE(document.run.complete);
    EXPECT_EQ(document.run.failures, 0u);
    EXPECT_EQ(document.run.chunks_total, 12u);
    EXPECT_EQ(document.sampled_bytes, 90 * 50 * synth::word_bytes(precision));
    ASSERT_EQ(document.space.preludes.size(), 5u);
    std::uint64_t wrong = 0;
    // Every seventh, whose preludes and pipelines are all there are.
    for (std::uint64_t id = 0; id < document.payload_bytes.size(); id += 7) {
      wrong += filtered_bytes(input, document.space.method_at(id)) != document.compressed_bytes(id);
    }
    EXPECT_EQ(wrong, 0u);
    // A lag of a whole chunk does nothing but cost its header, once for each.
    const std::uint64_t pipelines = document.space.pipelines();
    const auto lag = std::ranges::find(document.space.preludes, synth::parse_prelude("LAGx:1280"));
    const auto at = std::uint64_t(lag - document.space.preludes.begin()) * pipelines;
    EXPECT_EQ(document.payload_bytes[at + 5], document.payload_bytes[5]);
    EXPECT_EQ(document.overhead_of(at), document.overhead_of(0) + 6 * (24 + 17));
    // Without preludes, the same sizes.
    const results::Document alone = search(input, small_plan(), {});
    EXPECT_TRUE(std::ranges::equal(alone.payload_bytes,
                                   std::span(document.payload_bytes).first(pipelines)));
    EXPECT_EQ(alone.overhead_bytes, document.overhead_bytes);
  }
}

TEST(Hdf5Search, VerifiesTheBestWithFiles) {
  const data::Input input = in_chunks(Precision::Double);
  SearchOptions options;
  options.verification = Verification::parse("top=5");
  for (const std::uint64_t sample : {1, 3}) {
    options.sample = sample;
    for (const auto& preludes : {PreludeOptions(), named(kNamedPreludes)}) {
      const results::Document document =
          search_with_preludes(input, small_plan(), preludes, options);
      results::validate(document);
      EXPECT_TRUE(document.run.complete);
      EXPECT_EQ(document.run.failures, 0u);
    }
  }
}

TEST(Hdf5Search, PartsAddUpAndInterruptedOnesContinue) {
  const data::Input input = in_chunks(Precision::Single);
  const results::Document whole =
      search_with_preludes(input, small_plan(), named(kNamedPreludes), {});
  std::vector<results::Document> parts;
  for (const results::ChunkRange& range : {results::ChunkRange{0, 5}, {5, 6}, {6, 12}}) {
    SearchOptions options;
    options.part = range;
    parts.push_back(search_with_preludes(input, small_plan(), named(kNamedPreludes), options));
  }
  expect_same_findings(results::merge(parts, results::Timing::Parallel), whole);
  expect_same_findings(interrupted(input, named(kNamedPreludes), {}, false, 3).end, whole);

  // A search of other chunks, or of none, is another one.
  const results::Document plain = search(
      input_of({input.bytes().begin(), input.bytes().end()}, Precision::Single), small_plan(), {});
  EXPECT_THROW(search(input, small_plan(), {}, &plain), Error);
  results::Document other = whole;
  other.data.hdf5->fill.clear();
  EXPECT_NE(tests::message_of([&] {
              search_with_preludes(input, small_plan(), named(kNamedPreludes), {}, &other);
            }).find("another shape of HDF5 chunks"),
            std::string::npos);
}

TEST(Hdf5Search, ASampleHasItsShareOfTheHeaders) {
  const data::Input input = in_chunks(Precision::Double);
  const results::Document whole = search(input, small_plan(), {});
  SearchOptions options;
  options.sample = 3;  // chunks 0, 3, 6 and 9, of 1024, 256, 1024 and 256 words
  const results::Document sample = search(input, small_plan(), options);
  EXPECT_EQ(sample.run.chunks_total, 4u);
  EXPECT_EQ(sample.overhead_bytes, (whole.overhead_bytes + 1) / 3);
  EXPECT_LT(sample.sampled_bytes, 8u * (1024 + 256 + 1024 + 256));  // some are padding
  const SampledParts parts(input, 1024, 3);
  std::uint64_t payload = 0;
  for (const Part& part : parts.parts) {
    payload += codec::compress(part, {{}, small_plan().space().at(77)}, 8, {.threads = 1}).size();
  }
  EXPECT_EQ(sample.payload_bytes[77],
            payload - overhead_of(parts.parts, small_plan().space().at(77), 8));
  // A trial takes chunks from all places of HDF5 chunks: of two each, an odd one in so many.
  PreludeOptions preludes = named("LAGs:40");
  preludes.chunks = 6;
  EXPECT_EQ(search_with_preludes(input, small_plan(), preludes, {})
                .prelude_candidates.front()
                .sampled_chunks,
            4u);
}

TEST(Hdf5Search, ARaceOfAllChunksEndsWithTheSameWinner) {
  const data::Input input = in_chunks(Precision::Double);
  const results::Document whole =
      search_with_preludes(input, small_plan(), named(kNamedPreludes), {});
  RaceOptions options;
  options.first_chunks = 4;
  const Raced raced = race(input, small_plan().space(), options, named(kNamedPreludes), {});
  ASSERT_TRUE(raced.complete);
  const synth::Plan plan(raced.space.without_preludes());
  const results::Document document =
      search_survivors(input, plan, raced, named(kNamedPreludes), {});
  results::validate(document);
  EXPECT_EQ(document.text_at(document.ranking.front()), whole.text_at(whole.ranking.front()));
  EXPECT_EQ(document.compressed_bytes(document.ranking.front()),
            whole.compressed_bytes(whole.ranking.front()));
}

}  // namespace
}  // namespace fpsynth::search
