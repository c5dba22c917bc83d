#include <gtest/gtest.h>

#include <map>

#include "runners/modules/module.hpp"
#include "tests/runners/data/formats/zarr_store.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;

TEST(Zarr, ChunksAtTheEdgeAndChunksWithoutAFileMakeTheWholeArray) {
  const Store store;
  std::vector<double> values = odd_values<double>(9);  // 3 x 3 in chunks of 2 x 2
  store.write("t/.zarray", array_2("[3, 3]", "[2, 2]", kRaw));
  store.write(".zgroup", R"({"zarr_format": 2})");
  store.write("t/0.0", picked(values, {0, 1, 3, 4}));
  store.write("t/0.1", picked(values, {2, 0, 5, 0}));  // what is outside is anything
  store.write("t/1.0", picked(values, {6, 7, 8, 8}));
  const std::uint64_t nan = 0x7ff8'0000'0000'0000;
  std::memcpy(&values[8], &nan, sizeof nan);  // no file 1.1
  EXPECT_EQ(opened(store.path().string() + ":t"), text_of_values(values));
  EXPECT_EQ(opened(store.path()), text_of_values(values));
  EXPECT_EQ(opened(store.path() / "t"), text_of_values(values));
  const Variable variable = listed(store.path(), "t");
  EXPECT_EQ(variable.shape, (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(variable.storage, "chunks of 2x2");
  EXPECT_EQ(open_input(store.path().string() + ":t").name(), "ocean_t");
  EXPECT_EQ(open_input(store.path() / "t").name(), "t");
}

TEST(Zarr, OrdersOfAxesAndBytesAreUndone) {
  const Store store;
  const std::vector<double> values = odd_values<double>(6);  // 2 x 3 in one chunk
  const std::string by_columns = picked(values, {0, 3, 1, 4, 2, 5});
  store.write("f/.zarray", array_2("[2, 3]", "[2, 3]", R"("order": "F", "compressor": null)"));
  store.write("f/0.0", by_columns);
  store.write("t/zarr.json", array_3("[2, 3]", "[2, 3]",
                                     R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
                          {"name": "bytes", "configuration": {"endian": "little"}}])"));
  store.write("t/c/0/0", by_columns);
  store.write("b/zarr.json", array_3("[2, 3]", "[2, 3]",
                                     R"([{"name": "bytes", "configuration": {"endian": "big"}}])"));
  store.write("b/c/0/0", big_endian(values));
  for (const char* const name : {"f", "t", "b"}) {
    EXPECT_EQ(opened(store.path() / name), text_of_values(values)) << name;
  }
}

TEST(Zarr, ThreeAxesInAnyOrderAgreeWithTheirDefinition) {
  const Store store;
  const std::uint64_t shape[] = {3, 4, 5};
  const std::vector<float> values = odd_values<float>(60);
  store.write("zarr.json", array_3("[3, 4, 5]", "[2, 3, 2]",
                                   R"([{"name": "transpose", "configuration": {"order": [2, 0, 1]}},
                                       {"name": "bytes", "configuration": {"endian": "little"}}])",
                                   "float32"));
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t j = 0; j < 2; ++j) {
      for (std::uint64_t k = 0; k < 3; ++k) {
        std::vector<float> chunk;
        for (std::uint64_t c = 2 * k; c < 2 * k + 2; ++c) {
          for (std::uint64_t a = 2 * i; a < 2 * i + 2; ++a) {
            for (std::uint64_t b = 3 * j; b < 3 * j + 3; ++b) {
              const bool inside = a < shape[0] && b < shape[1] && c < shape[2];
              chunk.push_back(inside ? values[(a * 4 + b) * 5 + c] : 0);
            }
          }
        }
        store.write("c/" + std::to_string(i) + "/" + std::to_string(j) + "/" + std::to_string(k),
                    text_of_values(chunk));
      }
    }
  }
  EXPECT_EQ(opened(store.path()), text_of_values(values));
}

