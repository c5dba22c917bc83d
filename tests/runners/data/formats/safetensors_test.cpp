// Files of safetensors, written by hand, as the format's own library writes them.

#include <gtest/gtest.h>

#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;
using tests::contains;

std::string file_of(const std::string& header, const std::string& values) {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(std::uint64_t{header.size()} >> 8 * i);
  return length + header + values;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   std::size_t begin, std::size_t end) {
  return "\"" + name + R"(": {"dtype": ")" + dtype + R"(", "shape": )" + shape +
         R"(, "data_offsets": [)" + std::to_string(begin) + ", " + std::to_string(end) + "]}";
}

TEST(Safetensors, EveryTypeKeepsEveryBitAndIsNotCopied) {
  const tests::TemporaryFolder folder;
  std::string header = R"({"__metadata__": {"format": "pt"})", values;
  for (const synth::NamedType& named : synth::kValueTypes) {
    std::string dtype(named.code);
    for (char& c : dtype) c = static_cast<char>(std::toupper(c));
    const std::string words = words_of(named.type);
    const std::string half = std::to_string(words.size() / synth::word_bytes(named.type) / 2);
    header += ", " + tensor("layer." + dtype, dtype, "[2, " + half + "]", values.size(),
                            values.size() + words.size());
    values += words;
  }
  header += ", " + tensor("mask", "BOOL", "[3]", values.size(), values.size() + 3) + ", " +
            tensor("a.none", "F32", "[0, 4]", 0, 0) + ", " +
            tensor("z.last", "F8_E4M3", "[]", values.size() + 3, values.size() + 4) + "}   ";
  const std::string path = (folder / "model.safetensors").string();
  tests::write_bytes(path, file_of(header, values + "1234"));
  for (const synth::NamedType& named : synth::kValueTypes) {
    std::string name = ":layer.";
    for (const char c : named.code) name += static_cast<char>(std::toupper(c));
    const Input input = open_input(path + name);
    EXPECT_EQ(text_of_input(input), words_of(named.type)) << name;
    EXPECT_EQ(input.type(), named.type) << name;
    EXPECT_EQ(listed(path, name.substr(1)).type, named.name);
    EXPECT_EQ(listed(path, name.substr(1)).shape.size(), 2u);
  }
  EXPECT_EQ(open_input(path + ":layer.F16").name(), "model_layer.F16");
  EXPECT_EQ(variables_of(path)->front().name, "a.none");
  EXPECT_EQ(variables_of(path)->back().name, "z.last");
  EXPECT_TRUE(contains(error_of(path + ":mask"), "its values are BOOL; only floats of 16 to 64"));
  EXPECT_TRUE(contains(error_of(path + ":z.last"), "its values are F8_E4M3"));
  EXPECT_TRUE(contains(error_of(path + ":a.none"), "it has no values"));
  EXPECT_TRUE(contains(error_of(path + ":layer.F1"), "there is no such variable; the file has"));
  EXPECT_TRUE(contains(error_of(path), "variables with values; name one, as in"));
  const tests::ExactMemory exact(file_of(header, values + "1234"));
  const auto [variable, read] =
      read_variable({path, "layer.BF16"}, exact.bytes(), FileKind::Safetensors);
  EXPECT_FALSE(read.owner);
  // By its first bytes, under any name.
  tests::write_bytes(folder / "model.bin",
                     file_of("{" + tensor("w", "F16", "[2]", 0, 4) + "}", "1234"));
  EXPECT_EQ(opened(folder / "model.bin"), "1234");
  EXPECT_TRUE(contains(
      tests::message_of([&] { open_input(folder / "model.bin", ValueType(Precision::Single)); }),
      "holds float16 values; leave out --type"));
}

