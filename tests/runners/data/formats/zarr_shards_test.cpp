// Shards and checksums of Zarr, copies of metadata, and groups in groups.

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/runners/data/formats/zarr_store.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

/// CRC-32C by its definition, a bit after the other.
std::string with_crc32c(const std::string& bytes) {
  std::uint32_t sum = ~0u;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0x82f6'3b78u : 0);
  }
  return bytes + text_of_values(std::vector<std::uint32_t>{~sum});
}

std::string codecs_of_shards(const std::string& chunk, const std::string& codecs,
                             const std::string& index, const std::string& more = "") {
  return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": )" + chunk +
         R"(, "codecs": )" + codecs + R"(, "index_codecs": )" + index + more + "}}]";
}

const std::string kChecked = codecs_3(R"(, {"name": "crc32c"})");
const std::string kInFront = R"(, "index_location": "start")";

TEST(Zarr, ShardsAtTheEdgeAndChunksThatAreNotInThemMakeTheWholeArray) {
  ASSERT_EQ(with_crc32c("123456789"), "123456789\x83\x92\x06\xe3"s);
  std::vector<double> values = odd_values<double>(15);  // 3 x 5 in shards of 2 x 4, chunks of 1 x 2
  values[8] = values[9] = values[14] = -1.5;
  for (const bool first : {false, true}) {
    for (const bool checked : {false, true}) {
      const Store store;
      const auto write = [&](const std::string& name, std::vector<std::string> chunks) {
        std::uint64_t at = first ? 64 + (checked ? 4 : 0) : 0;
        std::vector<std::uint64_t> index;
        std::string all;
        for (const std::string& chunk : chunks) {
          index.push_back(chunk.empty() ? kNone : at + all.size());
          index.push_back(chunk.empty() ? kNone : chunk.size());
          all += chunk;
        }
        const std::string bytes = text_of_values(index);
        const std::string stored = checked ? with_crc32c(bytes) : bytes;
        store.write(name, first ? stored + all : all + stored);
      };
      store.write("zarr.json",
                  array_3("[3, 5]", "[2, 4]",
                          codecs_of_shards("[1, 2]", kChecked, checked ? kChecked : kBytes,
                                           first ? kInFront : "")));
      const auto chunk = [&](std::size_t a, std::size_t b) {
        return with_crc32c(picked(values, {a, b}));
      };
      write("c/0/0", {chunk(0, 1), chunk(2, 3), chunk(5, 6), chunk(7, 8)});
      write("c/0/1", {chunk(4, 0), "", "", "unused"});
      write("c/1/0", {chunk(10, 11), chunk(12, 13), "", ""});
      EXPECT_EQ(opened(store.path()), text_of_values(values));
      EXPECT_EQ(listed(store.path(), "").storage, "shards of 2x4, chunks of 1x2, crc32c");
    }
  }
}

TEST(Zarr, DamagedShardsAreErrorsAndNoValues) {
  const Store store;
  const std::vector<double> values = odd_values<double>(4);
  store.write("zarr.json",
              array_3("[4]", "[4]", codecs_of_shards("[2]", kBytes, kBytes, kInFront)));
  const auto write = [&](const std::vector<std::uint64_t>& index) {
    store.write("c/0", text_of_values(index) + text_of_values(values));
  };
  write({32, 16, 48, 16});
  EXPECT_EQ(opened(store.path()), text_of_values(values));
  write({48, 16, 48, 16});  // the same for both
  EXPECT_EQ(opened(store.path()), picked(values, {2, 3, 2, 3}));
  for (const auto& [begin, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {49, 16}, {48, 17}, {kNone, 16}, {48, kNone}, {kNone - 7, 16}, {48, 0}, {48, 8}}) {
    write({32, 16, begin, size});
    EXPECT_TRUE(contains_all(error_of(store.path()),
                             {"its chunk ", "c/0: chunk 1 of the shard: it is damaged"}));
  }
  store.write("c/0", text_of_values<double>({1, 2, 3}));
  EXPECT_TRUE(contains_all(error_of(store.path()), {"24 bytes, and the index of 2 chunks"}));
  store.write("zarr.json", array_3("[4]", "[4]", codecs_of_shards("[2]", kBytes, kChecked)));
  const std::string good = text_of_values(values) +
                           with_crc32c(text_of_values(std::vector<std::uint64_t>{0, 16, 16, 16}));
  store.write("c/0", good);
  EXPECT_EQ(opened(store.path()), text_of_values(values));
  for (std::size_t at = 32; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    store.write("c/0", damaged);
    EXPECT_TRUE(contains_all(error_of(store.path()), {"its index: ", "crc32c"})) << at;
  }
  for (const auto& [shards, reason] : std::vector<std::array<std::string, 2>>{
           {codecs_of_shards("[3]", kBytes, kBytes), "chunks of 3 do not divide shards of 4"},
           {codecs_of_shards("[0]", kBytes, kBytes), "chunks of 0 do not divide"},
           {codecs_of_shards("[2, 1]", kBytes, kBytes), "chunks of 2x1 do not divide"},
           {codecs_of_shards("[2]", kBytes, codecs_3(R"(, "gzip")")), "only bytes and crc32c"},
           {codecs_of_shards("[2]", kBytes, kBytes, R"(, "index_location": "x")"), "\"start\""},
           {codecs_of_shards("[2]", kBytes, kBytes, R"(, "mask": 1)"), "configuration.mask"}}) {
    store.write("zarr.json", array_3("[4]", "[4]", shards));
    EXPECT_TRUE(contains_all(error_of(store.path()), {reason})) << shards;
  }
}

