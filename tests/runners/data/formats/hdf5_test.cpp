// Files made by libhdf5.

#include <gtest/gtest.h>
#include "runners/data/description.hpp"
#include "tests/runners/data/formats/hdf5_writer.hpp"
#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;
using tests::message_of;

TEST(Hdf5, EveryLayoutAndByteOrderKeepsEveryBit) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(60);
  const auto singles = odd_values<float>(60);
  const std::string big_doubles = big_endian(doubles), big_singles = big_endian(singles);
  {
    Hdf5Writer file(folder / "a.h5");
    file.group("run");
    file.write("little", H5T_IEEE_F64LE, {60}, doubles.data());
    file.write("run/big", H5T_IEEE_F64BE, {3, 4, 5}, big_doubles.data());
    file.write("run/packed", H5T_IEEE_F32LE, {6, 10}, singles.data(), 4);
    file.write("run/both", H5T_IEEE_F32BE, {6, 10}, big_singles.data(), 5);
    H5Lcreate_soft("/run/big", file.id(), "link", H5P_DEFAULT, H5P_DEFAULT);
  }
  const std::string path = (folder / "a.h5").string();
  EXPECT_EQ(opened(path + ":little"), text_of_values(doubles));
  for (const char* name : {"run/big", "/run/big", "link"}) {
    EXPECT_EQ(opened(path + ":" + name), text_of_values(doubles)) << name;
  }
  EXPECT_EQ(opened(path + ":run/packed"), text_of_values(singles));
  EXPECT_EQ(opened(path + ":/run/both"), text_of_values(singles));
  EXPECT_EQ(text_of_input(open_place({path, "run/both"}, {})), text_of_values(singles));
  const Input some = open_input(path + ":run/both", Reading{.count = 7});
  EXPECT_EQ(text_of_input(some), text_of_values(singles).substr(0, 28));
  EXPECT_EQ(some.native(), Precision::Single);
  EXPECT_EQ(some.name(), "a_run_both");

  const Variable packed = listed(path, "/run/both");
  EXPECT_EQ(packed.shape, (std::vector<std::uint64_t>{6, 10}));
  EXPECT_EQ(packed.storage, "big-endian, shuffle, deflate");
  ASSERT_EQ(packed.attributes.size(), 2u);
  EXPECT_EQ(packed.attributes[0].name + packed.attributes[0].value, "scale_factor0.5");
  EXPECT_EQ(packed.attributes[1].name + packed.attributes[1].value, "fill value-999");
}

TEST(Hdf5, IntegersKeepEveryBit) {
  const tests::TemporaryFolder folder;
  const auto wide = odd_values<double>(60);
  const auto narrow = odd_values<float>(60);
  const std::string path = (folder / "a.h5").string();
  const std::string big_wide = big_endian(wide), big_narrow = big_endian(narrow);
  {
    Hdf5Writer file(path);
    file.write("i64", H5T_STD_I64LE, {60}, wide.data(), 7);
    file.write("u64", H5T_STD_U64BE, {3, 20}, big_wide.data());
    file.write("i32", H5T_STD_I32BE, {3, 20}, big_narrow.data());
    file.write("u32", H5T_STD_U32LE, {60}, narrow.data());
    const hid_t few = H5Tcopy(H5T_STD_I32LE);  // of the 32 bits, 20 count
    H5Tset_precision(few, 20);
    file.write("few", few, {60}, narrow.data());
    H5Tclose(few);
  }
  for (const auto& [name, type] :
       {std::pair("i64", ValueType(Precision::Double, synth::ValueKind::Signed)),
        std::pair("u64", ValueType(Precision::Double, synth::ValueKind::Unsigned)),
        std::pair("i32", ValueType(Precision::Single, synth::ValueKind::Signed)),
        std::pair("u32", ValueType(Precision::Single, synth::ValueKind::Unsigned))}) {
    const Input input = open_input(path + ":" + name);
    EXPECT_EQ(text_of_input(input),
              type.precision == Precision::Double ? text_of_values(wide) : text_of_values(narrow))
        << name;
    EXPECT_EQ(input.type(), type) << name;
  }
  EXPECT_EQ(listed(path, "/i64").attributes.at(1).value, "-999");
  EXPECT_TRUE(
      contains(error_of(path + ":few"), "its values are int32, not IEEE's or those of all"));
}

/// A type of HDF5 for floats of 16 bits, of which so many are the exponent's.
hid_t float_of_16_bits(std::size_t exponent, H5T_order_t order, std::size_t bias) {
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, 15 - exponent, exponent, 0, 15 - exponent);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, bias);
  H5Tset_order(type, order);
  return type;
}

