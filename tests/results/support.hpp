#pragma once
// A space of six pipelines, documents over it with ratios that can be checked in the head, and
// directories that vanish.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "results/documents/document.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::results {

/// Ids 0..5: NUL | ZE, BIT | ZE, LNV1s | ZE, NUL ZE, BIT ZE, LNV1s ZE.
inline synth::Space small_space() {
  const auto component = [](std::string_view name) { return *synth::parse_component(name); };
  return {.components = {component("NUL"), component("BIT"), component("LNV1s")},
          .last = {component("ZE")},
          .cuts = {1, 2},
          .stages = 2};
}

inline constexpr std::uint64_t kOverhead = 24;
/// Two chunks of doubles, four of singles.
inline constexpr std::uint64_t kBytes = 16384;

/// A complete document whose pipelines have the given ratios, which must divide kBytes.
inline Document document_with(const std::string& name, const std::vector<std::uint64_t>& ratios,
                              synth::Precision precision = synth::Precision::Double) {
  Document document;
  document.data = {.name = name,
                   .bytes = kBytes,
                   .values = kBytes / synth::word_bytes(precision),
                   .xxh3 = "0123456789abcdef",
                   .precision = precision,
                   .source = "made for a test",
                   .tail_bytes = 0};
  document.space = small_space();
  document.run = {.program_version = "0.1.0",
                  .commit = "abc",
                  .compiler = "GCC",
                  .backend = "cpu",
                  .device = "a CPU",
                  .threads = 2,
                  .verification = "all",
                  .edges_verified = 10,
                  .failures = 0,
                  .seconds = 0.5,
                  .pipeline_bytes_per_second = 0,
                  .sample = 1,
                  .chunks_total = 0,
                  .chunks_done = 0,
                  .complete = false};
  document.overhead_bytes = kOverhead;
  for (const std::uint64_t ratio : ratios) {
    document.payload_bytes.push_back(kBytes / ratio - kOverhead);
  }
  document.chunk_ranges = {{0, chunks_of(document.data, 1)}};
  finish(document);
  return document;
}

/// An empty directory, removed with all it holds.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fpsynth-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw Error("cannot make a temporary directory");
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  // File systems flush a truncated file to the disk when it is closed; a new one they do not.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << text;
}

inline std::size_t files_in(const std::filesystem::path& directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

/// The message of the Error that an action throws; "no error" if it throws none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

}  // namespace fpsynth::results
