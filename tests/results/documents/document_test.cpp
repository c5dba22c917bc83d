#include "results/documents/document.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "results/documents/document_file.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains, tests::message_of;

const std::vector<std::uint64_t> kRatios = {1, 2, 4, 1, 2, 1};

TEST(Document, FinishDerivesTheRest) {
  Document document = document_with("a", kRatios);
  EXPECT_EQ(document.run.chunks_total, 2u);
  EXPECT_EQ(document.run.chunks_done, 2u);
  EXPECT_TRUE(document.run.complete);
  EXPECT_EQ(document.sampled_bytes, kBytes);
  EXPECT_EQ(document.ranking, (std::vector<std::uint64_t>{2, 1, 4, 0, 3, 5}));
  EXPECT_DOUBLE_EQ(document.run.pipeline_bytes_per_second, 6 * 16384 / 0.5);
  EXPECT_DOUBLE_EQ(document.ratio(2), 4);
  validate(document);

  document.failed = {4, 2, 4};
  document.run.failures = 3;
  document.chunk_ranges = {{1, 2}};
  finish(document);
  EXPECT_EQ(document.failed, (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(document.ranking, (std::vector<std::uint64_t>{1, 0, 3, 5}));
  EXPECT_FALSE(document.run.complete);
  EXPECT_EQ(document.sampled_bytes, kBytes / 2);
  validate(document);
}

TEST(Document, CoveredBytesIncludeTheShortLastChunkAndTheTail) {
  DataSet data;
  data.values = 2 * 1024 + 10;
  data.tail_bytes = 3;
  data.bytes = data.values * 8 + 3;
  EXPECT_EQ(chunks_of(data.values, 1), 3u);
  EXPECT_EQ(chunks_of(data.values, 2), 2u);
  EXPECT_EQ(covered_bytes(data, {{0, 3}}), data.bytes);
  EXPECT_EQ(covered_bytes(data, {{0, 1}}), 8192u);
  EXPECT_EQ(covered_bytes(data, {{0, 1}, {2, 3}}), 8192u + 80 + 3);
  EXPECT_EQ(covered_bytes(data, {}), 0u);
  DataSet only_tail;
  only_tail.bytes = only_tail.tail_bytes = 3;
  EXPECT_EQ(chunks_of(only_tail.values, 1), 0u);
  EXPECT_EQ(covered_bytes(only_tail, {}), 3u);
}

TEST(Document, RoundTrip) {
  const tests::TemporaryFolder directory;
  for (const auto precision : {synth::Precision::Double, synth::Precision::Single}) {
    Document document = document_with("a", kRatios, precision);
    document.data.source = "a \"quoted\" path\\with ä\n";
    document.failed = {1};
    document.run.failures = 7;
    document.run.verification = "top=12";
    document.run.seconds = 0.1;
    document.payload_bytes[0] = (1ull << 60) + 1;
    finish(document);
    const auto path = document_path(directory.path(), "a", precision);
    write_document(path, document);
    EXPECT_EQ(read_document(path), document);
  }
  EXPECT_TRUE(std::filesystem::exists(directory / "a.double.json"));
  EXPECT_TRUE(std::filesystem::exists(directory / "a.single.json"));
}

TEST(Document, RoundTripOfSampledPartialAndEmpty) {
  const tests::TemporaryFolder directory;
  Document sampled = document_with("a", kRatios);
  sampled.run.sample = 2;
  sampled.chunk_ranges = {{0, 1}};
  sampled.sampled_bytes = 8192;
  finish(sampled);
  EXPECT_TRUE(sampled.run.complete);
  EXPECT_TRUE(sampled.sampled());
  write_document(directory / "sampled.json", sampled);
  EXPECT_EQ(read_document(directory / "sampled.json"), sampled);

  Document nothing_done = document_with("a", kRatios);
  nothing_done.chunk_ranges.clear();
  finish(nothing_done);
  write_document(directory / "nothing.json", nothing_done);
  EXPECT_EQ(read_document(directory / "nothing.json"), nothing_done);

  Document empty = document_with("a", kRatios);
  empty.data.bytes = empty.data.values = 0;
  empty.chunk_ranges.clear();
  finish(empty);
  EXPECT_TRUE(empty.run.complete);
  write_document(directory / "empty.json", empty);
  EXPECT_EQ(read_document(directory / "empty.json"), empty);
}

TEST(Document, ListsItsTopAndComponentsByName) {
  const tests::TemporaryFolder directory;
  write_document(directory / "a.json", document_with("a", kRatios));
  const auto json = nlohmann::json::parse(tests::read_bytes(directory / "a.json"));
  EXPECT_EQ(json["schema"], "fpsynth-results");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["space"]["components"], (std::vector<std::string>{"NUL", "BIT", "LNV1s"}));
  EXPECT_EQ(json["top"].size(), 6u);
  EXPECT_EQ(json["top"][0]["rank"], 1);
  EXPECT_EQ(json["top"][0]["id"], 2);
  EXPECT_EQ(json["top"][0]["pipeline"], "LNV1s | ZE");
  EXPECT_EQ(json["top"][0]["payload_bytes"], 4096 - 24);
  EXPECT_EQ(json["top"][0]["compressed_bytes"], 4096);
  EXPECT_EQ(json["top"][0]["ratio"], 4.0);
}

TEST(Document, PaperSpaceRoundTrip) {
  const tests::TemporaryFolder directory;
  Document document = document_with("a", kRatios);
  document.space = synth::Space::paper();
  document.payload_bytes.clear();
  for (std::uint64_t id = 0; id < document.space.size(); ++id) {
    document.payload_bytes.push_back(1000 + id * 2654435761u % 100003);
  }
  finish(document);
  ASSERT_EQ(document.ranking.size(), 138240u);
  write_document(directory / "a.json", document);
  EXPECT_EQ(read_document(directory / "a.json"), document);
  EXPECT_EQ(nlohmann::json::parse(tests::read_bytes(directory / "a.json"))["top"].size(), 100u);
}

// The schema is for other programs. It must describe exactly what is written.
void expect_described(const nlohmann::json& schema, const nlohmann::json& value,
                      const std::string& where) {
  if (schema.value("type", "") != "object") return;
  std::set<std::string> written, required, described;
  for (const auto& item : value.items()) written.insert(item.key());
  for (const auto& name : schema["required"]) required.insert(name.get<std::string>());
  for (const auto& item : schema["properties"].items()) described.insert(item.key());
  if (described.contains("chunk_ranges")) {
    // A document has its sizes, or names the file that has them (sizes_test.cpp).
    const std::string other = written.contains("sizes") ? "payload_bytes" : "sizes";
    ASSERT_EQ(described.erase(other), 1u);
    if (other == "payload_bytes") {
      ASSERT_EQ(described.erase("ranking"), 1u);
      required.insert("sizes");
    } else {
      required.insert({"ranking", "payload_bytes"});
    }
  }
  EXPECT_EQ(written, described) << where;
  // Documents from before a field existed can still be read.
  // The other fields say how raw files were read, if not simply whole.
  if (described.contains("xxh3")) {
    required.insert({"file", "type", "endian", "offset", "count", "hdf5"});
  }
  // Zeros as a fill value are not written.
  if (described.contains("fill")) required.insert("fill");
  // Only searches that count have this field.
  if (described.contains("edges_verified")) required.insert("merged_states");
  // Only spaces of longer chunks, and survivors of races, have these.
  if (described.contains("cuts")) required.insert({"chunk_words", "pipelines"});
  // Only searches with preludes have these.
  if (described.contains("cuts")) required.insert("preludes");
  if (described.contains("chunk_ranges")) {
    required.insert({"prelude_overhead_bytes", "prelude_candidates", "race"});
  }
  EXPECT_EQ(written, required) << where;
  for (const auto& item : value.items()) {
    expect_described(schema["properties"][item.key()], item.value(), item.key());
  }
}

TEST(Document, SchemaNamesExactlyTheFieldsWritten) {
  const tests::TemporaryFolder directory;
  Document document = document_with_preludes();
  document.data.file = "/where/a/is";
  document.data.type = "int64";
  document.data.big_endian = true;
  document.data.offset = 512;
  document.data.count = 1000;
  document.data.hdf5 = {{32, 64}, {32, 64}, "3ff0000000000000"};
  document.run.merged_states = 4;
  document.space.chunk_words = 2048;
  document.space.only = {0, 1, 2, 3, 4, 5};
  document.race = small_race();
  document.race->pipelines = document.race->distinct = 18;
  document.race->rounds = {{1, 12, 6, 12}};
  document.chunk_ranges = {{0, 1}};
  finish(document);
  write_document(directory / "a.json", document);
  EXPECT_EQ(read_document(directory / "a.json"), document);
  const auto json = nlohmann::json::parse(tests::read_bytes(directory / "a.json"));
  const auto schema = nlohmann::json::parse(tests::read_bytes(
      std::filesystem::path(FPSYNTH_SOURCE_DIR) / "results/document.schema.json"));
  EXPECT_EQ(schema["properties"]["schema"]["const"], kDocumentSchema);
  EXPECT_EQ(schema["properties"]["version"]["enum"], (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(json["version"], kDocumentVersion);
  expect_described(schema, json, "top level");
  expect_described(schema["properties"]["top"]["items"], json["top"][0], "top");
  expect_described(schema["properties"]["prelude_candidates"]["items"],
                   json["prelude_candidates"][0], "prelude_candidates");
  expect_described(schema["properties"]["race"]["properties"]["rounds"]["items"],
                   json["race"]["rounds"][0], "rounds");
}

TEST(Document, ChunksOfOtherLengths) {
  const tests::TemporaryFolder directory;
  Document document = document_with("a", kRatios);
  write_document(directory / "usual.json", document);
  EXPECT_FALSE(contains(tests::read_bytes(directory / "usual.json"), "chunk_words"));

  document.space.chunk_words = 4096;  // two chunks of singles were four
  document.data.precision = synth::Precision::Single;
  document.data.values = kBytes / 4;
  document.data.tail_bytes = 3;
  document.data.bytes = kBytes + 3;
  document.chunk_ranges = {{0, 1}};
  finish(document);
  EXPECT_TRUE(document.run.complete);
  EXPECT_EQ(document.sampled_bytes, kBytes + 3);
  write_document(directory / "a.json", document);
  EXPECT_EQ(read_document(directory / "a.json"), document);

  // Validated with the length of its chunks.
  document.space.chunk_words = 1024;
  EXPECT_TRUE(contains(message_of([&] { write_document(directory / "b.json", document); }),
                       "run.chunks_total"));
  document.space.chunk_words = 1000;
  EXPECT_TRUE(contains(message_of([&] { write_document(directory / "b.json", document); }),
                       "chunks of 1000 words; give 1024, 2048, 4096"));
}

TEST(Document, NamesThatCannotBeFiles) {
  EXPECT_EQ(document_path("dir", "num_plasma", synth::Precision::Single),
            std::filesystem::path("dir/num_plasma.single.json"));
  for (const std::string name : {"", "../a", "a/b", ".a", "a\nb", "a\\b"}) {
    EXPECT_THROW(document_path("dir", name, synth::Precision::Double), UsageError) << name;
  }
}

TEST(Document, Verification) {
  for (const char* good : {"all", "none", "top=1", "top=100"}) EXPECT_TRUE(is_verification(good));
  for (const char* bad : {"", "top", "top=", "top=0", "top=-1", "top=5x", "top= 5", "ALL"}) {
    EXPECT_FALSE(is_verification(bad)) << bad;
  }
}

}  // namespace
}  // namespace fpsynth::results