TEST(Hdf5, WordsOfOneAndTwoBytesKeepEveryBit) {
  using synth::ValueKind;
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  const H5T_order_t little = H5T_ORDER_LE, big = H5T_ORDER_BE;
  const std::tuple<const char*, hid_t, ValueType> cases[] = {
      {"f16", float_of_16_bits(5, little, 15), {Precision::Half, ValueKind::Float}},
      {"big_f16", float_of_16_bits(5, big, 15), {Precision::Half, ValueKind::Float}},
      {"bf16", float_of_16_bits(8, little, 127), {Precision::Half, ValueKind::Brain}},
      {"big_bf16", float_of_16_bits(8, big, 127), {Precision::Half, ValueKind::Brain}},
      {"i16", H5T_STD_I16LE, {Precision::Half, ValueKind::Signed}},
      {"big_u16", H5T_STD_U16BE, {Precision::Half, ValueKind::Unsigned}},
      {"i8", H5T_STD_I8LE, {Precision::Byte, ValueKind::Signed}},
      {"u8", H5T_STD_U8BE, {Precision::Byte, ValueKind::Unsigned}}};
  const hid_t odd = float_of_16_bits(6, little, 31), biased = float_of_16_bits(5, little, 16);
  {
    Hdf5Writer file(path);
    for (const auto& [name, type, held] : cases) {
      const std::string words = words_of(held);
      const bool swapped = H5Tget_order(type) == big;
      const hsize_t count = words.size() / synth::word_bytes(held);
      file.write(name, type, {16, count / 16}, (swapped ? big_endian(words, held) : words).data(),
                 held.kind == ValueKind::Float ? 10 : 0);
    }
    file.write("odd", odd, {2}, "1234");
    file.write("biased", biased, {2}, "1234");
  }
  for (const auto& [name, type, held] : cases) {
    const Input input = open_input(path + ":" + name);
    EXPECT_EQ(text_of_input(input), words_of(held)) << name;
    EXPECT_EQ(input.type(), held) << name;
    const std::string slash = std::string("/") + name;
    EXPECT_EQ(listed(path, slash).type, synth::to_string(held)) << name;
    EXPECT_EQ(listed(path, slash).big_endian, slash.starts_with("/big")) << name;
  }
  EXPECT_EQ(listed(path, "/f16").attributes.at(1).value, "-999");
  for (const char* name : {":odd", ":biased"}) {
    EXPECT_TRUE(contains(error_of(path + name), "its values are float16, not IEEE's")) << name;
  }
}

TEST(Hdf5, OneVariableNeedsNoNameAndSeveralAreListed) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(6);
  const std::string path = (folder / "a.h5").string();
  {
    Hdf5Writer file(path);
    const int numbers[2] = {1, 2};
    file.write("counts", H5T_NATIVE_INT, {2}, numbers);
    file.write("x", H5T_IEEE_F64LE, {2, 3}, values.data());
  }
  const Input only = open_input(path);
  EXPECT_EQ(text_of_input(only), text_of_values(values));
  EXPECT_EQ(only.name(), "a");
  EXPECT_EQ(only.path(), path + ":/x");
  // A document finds it again, also in another folder.
  const results::DataSet data = description_of(only);
  EXPECT_EQ(data.file, std::filesystem::canonical(path).string() + ":/x");
  EXPECT_EQ(description_of(open_described(data)).xxh3, data.xxh3);
  const tests::TemporaryFolder moved;
  std::filesystem::create_directory(moved / "deep");
  std::filesystem::rename(path, moved / "deep/a.h5");
  EXPECT_TRUE(contains(message_of([&] { open_described(data); }), "its file is not at"));
  const std::vector<std::filesystem::path> folders = {moved.path()};
  EXPECT_EQ(description_of(open_described(data, folders)).xxh3, data.xxh3);

  {
    Hdf5Writer file(path);
    file.write("x", H5T_IEEE_F64LE, {2, 3}, values.data());
    file.write("y", H5T_IEEE_F32LE, {2, 3}, values.data());
  }
  EXPECT_TRUE(contains(error_of(path), "2 variables with values; name one, as in " + path +
                                           ":/x: /x (float64, 2x3), /y (float32, 2x3)"));
  EXPECT_TRUE(
      contains(error_of(path + ":z"), "there is no such variable; the file has /x (float64"));
  EXPECT_TRUE(contains(error_of(path + ":z"), "/y (float32, 2x3); did you mean /x?"));
  EXPECT_TRUE(contains(message_of([&] { open_input(path + ":x", Precision::Single); }),
                       "holds float64 values"));
  EXPECT_TRUE(contains(message_of([&] { open_input(path + ":x", Reading{.big_endian = true}); }),
                       "leave out --endian"));
  EXPECT_TRUE(contains(message_of([&] { open_input(path + ":x", Reading{.offset = 8}); }),
                       "leave out --offset"));
}

