// Values of HDF5 data sets that are in other files: sources of virtual data sets, links, raw files.

#include <gtest/gtest.h>

#include "tests/runners/data/formats/hdf5_writer.hpp"
#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;
using tests::message_of;

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

}  // namespace
}  // namespace fpsynth::data
