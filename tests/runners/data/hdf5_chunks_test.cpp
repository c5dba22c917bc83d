// Arrays in HDF5 chunks: each word stands where HDF5 puts it, and what HDF5 cannot do is refused.

#include "runners/data/hdf5_chunks.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "runners/data/description.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

using Extents = std::vector<std::uint64_t>;
using tests::contains;
using tests::message_of;

/// An array of singles: 100, 101, ...
Input counting(const Extents& shape, std::size_t tail = 0) {
  std::vector<float> values(results::product_of(shape));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(100 + i);
  std::vector<std::byte> bytes(values.size() * sizeof(float) + tail);
  std::memcpy(bytes.data(), values.data(), bytes.size() - tail);
  return Input("count", std::move(bytes), Precision::Single).shaped(shape);
}

std::vector<float> floats_of(const Input& input) {
  std::vector<float> values(input.view().words);
  std::memcpy(values.data(), input.bytes().data(), 4 * values.size());
  return values;
}

TEST(InHdf5Chunks, PutsEachWordWhereHdf5Does) {
  const Input input = counting({3, 5});
  results::Hdf5Chunks chunks = hdf5_chunks_of(input, {3, 5}, {2, 3});
  EXPECT_EQ(chunks.fill, "");
  chunks.fill = "bf800000";  // -1
  const Input laid = in_hdf5_chunks(input, chunks);
  EXPECT_EQ(floats_of(laid), (std::vector<float>{100, 101, 102, 105, 106, 107,  //
                                                 103, 104, -1,  108, 109, -1,   //
                                                 110, 111, 112, -1,  -1,  -1,   //
                                                 113, 114, -1,  -1,  -1,  -1}));
  EXPECT_EQ(laid.shape(), (Extents{4, 2, 3}));
  EXPECT_EQ(laid.cutting(4).chunks(), 8u);
  // The data set is the array in its own order.
  results::DataSet described = description_of(laid);
  EXPECT_EQ(described.hdf5, chunks);
  described.hdf5.reset();
  EXPECT_EQ(described, description_of(input));
  EXPECT_EQ(description_of(laid.with_words(std::vector<std::byte>(96))).hdf5, chunks);
}

TEST(InHdf5Chunks, PutsWordsOfThreeExtentsLikewise) {
  const Extents shape = {3, 4, 7}, chunk = {2, 3, 2};
  const Input input = counting(shape);
  const std::vector<float> laid = floats_of(in_hdf5_chunks(input, {shape, chunk, {}}));
  std::size_t word = 0;
  for (std::uint64_t a = 0; a < 4; a += 2) {
    for (std::uint64_t b = 0; b < 6; b += 3) {
      for (std::uint64_t c = 0; c < 8; c += 2) {
        for (std::uint64_t i = 0; i < 12; ++i, ++word) {
          const std::uint64_t x = a + i / 6, y = b + i / 2 % 3, z = c + i % 2;
          const bool inside = x < 3 && y < 4 && z < 7;
          EXPECT_EQ(laid[word], inside ? float(100 + (x * 4 + y) * 7 + z) : 0) << word;
        }
      }
    }
  }
  EXPECT_EQ(word, laid.size());
}

TEST(InHdf5Chunks, RefuseWhatHdf5CannotHave) {
  const auto refused = [](const Input& input, const Extents& shape, const Extents& extents) {
    return message_of([&] { hdf5_chunks_of(input, shape, extents); });
  };
  EXPECT_TRUE(contains(refused(counting({6}), {}, {2}), "its shape is not known"));
  EXPECT_TRUE(
      contains(refused(counting({6}), {7}, {2}), "the shape 7 is not that of its 6 values"));
  EXPECT_TRUE(contains(refused(counting({6}, 3), {6}, {2}), "6 values and 3 bytes"));
  EXPECT_TRUE(contains(refused(counting({6}), {6}, {}), "in no HDF5 chunks; give their extents"));
  EXPECT_TRUE(contains(refused(counting({6}), {6}, {2, 1}), "it has 2 extents, the values have 1"));
  EXPECT_TRUE(contains(refused(counting({6}), {6}, {7}), "no chunk longer than the array"));
}

TEST(Extents, AreParsed) {
  EXPECT_EQ(parse_extents("--shape", "100x200"), (Extents{100, 200}));
  EXPECT_EQ(parse_extents("--shape", "7"), (Extents{7}));
  for (const char* bad : {"", "x", "3x", "x3", "3x0", "-1", "3,4", "3X4", " 3",
                          "99999999999999999999", "4294967296x4294967296"}) {
    EXPECT_THROW(parse_extents("--shape", bad), UsageError) << bad;
  }
}

TEST(Reading, GivesRawWordsAShape) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a.f32", std::string(24, '\1'));
  EXPECT_EQ(open_input(folder / "a.f32", Reading{.shape = {2, 3}}).shape(), (Extents{2, 3}));
  EXPECT_TRUE(contains(message_of([&] {
                         open_input(folder / "a.f32", Reading{.shape = {2, 4}});
                       }),
                       "--shape 2x4: it holds 6 values"));
}

}  // namespace
}  // namespace fpsynth::data
