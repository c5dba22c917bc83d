// Files made by libhdf5.

#include <gtest/gtest.h>
#include <hdf5.h>

#include "runners/data/description.hpp"
#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;
using tests::message_of;

/// A file that is being made.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5Writer() { H5Fclose(file_); }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  hid_t id() const { return file_; }
  void group(const char* name) {
    H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  /// Chunks of at most `chunk` values and deflate, if it is not 0; a fill value of -999 with them.
  void write(const char* name, hid_t type, const std::vector<hsize_t>& shape, const void* values,
             hsize_t chunk = 0) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) {
      const std::vector<hsize_t> chunks(shape.size(), chunk);
      H5Pset_chunk(properties, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_shuffle(properties);
      H5Pset_deflate(properties, 6);
      const double fill = -999;
      H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &fill);
    }
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (values) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (chunk > 0) {
      const hid_t one = H5Screate(H5S_SCALAR);
      const hid_t attribute =
          H5Acreate2(set, "scale_factor", H5T_IEEE_F32LE, one, H5P_DEFAULT, H5P_DEFAULT);
      const double scale = 0.5;
      H5Awrite(attribute, H5T_NATIVE_DOUBLE, &scale);
      H5Aclose(attribute);
      H5Sclose(one);
    }
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

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
  EXPECT_EQ(text_of_input(open_variable(path, "run/both")), text_of_values(singles));
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
    file.write("short", H5T_STD_I16BE, {2}, bytes.data());
    file.write("byte", H5T_STD_U8LE, {2}, bytes.data());
    file.write("vax", H5T_VAX_F32, {2}, nullptr);
    file.write("compound", compound, {2}, bytes.data());
    file.write("text", text, {2}, bytes.data());
    file.write("none", H5T_IEEE_F64LE, {0, 4}, nullptr);
  }
  H5Tclose(compound);
  H5Tclose(text);
  const std::pair<const char*, const char*> cases[] = {
      {"short", "its values are int16; only floats and integers of 32 and 64 bits"},
      {"byte", "its values are uint8"},
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

/// A virtual data set of blocks of 60 doubles, each all of a data set. "%b" in a name stands for
/// the number of the block, and there are as many as are found.
void write_virtual(const std::string& path, const char* file, const char* name,
                   std::size_t blocks = 1) {
  const Hdf5Writer writer(path);
  const bool counted = std::string(file).find('%') != std::string::npos ||
                       std::string(name).find('%') != std::string::npos;
  const hsize_t block = 60, most = H5S_UNLIMITED, start = 0, once = counted ? most : blocks;
  const hsize_t extent = 60 * blocks;
  const hid_t space = H5Screate_simple(1, &extent, counted ? &most : nullptr);
  const hid_t source = H5Screate_simple(1, &block, nullptr);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &block, &once, &block);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_virtual(properties, space, file, name, source);
  H5Sselect_all(space);
  H5Dclose(
      H5Dcreate2(writer.id(), "v", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Pclose(properties);
  H5Sclose(source);
  H5Sclose(space);
}

TEST(Hdf5, VirtualDataSetsNeedAllTheirSources) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(60);
  const std::string path = (folder / "all.h5").string();
  const std::string part = (folder / "part.h5").string();
  Hdf5Writer(part).write("x", H5T_IEEE_F64LE, {60}, values.data());
  write_virtual(path, "part.h5", "/x");
  EXPECT_EQ(opened(path), text_of_values(values));
  const std::string bytes = tests::read_bytes(part);
  std::filesystem::remove(part);
  EXPECT_TRUE(contains(error_of(path),
                       "and part.h5, for which libhdf5 would give fill values, is not there; "
                       "put it beside the file"));
  // The library would give fill values for all of these.
  tests::write_bytes(part, bytes.substr(0, bytes.size() - 8));
  EXPECT_TRUE(contains(error_of(path),
                       "and part.h5:/x, for which libhdf5 would give fill values, cannot be "
                       "read: it is damaged"));
  EXPECT_TRUE(contains(error_of(path), "libhdf5: truncated file"));
  tests::write_bytes(part, std::string(5000, 'x'));
  EXPECT_TRUE(contains(error_of(path),
                       "and part.h5:/x, for which libhdf5 would give fill values, cannot be "
                       "read: it is damaged"));
  EXPECT_TRUE(contains(listed(path, "/v").refusal, "and part.h5:/x, for which libhdf5"));
  std::filesystem::remove(part);
  std::filesystem::create_directory(part);
  EXPECT_TRUE(contains(error_of(path),
                       "and part.h5:/x, for which libhdf5 would give fill values, cannot be "
                       "read: it is damaged"));
  std::filesystem::remove(part);
  Hdf5Writer(part).write("y", H5T_IEEE_F64LE, {60}, values.data());
  EXPECT_TRUE(contains(error_of(path), "fill values, is not there; restore it"));
  write_virtual(part, "deep.h5", "/x");
  write_virtual(path, "part.h5", "/v");
  EXPECT_TRUE(contains(error_of(path), "fill values, cannot be read: it is made up of"));
  EXPECT_TRUE(contains(error_of(path), "and deep.h5, for which"));
  write_virtual(path, ".", "/v");
  EXPECT_TRUE(contains(error_of(path), "made up of each other"));
}

TEST(Hdf5, DamagedBlocksEndNoVirtualDataSet) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(60);
  const std::string path = (folder / "all.h5").string(), all = text_of_values(values);
  for (const char* part : {"part-0.h5", "part-1.h5", "part-2.h5"}) {
    Hdf5Writer file(folder / part);
    file.write("x", H5T_IEEE_F64LE, {60}, values.data());
    file.write("x0", H5T_IEEE_F64LE, {60}, values.data());
    file.write("x1", H5T_IEEE_F64LE, {60}, values.data());
  }
  write_virtual(path, "part-%b.h5", "/x");
  EXPECT_EQ(opened(path), all + all + all);
  write_virtual(path, "part-1.h5", "/x%b");
  EXPECT_EQ(opened(path), all + all);
  write_virtual(path, "part-%b.h5", "/x");
  tests::write_bytes(folder / "part-1.h5", "damaged");
  EXPECT_TRUE(contains(error_of(path), "and part-1.h5:/x, for which"));
}

