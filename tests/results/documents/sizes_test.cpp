// Documents whose sizes are in a file beside them.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "results/documents/document_file.hpp"
#include "results/documents/merge.hpp"
#include "results/documents/runs.hpp"
#include "results/queries/queries.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

/// 18 of the paper's components in five stages: 1,259,712 pipelines.
synth::Space five_stages() {
  synth::Space space = synth::Space::paper();
  space.components.resize(18);
  space.cuts.push_back(5);
  space.stages = 5;
  return space;
}

/// Its sizes differ by chunk and pipeline.
Document large_document(std::vector<ChunkRange> ranges) {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  document.space = five_stages();
  document.payload_bytes.assign(document.space.size(), 0);
  for (std::uint64_t id = 0; id < document.payload_bytes.size(); ++id) {
    for (const ChunkRange& range : ranges) {
      for (std::uint64_t chunk = range.begin; chunk < range.end; ++chunk) {
        document.payload_bytes[id] += 1000 + (id + chunk) * 2654435761u % 7001;
      }
    }
  }
  document.chunk_ranges = std::move(ranges);
  finish(document);
  return document;
}

/// Of all chunks. Made once, because ranking so many pipelines takes a second under sanitizers.
const Document& large_document() {
  static const Document document = large_document({{0, 2}});
  return document;
}

/// Of the first chunk, made once as well.
const Document& first_chunk() {
  static const Document document = large_document({{0, 1}});
  return document;
}

class SizesBeside : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "a.double.json"; }

  /// The files of sizes in the folder.
  std::vector<std::filesystem::path> sizes() const {
    return files_ending(folder_.path(), {".sizes"});
  }

  /// Writes a document, and reads the text and the sizes as they are damaged below.
  void write() {
    write_document(path(), large_document());
    ASSERT_EQ(sizes().size(), 1u);
    file_ = sizes().front();
    bytes_ = tests::read_bytes(file_);
  }

  /// The message of reading the document with these sizes; it names both files.
  std::string with_sizes(const std::string& bytes) {
    tests::write_bytes(file_, bytes);
    const std::string found = message_of([&] { read_document(path()); });
    EXPECT_TRUE(contains(found, file_.string()));
    EXPECT_TRUE(contains(found, path().string()));
    return found;
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path file_;
  std::string bytes_;
};

TEST_F(SizesBeside, RoundTripOfFiveStages) {
  const Document& document = large_document();
  write_document(path(), document);
  EXPECT_EQ(read_document(path()), document);
  EXPECT_LT(std::filesystem::file_size(path()), 20'000u);
  const auto json = nlohmann::json::parse(tests::read_bytes(path()));
  EXPECT_EQ(json["version"], 2);
  EXPECT_FALSE(json.contains("payload_bytes"));
  EXPECT_FALSE(json.contains("ranking"));
  EXPECT_EQ(json["top"].size(), 100u);
  ASSERT_EQ(sizes().size(), 1u);
  EXPECT_EQ(sizes().front().filename(), json["sizes"]["file"].get<std::string>());
}

TEST_F(SizesBeside, SentDocumentsHaveEverything) {
  const Document& document = large_document();
  EXPECT_EQ(parse_document(document_text(document), "a rank"), document);
  EXPECT_TRUE(sizes().empty());
}

TEST_F(SizesBeside, FormatToTheByte) {
  const std::filesystem::path path = folder_ / "plasma.double.json";
  const SizesFile narrow = write_sizes(path, {1, 0xfedcba98});
  const std::string bytes = tests::read_bytes(folder_ / narrow.name);
  EXPECT_EQ(narrow.bytes, 40u);
  ASSERT_EQ(bytes.size(), 40u);
  EXPECT_EQ(bytes.substr(0, 8), "FPSYSIZE");
  EXPECT_EQ(bytes.substr(16), std::string("\x01\0\0\0"
                                          "\x04\0\0\0"
                                          "\x02\0\0\0\0\0\0\0"
                                          "\x01\0\0\0"
                                          "\x98\xba\xdc\xfe",
                                          24));
  std::string checksum;
  for (int i = 15; i >= 8; --i) {
    checksum +=
        fmt::format("{:02x}", static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]));
  }
  EXPECT_EQ(narrow.xxh3, checksum);
  EXPECT_EQ(narrow.name, "plasma.double." + checksum + ".sizes");

  const std::vector<std::uint64_t> large = {7, 0x0123456789abcdef, 0};
  const SizesFile wide = write_sizes(path, large);
  EXPECT_EQ(wide.bytes, 56u);
  EXPECT_EQ(tests::read_bytes(folder_ / wide.name).substr(20, 12), std::string("\x08\0\0\0"
                                                                               "\x03\0\0\0\0\0\0\0",
                                                                               12));
  EXPECT_EQ(read_sizes(path, wide), large);
  EXPECT_EQ(read_sizes(path, narrow), (std::vector<std::uint64_t>{1, 0xfedcba98}));
}

TEST_F(SizesBeside, OnlyThoseOfTheDocumentStay) {
  tests::write_bytes(folder_ / "b.double.0123456789abcdef.sizes", "of another document");
  tests::write_bytes(folder_ / "a.double.mine.sizes", "not ours");
  write_document(path(), first_chunk());
  const std::vector<std::filesystem::path> first = sizes();
  write_document(path(), large_document());
  const std::vector<std::filesystem::path> second = sizes();
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(second.size(), 3u);
  EXPECT_NE(first, second);
  EXPECT_EQ(read_document(path()), large_document());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "b.double.0123456789abcdef.sizes"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.double.mine.sizes"));
}