TEST(Safetensors, DamagedHeadersNameTheTensor) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.safetensors").string();
  const std::string values(16, 'x');
  const auto with_a = [](const std::string& b) {
    return "{" + tensor("a", "F32", "[2]", 0, 8) + ", " + b + "}";
  };
  const std::pair<std::string, std::string> cases[] = {
      {with_a(tensor("b", "F16", "[4]", 4, 12)), "its tensor b overlaps a"},
      {with_a(tensor("b", "F32", "[2]", 0, 8)), "its tensor b overlaps a"},
      {with_a(tensor("b", "F16", "[3]", 10, 16)), "its tensor b begins 2 bytes behind a, which no"},
      {with_a(tensor("b", "F64", "[2]", 8, 24)),
       "its tensor b ends at byte 24 of the values, and the file has 16; it is cut off"},
      {with_a(tensor("b", "U8", "[7]", 8, 15)), "1 byte follow b, which no tensor has"},
      {with_a(tensor("b", "I16", "[2, 3]", 8, 16)),
       "field b: its shape 2x3 of int16 does not make the 8 bytes of its place"},
      {with_a(tensor("b", "I16", "[4]", 16, 8)), "field b.data_offsets: expected where it begins"},
      {with_a(tensor("a", "I16", "[4]", 8, 16)), "field a: the key is given twice"},
      {with_a(tensor("b", "I16", "[4294967296, 4294967296]", 8, 16)), "field b: its shape 4294967"},
      {with_a(tensor("b", "F64", "[1152921504606846976]", 8, 8)), "field b: its shape 1152921504"},
      {with_a(tensor("b", "I16", "[-4]", 8, 16)), "field b.shape[0]: expected a whole number"},
      {with_a(tensor("b", "I16", "[1e99]", 8, 16)), "field b.shape[0]: expected a whole number"},
      {with_a(tensor("b", "I16", "[18446744073709551616]", 8, 16)), "field b.shape[0]: expected"},
      {with_a(R"("b": {"shape": [4], "data_offsets": [8, 16]})"), "field b.dtype is missing"},
      {with_a(R"("b": {"dtype": "I16", "shape": [4], "data_offsets": [8]})"), "field b.data_off"},
      {with_a(R"("b": 5)"), "field b: expected an object, found 5"},
      {"[]", "field (top level): expected an object"},
      {"{\"a\xff\": {}}", "its header is damaged or not JSON"},
      {"{", "its header is half-written JSON"}};
  for (const auto& [header, message] : cases) {
    tests::write_bytes(path, file_of(header, values));
    EXPECT_TRUE(contains(error_of(path + ":a"), "cannot read " + path + ":a: ")) << header;
    EXPECT_TRUE(contains(error_of(path + ":a"), message)) << header;
    EXPECT_TRUE(contains(tests::message_of([&] { variables_of(path); }), message)) << header;
  }
  const std::pair<std::string, const char*> files[] = {
      {"\x02\0\0"s, "cut off in the length of its header"},
      {"\xff\0\0\0\0\0\0\0{}"s, "its header of 255 bytes is longer than the file"},
      {std::string(8, '\xff') + "{}", "its header of 18446744073709551615 bytes is longer than"},
      {std::string(8, '\0'), "its header is empty"}};
  for (const auto& [file, message] : files) {
    tests::write_bytes(path, file);
    EXPECT_TRUE(contains(error_of(path), message)) << message;
  }
}

TEST(Safetensors, DamagedFilesAreErrors) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.safetensors").string();
  const std::string values = words_of(Precision::Double);
  tests::write_bytes(path, file_of("{" + tensor("b", "F32", "[2]", 0, 8) + ", " +
                                       tensor("a", "F64", "[59]", 8, 480) + "}",
                                   values));
  EXPECT_EQ(opened(path + ":a"), values.substr(8));
  opened_when_damaged(path, "a", 1);
  const std::string whole = tests::read_bytes(path);
  for (const std::size_t size : {1u, 8u, 9u, 40u, unsigned(whole.size() - 1)}) {
    tests::write_bytes(path, whole.substr(0, size));
    EXPECT_TRUE(contains(error_of(path + ":a"), "cannot read")) << size;
  }
}

}  // namespace
}  // namespace fpsynth::data
