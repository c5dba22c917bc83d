// The settings and the age of a report's documents.

#include <gtest/gtest.h>

#include "runners/cli/documents/maker.hpp"
#include "runners/cli/documents/settings.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/version.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::cli {
namespace {

Sizes of(const std::vector<std::uint64_t>& bytes) {
  Sizes sizes;
  for (const std::uint64_t size : bytes) sizes[std::to_string(sizes.size())] = size;
  return sizes;
}

TEST(Documents, TablesAreAsLargeAsHalfOfTheDataSets) {
  EXPECT_EQ(13u, tables_that_fit(of(std::vector<std::uint64_t>(13, 131072))));
  EXPECT_EQ(19u, tables_that_fit(of({35089600})));
  EXPECT_EQ(16u, tables_that_fit(of({1000, 1 << 20, 1 << 30})));
  EXPECT_EQ(9u, tables_that_fit({}));
}

TEST(Documents, ModesHaveThePapersTables) {
  using Modes = std::vector<unsigned>;
  EXPECT_EQ(Modes{9}, table_modes(9));
  EXPECT_EQ((Modes{9, 10, 11, 12, 13}), table_modes(13));
  EXPECT_EQ((Modes{9, 11, 12, 14, 16, 17, 19}), table_modes(19));
}

TEST(Documents, ADocumentIsOutdatedByWhatItIsMadeOf) {
  const tests::TemporaryFolder folder;
  const auto document = folder / "best.json", source = folder / "a.double.json";
  const auto put = [&](const std::string& commit, const std::string& command) {
    write_whole(document, "{\"program\": {\"version\": \"" + std::string(synth::kVersion) +
                              "\", \"commit\": \"" + commit + "\", \"compiler\": \"" +
                              synth::kCompiler + "\"}, \"command\": \"" + command + "\"}");
  };
  const auto why = [&] { return outdated(document, "query best --runs a", std::vector{source}); };
  EXPECT_EQ("is not there", why());
  write_whole(source, "{}");
  put(synth::kCommit, "/my programs/fpsynth query best --runs a --out b --x");
  EXPECT_EQ("", why());
  put(synth::kCommit, "fpsynth query best --runs a");  // its output was printed
  EXPECT_EQ("", why());
  put(synth::kCommit, "fpsynth query best --runs ab --out b");
  EXPECT_EQ("is of another command", why());
  put("0123abc", "fpsynth query best --runs a --out b");
  EXPECT_EQ("is of another build of fpsynth", why());
  write_whole(document, "{\"program\": {");
  EXPECT_EQ("is damaged", why());
  put(synth::kCommit, "fpsynth query best --runs a --out b");
  std::filesystem::last_write_time(
      source, std::filesystem::last_write_time(document) + std::chrono::seconds(1));
  EXPECT_EQ("is older than " + source.string(), why());
}

}  // namespace
}  // namespace fpsynth::cli