TEST(Hdf5, NamesOfGroupsAndOfLinksThatLeadNowhereAreRefusedAsSuch) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(6);
  const std::string path = (folder / "a.h5").string();
  {
    Hdf5Writer file(path);
    file.group("run");
    file.write("run/x", H5T_IEEE_F64LE, {6}, values.data());
    H5Lcreate_soft("/run/y", file.id(), "lost", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("gone.h5", "/x", file.id(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  }
  for (const char* group : {"run", "/run", "/"}) {
    EXPECT_TRUE(contains(error_of(path + ":" + group), "this is a group, not a variable")) << group;
  }
  for (const char* link : {"lost", "/lost", "elsewhere"}) {
    EXPECT_TRUE(contains(error_of(path + ":" + link), "this is a link to what is not there"))
        << link;
  }
  tests::write_bytes(folder / "gone.h5", "damaged");
  EXPECT_TRUE(contains(error_of(path + ":elsewhere"), "or cannot be opened: libhdf5: "));
  EXPECT_TRUE(contains(error_of(path + ":run"), "the file has /run/x (float64, 6)"));
  EXPECT_TRUE(contains(error_of(path + ":nothing/x"), "there is no such variable"));
}

TEST(Hdf5, EscapesInNamesAreShownAndNotPrinted) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(6);
  const std::string path = (folder / "a.h5").string();
  {
    Hdf5Writer file(path);
    file.write("x\x1b[2J", H5T_IEEE_F64LE, {6}, values.data());
    file.write("y\xc2\x9bK", H5T_IEEE_F64LE, {6}, values.data());
  }
  EXPECT_TRUE(contains(error_of(path), "/x\\x1b[2J (float64, 6), /y\\xc2\\x9bK (float64, 6)"));
  EXPECT_EQ(error_of(path).find('\x1b'), std::string::npos);
  EXPECT_EQ(opened(path + ":x\x1b[2J"), text_of_values(values));
  EXPECT_EQ(open_input(path + ":y\xc2\x9bK").name(), "a_y__K");
}

TEST(Hdf5, OtherTypesAreRefusedByName) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  const std::vector<char> bytes(64);
  const hid_t compound = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(compound, "x", 0, H5T_NATIVE_DOUBLE);
  const hid_t text = H5Tcopy(H5T_C_S1);
  {
    Hdf5Writer file(path);
    file.write("long", H5T_NATIVE_LDOUBLE, {2}, bytes.data());
    file.write("bits", H5T_STD_B8LE, {2}, bytes.data());
    file.write("vax", H5T_VAX_F32, {2}, nullptr);
    file.write("compound", compound, {2}, bytes.data());
    file.write("text", text, {2}, bytes.data());
    file.write("none", H5T_IEEE_F64LE, {0, 4}, nullptr);
  }
  H5Tclose(compound);
  H5Tclose(text);
  const std::pair<const char*, const char*> cases[] = {
      {"long", "its values are float128; only floats of 16 to 64 bits and integers of 8 to 64"},
      {"bits", "its values are bit field"},
      {"vax", "its values are float32, not IEEE's"},
      {"compound", "its values are compound"},
      {"text", "its values are string"},
      {"none", "it has no values"}};
  for (const auto& [name, message] : cases) {
    EXPECT_TRUE(
        contains(error_of(path + ":" + name), "cannot read " + path + ":" + name + ": " + message));
  }
}

TEST(Hdf5, AFilterThatIsMissingIsNamed) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  const H5Z_class2_t filter = {
      .version = H5Z_CLASS_T_VERS,
      .id = 300,
      .encoder_present = 1,
      .decoder_present = 1,
      .name = "strange",
      .can_apply = nullptr,
      .set_local = nullptr,
      .filter = [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                   void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&filter), 0);
  {
    Hdf5Writer file(path);
    const hsize_t extent = 8;
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &extent);
    H5Pset_filter(properties, 300, 0, 0, nullptr);
    const hid_t set =
        H5Dcreate2(file.id(), "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    const auto values = odd_values<double>(8);
    H5Dwrite(set, H5T_IEEE_F64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
  }
  H5Zunregister(300);
  EXPECT_TRUE(contains(error_of(path), "HDF5 filter 300, strange, which is not installed"));
  EXPECT_TRUE(contains(error_of(path), "HDF5_PLUGIN_PATH"));
}

TEST(Hdf5, DamagedFilesAreErrorsAndNothingIsPrinted) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.h5").string();
  const auto values = odd_values<double>(600);
  {
    Hdf5Writer file(path);
    file.write("x", H5T_IEEE_F64LE, {600}, values.data(), 100);
    file.write("sparse", H5T_IEEE_F64LE, {1000000, 1000000}, nullptr, 100);
  }
  EXPECT_TRUE(contains(error_of(path + ":sparse"), "never filled"));
  ::testing::internal::CaptureStderr();
  opened_when_damaged(path, "x", 211);
  const std::string bytes = tests::read_bytes(path);
  tests::write_bytes(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(contains(error_of(path + ":x"), "cannot read " + path + ":x: "));
  EXPECT_TRUE(contains(error_of(path + ":x"), "libhdf5: "));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace fpsynth::data
