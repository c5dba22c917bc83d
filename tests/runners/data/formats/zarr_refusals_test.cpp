// Directories of Zarr that do not say their values, and what must not be taken for values instead.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <limits>
#include <map>

#include "tests/runners/data/formats/zarr_store.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;

TEST(Zarr, WhatStandsInPlaceOfAChunkIsNoFillValue) {
  namespace fs = std::filesystem;
  const std::vector<double> values = odd_values<double>(4);
  const auto refused = [&](const std::string& at, const std::string& reason, auto&& change) {
    SCOPED_TRACE(at + ": " + reason);
    const Store store;
    store.write("zarr.json", array_3("[2, 2]", "[1, 2]", kBytes));
    store.write("c/0/0", picked(values, {0, 1}));
    store.write("c/1/0", picked(values, {2, 3}));
    ASSERT_EQ(opened(store.path()), text_of_values(values));
    fs::remove_all(store.path() / at);
    change(store.path() / at);
    EXPECT_TRUE(contains_all(error_of(store.path()), {"ocean.zarr/" + at + ": ", reason}));
  };
  for (const char* const at : {"c", "c/0", "c/1", "c/0/0", "c/1/0"}) {
    const auto linked = [&](const std::string& target, const std::string& reason) {
      refused(at, "a symbolic link to " + target,
              [&](const fs::path& path) { fs::create_symlink(target, path); });
      refused(at, reason, [&](const fs::path& path) { fs::create_symlink(target, path); });
    };
    linked("/nonexistent/annex/x", "No such file or directory; fetch what it links to");
    linked(fs::path(at).filename(), "Too many levels of symbolic links");
    linked(std::string(300, 'x'), "File name too long");
    linked("/dev/null/x", "Not a directory");
  }
  for (const char* const at : {"c", "c/0", "c/1"}) {
    refused(at, "it is no folder", [](const fs::path& path) { tests::write_bytes(path, "x"); });
  }
  for (const char* const at : {"c/0/0", "c/1/0"}) {
    refused(at, "it is a directory; restore it", [](const auto& path) { create_directory(path); });
    refused(at, "it is empty; restore it", [](const auto& path) { tests::write_bytes(path, ""); });
    refused(at, "it is no regular file; restore it",
            [](const fs::path& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); });
  }
}