TEST(Zarr, IntegersAndTheirFillValuesKeepEveryBit) {
  const Store store;
  const std::vector<std::int64_t> values = {-9223372036854775807 - 1, 7, -1, -9223372036854775806};
  const auto array = [](const std::string& type, const std::string& fill) {
    return R"({"zarr_format": 2, "shape": [4], "chunks": [3], "dtype": ")" + type +
           R"(", "fill_value": )" + fill + R"(, "filters": null, )" + kRaw + "}";
  };
  store.write("i/.zarray", array(">i8", "-9223372036854775806"));
  store.write("i/0", big_endian(std::vector<std::int64_t>(values.begin(), values.begin() + 3)));
  EXPECT_EQ(opened(store.path() / "i"), text_of_values(values));
  EXPECT_EQ(listed(store.path() / "i", "").type, "int64");
  store.write("u/.zarray", array("<u8", "18446744073709551615"));
  EXPECT_EQ(opened(store.path() / "u"), std::string(32, '\xff'));
  store.write("n/.zarray", array("<i4", "-1"));
  EXPECT_EQ(opened(store.path() / "n"), std::string(16, '\xff'));
  store.write("zero/.zarray", array("<i8", "0.0"));
  EXPECT_EQ(opened(store.path() / "zero"), std::string(32, '\0'));
  store.write("less/.zarray", array("<i4", "-1.0"));
  EXPECT_EQ(opened(store.path() / "less"), std::string(16, '\xff'));
  for (const auto& [type, fill] :
       {std::pair("<i8", "9.3e+18"), std::pair("<i4", "2147483648.0"), std::pair("<u4", "-1.0"),
        std::pair("<i4", "2147483648"), std::pair("<i4", "-2147483649"), std::pair("<u4", "-1"),
        std::pair("<u8", "0.5")}) {
    store.write("bad/.zarray", array(type, fill));
    EXPECT_TRUE(contains_all(error_of(store.path() / "bad"),
                             {"fill_value: expected a whole number from ", fill}))
        << error_of(store.path() / "bad");
  }
  store.write("three/zarr.json",
              R"({"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "uint32",
                  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
                  "chunk_key_encoding": {"name": "default"}, "fill_value": 4294967295, "codecs": )" +
                  kBytes + "}");
  EXPECT_EQ(opened(store.path() / "three"), std::string(8, '\xff'));
}

TEST(Zarr, EveryTypeOfBothVersionsKeepsEveryBit) {
  const Store store;
  for (const synth::NamedType& named : synth::kValueTypes) {
    const bool brain = named.type.kind == synth::ValueKind::Brain;
    const std::size_t bytes = synth::word_bytes(named.type);
    const std::string words = words_of(named.type), name(named.name);
    const std::string extents = "[" + std::to_string(words.size() / bytes) + "]";
    for (const bool big : {false, true}) {
      const std::string stored = big ? big_endian(words, named.type) : words;
      const std::string descr = std::string(bytes == 1 ? "|"
                                            : big      ? ">"
                                                       : "<") +
                                (brain ? 'V' : named.code.front()) + std::to_string(bytes);
      store.write(name + "/.zarray", R"({"zarr_format": 2, "shape": )" + extents +
                                         R"(, "chunks": )" + extents + R"(, "dtype": ")" + descr +
                                         R"(", "fill_value": null, "filters": null, )" + kRaw +
                                         "}");
      store.write(name + "/0", stored);
      EXPECT_EQ(opened(store.path() / name), words) << descr;
      EXPECT_EQ(open_input(store.path() / name).type(), named.type) << descr;
      const std::string codecs = bytes == 1 ? R"([{"name": "bytes"}])"
                                 : big
                                     ? R"([{"name": "bytes", "configuration": {"endian": "big"}}])"
                                     : kBytes;
      std::string metadata = array_3(extents, extents, codecs, name);
      metadata.replace(metadata.find("-1.5"), 4, "0");
      store.write("3" + name + "/zarr.json", metadata);
      store.write("3" + name + "/c/0", stored);
      EXPECT_EQ(opened(store.path() / ("3" + name)), words) << name;
      EXPECT_EQ(open_input(store.path() / ("3" + name)).type(), named.type) << name;
    }
  }
  store.write("named/.zarray", R"({"zarr_format": 2, "shape": [1], "chunks": [1],
              "dtype": "bfloat16", "fill_value": null, "filters": null, )" +
                                   kRaw + "}");
  store.write("named/0", "\x80?");
  EXPECT_EQ(listed(store.path() / "named", "").type, "bfloat16");
  EXPECT_EQ(opened(store.path() / "named"), "\x80?");
}

