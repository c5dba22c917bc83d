#include "synth/common/atomic_file.hpp"

#include <unistd.h>

#include "tests/results/support.hpp"

namespace fpsynth {
using namespace results;  // tests/results/support.hpp
namespace {

TEST(AtomicFile, CommitPutsTheWholeFileInPlace) {
  const TemporaryDirectory directory;
  AtomicFile file(directory / "a");
  file.write("hello ");
  file.write("world");
  const std::byte patch[] = {std::byte{'J'}};
  file.patch(0, patch);
  file.write("!");
  EXPECT_FALSE(std::filesystem::exists(directory / "a"));
  file.commit();
  EXPECT_EQ(read_file(directory / "a"), "Jello world!");
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(AtomicFile, WithoutCommitNothingIsLeftBehind) {
  const TemporaryDirectory directory;
  { AtomicFile(directory / "a").write("text"); }
  EXPECT_EQ(files_in(directory.path()), 0u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStays) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "old");
  { AtomicFile(directory / "a").write("new"); }
  EXPECT_EQ(read_file(directory / "a"), "old");
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(AtomicFile, MissingDirectoryIsAnErrorNamingTheFile) {
  const TemporaryDirectory directory;
  const auto path = directory / "none" / "a";
  const std::string message = message_of([&] { AtomicFile file(path); });
  EXPECT_TRUE(contains(message, path.string()));
  EXPECT_TRUE(contains(message, "No such file"));
}

TEST(AtomicFile, DirectoryWithoutPermissionIsAnError) {
  const TemporaryDirectory directory;
  std::filesystem::permissions(
      directory.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  // Permissions do not bind the superuser; /proc takes no files from anybody.
  const std::filesystem::path path = geteuid() == 0 ? "/proc/fpsynth-test" : directory / "a";
  EXPECT_TRUE(contains(message_of([&] { AtomicFile file(path); }), path.string()));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

TEST(AtomicFile, TargetThatIsADirectoryIsAnErrorAndLeavesNothingBehind) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "a");
  EXPECT_THROW(
      {
        AtomicFile file(directory / "a");
        file.write("text");
        file.commit();
      },
      Error);
  EXPECT_EQ(files_in(directory.path()), 1u);
}

}  // namespace
}  // namespace fpsynth
