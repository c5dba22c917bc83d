#include "synth/common/directory_lock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth {
namespace {

using tests::contains;
using tests::message_of;

TEST(DirectoryLock, HasOneHolder) {
  const tests::TemporaryFolder directory;
  std::optional<DirectoryLock> first(std::in_place, directory.path(), "the first");
  const std::string message = message_of([&] { DirectoryLock(directory.path(), "the second"); });
  EXPECT_TRUE(contains(message, directory.path().string() + " is in use by the first, process " +
                                    std::to_string(getpid()) + " on "));
  EXPECT_TRUE(contains(message, ", since 2"));
  // Another directory is free, and this one is free again afterwards.
  const tests::TemporaryFolder other;
  const DirectoryLock elsewhere(other.path(), "another");
  first.reset();
  EXPECT_EQ(tests::files_in(directory.path()), 0u);
  const DirectoryLock again(directory.path(), "the second");
}

TEST(DirectoryLock, WhatADeadProcessLeftIsNoLock) {
  const tests::TemporaryFolder directory;
  tests::write_bytes(directory / ".lock", "fpsynth search, process 1 on a machine, since 1970");
  const DirectoryLock lock(directory.path(), "the next");
  const std::string message = message_of([&] { DirectoryLock(directory.path(), "the second"); });
  EXPECT_TRUE(contains(message, "in use by the next, process"));
}

TEST(DirectoryLock, NamesADirectoryThatIsNone) {
  const tests::TemporaryFolder directory;
  EXPECT_TRUE(contains(message_of([&] { DirectoryLock(directory / "gone", "the first"); }),
                       "gone/.lock: No such file"));
}

}  // namespace
}  // namespace fpsynth
