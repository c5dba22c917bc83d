#include "runners/timing/compiled/file_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "synth/common/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::timing {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(FileCache, ReturnsWhatWasPut) {
  const tests::TemporaryFolder folder;
  const FileCache cache(folder / "deep" / "down");
  EXPECT_FALSE(cache.read("key", ".x"));
  EXPECT_FALSE(cache.find("key", ".x"));
  const auto path = cache.put("key", ".x", bytes_of("compiled"));
  EXPECT_EQ(path.filename(), "key.x");
  EXPECT_EQ(cache.read("key", ".x"), bytes_of("compiled"));
  EXPECT_EQ(cache.find("key", ".x"), path);
  EXPECT_FALSE(cache.read("key", ".y"));
  cache.put("key", ".x", bytes_of("newer"));
  EXPECT_EQ(cache.read("key", ".x"), bytes_of("newer"));
}

TEST(FileCache, DamagedFilesAreRemoved) {
  const tests::TemporaryFolder folder;
  const FileCache cache(folder.path());
  const auto path = cache.put("key", ".x", bytes_of("compiled"));
  const std::string good = tests::read_bytes(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ 1);
    for (const std::string& text : {bad, good.substr(0, i)}) {
      tests::write_bytes(path, text);
      EXPECT_FALSE(cache.read("key", ".x")) << i;
      EXPECT_FALSE(std::filesystem::exists(path)) << i;
    }
  }
}

TEST(FileCache, KeysDifferByContent) {
  const auto key = [](std::vector<std::string_view> texts) { return content_key(texts); };
  EXPECT_EQ(key({"a", "b"}), key({"a", "b"}));
  EXPECT_EQ(key({"a", "b"}).size(), 32u);
  EXPECT_NE(key({"a", "b"}), key({"ab"}));
  EXPECT_NE(key({"a", "b"}), key({"ab", ""}));
  EXPECT_NE(key({"a", "b"}), key({"b", "a"}));
}

TEST(FileCache, FoldersThatCannotBeCreated) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "file", "x");
  EXPECT_TRUE(
      tests::contains(tests::message_of([&] { const FileCache cache(folder / "file" / "cache"); }),
                      "XDG_CACHE_HOME"));
}

}  // namespace
}  // namespace fpsynth::timing
