// Files made by libnetcdf: netCDF-3 in its three formats, and netCDF-4.

#include <gtest/gtest.h>
#include <netcdf.h>

#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;

/// A file of variables over the dimensions time (unlimited) and place (10), six times.
void write(const std::filesystem::path& path, int format, const std::vector<double>& doubles,
           const std::vector<float>& singles) {
  int file = 0, dimensions[2] = {}, x = 0, y = 0, fixed = 0, counts = 0, name = 0;
  ASSERT_EQ(nc_create(path.c_str(), NC_CLOBBER | format, &file), NC_NOERR);
  nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
  nc_def_dim(file, "place", 10, &dimensions[1]);
  nc_def_var(file, "x", NC_DOUBLE, 2, dimensions, &x);
  nc_def_var(file, "y", NC_FLOAT, 2, dimensions, &y);
  nc_def_var(file, "fixed", NC_DOUBLE, 1, &dimensions[1], &fixed);
  nc_def_var(file, "counts", NC_SHORT, 1, &dimensions[1], &counts);
  nc_def_var(file, "name", NC_CHAR, 1, &dimensions[1], &name);
  const float fill = 1e20f;
  nc_put_att_float(file, y, "_FillValue", NC_FLOAT, 1, &fill);
  const double scale = 0.01;
  nc_put_att_double(file, y, "scale_factor", NC_DOUBLE, 1, &scale);
  nc_put_att_text(file, y, "units", 1, "K");
  nc_enddef(file);
  const std::size_t start[2] = {0, 0}, count[2] = {6, 10};
  nc_put_vara_double(file, x, start, count, doubles.data());
  nc_put_vara_float(file, y, start, count, singles.data());
  nc_put_var_double(file, fixed, doubles.data());
  ASSERT_EQ(nc_close(file), NC_NOERR);
}

TEST(Netcdf, EveryFormatKeepsEveryBit) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(60);
  const auto singles = odd_values<float>(60);
  const std::string path = (folder / "a.nc").string();
  for (const int format : {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4}) {
    write(path, format, doubles, singles);
    EXPECT_EQ(opened(path + ":x"), text_of_values(doubles)) << format;
    EXPECT_EQ(opened(path + ":y"), text_of_values(singles)) << format;
    EXPECT_EQ(opened(path + ":fixed"), text_of_values(doubles).substr(0, 80)) << format;
    EXPECT_EQ(open_input(path + ":y").native(), Precision::Single);
    EXPECT_EQ(open_input(path + ":y").name(), "a_y");
    EXPECT_TRUE(contains(error_of(path), "4 variables with values"));
    EXPECT_TRUE(contains(error_of(path), "y (float32, 6x10)"));
    EXPECT_EQ(opened(path + ":counts"), text_of_values(std::vector<short>(10, NC_FILL_SHORT)));
    EXPECT_TRUE(contains(error_of(path + ":name"), "its values are "));
    EXPECT_TRUE(contains(error_of(path + ":X"), "there is no such variable; the file has "));
    EXPECT_TRUE(contains(error_of(path + ":X"), "; did you mean "));
    const Variable y = listed(path, format == NC_NETCDF4 ? "/y" : "y");
    EXPECT_EQ(y.shape, (std::vector<std::uint64_t>{6, 10}));
    std::string attributes;
    for (const auto& [name, value] : y.attributes) attributes += name + "=" + value + ";";
    EXPECT_EQ(attributes, "units=K;_FillValue=1e+20;scale_factor=0.01;");
  }
}