/// All values of a float of 16 bits come back from their decimals, and what is between two of them
/// goes to the nearer one, or the even one.
TEST(Zarr, FillValuesOfFewBitsAreTheNearestOnes) {
  const Store store;
  const auto filled = [&](const std::string& type, const std::string& fill) {
    std::string metadata =
        array_3("[1]", "[1]", type == "int8" ? R"([{"name": "bytes"}])" : kBytes, type);
    metadata.replace(metadata.find("-1.5"), 4, fill);
    store.write("zarr.json", metadata);
    testing::internal::CaptureStderr();
    const std::string words = opened(store.path());
    testing::internal::GetCapturedStderr();
    std::uint32_t word = 0;
    std::memcpy(&word, words.data(), words.size());
    return word;
  };
  const std::tuple<const char*, const char*, std::uint32_t> cases[] = {
      {"float16", "-1.5", 0xbe00},
      {"float16", "0.1", 0x2e66},
      {"float16", "65504", 0x7bff},
      {"float16", "65519.9", 0x7bff},
      {"float16", "2049", 0x6800},     // between 2048 and 2050
      {"float16", "2051", 0x6802},     // between 2050 and 2052
      {"float16", "2.98e-8", 0x0000},  // less than half of the least one
      {"float16", "2.99e-8", 0x0001},
      {"float16", "6.1e-5", 0x03ff},  // the largest without a leading one
      {"float16", "6.1035e-5", 0x0400},
      {"float16", "-0.0", 0x8000},
      {"float16", "\"NaN\"", 0x7e00},
      {"float16", "\"-Infinity\"", 0xfc00},
      {"float16", "\"0x7e01\"", 0x7e01},
      {"bfloat16", "1e30", 0x714a},
      {"bfloat16", "3.3895e38", 0x7f7f},
      {"bfloat16", "\"NaN\"", 0x7fc0},
      {"bfloat16", "\"Infinity\"", 0x7f80},
      {"bfloat16", "1e-40", 0x0001},
      {"float32", "0.1", 0x3dcccccd},
      {"float32", "1e-45", 1},
      {"float32", "3.4028235e38", 0x7f7fffff},
      {"int8", "-128", 0x80},
      {"int16", "-2", 0xfffe}};
  for (const auto& [type, fill, word] : cases) {
    EXPECT_EQ(filled(type, fill), word) << type << ' ' << fill;
  }
  for (const auto& [type, fill] :
       {std::pair("float16", "65520"), std::pair("bfloat16", "3.4e38"),
        std::pair("float32", "3.5e38"), std::pair("int8", "128"), std::pair("uint16", "65536"),
        std::pair("float16", "\"0x7e0\""), std::pair("uint8", "-1")}) {
    EXPECT_TRUE(
        tests::contains(tests::message_of([&, type = type, fill = fill] { filled(type, fill); }),
                        "fill_value: expected "))
        << type << ' ' << fill;
    testing::internal::GetCapturedStderr();
  }
}

TEST(Zarr, OneValueAndItsAttributes) {
  const Store store;
  store.write("old/.zarray", array_2("[]", "[]", kRaw));
  store.write("old/0", text_of_values<double>({2.5}));
  store.write("new/zarr.json", array_3("[]", "[]", kBytes));
  store.write("new/c", text_of_values<double>({3.5}));
  store.write("none/zarr.json", array_3("[]", "[]", kBytes));
  EXPECT_EQ(opened(store.path() / "old"), text_of_values<double>({2.5}));
  EXPECT_EQ(opened(store.path() / "new"), text_of_values<double>({3.5}));
  EXPECT_EQ(opened(store.path() / "none"), text_of_values<double>({-1.5}));
  const Variable variable = listed(store.path() / "new", "");
  ASSERT_EQ(variable.attributes.size(), 2u);
  EXPECT_EQ(variable.attributes[0].value, "K");
  EXPECT_EQ(variable.attributes[1].value, "0.5");
}

