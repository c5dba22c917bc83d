#include "synth/common/atomic_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth {
namespace {

using tests::contains;
using tests::message_of;

TEST(AtomicFile, CommitPutsTheWholeFileInPlace) {
  const tests::TemporaryFolder directory;
  AtomicFile file(directory / "a");
  file.write("hello ");
  file.write("world");
  const std::byte patch[] = {std::byte{'J'}};
  file.patch(0, patch);
  file.write("!");
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
  file.commit();
  EXPECT_EQ(tests::read_bytes(directory / "a"), "Jello world!");
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

TEST(AtomicFile, WithoutCommitNothingIsLeftBehind) {
  const tests::TemporaryFolder directory;
  { AtomicFile(directory / "a").write("text"); }
  EXPECT_EQ(tests::files_in(directory.path()), 0u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const tests::TemporaryFolder directory;
  tests::write_bytes(directory / "a", "old");
  { AtomicFile(directory / "a").write("new"); }
  EXPECT_EQ(tests::read_bytes(directory / "a"), "old");
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

TEST(AtomicFile, MissingDirectoryIsAnErrorNamingTheFile) {
  const tests::TemporaryFolder directory;
  const auto path = directory / "none" / "a";
  const std::string message = message_of([&] { AtomicFile file(path); });
  EXPECT_TRUE(contains(message, path.string()));
  EXPECT_TRUE(contains(message, "No such file"));
}

TEST(AtomicFile, DirectoryWithoutPermissionIsAnError) {
  const tests::TemporaryFolder directory;
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  // Permissions do not restrict the superuser, but nobody can create files in /proc.
  const std::filesystem::path path = geteuid() == 0 ? "/proc/fpsynth-test" : directory / "a";
  EXPECT_TRUE(contains(message_of([&] { AtomicFile file(path); }), path.string()));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

TEST(AtomicFile, TargetThatIsADirectoryIsAnErrorAndLeavesNothingBehind) {
  const tests::TemporaryFolder directory;
  std::filesystem::create_directory(directory / "a");
  EXPECT_THROW(
      {
        AtomicFile file(directory / "a");
        file.write("text");
        file.commit();
      },
      Error);
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

}  // namespace
}  // namespace fpsynth