TEST(Zarr, LinksToChunksAreFollowed) {
  const Store store, disk;
  const std::vector<double> values = odd_values<double>(400'000);
  store.write("zarr.json", array_3("[400000]", "[400000]", kBytes));
  disk.write("chunks/0", text_of_values(values));
  std::filesystem::create_symlink(disk.path() / "chunks", store.path() / "c");
  EXPECT_EQ(opened(store.path()), text_of_values(values));
}

TEST(Zarr, AbsentChunksAreCountedAndNeedAFillValue) {
  const Store store;
  const auto printed = [&] {
    testing::internal::CaptureStderr();
    open_input(store.path());
    return testing::internal::GetCapturedStderr();
  };
  const std::string begin = "note: " + store.path().string() + ": ";
  store.write(".zarray", array_2("[3, 5]", "[2, 2]", kRaw));
  store.write("0.1", text_of_values<double>({1, 2, 3, 4}));
  EXPECT_EQ(printed(), begin + "5 of 6 chunks are not there and count as the fill value nan\n");
  EXPECT_EQ(printed(), "") << "it was said";
  for (const char* const name : {"0.0", "0.2", "1.0", "1.1"}) {
    store.write(name, text_of_values<double>({1, 2, 3, 4}));
  }
  EXPECT_EQ(printed(), begin + "1 of 6 chunks is not there and counts as the fill value nan\n");
  std::string unknown = array_2("[3, 5]", "[2, 2]", kRaw);
  unknown.replace(unknown.find("\"NaN\""), 5, "null");
  store.write(".zarray", unknown);
  EXPECT_TRUE(contains_all(error_of(store.path()), {"ocean.zarr/1.2: ", "no fill value"}));
  store.write("1.2", text_of_values<double>({1, 2, 3, 4}));
  EXPECT_EQ(printed(), "");
}

TEST(Zarr, ADirectoryIsNeverRawWords) {
  const Store store;
  store.write("0", text_of_values<double>({1, 2}));
  const auto refused = [&](const std::string& name, const std::string& reason) {
    for (const Reading& reading : {Reading{}, Reading{.type = Precision::Single},
                                   Reading{.type = Precision::Double, .offset = 8}}) {
      EXPECT_TRUE(contains_all(tests::message_of([&] { open_input(store.path(), reading); }),
                               {"ocean.zarr", reading.offset > 0 ? "" : name + reason}));
    }
    EXPECT_TRUE(contains_all(tests::message_of([&] { variables_of(store.path()); }), {reason}));
  };
  for (const std::string name : {".zarray", "zarr.json", ".zgroup"}) {
    for (const auto& [bytes, reason] : std::map<std::string, std::string>{
             {std::string(120, '\0'), " is damaged or not JSON"},
             {"12 13", " is damaged or not JSON"},
             {array_2("[2]", "[2]", kRaw).substr(0, 40), " is half-written JSON"}}) {
      store.write(name, bytes);
      refused(name, reason);
    }
    store.write(name, "[]");
    refused(name, ": field (top level): expected an object");
    store.write(name, "");
    refused(name, ": it is empty; restore it");
    const std::filesystem::path path = store.path() / name;
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/nonexistent/annex/x", path);
    refused(name, ": it is a symbolic link to /nonexistent/annex/x: No such file");
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    refused(name, ": it is no regular file; restore it");
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    refused(name, ": it is a directory; restore it");
    std::filesystem::remove(path);
  }
  store.write(".zarray", array_2("[2]", "[2]", kRaw));
  EXPECT_TRUE(contains_all(
      tests::message_of([&] { open_input(store.path(), Reading{.type = {}, .offset = 1}); }),
      {"leave out --offset"}));
  EXPECT_EQ(opened(store.path()), text_of_values<double>({1, 2}));
}

TEST(Zarr, ALinkThatLeadsNowhereIsADamagedPartOfAGroup) {
  const Store store;
  store.write(".zgroup", R"({"zarr_format": 2})");
  store.write("t/.zarray", array_2("[2]", "[2]", kRaw));
  store.write("t/0", text_of_values<double>({1, 2}));
  std::filesystem::create_symlink("/nonexistent/u", store.path() / "u");
  EXPECT_TRUE(listed(store.path(), "u").damaged);
  EXPECT_TRUE(contains_all(error_of(store.path()), {"u: it is a symbolic link to /nonexistent/u"}));
  EXPECT_EQ(opened(store.path().string() + ":t"), text_of_values<double>({1, 2}));
}

TEST(Zarr, BareNumbersOfPythonAreRead) {
  const Store store;
  std::string array = array_2("[2]", "[1]", kRaw);
  const auto filled = [&](const std::string& type, const std::string& fill) {
    std::string text = array;
    text.replace(text.find("<f8"), 3, type);
    text.replace(text.find("\"NaN\""), 5, fill);
    store.write(".zarray", text);
    return opened(store.path());
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::bit_cast<double>(std::uint64_t{0x7ff8'0000'0000'0000});
  EXPECT_EQ(filled("<f8", "NaN"), text_of_values<double>({nan, nan}));
  EXPECT_EQ(filled("<f8", "-Infinity"), text_of_values<double>({-kInfinity, -kInfinity}));
  EXPECT_EQ(filled("<f4", "Infinity"), text_of_values<float>({float(kInfinity), float(kInfinity)}));
  store.write(".zattrs", R"({"a\"NaN": [NaN, -Infinity,Infinity], "long_name": "NaN, \\",
                             "units": "say \"NaN, Infinity\"", "missing_value": NaN})");
  const Variable variable = listed(store.path(), "");
  ASSERT_EQ(variable.attributes.size(), 3u);
  EXPECT_EQ(variable.attributes[0].value, "say \"NaN, Infinity\"");
  EXPECT_EQ(variable.attributes[1].value, "NaN, \\");
  EXPECT_EQ(variable.attributes[2].value, "NaN");
  for (const char* const wrong : {"nan", "-NaN", "NaNs", "+Infinity", "Inf", "1NaN"}) {
    store.write(".zattrs", R"({"missing_value": )"s + wrong + "}");
    EXPECT_TRUE(contains_all(error_of(store.path()), {".zattrs is damaged or not JSON"})) << wrong;
  }
}

TEST(Zarr, MembersThatMustBeUnderstoodAreRefusedByName) {
  const Store store;
  const std::string good = array_3("[2]", "[2]", codecs_3(R"(, {"name": "gzip"})"));
  store.write("zarr.json", good);
  EXPECT_TRUE(listed(store.path(), "").held);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    store.write("zarr.json", text);
    return error_of(store.path());
  };
  const std::string member = R"("node_type": "array")";
  for (const auto& [from, to, reason] : std::vector<std::array<std::string, 3>>{
           {member, member + R"(, "mask": {"x": 1})", "field mask: this member is unknown"},
           {member, member + R"(, "mask": {"must_understand": true})", "field mask"},
           {member, member + R"(, "mask": false)", "field mask"},
           {member, R"("node_type": "arrays")", "field node_type"},
           {member, member + R"(, "storage_transformers": [{"name": "x"}])", "transformer x"},
           {R"("chunk_shape")", R"("origin": [1], "chunk_shape")", "configuration.origin"},
           {R"("name": "regular")", R"("name": "rectangular")", "of the kind rectangular"},
           {R"("separator": "/")", R"("separator": "-")", "configuration.separator"},
           {R"("separator": "/")", R"("suffix": "x")", "configuration.suffix"},
           {R"("name": "default")", R"("name": "morton")", "'morton' is unknown"},
           {R"("endian": "little")", R"("endian": "middle")", "configuration.endian"},
           {R"("endian": "little")", R"("endian": "big", "bits": 7)", "configuration.bits"},
           {R"(, "configuration": {"endian": "little"})", "", "codecs[0]"},
           {R"({"name": "gzip"})", R"({"name": "gzip", "configuration": {"dictionary": 1}})",
            "codecs[1].configuration.dictionary"},
           {R"({"name": "gzip"})", R"({"name": "gzip", "scale": 2})", "codecs[1].scale"},
           {R"({"name": "gzip"})", R"({"name": "crc64"})", "the codec crc64"},
           {R"({"name": "gzip"})", R"({"name": "transpose", "configuration": {"order": [0]}})",
            "codecs[1]: the codec transpose stands in the wrong place"},
           {R"({"name": "bytes", "configuration": {"endian": "little"}}, )", "",
            "the codec gzip stands in the wrong place"},
           {R"("data_type": "float64")",
            R"("data_type": {"name": "float64", "configuration": {"scale": 2}})", "scale"},
           {R"("data_type": "float64")", R"("data_type": "bfloat64")", "its values are bfloat64"},
           {R"("shape": [2])", R"("shape": [2.0])", "shape[0]"},
           {R"("shape": [2])", R"("shape": ["2"])", "shape[0]"},
           {R"("fill_value": -1.5)", R"("fill_value": "0x7ff8")", "16 hexadecimal digits"},
           {R"("fill_value": -1.5)", R"("fill_value": "0x7ff800000000000x")", "hexadecimal"}}) {
    EXPECT_TRUE(contains_all(changed(from, to), {reason})) << to;
  }
  changed(member, member + R"(, "mask": {"must_understand": false})");
  EXPECT_TRUE(listed(store.path(), "").held);
  store.write("zarr.json",
              R"({"zarr_format": 3, "node_type": "group", "attributes": {}, "links": {}})");
  EXPECT_TRUE(contains_all(error_of(store.path()), {"zarr.json: field links"}));
}

TEST(Zarr, UnknownMembersOfCompressorsAndOrdersOfBytesAreRefused) {
  const Store store;
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& reason) {
    std::string text =
        array_2("[2]", "[2]", R"("order": "C", "compressor": {"id": "zlib", "level": 1})");
    text.replace(text.find(from), from.size(), to);
    store.write(".zarray", text);
    EXPECT_TRUE(contains_all(error_of(store.path()), {".zarray: field " + reason})) << to;
  };
  refused(R"("level": 1)", R"("dictionary": 1)", "compressor.dictionary");
  refused("<f8", "|f8", "dtype");
  refused("<f8", "f8", "dtype");
  refused("\"order\"", R"("dimension_separator": "-", "order")", "dimension_separator");
  refused("\"zarr_format\": 2", "\"zarr_format\": 3", "zarr_format");
  std::string single = array_2("[2]", "[2]", kRaw);
  single.replace(single.find("<f8"), 3, "<f4");
  single.replace(single.find("\"NaN\""), 5, "1e39");
  store.write(".zarray", single);
  EXPECT_TRUE(contains_all(error_of(store.path()), {"fill_value: expected a number of float32"}));
}

}  // namespace
}  // namespace fpsynth::data
