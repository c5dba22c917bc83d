// An image of a FITS file, made by cfitsio, is searched as its values in a raw file are.

#include <fitsio.h>
#include <gtest/gtest.h>

#include "tests/runners/search/formats/support.hpp"

namespace fpsynth::search {
namespace {

TEST(SearchedFits, GivesTheSizesOfItsValues) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "wave.fits").string();
  std::vector<double> values = wave<double>();
  long extents[] = {10, static_cast<long>(values.size() / 10)};  // fastest first
  fitsfile* file = nullptr;
  int status = 0;
  fits_create_file(&file, path.c_str(), &status);
  fits_create_img(file, DOUBLE_IMG, 2, extents, &status);
  fits_write_img(file, TDOUBLE, 1, static_cast<LONGLONG>(values.size()), values.data(), &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  expect_sizes_of(path, values, synth::Precision::Double);
}

}  // namespace
}  // namespace fpsynth::search
