#include "synth/common/mapped_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth {
namespace {

using tests::contains;
using tests::message_of;
namespace fs = std::filesystem;

constexpr std::size_t kBytes = std::size_t{1} << 20;

class MappedFiles : public ::testing::Test {
 protected:
  MappedFiles() {
    guard_mapped_files();
    tests::write_bytes(path_, std::string(kBytes, 'x'));
  }
  MappedFile open() const {
    return MappedFile(::open(path_.c_str(), O_RDONLY | O_CLOEXEC), path_.string());
  }

  const tests::TemporaryFolder folder_;
  const fs::path path_ = folder_ / "file";
};

/// The number of bytes that are 'x'.
std::size_t count(std::span<const std::byte> bytes) {
  std::size_t found = 0;
  for (const std::byte byte : bytes) found += byte == std::byte{'x'};
  return found;
}

TEST_F(MappedFiles, HoldTheBytes) {
  const MappedFile file = open();
  EXPECT_EQ(while_unchanged(file, [&] { return count(file.bytes()); }), kBytes);
  EXPECT_NO_THROW(file.check_unchanged());
}

TEST_F(MappedFiles, ThatBecomeShorterAreErrorsAndNoSignal) {
  const MappedFile file = open();
  fs::resize_file(path_, 5000);
  // The rest of the last page stays.
  EXPECT_EQ(count(file.bytes()), 5000u);
  const std::string message = message_of([&] { file.check_unchanged(); });
  EXPECT_TRUE(contains(message, path_.string()));
  EXPECT_TRUE(contains(message, "became shorter while it was read: 5000 bytes instead of 1048576"));
}

TEST_F(MappedFiles, ThatBecomeShorterAreNoticedByManyThreadsAtOnce) {
  const MappedFile file = open();
  fs::resize_file(path_, 0);
  std::vector<std::size_t> found(8, 1);
  std::vector<std::thread> threads;
  for (std::size_t& one : found) {
    threads.emplace_back([&] { one = count(file.bytes()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, std::vector<std::size_t>(8, 0));
  EXPECT_THROW(file.check_unchanged(), Error);
}

TEST_F(MappedFiles, OfOthersStayWhatTheyAre) {
  tests::write_bytes(folder_ / "other", std::string(kBytes, 'x'));
  const MappedFile first = open();
  const MappedFile other(::open((folder_ / "other").c_str(), O_RDONLY), "other");
  const MappedFile last = open();
  fs::resize_file(path_, 0);
  EXPECT_EQ(count(first.bytes()) + count(last.bytes()), 0u);
  EXPECT_EQ(count(other.bytes()), kBytes);
  EXPECT_NO_THROW(other.check_unchanged());
  EXPECT_THROW(first.check_unchanged(), Error);
  EXPECT_THROW(last.check_unchanged(), Error);
}

TEST_F(MappedFiles, ThatAreWrittenToAreErrors) {
  const MappedFile longer = open();
  fs::resize_file(path_, kBytes + 1);
  EXPECT_TRUE(contains(message_of([&] { longer.check_unchanged(); }), "changed while it was read"));
  const MappedFile touched = open();
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::seconds(3));
  EXPECT_TRUE(
      contains(message_of([&] { touched.check_unchanged(); }), "changed while it was read"));
}

TEST_F(MappedFiles, TheChangeIsTheReasonOfWhatWentWrong) {
  const MappedFile file = open();
  const auto refuse = [&] { while_unchanged(file, [] { throw Error("chunk 7 is damaged"); }); };
  EXPECT_EQ(message_of(refuse), "chunk 7 is damaged");
  fs::resize_file(path_, 1);
  EXPECT_TRUE(contains(message_of(refuse), "became shorter"));
}

TEST_F(MappedFiles, LossesThatNobodyAskedForAreToldOfAtTheEnd) {
  EXPECT_NO_THROW(refuse_unnoticed_losses());
  {
    const MappedFile file = open();
    fs::resize_file(path_, 1);
    EXPECT_EQ(count(file.bytes()), 1u);
  }
  EXPECT_TRUE(contains(message_of(refuse_unnoticed_losses), path_.string()));
}

TEST_F(MappedFiles, OtherBusErrorsEndTheProgram) {
  EXPECT_EXIT(raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace fpsynth