// The library reads what stands behind the block of a pattern.
TEST(Hdf5, SmallSourcesAreRefused) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(60);
  const std::string path = (folder / "all.h5").string();
  for (const char* part : {"part-0.h5", "part-1.h5", "part-2.h5"}) {
    Hdf5Writer file(folder / part);
    const hsize_t extent = std::string_view(part) == "part-1.h5" ? 59 : 60;
    file.write("x", H5T_IEEE_F64LE, {extent}, values.data());
    file.write("y", H5T_IEEE_F64LE, {60}, values.data());
  }
  for (const char* part : {"part-1.h5", "part-%b.h5"}) {
    write_virtual(path, part, "/x");
    EXPECT_TRUE(contains(error_of(path),
                         "and part-1.h5:/x, for which libhdf5 would give fill "
                         "values, cannot be read: it does not have the values"))
        << error_of(path);
  }
}

TEST(Hdf5, MissingBlocksEndNoVirtualDataSet) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(60);
  const std::string path = (folder / "all.h5").string(), all = text_of_values(values);
  const auto write = [&](const std::string& file, std::initializer_list<const char*> sets) {
    std::filesystem::create_directories((folder / file).parent_path());
    Hdf5Writer writer(folder / file);
    for (const char* set : sets) writer.write(set, H5T_IEEE_F64LE, {60}, values.data());
  };
  // The library would end the data set in front of the first source that is missing.
  for (const char* pattern : {"part-%b.h5", "100%%-%b-%b.h5", "run%b/part.h5"}) {
    write_virtual(path, pattern, "/x");
    const auto name = [&](const char* block) {
      std::string text = pattern;
      for (std::size_t at; (at = text.find("%b")) != text.npos;) text.replace(at, 2, block);
      for (std::size_t at; (at = text.find("%%")) != text.npos;) text.erase(at, 1);
      return text;
    };
    for (const char* block : {"0", "2", "10"}) write(name(block), {"x"});
    EXPECT_TRUE(contains(error_of(path), "and " + name("1") +
                                             ", for which libhdf5 would give fill values, is not "
                                             "there, but " +
                                             name("2") + " is; restore it"))
        << error_of(path);
    std::filesystem::remove(folder / name("0"));
    std::filesystem::remove(folder / name("2"));
    EXPECT_TRUE(contains(error_of(path), "and " + name("0") + ", for which")) << error_of(path);
    std::filesystem::remove(folder / name("10"));
    write(name("0"), {"x"});
    EXPECT_EQ(opened(path), all);
  }
  write("sets.h5", {"x0", "x2", "x01"});
  write_virtual(path, "sets.h5", "/x%b");
  EXPECT_TRUE(contains(error_of(path),
                       "and sets.h5:/x1, for which libhdf5 would give fill values, "
                       "is not there, but /x2 is; restore it"))
      << error_of(path);
  write("sets.h5", {"x0", "x01", "y2"});
  EXPECT_EQ(opened(path), all);
}

