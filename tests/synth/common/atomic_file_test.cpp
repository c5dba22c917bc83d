#include "synth/common/atomic_file.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <utility>

#include "synth/common/standard_streams.hpp"
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

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(AtomicFile, KeepsThePermissionsOfWhatItReplaces) {
  const tests::TemporaryFolder directory;
  for (const mode_t mode : {0600, 0640, 0755, 0444}) {
    tests::write_bytes(directory / "a", "old");
    ASSERT_EQ(chmod((directory / "a").c_str(), mode), 0);
    AtomicFile file(directory / "a");
    file.write("new");
    file.commit();
    EXPECT_EQ(mode_of(directory / "a"), mode);
    EXPECT_EQ(tests::read_bytes(directory / "a"), "new");
  }
}

TEST(AtomicFile, ANewFileHasTheModeOfAnyOther) {
  const tests::TemporaryFolder directory;
  const mode_t before = umask(0027);
  write_whole(directory / "a", "new");
  umask(before);
  EXPECT_EQ(mode_of(directory / "a"), 0640u);
}

TEST(AtomicFile, KeepsTheOwnerOfWhatItReplaces) {
  if (geteuid() != 0) GTEST_SKIP() << "only the superuser gives files away";
  const tests::TemporaryFolder directory;
  tests::write_bytes(directory / "a", "old");
  ASSERT_EQ(chown((directory / "a").c_str(), 1234, 2345), 0);
  write_whole(directory / "a", "new");
  struct stat status;
  ASSERT_EQ(stat((directory / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234u);
  EXPECT_EQ(status.st_gid, 2345u);
}

TEST(AtomicFile, AGroupThatCannotBeKeptLeavesItsRightsToNoOther) {
  if (geteuid() != 0) GTEST_SKIP() << "only the superuser gives files away";
  const tests::TemporaryFolder directory;
  ASSERT_EQ(chown(directory.path().c_str(), 1234, 1234), 0);
  for (const auto& [before, after] : {std::pair(0660, 0600), std::pair(02774, 0744)}) {
    tests::write_bytes(directory / "a", "old");
    ASSERT_EQ(chown((directory / "a").c_str(), 1234, 2345), 0);
    ASSERT_EQ(chmod((directory / "a").c_str(), static_cast<mode_t>(before)), 0);
    EXPECT_EXIT(
        {
          // An owner of the file who is not in its group.
          if (setgroups(0, nullptr) != 0 || setgid(1234) != 0 || setuid(1234) != 0) _exit(99);
          write_whole(directory / "a", "new");
          _exit(0);
        },
        ::testing::ExitedWithCode(0), "");
    EXPECT_EQ(tests::read_bytes(directory / "a"), "new");
    EXPECT_EQ(mode_of(directory / "a"), static_cast<mode_t>(after));
  }
}

TEST(AtomicFile, WithoutReplacingAFileThatIsThereStays) {
  const tests::TemporaryFolder directory;
  AtomicFile first(directory / "a", false), second(directory / "a", false);
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_TRUE(contains(message_of([&] { second.commit(); }), "File exists; give --force"));
  EXPECT_EQ(tests::read_bytes(directory / "a"), "first");
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

TEST(AtomicFile, TakesTheLongestNamesAndLongerOnesAreErrors) {
  const tests::TemporaryFolder directory;
  const std::string longest(255, 'a');
  write_whole(directory / longest, "text");
  EXPECT_EQ(tests::read_bytes(directory / longest), "text");
  EXPECT_NO_THROW(check_length_of_name(directory / longest));
  const auto longer = directory / (longest + "a");
  EXPECT_TRUE(contains(message_of([&] { check_length_of_name(longer); }), "256 bytes"));
  EXPECT_TRUE(contains(message_of([&] { write_whole(longer, "text"); }), "give a shorter one"));
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

/// A process that writes a file until it is killed.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& target) {
    int ends[2];
    if (pipe(ends) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      AtomicFile file(target);
      file.write("half");
      if (write(ends[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char begun = 0;
    EXPECT_EQ(read(ends[0], &begun, 1), 1);
    close(ends[0]);
    close(ends[1]);
  }
  ~Writer() { end(); }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
};

TEST(AtomicFile, RemovesWhatAKilledProgramLeftAndNothingElse) {
  const tests::TemporaryFolder directory;
  tests::write_bytes(directory / ".fpsynth-of-mine.tmp", "");
  tests::write_bytes(directory / ".fpsynth-0-1-2.tmp", "");  // of another machine, and new
  Writer killed(directory / "a"), alive(directory / "b");
  killed.end();
  EXPECT_EQ(tests::files_in(directory.path()), 4u);
  write_whole(directory / "c", "text");
  EXPECT_EQ(tests::files_in(directory.path()), 4u);
  EXPECT_TRUE(std::filesystem::exists(directory / ".fpsynth-of-mine.tmp"));
  EXPECT_TRUE(std::filesystem::exists(directory / ".fpsynth-0-1-2.tmp"));
}

TEST(AtomicFile, RemovesWhatAnotherMachineLeftADayAgo) {
  const tests::TemporaryFolder directory;
  const auto old = directory / ".fpsynth-0-1-2.tmp";
  tests::write_bytes(old, "");
  std::filesystem::last_write_time(old,
                                   std::filesystem::last_write_time(old) - std::chrono::hours(25));
  write_whole(directory / "a", "text");
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
}

void limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
  const rlimit both{most, most};
  if (setrlimit(what, &both) != 0) _exit(99);
}

TEST(AtomicFile, TheLimitOnTheSizeOfFilesIsAnErrorThatNamesIt) {
  const tests::TemporaryFolder directory;
  EXPECT_EXIT(
      {
        prepare_ending_signals();
        limit(RLIMIT_FSIZE, 4096);
        const std::string message =
            message_of([&] { write_whole(directory / "a", std::string(100000, 'x')); });
        print_error("{}\n", message);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "ulimit -f");
  EXPECT_EQ(tests::files_in(directory.path()), 0u);
}

#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define FPSYNTH_SANITIZED
#endif
#endif

TEST(AtomicFile, TheLimitOnOpenFilesIsAnErrorThatNamesIt) {
#if defined(FPSYNTH_SANITIZED)
  GTEST_SKIP() << "UndefinedBehaviorSanitizer needs files to look at objects";
#endif
  const tests::TemporaryFolder directory;
  EXPECT_EXIT(
      {
        limit(RLIMIT_NOFILE, 3);
        print_error("{}\n", message_of([&] { write_whole(directory / "a", "text"); }));
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "ulimit -n");
}

}  // namespace
}  // namespace fpsynth
