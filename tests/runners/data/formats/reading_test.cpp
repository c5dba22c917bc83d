#include "runners/data/reading.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "results/documents/data_set.hpp"
#include "runners/data/description.hpp"
#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;
using tests::message_of;

TEST(Place, AFileOfTheWholeNameWinsThenTheLongest) {
  const tests::TemporaryFolder folder;
  const auto split = [&](const std::string& text) {
    const Place place = place_of(folder / text);
    return place.file.filename().string() + "|" + place.variable;
  };
  tests::write_bytes(folder / "a.nc", "x");
  EXPECT_EQ(split("a.nc"), "a.nc|");
  EXPECT_EQ(split("a.nc:t"), "a.nc|t");
  EXPECT_EQ(split("a.nc:/group/t"), "a.nc|/group/t");
  EXPECT_EQ(split("a.nc:t:u"), "a.nc|t:u");
  EXPECT_EQ(split("a.nc:"), "a.nc|");
  EXPECT_EQ(split("b.nc:t"), "b.nc:t|");
  tests::write_bytes(folder / "a.nc:t", "x");
  EXPECT_EQ(split("a.nc:t"), "a.nc:t|");
  EXPECT_EQ(split("a.nc:t:u"), "a.nc:t|u");
  EXPECT_EQ(split("a.nc:v"), "a.nc|v");
  std::filesystem::create_directory(folder / "d");
  EXPECT_EQ(split("d:t"), "d:t|");
  for (const char* text : {"", ":", "::", ":x"}) EXPECT_EQ(place_of(text).file, text);
}

TEST(Place, NamesOfDataSetsCanBeFiles) {
  const auto name = [](const std::string& file, const std::string& variable) {
    const std::string made = data_set_name(Place{file, variable});
    EXPECT_NO_THROW(results::check_name("data set", made)) << made;
    return made;
  };
  EXPECT_EQ(name("dir/run.nc", ""), "run");
  EXPECT_EQ(name("dir/run.npy", ""), "run");
  EXPECT_EQ(name("run.h5", "/wind/u"), "run_wind_u");
  EXPECT_EQ(name("run.fits", "CAT/FLUX 1"), "run_CAT_FLUX_1");
  EXPECT_EQ(name("run.h5", "../a\\b\n:c"), "run_.._a_b__c");
  EXPECT_EQ(name("run.h5", "Gr\xc3\xb6\xc3\x9f\x65"), "run_Gr\xc3\xb6\xc3\x9f\x65");
  EXPECT_EQ(name("run.h5", std::string(300, 'x')).size(), 200u);
  std::string variable(195, 'x'), cut(199, 'x');  // no half of a character stays
  variable.push_back('\xc3');
  variable.push_back('\xb6');
  std::copy_n("abc_", 4, cut.begin());
  EXPECT_EQ(name("abc.h5", variable), cut);
}

TEST(Raw, ByteOrderOffsetAndCount) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(20);
  const std::string little = text_of_values(values), big = big_endian(values);
  tests::write_bytes(folder / "a.bin", "header" + big + "end");
  const auto read = [&](const Reading& reading) {
    return text_of_input(open_input(folder / "a.bin", reading));
  };
  EXPECT_EQ(read({.type = Precision::Double, .big_endian = true, .offset = 6, .count = 20}),
            little);
  EXPECT_EQ(read({.type = Precision::Double, .big_endian = true, .offset = 6}), little + "end");
  EXPECT_EQ(read({.type = Precision::Double, .big_endian = false, .offset = 6, .count = 3}),
            big.substr(0, 24));
  EXPECT_EQ(read({.type = Precision::Single, .big_endian = false, .offset = 0, .count = 1}),
            "head");
  EXPECT_TRUE(contains(message_of([&] { read({.type = Precision::Double, .offset = 169}); }),
                       "--offset 169: the file has only 169 bytes"));
  EXPECT_TRUE(
      contains(message_of([&] { read({.type = Precision::Double, .offset = 6, .count = 21}); }),
               "--count 21: there are only 20 values"));
  EXPECT_TRUE(contains(error_of((folder / "a.bin").string() + ":x"), "has no variables"));
}

TEST(Raw, AnOffsetSkipsWhateverTheFileBeginsWith) {
  const tests::TemporaryFolder folder;
  const std::string values = text_of_values(odd_values<float>(4));
  tests::write_bytes(folder / "a.f32", "BZh91AY&SY" + values);
  EXPECT_TRUE(contains(error_of(folder / "a.f32"), "bzip2"));
  EXPECT_EQ(text_of_input(open_input(folder / "a.f32", Reading{.offset = 10})), values);
}

TEST(Raw, DocumentsFindThemAgain) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<float>(50);
  tests::write_bytes(folder / "a.bin", "head" + big_endian(values));
  const Input input = open_input(
      folder / "a.bin", {.type = Precision::Single, .big_endian = true, .offset = 4, .count = 30});
  const results::DataSet data = description_of(input);
  EXPECT_EQ(text_of_input(open_described(data)), text_of_values(values).substr(0, 120));
  results::DataSet wrong = data;
  wrong.offset = 8;
  EXPECT_TRUE(contains(message_of([&] { open_described(wrong); }), "its checksum differs"));
}

}  // namespace
}  // namespace fpsynth::data
