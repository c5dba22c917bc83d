// The cut of words into chunks, alone and within HDF5 chunks: counts and places against those that
// are counted one by one.

#include "results/documents/cutting.hpp"

#include <gtest/gtest.h>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains, tests::message_of;

using Extents = std::vector<std::uint64_t>;

/// For each word of the chunks, in their order: true if it is a value of the array.
std::vector<bool> values_of(const Hdf5Chunks& chunks) {
  std::vector<bool> values;
  Extents place(chunks.shape.size()), within(chunks.shape.size());
  const auto next = [](Extents& at, auto end) {
    for (std::size_t i = at.size(); i-- > 0; at[i] = 0) {
      if (++at[i] < end(i)) return true;
    }
    return false;
  };
  do {
    do {
      bool inside = true;
      for (std::size_t i = 0; i < place.size(); ++i) {
        inside = inside && place[i] * chunks.chunk[i] + within[i] < chunks.shape[i];
      }
      values.push_back(inside);
    } while (next(within, [&](std::size_t i) { return chunks.chunk[i]; }));
  } while (next(place, [&](std::size_t i) {
    return (chunks.shape[i] + chunks.chunk[i] - 1) / chunks.chunk[i];
  }));
  return values;
}

TEST(Hdf5Chunks, CountTheValuesInFrontOfEachWord) {
  const std::pair<Extents, Extents> cases[] = {{{7}, {3}},
                                               {{6}, {6}},
                                               {{5, 7}, {2, 3}},
                                               {{4, 6}, {2, 3}},
                                               {{3, 4, 5}, {2, 3, 2}},
                                               {{2, 1, 9}, {5, 1, 4}},
                                               {{1, 1}, {3, 3}}};
  for (const auto& [shape, chunk] : cases) {
    const Hdf5Chunks chunks{shape, chunk, {}};
    SCOPED_TRACE(chunks.text());
    const std::vector<bool> values = values_of(chunks);
    ASSERT_EQ(values.size(), chunks.count() * chunks.words());
    std::uint64_t before = 0;
    for (std::uint64_t word = 0; word < values.size(); ++word) {
      EXPECT_EQ(chunks.values_in(word / chunks.words(), word % chunks.words()), before) << word;
      before += values[word];
    }
    EXPECT_EQ(before, product_of(shape));
    EXPECT_EQ(chunks.values_in(chunks.count(), 0), before);
  }
}

TEST(Cutting, CutsEachPartByItself) {
  const Cutting cutting{3, 10, 4};
  EXPECT_EQ(cutting.chunks(), 9u);
  EXPECT_EQ(cutting.chunks(4), 3u);
  std::uint64_t end = 0;
  for (std::uint64_t index = 0; index < cutting.chunks(); ++index) {
    const auto [begin, words] = cutting.at(index);
    EXPECT_EQ(begin, end);
    EXPECT_EQ(words, index % 3 == 2 ? 2u : 4u);
    end = begin + words;
  }
  EXPECT_EQ(end, cutting.words());
  EXPECT_EQ(cutting.words_in(1), 30u);
  EXPECT_EQ(cutting.words_in(4), 4u + 4u + 2u);
  EXPECT_EQ(cutting.share_of(300, 4), 100u);
  EXPECT_TRUE(cutting.takes_all_places(4));
  EXPECT_FALSE(cutting.takes_all_places(6));
  EXPECT_TRUE((Cutting{1, 3000, 4}.takes_all_places(6)));
}

TEST(Extents, HaveAProductThatCanBeCounted) {
  EXPECT_EQ(product_of({}), 1u);
  EXPECT_EQ(product_of({3, 0, ~std::uint64_t{0}}), 0u);
  EXPECT_THROW(product_of({1u << 31, 1u << 31}), Error);
}

/// A document on an array of 100x90 doubles in chunks of 40x60, whose last ones are mostly padding.
Document in_chunks() {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  document.data.values = 100 * 90;
  document.data.bytes = 8 * document.data.values;
  document.data.hdf5 = {{100, 90}, {40, 60}, "3ff0000000000000"};
  document.chunk_ranges = {{0, 18}};
  finish(document);
  return document;
}

TEST(Hdf5Document, CountsTheArraysValuesAlone) {
  Document document = in_chunks();
  EXPECT_EQ(document.run.chunks_total, 6u * 3u);
  EXPECT_TRUE(document.run.complete);
  EXPECT_EQ(document.sampled_bytes, document.data.bytes);
  validate(document);
  const tests::TemporaryFolder folder;
  write_document(folder / "a.double.json", document);
  EXPECT_EQ(read_document(folder / "a.double.json"), document);

  // Every division into two parts has the values of the whole.
  for (std::uint64_t cut = 1; cut < 18; ++cut) {
    Document parts[] = {document, document};
    parts[0].chunk_ranges = {{0, cut}};
    parts[1].chunk_ranges = {{cut, 18}};
    for (Document& part : parts) finish(part);
    EXPECT_EQ(parts[0].sampled_bytes + parts[1].sampled_bytes, document.data.bytes);
    EXPECT_EQ(merge(parts, Timing::Parallel).sampled_bytes, document.data.bytes);
  }
}

TEST(Hdf5Document, RefusesContradictions) {
  const auto refused = [](auto change) {
    Document document = in_chunks();
    change(*document.data.hdf5);
    return message_of([&] { validate(document); });
  };
  EXPECT_TRUE(
      contains(refused([](Hdf5Chunks& chunks) { chunks.chunk = {40}; }), "dataset.hdf5.chunk"));
  EXPECT_TRUE(
      contains(refused([](Hdf5Chunks& chunks) { chunks.chunk[1] = 0; }), "dataset.hdf5.shape"));
  EXPECT_TRUE(
      contains(refused([](Hdf5Chunks& chunks) { chunks.shape[0] = 101; }), "dataset.hdf5.shape"));
  EXPECT_TRUE(
      contains(refused([](Hdf5Chunks& chunks) { chunks.fill = "3F800000"; }), "dataset.hdf5.fill"));
  EXPECT_TRUE(contains(refused([](Hdf5Chunks& chunks) {
                         chunks.chunk = {50, 90};
                       }),
                       "run.chunks_total"));
  Document other = in_chunks();
  other.data.hdf5->fill.clear();
  const Document parts[] = {in_chunks(), other};
  EXPECT_TRUE(contains(message_of([&] { merge(parts, Timing::Parallel); }), "HDF5 chunks"));
}

}  // namespace
}  // namespace fpsynth::results
