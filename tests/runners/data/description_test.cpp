#include "runners/data/description.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "runners/data/synthetic/synthetic_sets.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;
using tests::message_of;

/// The description of a file that was named relative to another directory than this one.
results::DataSet described(const std::filesystem::path& file) {
  results::DataSet data = description_of(open_input(file));
  EXPECT_EQ(data.file, std::filesystem::canonical(file).string());
  data.source = "no/such/directory/" + file.filename().string();
  return data;
}

TEST(OpenDescribed, FindsTheFileFromAnywhere) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a.f64", "12345678abcdefgh");
  const results::DataSet data = described(folder / "a.f64");
  EXPECT_EQ(description_of(open_described(data)).xxh3, data.xxh3);
  results::DataSet old = data;
  old.file.clear();
  EXPECT_TRUE(contains(message_of([&] { open_described(old); }), "no/such/directory/a.f64"));
}

TEST(OpenDescribed, LooksInFoldersAndTakesTheChecksumsWord) {
  const tests::TemporaryFolder folder, moved;
  tests::write_bytes(folder / "a.f64", "12345678abcdefgh");
  const results::DataSet data = described(folder / "a.f64");
  std::filesystem::create_directories(moved / "deep/down");
  std::filesystem::rename(folder / "a.f64", moved / "deep/down/a.f64");
  tests::write_bytes(moved / "a.f64", "another file of that name");
  const std::vector<std::filesystem::path> folders = {moved.path()};
  const std::string message = message_of([&] { open_described(data); });
  EXPECT_TRUE(contains(message, "a (double): its file is not at " + data.file));
  EXPECT_TRUE(contains(message, "--data DIR"));
  EXPECT_EQ(open_described(data, folders).path(), moved / "deep/down/a.f64");
  std::filesystem::remove(moved / "deep/down/a.f64");
  EXPECT_TRUE(contains(message_of([&] { open_described(data, folders); }), "its checksum differs"));
}

TEST(OpenDescribed, MakesASetThatAStudyRenamed) {
  const Input input = make_input(synthetic_set("msg_heat"), 4096).named("warm");
  const results::DataSet data = description_of(input.in(Precision::Single));
  EXPECT_TRUE(data.file.empty());
  const Input again = open_described(data);
  EXPECT_EQ(again.name(), "warm");
  EXPECT_EQ(description_of(again).xxh3, data.xxh3);
}

}  // namespace
}  // namespace fpsynth::data