TEST(Netcdf, IntegersAreReadAndTheirFillValuesHaveAllDigits) {
  const tests::TemporaryFolder folder;
  const auto wide = odd_values<double>(10);
  const auto narrow = odd_values<float>(10);
  const std::string path = (folder / "a.nc").string();
  for (const int format : {0, NC_64BIT_DATA, NC_NETCDF4}) {
    int file = 0, dimensions[2] = {}, variables[5] = {};
    ASSERT_EQ(nc_create(path.c_str(), NC_CLOBBER | format, &file), NC_NOERR);
    nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
    nc_def_dim(file, "place", 10, &dimensions[1]);
    const char* const names[] = {"i32", "u32", "i64", "u64", "x"};
    const nc_type types[] = {NC_INT, NC_UINT, NC_INT64, NC_UINT64, NC_DOUBLE};
    const int written = format == 0 ? 1 : 4;
    for (int i = 0; i < written; ++i) {
      nc_def_var(file, names[i], types[i], 1, &dimensions[1], &variables[i]);
    }
    nc_def_var(file, names[4], types[4], 1, dimensions, &variables[4]);
    int never = 0, scale = 0;
    nc_def_var(file, "never", NC_INT, 1, dimensions, &never);
    nc_def_var(file, "y", NC_INT, 1, &dimensions[1], &scale);
    if (format != 0) {
      const long long missing = -9223372036854775806;
      nc_put_att_longlong(file, variables[2], "missing_value", NC_INT64, 1, &missing);
      const unsigned long long most = 18446744073709551615u;
      nc_put_att_ulonglong(file, variables[3], "missing_value", NC_UINT64, 1, &most);
    }
    nc_enddef(file);
    for (int i = 0; i < written; ++i) {
      nc_put_var(file, variables[i], i < 2 ? static_cast<const void*>(narrow.data()) : wide.data());
    }
    const std::size_t start = 0, count = 10;
    nc_put_vara_double(file, variables[4], &start, &count, wide.data());
    ASSERT_EQ(nc_close(file), NC_NOERR);
    for (int i = 0; i < written; ++i) {
      EXPECT_EQ(opened(path + ":" + names[i]),
                i < 2 ? text_of_values(narrow) : text_of_values(wide))
          << names[i];
    }
    // Of the many variables, the one of floats is meant if none is named.
    EXPECT_EQ(text_of_input(open_input(path)), text_of_values(wide)) << format;
    const std::vector<std::int32_t> fill(10, -2147483647);
    EXPECT_EQ(opened(path + ":never"), text_of_values(fill)) << format;
    if (format == 0) continue;
    const std::string slash = format == NC_NETCDF4 ? "/" : "";
    EXPECT_EQ(listed(path, slash + "i64").attributes.at(0).value, "-9223372036854775806");
    EXPECT_EQ(listed(path, slash + "u64").attributes.at(0).value, "18446744073709551615");
    EXPECT_EQ(listed(path, slash + "u32").type, "uint32");
  }
}

TEST(Netcdf, WordsOfOneAndTwoBytesAreReadAndRecordsThatWereNotWrittenHaveTheirFillValue) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.nc").string();
  const std::tuple<const char*, nc_type, int> types[] = {{"int16", NC_SHORT, NC_FILL_SHORT},
                                                         {"int8", NC_BYTE, NC_FILL_BYTE},
                                                         {"uint16", NC_USHORT, NC_FILL_USHORT},
                                                         {"uint8", NC_UBYTE, NC_FILL_UBYTE}};
  for (const int format : {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4}) {
    const std::size_t most = format == 0 || format == NC_64BIT_OFFSET ? 2 : 4;
    int file = 0, dimensions[3] = {}, fixed[4] = {}, records[4] = {};
    ASSERT_EQ(nc_create(path.c_str(), NC_CLOBBER | format, &file), NC_NOERR);
    nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
    nc_def_dim(file, "all", 65536, &dimensions[1]);
    nc_def_dim(file, "bytes", 256, &dimensions[2]);
    for (std::size_t i = 0; i < most; ++i) {
      const auto& [name, type, fill] = types[i];
      nc_def_var(file, name, type, 1, &dimensions[1 + i % 2], &fixed[i]);
      nc_def_var(file, (std::string("few_") + name).c_str(), type, 1, dimensions, &records[i]);
    }
    nc_enddef(file);
    const std::size_t start = 0;
    for (std::size_t i = 0; i < most; ++i) {
      const auto held = *synth::type_called(std::get<0>(types[i]), &synth::NamedType::name);
      nc_put_var(file, fixed[i], words_of(held).data());
      const std::size_t count = i + 1;  // and four in all, of the last
      nc_put_vara(file, records[i], &start, &count, words_of(held).data());
    }
    ASSERT_EQ(nc_close(file), NC_NOERR);
    for (std::size_t i = 0; i < most; ++i) {
      const auto& [name, type, fill] = types[i];
      const auto held = *synth::type_called(name, &synth::NamedType::name);
      const std::size_t word = synth::word_bytes(held);
      const Input input = open_input(path + ":" + name);
      EXPECT_EQ(input.type(), held) << name;
      EXPECT_EQ(text_of_input(input), words_of(held)) << name << ' ' << format;
      std::string few = words_of(held).substr(0, (i + 1) * word);
      while (few.size() < most * word) few.append(reinterpret_cast<const char*>(&fill), word);
      EXPECT_EQ(opened(path + ":few_" + name), few) << name << ' ' << format;
    }
  }
}