/// Four doubles, 1 to 4, as numcodecs 0.16 compresses them.
const std::map<std::string, std::string> kCompressed = {
    {"zlib",
     "\x78\x01\x63\x60\x00\x81\x0f\xf6\x60\x8a\x81\xc1\x01\x42\x73\x40\x69\x01\x07\x00"
     "\x25\xd7\x02\x08"s},
    {"gzip",
     "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff\x63\x60\x00\x81\x0f\xf6\x60\x8a\x81\xc1"
     "\x01\x42\x73\x40\x69\x01\x07\x00\x2b\x62\xed\x0c\x20\x00\x00\x00"s},
    {"zstd",
     "\x28\xb5\x2f\xfd\x20\x20\xad\x00\x00\x50\x00\x00\xf0\x3f\x00\x40\x00\x08\x10\x40"
     "\x04\x00\x2b\x29\x40\xc3\x00\x87\x05\xb0"s},
    {"blosc",
     "\x02\x01\x33\x01\x20\x00\x00\x00\x20\x00\x00\x00\x30\x00\x00\x00\x00\x00\x00\x00"
     "\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x08\x40"
     "\x00\x00\x00\x00\x00\x00\x10\x40"s},
    {"lz4",
     "\x20\x00\x00\x00\x11\x00\x01\x00\x21\xf0\x3f\x07\x00\x30\x00\x00\x40\x05\x00\xc0"
     "\x00\x00\x08\x40\x00\x00\x00\x00\x00\x00\x10\x40"s},
    {"bz2",
     "\x42\x5a\x68\x31\x31\x41\x59\x26\x53\x59\x70\xd3\xdb\x62\x00\x00\x01\x6c\x00\xd8"
     "\x40\x40\x00\x00\x00\xc0\x00\x40\x00\x20\x00\x21\x28\x18\x84\x30\x21\xd3\xc0\x0d"
     "\x22\x73\xbc\x5d\xc9\x14\xe1\x42\x41\xc3\x4f\x6d\x88"s}};

TEST(Zarr, CompressedChunksAreDecodedAndDamagedOnesRefused) {
  for (const auto& [codec, chunk] : kCompressed) {
    SCOPED_TRACE(codec);
    const Store store;
    store.write(".zarray",
                array_2("[4]", "[4]", R"("order": "C", "compressor": {"id": ")" + codec + R"("})"));
    store.write("0", chunk);
    try {
      modules::loaded("decode_" + (codec == "gzip" ? "zlib" : codec), "fpsynth_decode_chunk");
    } catch (const Error& error) {
      EXPECT_TRUE(contains_all(error_of(store.path()), {error.what()}));
      continue;
    }
    EXPECT_EQ(opened(store.path()), text_of_values<double>({1, 2, 3, 4}));
    for (std::size_t size = 1; size < chunk.size(); ++size) {
      store.write("0", chunk.substr(0, size));
      EXPECT_TRUE(contains_all(error_of(store.path()), {"its chunk ", "ocean.zarr/0: "})) << size;
    }
    for (std::size_t at = 0; at < chunk.size(); ++at) {
      std::string damaged = chunk;
      damaged[at] = static_cast<char>(~damaged[at]);
      store.write("0", damaged);
      try {
        open_input(store.path());  // some of the bytes are values
      } catch (const Error& error) {
        EXPECT_TRUE(contains_all(error.what(), {"its chunk ", "ocean.zarr/0: "}));
      }
    }
  }
}

TEST(Zarr, ChunksOfSeveralStreams) {
  const Store store;
  const auto compressor = [](const std::string& id) {
    return R"("order": "C", "compressor": {"id": ")" + id + R"("})";
  };
  const std::vector<double> twice = {1, 2, 3, 4, 1, 2, 3, 4};
  for (const std::string codec : {"gzip", "zstd", "bz2"}) {
    const std::string& one = kCompressed.at(codec);
    store.write(".zarray", array_2("[8]", "[8]", compressor(codec)));
    store.write("0", one + one + (codec == "gzip" ? "\0\0"s : ""));
    EXPECT_EQ(opened(store.path()), text_of_values(twice)) << codec;
    store.write("0", one + one + one);
    EXPECT_TRUE(contains_all(error_of(store.path()), {"0: it is damaged: it has more"})) << codec;
    store.write("0", one + one + "x");
    EXPECT_FALSE(error_of(store.path()).empty()) << codec;
  }
  store.write(".zarray", array_2("[8]", "[8]", compressor("lz4")));
  store.write("0", "\xff\xff\xff\x7f"s + kCompressed.at("lz4").substr(4));
  EXPECT_TRUE(contains_all(error_of(store.path()), {"0: it does not decode: ", "restore it"}));
}

TEST(Zarr, OtherCodecsAreRefusedByName) {
  const Store store;
  store.write(".zgroup", R"({"zarr_format": 2})");
  store.write("lzma/.zarray",
              array_2("[4]", "[4]", R"("order": "C", "compressor": {"id": "lzma"})"));
  std::string filtered = array_2("[4]", "[4]", kRaw);
  filtered.replace(filtered.find("null"), 4, R"([{"id": "delta"}])");
  store.write("delta/.zarray", filtered);
  store.write("bytes/.zarray", array_2("[4]", "[4]", kRaw));
  const auto refused = [&](const std::string& name, const std::string& reason) {
    EXPECT_TRUE(contains_all(error_of(store.path().string() + ":" + name), {name, reason}));
    EXPECT_FALSE(listed(store.path(), name).held) << name;
  };
  refused("lzma",
          "go through the codec lzma; write it again with zlib, gzip, zstd, Blosc, lz4, bz2");
  refused("delta", "go through the codec delta;");
}

