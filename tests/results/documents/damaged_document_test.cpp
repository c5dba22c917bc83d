// Whatever a file contains: an Error that names the file and the field, never a crash.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "tests/results/damaged_json.hpp"
#include "tests/results/support.hpp"

namespace fpsynth::results {
namespace {

using tests::contains, tests::message_of;

Document intact() {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  document.failed = {5};
  document.run.failures = 1;
  finish(document);
  return document;
}

class DamagedDocument : public DamagedJson {
 protected:
  DamagedDocument()
      : DamagedJson(
            "a.double.json", [](const auto& path) { write_document(path, intact()); },
            [](const auto& path) { read_document(path); }) {}
};

TEST_F(DamagedDocument, IsReadWhenIntact) { EXPECT_EQ(message(text_), "no error"); }

TEST_F(DamagedDocument, Missing) {
  const std::string found = message_of([&] { read_document(directory_ / "none.json"); });
  EXPECT_TRUE(contains(found, "none.json"));
  EXPECT_TRUE(contains(found, "No such file"));
  EXPECT_TRUE(contains(message_of([&] { read_document(directory_.path()); }), "Is a directory"));
}

TEST_F(DamagedDocument, HalfWrittenAtAnyPlace) {
  EXPECT_TRUE(contains(message(""), "is empty"));
  const std::size_t end = text_.find_last_of('}');
  for (std::size_t size = 1; size <= end; ++size) {
    const std::string found = message(text_.substr(0, size));
    ASSERT_TRUE(contains(found, "a.double.json is ")) << size;
    ASSERT_TRUE(contains(found, "JSON")) << size;
  }
  EXPECT_TRUE(contains(message(text_.substr(0, end)), "half-written"));
}

TEST_F(DamagedDocument, AnyByteReplaced) {
  // The text is either still consistent, or reading it throws an Error; nothing else may happen.
  for (std::size_t i = 0; i < text_.size(); ++i) {
    for (const char c : {'9', '"', '\xff'}) {
      std::string text = text_;
      text[i] = c;
      message(text);
    }
  }
}

TEST_F(DamagedDocument, NotADocument) {
  EXPECT_TRUE(contains(message("[]"), "field (top level): expected an object"));
  EXPECT_TRUE(contains(message("{}"), "field schema is missing"));
  EXPECT_TRUE(contains(message("{\"schema\": \"x\", \"version\": 1}"), "'x'"));
  EXPECT_TRUE(contains(message("{\"a\": 1e999}"), "out of range"));
}

TEST_F(DamagedDocument, NewerVersion) {
  const std::string found = after("/version", kDocumentVersion + 1);
  EXPECT_TRUE(contains(found, "newer fpsynth"));
  EXPECT_TRUE(contains(found, "upgrade"));
  EXPECT_TRUE(contains(after("/version", 0), "field version"));
}

TEST_F(DamagedDocument, WrongTypes) {
  EXPECT_TRUE(contains(after("/run/threads", "two"),
                       "field run.threads: expected a whole number from 0, found \"two\""));
  EXPECT_TRUE(contains(after("/run/threads", 1.5), "found 1.5"));
  EXPECT_TRUE(contains(after("/run/complete", 1), "field run.complete: expected true or false"));
  EXPECT_TRUE(contains(after("/run/seconds", nullptr), "field run.seconds: expected a number"));
  EXPECT_TRUE(contains(after("/dataset/name", 5), "field dataset.name: expected a string"));
  EXPECT_TRUE(contains(after("/dataset", 5), "field dataset: expected an object"));
  EXPECT_TRUE(contains(after("/payload_bytes/3", -1), "field payload_bytes[3]"));
  EXPECT_TRUE(contains(after("/ranking", "x"), "field ranking: expected an array"));
  EXPECT_TRUE(contains(after("/chunk_ranges/0", {1}), "field chunk_ranges[0]"));
}

TEST_F(DamagedDocument, MissingFields) {
  const nlohmann::json json = nlohmann::json::parse(text_);
  for (const auto& [key, value] : json.items()) {
    if (key == "top") continue;  // for readers of the text
    nlohmann::json copy = json;
    copy.erase(key);
    EXPECT_TRUE(contains(message(copy.dump()), "field " + key + " is missing"));
    if (!value.is_object()) continue;
    for (const auto& member : value.items()) {
      copy = json;
      copy[key].erase(member.key());
      EXPECT_TRUE(
          contains(message(copy.dump()), "field " + key + "." + member.key() + " is missing"));
    }
  }
}

TEST_F(DamagedDocument, ContradictsItself) {
  EXPECT_TRUE(contains(after("/payload_bytes", {1, 2, 3}), "field payload_bytes: 3 numbers"));
  EXPECT_TRUE(contains(after("/dataset/bytes", 5), "field dataset.bytes"));
  EXPECT_TRUE(contains(after("/dataset/values", UINT64_MAX), "field dataset.bytes"));
  EXPECT_TRUE(contains(after("/dataset/tail_bytes", 8), "field dataset.tail_bytes"));
  EXPECT_TRUE(contains(after("/dataset/xxh3", "xyz"), "field dataset.xxh3"));
  EXPECT_TRUE(contains(after("/dataset/precision", "quarter"), "field dataset.precision"));
  for (const char* type : {"int32", "uint32", "float64", "int16", "i64"}) {
    EXPECT_TRUE(contains(after("/dataset/type", type), "field dataset.type")) << type;
  }
  EXPECT_TRUE(contains(after("/dataset/name", "../../a"), "'../../a'"));
  EXPECT_TRUE(contains(after("/run/chunks_total", 9), "field run.chunks_total"));
  EXPECT_TRUE(contains(after("/run/chunks_done", 1), "field run.c"));
  EXPECT_TRUE(contains(after("/run/sample", 0), "field run.sample"));
  EXPECT_TRUE(contains(after("/run/verification", "some"), "field run.verification"));
  EXPECT_TRUE(contains(after("/run/failures", 0), "field run.failures"));
  EXPECT_TRUE(contains(after("/chunk_ranges/0/1", 3), "field chunk_ranges"));
  EXPECT_TRUE(contains(after("/chunk_ranges", nlohmann::json::array()), "field run.chunks_done"));
  EXPECT_TRUE(contains(after("/sampled_bytes", 1), "field sampled_bytes"));
}

TEST_F(DamagedDocument, RankingIsNotThePermutation) {
  EXPECT_TRUE(contains(after("/ranking/0", 1), "field ranking"));
  EXPECT_TRUE(contains(after("/ranking/0", 5), "field ranking: id 5 at rank 1 failed"));
  EXPECT_TRUE(contains(after("/ranking/0", 99), "field ranking: id 99 at rank 1"));
  EXPECT_TRUE(contains(after("/ranking", {2, 1, 4, 3, 0}), "field ranking: id 0 at rank 5"));
  EXPECT_TRUE(contains(after("/ranking", {2, 1}), "field ranking: 2 ids"));
  EXPECT_TRUE(contains(after("/failed", {5, 5}), "field failed"));
  EXPECT_TRUE(contains(after("/failed", {6}), "field failed"));
}

TEST_F(DamagedDocument, UnknownSpace) {
  const std::string found = after("/space/components/1", "FOO");
  EXPECT_TRUE(contains(found, "field space.components[1]"));
  EXPECT_TRUE(contains(found, "'FOO'"));
  EXPECT_TRUE(contains(after("/space/stages", 9), "field space.stages"));
  EXPECT_TRUE(contains(after("/space/cuts", {1, 5}), "field space"));
}

TEST_F(DamagedDocument, IsNotWrittenEither) {
  Document document = document_with("a", {1, 2, 4, 1, 2, 1});
  document.payload_bytes.pop_back();
  const std::string found = message_of([&] { write_document(directory_ / "b.json", document); });
  EXPECT_TRUE(contains(found, "b.json"));
  EXPECT_TRUE(contains(found, "field payload_bytes"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "b.json"));
}

}  // namespace
}  // namespace fpsynth::results