TEST(Netcdf, RecordsThatWereNotWrittenAreFillValues) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(12);
  const std::string path = (folder / "a.nc").string();
  for (const int format : {0, NC_NETCDF4}) {
    int file = 0, dimensions[2] = {}, variables[5] = {};
    ASSERT_EQ(nc_create(path.c_str(), NC_CLOBBER | format, &file), NC_NOERR);
    nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
    nc_def_dim(file, "place", 2, &dimensions[1]);
    const char* const names[] = {"all", "some", "none", "time", "place"};
    const nc_type types[] = {NC_DOUBLE, NC_FLOAT, NC_DOUBLE, NC_DOUBLE, NC_DOUBLE};
    const float fill = -99;
    for (int i = 0; i < 5; ++i) {
      const int* const first = dimensions + (i == 4);
      nc_def_var(file, names[i], types[i], i < 3 ? 2 : 1, first, &variables[i]);
      if (i == 1) nc_put_att_float(file, variables[i], "_FillValue", NC_FLOAT, 1, &fill);
    }
    nc_enddef(file);
    const std::size_t start[2] = {}, six[2] = {6, 2}, one[2] = {1, 2};
    nc_put_vara_double(file, variables[0], start, six, doubles.data());
    const std::vector<float> singles = {1.5f, 2.5f};
    nc_put_vara_float(file, variables[1], start, one, singles.data());
    nc_put_vara_double(file, variables[3], start, one, doubles.data());
    nc_put_var_double(file, variables[4], doubles.data());
    ASSERT_EQ(nc_close(file), NC_NOERR);

    EXPECT_EQ(opened(path + ":all"), text_of_values(doubles)) << format;
    std::vector<float> some(12, fill);
    std::ranges::copy(singles, some.begin());
    EXPECT_EQ(opened(path + ":some"), text_of_values(some)) << format;
    EXPECT_EQ(opened(path + ":none"), text_of_values(std::vector<double>(12, NC_FILL_DOUBLE)))
        << format;
    std::vector<double> time(6, NC_FILL_DOUBLE);
    time[0] = doubles[0];
    EXPECT_EQ(opened(path + ":time"), text_of_values(time)) << format;
    EXPECT_EQ(opened(path + ":place"), text_of_values(doubles).substr(0, 16)) << format;
    EXPECT_EQ(open_input(path + ":some").shape(), (std::vector<std::uint64_t>{6, 2}));
  }
}

TEST(Netcdf, DamagedFilesAreErrors) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(60);
  const std::string path = (folder / "a.nc").string();
  for (const int format : {0, NC_64BIT_DATA}) {
    write(path, format, doubles, odd_values<float>(60));
    opened_when_damaged(path, "x", 3);
    const std::string bytes = tests::read_bytes(path);
    tests::write_bytes(path, bytes.substr(0, 600));
    EXPECT_TRUE(
        contains(error_of(path + ":x"), "cannot read " + path + ":x: it is cut off or damaged"));
  }
}

}  // namespace
}  // namespace fpsynth::data