TEST(Zarr, NamesThatAreNoVariableGetAReason) {
  const Store store;
  store.write(".zgroup", R"({"zarr_format": 2})");
  store.write("a/.zgroup", R"({"zarr_format": 2})");
  store.write("a/t/.zarray", array_2("[2]", "[2]", kRaw));
  store.write("a/t/0", text_of_values<double>({1, 2}));
  store.write("a/u/.zarray", array_2("[2]", "[2]", kRaw));
  store.write("plain/file", "x");
  const std::string file = store.path();
  EXPECT_EQ(opened(file + ":a/t"), text_of_values<double>({1, 2}));
  EXPECT_EQ(opened(file + ":/a/t"), text_of_values<double>({1, 2}));
  EXPECT_EQ(opened(store.path() / "a:t"), text_of_values<double>({1, 2}));
  EXPECT_TRUE(
      contains_all(error_of(file + ":a"), {"this is a group, not a variable", "a/t", "a/u"}));
  EXPECT_TRUE(contains_all(error_of(file + ":a/v"), {"there is no such variable"}));
  EXPECT_TRUE(contains_all(error_of(file + ":../ocean.zarr/a/t"), {"there is no such variable"}));
  EXPECT_TRUE(contains_all(error_of(file), {"it has 2 variables with values; name one"}));
  EXPECT_TRUE(contains_all(error_of(store.path() / "plain"), {"it is a directory"}));
}

TEST(Zarr, DamagedMetadataNamesItsFileAndLeavesTheOthers) {
  const Store store;
  store.write(".zgroup", R"({"zarr_format": 2})");
  store.write("good/.zarray", array_2("[2]", "[2]", kRaw));
  store.write("good/0", text_of_values<double>({1, 2}));
  const auto damaged = [&](const std::string& metadata, const std::string& reason) {
    store.write("bad/.zarray", metadata);
    EXPECT_TRUE(contains_all(error_of(store.path().string() + ":bad"), {"bad/.zarray", reason}));
    EXPECT_TRUE(listed(store.path(), "bad").damaged) << metadata;
    EXPECT_EQ(opened(store.path().string() + ":good"), text_of_values<double>({1, 2}));
  };
  damaged("{", "JSON");
  damaged(array_2("[2, 2]", "[2]", kRaw), "do not fit its shape 2x2");
  damaged(array_2("[2]", "[0]", kRaw), "do not fit its shape 2");
  damaged(array_2("[-2]", "[2]", kRaw), "shape[0]");
  damaged(array_2("[2]", "[2]", R"("order": "A", "compressor": null)"), "field order");
  std::string other = array_2("[2]", "[2]", kRaw);
  other.replace(other.find("2"), 1, "4");
  damaged(other, "zarr_format");
  other = array_2("[2]", "[2]", kRaw);
  other.replace(other.find("NaN"), 3, "NAN");
  damaged(other, "fill_value");
}

TEST(Zarr, ForgedSizesAllocateNothing) {
  const Store store;
  store.write(".zarray", array_2("[1099511627776, 1099511627776]", "[2, 2]", kRaw));
  store.write("0.0", text_of_values<double>({1, 2, 3, 4}));
  EXPECT_TRUE(contains_all(error_of(store.path()), {"more values than can be counted"}));
  store.write(".zarray", array_2("[1099511627776]", "[2]", kRaw));
  EXPECT_TRUE(contains_all(error_of(store.path()), {"the files"}) ||
              contains_all(error_of(store.path()), {"next to nothing"}));
  store.write(".zarray", array_2("[4]", "[1099511627776]", kRaw));
  EXPECT_TRUE(contains_all(error_of(store.path()), {"more than 2 GiB"}));
  store.write(".zarray", array_2("[4, 1]", "[4, 1]", kRaw));
  store.write("0.0", text_of_values<double>({1, 2, 3}));
  EXPECT_TRUE(
      contains_all(error_of(store.path()), {"ocean.zarr/0.0: it is damaged: it has 24 bytes"}));
}

}  // namespace
}  // namespace fpsynth::data
