// A variable of a netCDF file, made by libnetcdf, is searched as its values in a raw file are.

#include <gtest/gtest.h>
#include <netcdf.h>

#include "tests/runners/search/formats/support.hpp"

namespace fpsynth::search {
namespace {

TEST(SearchedNetcdf, GivesTheSizesOfItsValues) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "wave.nc").string();
  const std::vector<float> values = wave<float>();
  int file = 0, dimensions[2] = {}, speed = 0, depth = 0;
  ASSERT_EQ(nc_create(path.c_str(), NC_CLOBBER, &file), NC_NOERR);
  nc_def_dim(file, "time", values.size() / 10, &dimensions[0]);
  nc_def_dim(file, "place", 10, &dimensions[1]);
  nc_def_var(file, "depth", NC_DOUBLE, 1, &dimensions[1], &depth);
  nc_def_var(file, "speed", NC_FLOAT, 2, dimensions, &speed);
  nc_enddef(file);
  nc_put_var_float(file, speed, values.data());
  ASSERT_EQ(nc_close(file), NC_NOERR);
  expect_sizes_of(path + ":speed", values, synth::Precision::Single);
}

}  // namespace
}  // namespace fpsynth::search
