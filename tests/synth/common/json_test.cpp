#include "synth/common/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth {
namespace {

using tests::contains;
using tests::message_of;

JsonFile parsed(std::string_view text, JsonAuthor author = JsonAuthor::Person) {
  return JsonFile::parse(text, "x.json", author);
}

/// The error message of reading a value of a JSON text.
template <class Read>
std::string read_error(std::string_view text, Read read) {
  const JsonFile file = parsed(text);
  return message_of([&] { read(file.root()); });
}

TEST(Json, ReadsEveryKindOfValue) {
  const JsonFile file = parsed(R"({"text": "a", "list": [1, 2], "real": -1.5, "flag": true,
                                   "none": null, "precision": "single"})");
  const JsonValue root = file.root();
  EXPECT_EQ(root["text"].text(), "a");
  EXPECT_EQ(root["list"].wholes(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(root["list"].some_items().at(1).whole(1, 2), 2u);
  EXPECT_EQ(root["real"].real(), -1.5);
  EXPECT_TRUE(root["flag"].flag());
  EXPECT_TRUE(root["none"].is_null());
  EXPECT_EQ(root["precision"].precision(), synth::Precision::Single);
  EXPECT_FALSE(root.has("other"));
  EXPECT_EQ(root.members().front().first, "flag");
}

TEST(Json, MessagesNameFileFieldExpectedFoundAndAdvice) {
  const char* text = R"({"a": {"b": [1, -2]}})";
  EXPECT_EQ(read_error(text, [](JsonValue root) { root["a"]["b"].items()[1].whole(); }),
            "x.json: field a.b[1]: expected a whole number from 0, found -2; correct the file");
  EXPECT_EQ(read_error(text, [](JsonValue root) { root["a"]["b"].wholes(); }),
            "x.json: field a.b[1]: expected a whole number from 0, found -2; correct the file");
  EXPECT_EQ(read_error(text, [](JsonValue root) { root["a"]["b"].items()[0].whole(2, 8); }),
            "x.json: field a.b[0]: expected a whole number from 2 to 8, found 1; correct the file");
  EXPECT_EQ(read_error(text, [](JsonValue root) { root["a"]["c"]; }),
            "x.json: field a.c is missing; correct the file");
  EXPECT_EQ(read_error(text,
                       [](JsonValue root) {
                         root["a"].only({"c", "d"});
                       }),
            "x.json: field a.b: unknown key; known keys are c, d");
  EXPECT_EQ(read_error(text, [](JsonValue root) { root.text(); }),
            "x.json: field (top level): expected a string, found object; correct the file");
  const auto wrong = [] { throw UsageError("is wrong; choose another"); };
  EXPECT_EQ(read_error(text, [&](JsonValue root) { root["a"].check(wrong); }),
            "x.json: field a: is wrong; choose another");
  EXPECT_EQ(read_error(text, [&](JsonValue root) { root.check(wrong); }),
            "x.json: is wrong; choose another");
  const JsonFile document = parsed(R"({"a": "b"})", JsonAuthor::Program);
  EXPECT_EQ(message_of([&] { document.root()["a"].real(); }),
            "x.json: field a: expected a number, found \"b\"; create the file again, or restore it "
            "from a copy");
}

TEST(Json, EmptyValuesAreRejectedIfRequired) {
  const char* text = R"({"list": [], "text": ""})";
  EXPECT_TRUE(contains(read_error(text, [](JsonValue root) { root["list"].some_items(); }),
                       "field list: the array is empty"));
  EXPECT_TRUE(contains(read_error(text, [](JsonValue root) { root["text"].some_text(); }),
                       "field text: expected a string that is not empty, found \"\""));
  EXPECT_TRUE(parsed(text).root()["list"].items().empty());
}

TEST(Json, DuplicateKeysAreReported) {
  const auto message = [](std::string_view text) { return message_of([&] { parsed(text); }); };
  EXPECT_TRUE(contains(message(R"({"a": 1, "a": 2})"), "x.json: field a: the key is given twice"));
  EXPECT_TRUE(contains(message(R"({"a": [1, {"b": {}}, [], {"c": 1, "d": [2], "c": 3}]})"),
                       "x.json: field c: the key is given twice"));
  EXPECT_EQ(message(R"([{"a": 1}, {"a": 1, "b": {"a": 1}}])"), "no error");
}

TEST(Json, TextsThatAreNotJson) {
  const auto message = [](std::string_view text) { return message_of([&] { parsed(text); }); };
  EXPECT_EQ(message(""), "x.json is empty; correct the file");
  EXPECT_EQ(message("{\n \"a\": x}"),
            "x.json is damaged or not JSON at line 2, column 7 (byte 9 of 10); correct the file");
  EXPECT_TRUE(contains(message("{\"a\": "),
                       "x.json is half-written JSON at line 1, column 7 (byte 6 of 6)"));
  EXPECT_TRUE(contains(message("1e999"), "x.json contains a number out of range"));
}

TEST(Json, FilesThatCannotBeRead) {
  const tests::TemporaryFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    return message_of([&] { JsonFile::read(path, JsonAuthor::Person, "name a study file"); });
  };
  EXPECT_TRUE(contains(message(folder / "a"), "a: No such file or directory; name a study file"));
  EXPECT_TRUE(contains(message(folder.path()), "Is a directory; name a study file"));
}

TEST(Json, TextReplacesInvalidUtf8) {
  EXPECT_EQ(json_text({{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}");
}

TEST(Json, DevicesAndFilesOfAnySizeAreNotRead) {
  const auto read = [](const std::filesystem::path& path) {
    return message_of([&] { JsonFile::read(path, JsonAuthor::Person, "name a study file"); });
  };
  EXPECT_TRUE(contains(read("/dev/zero"), "/dev/zero: it is a device; name a study file"));
  EXPECT_TRUE(contains(read("/dev/urandom"), "it is a device"));
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "large.json", "{}");
  std::filesystem::resize_file(folder / "large.json", (std::size_t{64} << 20) + 1);
  EXPECT_TRUE(contains(read(folder / "large.json"), "more than 64 MiB"));
}

}  // namespace
}  // namespace fpsynth