TEST(Hdf5, RawFilesAreReadWholeOrNotAtAll) {
  const tests::TemporaryFolder folder;
  const auto values = odd_values<double>(60);
  const std::string path = (folder / "a.h5").string(), raw = (folder / "a.raw").string();
  tests::write_bytes(raw, "head" + text_of_values(values).substr(0, 160));
  tests::write_bytes(raw + "2", text_of_values(values).substr(160));
  {
    const Hdf5Writer file(path);
    const hsize_t extent = 60;
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, raw.c_str(), 4, 160);
    H5Pset_external(properties, (raw + "2").c_str(), 0, H5F_UNLIMITED);
    H5Dclose(
        H5Dcreate2(file.id(), "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
  }
  EXPECT_EQ(opened(path), text_of_values(values));
  tests::write_bytes(raw + "2", text_of_values(values).substr(160, 312));
  EXPECT_TRUE(contains(error_of(path), "the raw file " + raw +
                                           "2, which has 312 bytes where 320 "
                                           "from byte 0 are expected"));
  std::filesystem::remove(raw);
  EXPECT_TRUE(contains(error_of(path), "the raw file " + raw + ", which cannot be read: No such"));
}

TEST(Hdf5, ValuesMayBeInOtherFilesThatAreMuchLarger) {
  const tests::TemporaryFolder folder;
  const std::vector<double> values(2'000'000, 1.25);
  const std::string path = (folder / "a.h5").string(), all = text_of_values(values);
  const std::string large = (folder / "large.h5").string(), raw = (folder / "a.raw").string();
  Hdf5Writer(large).write("x", H5T_IEEE_F64LE, {values.size()}, values.data());
  tests::write_bytes(raw, all);
  {
    const Hdf5Writer file(path);
    H5Lcreate_external("large.h5", "/x", file.id(), "linked", H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t extent = values.size();
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    for (const char* name : {"mapped", "raw"}) {
      const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
      if (std::string(name) == "raw") {
        H5Pset_external(properties, raw.c_str(), 0, H5F_UNLIMITED);
      } else {
        H5Pset_virtual(properties, space, "large.h5", "/x", space);
      }
      H5Dclose(
          H5Dcreate2(file.id(), name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
      H5Pclose(properties);
    }
    H5Sclose(space);
  }
  for (const char* name : {"linked", "mapped", "raw"}) {
    EXPECT_TRUE(opened(path + ":" + name) == all) << name;
  }
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
