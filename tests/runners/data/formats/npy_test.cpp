#include <gtest/gtest.h>

#include "runners/data/formats/variables.hpp"
#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;
using tests::contains;

/// A file as numpy.save() makes it: the header ends with a line end, at a multiple of 64 bytes.
std::string npy(std::string header, const std::string& values, char version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY"s + version + '\0';
  for (std::size_t i = 0; i < before - 8; ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return file + header + values;
}

std::string described(const std::string& descr, const std::string& order,
                      const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

TEST(Npy, EveryVersionOrderAndByteOrderKeepsEveryBit) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(24);
  const auto singles = odd_values<float>(24);
  for (const char version : {1, 2, 3}) {
    for (const char* order : {"True", "False"}) {
      for (const char* shape : {"(24,)", "(2, 3, 4)", "(2L, 12L)", "( 1,24 )"}) {
        tests::write_bytes(folder / "a.npy",
                           npy(described("'<f8'", order, shape), text_of_values(doubles), version));
        EXPECT_EQ(opened(folder / "a.npy"), text_of_values(doubles));
        tests::write_bytes(folder / "a.npy",
                           npy(described("'>f4'", order, shape), big_endian(singles), version));
        const Input input = open_input(folder / "a.npy");
        EXPECT_EQ(text_of_input(input), text_of_values(singles));
        EXPECT_EQ(input.native(), Precision::Single);
        EXPECT_EQ(input.name(), "a");
      }
    }
  }
  tests::write_bytes(folder / "b.npy",
                     npy(described("'=f8'", "False", "()"), text_of_values(odd_values<double>(1))));
  EXPECT_EQ(opened(folder / "b.npy"), text_of_values(odd_values<double>(1)));
}

TEST(Npy, EveryTypeKeepsEveryBit) {
  const tests::TemporaryFolder folder;
  for (const synth::NamedType& named : synth::kValueTypes) {
    const bool brain = named.type.kind == synth::ValueKind::Brain;
    const std::size_t bytes = synth::word_bytes(named.type);
    const std::string code = (brain ? 'V' : named.code.front()) + std::to_string(bytes) + "'";
    const std::string words = words_of(named.type);
    const std::string shape = "(2, " + std::to_string(words.size() / bytes / 2) + ")";
    for (const bool big : {false, true}) {
      const std::string stored = big ? big_endian(words, named.type) : words;
      const char* const order = big ? "'>" : bytes == 1 || brain ? "'|" : "'<";
      tests::write_bytes(folder / "a.npy", npy(described(order + code, "True", shape), stored));
      const Input input = open_input(folder / "a.npy");
      EXPECT_EQ(text_of_input(input), words) << code;
      EXPECT_EQ(input.type(), named.type) << code;
      const Variable variable = listed(folder / "a.npy", "");
      EXPECT_EQ(variable.type, named.name);
      EXPECT_EQ(contains(variable.storage, "big-endian"), big && bytes > 1) << code;
      EXPECT_EQ(contains(variable.storage, "V2, as ml_dtypes writes bfloat16"), brain) << code;
      // The same words, raw.
      tests::write_bytes(folder / "a.raw", stored);
      const Input raw = open_input(folder / "a.raw", {.type = named.type, .big_endian = big});
      EXPECT_EQ(text_of_input(raw), words) << code;
      EXPECT_EQ(raw.type(), named.type) << code;
      if (named.type == ValueType(Precision::Double)) continue;
      const std::string other =
          tests::message_of([&] { raw.in(bytes == 8 ? Precision::Single : Precision::Double); });
      EXPECT_TRUE(contains(other, named.type == ValueType(Precision::Single)
                                      ? "holds native single-precision values"
                                      : std::string(named.name) + " values, which are not"));
    }
  }
}

TEST(Npy, InputsKnowTheirExtentsSlowestFirst) {
  const tests::TemporaryFolder folder;
  const std::string values = text_of_values(odd_values<double>(24));
  using Shape = std::vector<std::uint64_t>;
  tests::write_bytes(folder / "a.npy", npy(described("'<f8'", "False", "(2, 3, 4)"), values));
  EXPECT_EQ(open_input(folder / "a.npy").shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(open_input(folder / "a.npy").in(Precision::Single).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(open_input(folder / "a.npy").named("b").shape(), (Shape{2, 3, 4}));
  tests::write_bytes(folder / "a.npy", npy(described("'<f8'", "True", "(2, 3, 4)"), values));
  EXPECT_EQ(open_input(folder / "a.npy").shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(listed(folder / "a.npy", "").shape, (Shape{2, 3, 4}));
}

TEST(Npy, ListsItsArray) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a.npy",
                     npy(described("'>f4'", "True", "(2, 3)"), "24 bytes of 6 singles..."));
  const Variable variable = listed(folder / "a.npy", "");
  EXPECT_EQ(variable.type, "float32");
  EXPECT_EQ(variable.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(contains(variable.storage, "big-endian, Fortran order"));
}

TEST(Npy, OtherTypesAreRefusedByName) {
  const tests::TemporaryFolder folder;
  const std::pair<const char*, const char*> cases[] = {
      {"'<V3'", "void"},      {"'<f16'", "float128"},
      {"'<c8'", "complex64"}, {"'|b1'", "bool"},
      {"'|O'", "object"},     {"'<U5'", "unicode"},
      {"'|S3'", "string"},    {"'<M8[ns]'", "datetime"},
      {"'|V8'", "void"},      {"[('x', '<f8'), ('y', '<i4')]", "structured"},
      {"'<q9'", "'<q9'"}};
  for (const auto& [descr, name] : cases) {
    tests::write_bytes(folder / "a.npy",
                       npy(described(descr, "False", "(2,)"), std::string(32, 'x')));
    EXPECT_EQ(error_of(folder / "a.npy")
                  .find("cannot read " + (folder / "a.npy").string() + ": its values are "),
              0u);
    EXPECT_TRUE(contains(error_of(folder / "a.npy"), name));
    EXPECT_TRUE(
        contains(error_of(folder / "a.npy"), "only floats of 16 to 64 bits and integers of 8"));
  }
}

TEST(Npy, DamagedFilesAreErrors) {
  const tests::TemporaryFolder folder;
  const std::string values(16, 'x');
  const std::pair<std::string, const char*> cases[] = {
      {npy(described("'<f8'", "False", "(3,)"), values),
       "cut off: its shape 3 makes 24 bytes, and 16"},
      {npy(described("'<f8'", "False", "(1,)"), values), "8 bytes follow its array"},
      {npy(described("'<f8'", "False", "(0, 5)"), ""), "no values"},
      {npy(described("'<f8'", "False", "(4294967296, 4294967296)"), values), "more values than"},
      {npy(described("'<f8'", "False", "(99999999999999999999,)"), values), "whole number"},
      {npy(described("'<f8'", "False", "(-2,)"), values), "whole number"},
      {npy(described("'<f8'", "Maybe", "(2,)"), values), "True or False"},
      {npy(described("''", "False", "(2,)"), values), "descr is empty"},
      {npy("{'descr': '<f8', 'shape': (2,), }", values), "no descr, fortran_order or shape"},
      {npy("{'descr': '<f8', 'descr': '<f8'}", values), "a second time"},
      {npy("{'descr': '<f8", values), "the end of a string"},
      {npy("['descr']", values), "expected '{'"},
      {npy(described("'<f8'", "False", "(2,)") + "}", values), "or more"},
      {npy(described("'<f8'", "False", "(2,)"), values, 4), "version 4.0"},
      {"\x93NUMPY\x01"s, "cut off"},
      {"\x93NUMPY\x01\0\xff\xff{"s, "cut off"},
  };
  for (const auto& [file, message] : cases) {
    tests::write_bytes(folder / "a.npy", file);
    EXPECT_TRUE(contains(error_of(folder / "a.npy"), message)) << file;
  }
  tests::write_bytes(folder / "a.npy", npy(described("'<f8'", "False", "(2,)"), values));
  EXPECT_TRUE(contains(error_of((folder / "a.npy").string() + ":x"), "has no name"));
  // Only the ends of the magic, which leave raw words, and blanks of the header can be changed.
  opened_when_damaged(folder / "a.npy", "", 1);
}

TEST(Npy, EveryBeginningOfAHeaderIsReadNoFurtherThanItGoes) {
  const std::string file = npy(described("'<f8'", "False", "(2, 3)"), "");
  for (std::size_t size = 0; size < file.size(); ++size) {
    const tests::ExactMemory exact(file.substr(0, size));
    EXPECT_THROW(parse_npy_header(exact.bytes()), Error) << size;
  }
}

}  // namespace
}  // namespace fpsynth::data
