#pragma once
// Directories of Zarr, written by hand, for the tests of their reader.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {

/// True if a message has all of some parts.
inline ::testing::AssertionResult contains_all(const std::string& text,
                                               const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (const auto found = tests::contains(text, part); !found) return found;
  }
  return ::testing::AssertionSuccess();
}

/// A directory of Zarr, written by hand.
class Store {
 public:
  std::filesystem::path path() const { return folder_.path() / "ocean.zarr"; }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path() / name).parent_path());
    tests::write_bytes(path() / name, bytes);
  }

 private:
  tests::TemporaryFolder folder_;
};

inline std::string array_2(const std::string& shape, const std::string& chunks,
                           const std::string& more) {
  return R"({"zarr_format": 2, "shape": )" + shape + R"(, "chunks": )" + chunks +
         R"(, "dtype": "<f8", "fill_value": "NaN", "filters": null, )" + more + "}";
}

inline std::string array_3(const std::string& shape, const std::string& chunk,
                           const std::string& codecs, const std::string& type = "float64") {
  return R"({"zarr_format": 3, "node_type": "array", "shape": )" + shape + R"(, "data_type": ")" +
         type + R"(", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
         chunk +
         R"(}}, "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
         "fill_value": -1.5, "codecs": )" +
         codecs + R"(, "attributes": {"units": "K", "scale_factor": 0.5}})";
}

inline const std::string kRaw = R"("order": "C", "compressor": null)";
/// The codec of bytes, and others behind it.
inline std::string codecs_3(const std::string& more) {
  return R"([{"name": "bytes", "configuration": {"endian": "little"}})" + more + "]";
}
inline const std::string kBytes = codecs_3("");

/// The values of some places, as a chunk's bytes.
inline std::string picked(const std::vector<double>& values,
                          const std::vector<std::size_t>& places) {
  std::vector<double> chunk;
  for (const std::size_t place : places) chunk.push_back(values.at(place));
  return text_of_values(chunk);
}

}  // namespace fpsynth::data
