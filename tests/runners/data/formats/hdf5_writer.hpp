#pragma once
// Writes HDF5 files for tests.

#include <hdf5.h>

#include <filesystem>
#include <vector>

namespace fpsynth::data {

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

}  // namespace fpsynth::data