TEST(Zarr, CopiesOfMetadataStandInForWhatIsNotThere) {
  const Store store;
  const std::vector<double> values = odd_values<double>(2);
  const std::string array = array_2("[2]", "[2]", kRaw), other = array_2("[1]", "[1]", kRaw);
  store.write(".zmetadata", R"({"zarr_consolidated_format": 1, "metadata": {"a/t/.zarray": )" +
                                array + R"(, "a/t/.zattrs": {"units": "K"}, "u/.zarray": )" +
                                other + R"(, "bad/.zarray": {}, "../x/.zarray": )" + other + "}}");
  store.write("a/t/0", text_of_values(values));
  store.write("u/.zarray", array);  // counts, and not its copy
  store.write("u/0", text_of_values(values));
  const std::string file = store.path();
  for (const bool with_group : {false, true}) {
    if (with_group) store.write(".zgroup", R"({"zarr_format": 2})");
    EXPECT_EQ(opened(file + ":a/t"), text_of_values(values));
    EXPECT_EQ(opened(file + ":u"), text_of_values(values));
    EXPECT_EQ(listed(store.path(), "a/t").attributes.at(0).value, "K");
    EXPECT_EQ(listed(store.path(), "u").shape, (std::vector<std::uint64_t>{2}));
    EXPECT_TRUE(listed(store.path(), "bad").damaged);
    EXPECT_TRUE(contains_all(error_of(file + ":../x"), {"there is no such variable"}));
  }
  std::filesystem::remove_all(store.path() / "a");
  std::filesystem::create_symlink("/nonexistent/a", store.path() / "a");  // no fill values
  EXPECT_TRUE(contains_all(error_of(file + ":a/t"), {"a: it is a symbolic link to"}));
  store.write(".zmetadata", "{");
  EXPECT_EQ(opened(file + ":u"), text_of_values(values));

  const Store third;
  third.write("zarr.json", R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {
      "kind": "inline", "must_understand": false, "metadata": {"t": )" +
                               array_3("[2]", "[2]", kBytes) + "}}}");
  third.write("t/c/0", text_of_values(values));
  EXPECT_EQ(opened(third.path()), text_of_values(values));
  EXPECT_EQ(opened(third.path().string() + ":t"), text_of_values(values));
}

TEST(Zarr, HundredsOfGroupsInEachOtherAreListedAndLoopsOfLinksEnd) {
  const Store store;
  std::string name;
  for (int i = 0; i < 300; ++i) {
    store.write(name + ".zgroup", R"({"zarr_format": 2})");
    name += "g/";
  }
  store.write(name + "t/.zarray", array_2("[2]", "[2]", kRaw));
  store.write(name + "t/0", text_of_values<double>({1, 2}));
  store.write(name + ".zgroup", R"({"zarr_format": 2})");
  std::filesystem::create_symlink("..", store.path() / (name + "up"));
  EXPECT_EQ(opened(store.path()), text_of_values<double>({1, 2}));
  EXPECT_EQ(opened(store.path().string() + ":" + name + "t"), text_of_values<double>({1, 2}));
  EXPECT_TRUE(contains_all(error_of(store.path() / std::string(5000, 'x')), {"too long"}));
}

}  // namespace
}  // namespace fpsynth::data
