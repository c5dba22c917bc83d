#pragma once
// The places of the papers' data sets, for tests on real data.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace fpsynth::data {

/// A published data file: in $FPSYNTH_DATA, or else in ../shared/data beside the source tree.
inline std::filesystem::path real_file(std::string_view name) {
  const char* folder = std::getenv("FPSYNTH_DATA");
  const std::filesystem::path root =
      folder && *folder ? std::filesystem::path(folder)
                        : std::filesystem::path(FPSYNTH_SOURCE_DIR) / ".." / "shared" / "data";
  return root / name;
}

}  // namespace fpsynth::data

/// Defines `path` as a real file, or skips the test and names the missing file.
#define FPSYNTH_REAL_FILE(path, name)                                              \
  const std::filesystem::path path = fpsynth::data::real_file(name);               \
  if (!std::filesystem::exists(path)) {                                            \
    GTEST_SKIP() << path << " is not there; set FPSYNTH_DATA to the folder of it"; \
  }                                                                                \
  static_assert(true)