TEST_F(SizesBeside, ACrashBetweenTheTwoWritesLeavesTheOlderDocument) {
  const Document& older = first_chunk();
  write_document(path(), older);
  write_sizes(path(), large_document().payload_bytes);  // and then the power fails
  EXPECT_EQ(sizes().size(), 2u);
  EXPECT_EQ(read_document(path()), older);
  write_document(path(), large_document());
  EXPECT_EQ(sizes().size(), 1u);
}

TEST_F(SizesBeside, PartsAreMerged) {
  const std::vector<Document> parts = {large_document({{1, 2}}), first_chunk()};
  write_document(path(), merge(parts, Timing::Sequential));
  Document whole = large_document();
  whole.run.seconds = 1;
  whole.run.edges_verified = 20;
  finish(whole);
  EXPECT_EQ(read_document(path()), whole);
}

TEST_F(SizesBeside, QueriesReadThem) {
  const Document& document = large_document();
  write_document(path(), document);
  const Table top = results::top(load_runs(folder_.path()), 1).front();
  ASSERT_EQ(top.rows.size(), 1u);
  EXPECT_EQ(top.rows[0][3], Cell(document.ranking.front()));
  EXPECT_EQ(top.rows[0][5], Cell(document.ratio(document.ranking.front())));
}

TEST_F(SizesBeside, Missing) {
  write();
  std::filesystem::remove(file_);
  const std::string found = message_of([&] { read_document(path()); });
  EXPECT_TRUE(contains(found, file_.string()));
  EXPECT_TRUE(contains(found, path().string()));
  EXPECT_TRUE(contains(found, "No such file"));
  EXPECT_TRUE(contains(found, "restore it from a copy"));
}

TEST_F(SizesBeside, Damaged) {
  write();
  EXPECT_TRUE(contains(with_sizes(bytes_.substr(0, bytes_.size() - 1)), "bytes, not"));
  EXPECT_TRUE(contains(with_sizes(""), "0 bytes, not"));
  EXPECT_TRUE(contains(with_sizes(bytes_ + "x"), "bytes, not"));
  const auto changed = [&](std::size_t at) {
    std::string bytes = bytes_;
    bytes[at] ^= 1;
    return bytes;
  };
  EXPECT_TRUE(contains(with_sizes(changed(0)), "not a file of sizes"));
  EXPECT_TRUE(contains(with_sizes(changed(8)), "its checksum is"));
  EXPECT_TRUE(contains(with_sizes(changed(20)), "sizes of 5 bytes"));
  EXPECT_TRUE(contains(with_sizes(changed(24)), "are not 1259713 sizes"));
  EXPECT_TRUE(contains(with_sizes(changed(bytes_.size() - 1)), "that of its sizes in the"));
  tests::write_bytes(file_, changed(17));
  EXPECT_TRUE(contains(message_of([&] { read_document(path()); }), "has version 257"));
  tests::write_bytes(file_, bytes_);
  EXPECT_EQ(message_of([&] { read_document(path()); }), "no error");
}

TEST_F(SizesBeside, AnyByteChangedOrMissing) {
  const SizesFile file = write_sizes(path(), {1, 20, 300, 4000});
  const std::filesystem::path of_sizes = folder_ / file.name;
  const std::string good = tests::read_bytes(of_sizes);
  for (std::size_t at = 0; at < good.size(); ++at) {
    tests::write_bytes(of_sizes, good.substr(0, at));
    EXPECT_THROW(read_sizes(path(), file), Error) << at;
    SizesFile shorter = file;  // a document that was shortened along with it
    shorter.bytes = at;
    EXPECT_THROW(read_sizes(path(), shorter), Error) << at;
    for (const int bit : {1, 2, 64, 128}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ bit);
      tests::write_bytes(of_sizes, bytes);
      EXPECT_THROW(read_sizes(path(), file), Error) << at << ", " << bit;
    }
  }
}

TEST_F(SizesBeside, OfAnotherDocument) {
  write();
  nlohmann::json json = nlohmann::json::parse(tests::read_bytes(path()));
  const SizesFile other = write_sizes(path(), {1, 2, 3});
  const auto naming = [&](const SizesFile& file) {
    json["sizes"] = {{"file", file.name}, {"xxh3", file.xxh3}, {"bytes", file.bytes}};
    tests::write_bytes(path(), json.dump());
    return message_of([&] { read_document(path()); });
  };
  EXPECT_TRUE(contains(naming(other), "3 numbers for a space of 1259712"));
  EXPECT_TRUE(contains(naming({"../" + other.name, other.xxh3, other.bytes}), "sizes.file"));
  EXPECT_TRUE(contains(naming({other.name, "0123456789abcdef", other.bytes}), "its checksum is"));
}

TEST_F(SizesBeside, TheSchemaDescribesThem) {
  write();
  const auto json = nlohmann::json::parse(tests::read_bytes(path()));
  const auto schema = nlohmann::json::parse(tests::read_bytes(
      std::filesystem::path(FPSYNTH_SOURCE_DIR) / "results/document.schema.json"));
  std::set<std::string> written, described;
  for (const auto& item : json["sizes"].items()) written.insert(item.key());
  for (const auto& item : schema["properties"]["sizes"]["properties"].items()) {
    described.insert(item.key());
  }
  EXPECT_EQ(written, described);
  for (const auto& item : json.items()) {
    EXPECT_TRUE(schema["properties"].contains(item.key())) << item.key();
  }
}

// Others are as they were: one file, whose first lines no older program refuses.
TEST_F(SizesBeside, SmallerDocumentsHaveNone) {
  const Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  write_document(path(), document);
  EXPECT_EQ(tests::read_bytes(path()), document_text(document));
  EXPECT_TRUE(contains(tests::read_bytes(path()), "\"version\": 1,"));
  EXPECT_TRUE(sizes().empty());
}

}  // namespace
}  // namespace fpsynth::results
