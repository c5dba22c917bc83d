#include "runners/codec/streams.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <utility>

#include "runners/codec/codec.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

namespace fs = std::filesystem;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A named pipe, and a reader of its output.
struct Pipe {
  explicit Pipe(fs::path at) : path(std::move(at)) { EXPECT_EQ(mkfifo(path.c_str(), 0600), 0); }
  std::future<std::string> drain() const {
    return std::async(std::launch::async, [this] { return tests::read_bytes(path); });
  }
  fs::path path;
};

TEST(Input, MapsFiles) {
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a", "some bytes");
  const Input input = Input::open(folder / "a");
  EXPECT_EQ(text(input.bytes()), "some bytes");
  EXPECT_EQ(input.name(), folder / "a");
}

TEST(Input, EmptyFilesHaveNoBytes) {
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a", "");
  EXPECT_TRUE(Input::open(folder / "a").bytes().empty());
}

TEST(Input, ReadsPipes) {
  tests::TemporaryFolder folder;
  const Pipe pipe(folder / "pipe");
  const std::string sent(3'000'000, 'x');
  auto writer = std::async(std::launch::async, [&] { tests::write_bytes(pipe.path, sent); });
  const Input input = Input::open(pipe.path);
  writer.get();
  EXPECT_TRUE(text(input.bytes()) == sent);
}

TEST(Input, MissingFilesAndFoldersAreErrors) {
  tests::TemporaryFolder folder;
  EXPECT_THROW(Input::open(folder / "missing"), Error);
  EXPECT_THROW(Input::open(folder.path()), Error);
}

TEST(Input, DevicesAndWhatIsRefusedAreNotReadToTheirEnd) {
  EXPECT_THROW(Input::open("/dev/zero"), Error);
  EXPECT_TRUE(Input::open("/dev/null").bytes().empty());
  tests::TemporaryFolder folder;
  const Pipe pipe(folder / "pipe");
  std::atomic<bool> refused = false;
  auto writer = std::async(std::launch::async, [&] {
    std::signal(SIGPIPE, SIG_IGN);
    std::FILE* const file = std::fopen(pipe.path.c_str(), "wb");
    const std::string piece(4096, 'x');
    // Without an end, until nobody reads any more.
    while (std::fwrite(piece.data(), 1, piece.size(), file) == piece.size()) {
    }
    std::fclose(file);
  });
  EXPECT_THROW(Input::open(pipe.path,
                           [&](std::span<const std::byte> beginning, std::string_view name) {
                             EXPECT_EQ(beginning.size(), Input::kChecked);
                             EXPECT_EQ(name, pipe.path.string());
                             refused = true;
                             throw Error("no");
                           }),
               Error);
  writer.get();
  EXPECT_TRUE(refused);
}

TEST(Input, ThatBecomesShorterWhileItIsCompressedIsAnError) {
  guard_mapped_files();
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "in", std::string(3'000'000, 'x'));
  const Input input = Input::open(folder / "in");
  /// Cuts the input short when the container's header is written, so before its blocks are read.
  class Cutting : public MemorySink {
   public:
    explicit Cutting(fs::path victim) : victim_(std::move(victim)) {}
    void write(std::span<const std::byte> bytes) override {
      if (fs::file_size(victim_) > 4096) fs::resize_file(victim_, 4096);
      MemorySink::write(bytes);
    }

   private:
    fs::path victim_;
  } sink(folder / "in");
  const std::string message = tests::message_of([&] {
    while_unchanged(input, [&] {
      compress(input.bytes(), input.name(), synth::parse_pipeline("ZE"), 8, sink);
    });
  });
  EXPECT_TRUE(tests::contains(message, (folder / "in").string()));
  EXPECT_TRUE(tests::contains(message, "became shorter while it was read"));
}

TEST(MemorySink, ReservedMemoryKeepsItsContents) {
  Bytes bytes = noise(1000);
  const Bytes before = bytes;
  for (const std::size_t capacity :
       {std::size_t{10}, std::size_t{5000}, (std::size_t{9} << 20) + 1}) {
    reserve_output(bytes, capacity);
    EXPECT_GE(bytes.capacity(), capacity);
    EXPECT_EQ(bytes, before);
  }
  bytes.resize(bytes.capacity());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), bytes.begin()));
}

TEST(Sink, AFileAppearsWhenItIsFinished) {
  tests::TemporaryFolder folder;
  {
    const auto sink = open_patchable_sink(folder / "a", false);
    sink->write(bytes_of("hello world"));
    sink->patch(6, bytes_of("W"));
    sink->write(bytes_of("!"));
    EXPECT_FALSE(fs::exists(folder / "a"));
    sink->finish();
  }
  EXPECT_EQ(tests::read_bytes(folder / "a"), "hello World!");
  open_sink(folder / "b", false)->write(bytes_of("never finished"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(Sink, ExistingFilesAreReplacedByForceOnly) {
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a", "old");
  EXPECT_THROW(open_sink(folder / "a", false), Error);
  EXPECT_THROW(open_patchable_sink(folder / "a", false), Error);
  const auto sink = open_sink(folder / "a", true);
  sink->write(bytes_of("new"));
  EXPECT_EQ(tests::read_bytes(folder / "a"), "old");
  sink->finish();
  EXPECT_EQ(tests::read_bytes(folder / "a"), "new");
  EXPECT_THROW(open_sink(folder.path(), true), Error);
}

TEST(Sink, AFileThatAppearsBeforeTheEndIsReplacedByForceOnly) {
  tests::TemporaryFolder folder;
  const auto sink = open_sink(folder / "a", false), forced = open_sink(folder / "b", true);
  for (const char* name : {"a", "b"}) tests::write_bytes(folder / name, "of another program");
  const std::string message = tests::message_of([&] { sink->finish(); });
  EXPECT_TRUE(tests::contains(message, (folder / "a").string() + ": File exists; give --force"));
  EXPECT_EQ(tests::read_bytes(folder / "a"), "of another program");
  forced->finish();
  EXPECT_EQ(tests::read_bytes(folder / "b"), "");
  EXPECT_EQ(tests::files_in(folder.path()), 2u);
}

TEST(Sink, SymbolicLinksStay) {
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a", "old");
  fs::create_symlink("a", folder / "link");
  const auto sink = open_sink(folder / "link", true);
  sink->write(bytes_of("new"));
  sink->finish();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(tests::read_bytes(folder / "a"), "new");
}

TEST(Sink, SymbolicLinksToNothingAreRefused) {
  tests::TemporaryFolder folder;
  fs::create_symlink("missing", folder / "link");
  fs::create_symlink("loop", folder / "loop");
  for (const char* name : {"link", "loop"}) {
    for (const bool force : {false, true}) {
      const std::string message =
          tests::message_of([&] { open_sink(folder / name, force)->finish(); });
      EXPECT_TRUE(
          tests::contains(message, (folder / name).string() + " is a symbolic link that leads"));
    }
    EXPECT_TRUE(fs::is_symlink(folder / name));
  }
  EXPECT_EQ(tests::files_in(folder.path()), 2u);
}

TEST(Sink, PipesAndDevicesAreWrittenNotReplaced) {
  tests::TemporaryFolder folder;
  const Pipe pipe(folder / "pipe");
  auto reader = pipe.drain();
  {
    const auto sink = open_patchable_sink(pipe.path, false);
    sink->write(bytes_of("hello world"));
    sink->patch(0, bytes_of("H"));
    sink->finish();
  }
  EXPECT_EQ(reader.get(), "Hello world");
  EXPECT_TRUE(fs::is_fifo(pipe.path));
  open_sink("/dev/null", false)->write(bytes_of("gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Sink, LongOutputToAPipeIsHeldInATemporaryFile) {
  tests::TemporaryFolder folder;
  const Pipe pipe(folder / "pipe");
  auto reader = pipe.drain();
  const std::string piece(20'000'000, 'x');
  {
    const auto sink = open_patchable_sink(pipe.path, false);
    for (int i = 0; i < 4; ++i) sink->write(bytes_of(piece));
    sink->patch(19'999'999, bytes_of("ab"));
    sink->patch(70'000'000, bytes_of("c"));
    sink->finish();
  }
  std::string expected(80'000'000, 'x');
  expected.replace(19'999'999, 2, "ab");
  expected[70'000'000] = 'c';
  EXPECT_TRUE(reader.get() == expected);
}

TEST(Sink, InputAndOutputMustDiffer) {
  tests::TemporaryFolder folder;
  tests::write_bytes(folder / "a", "x");
  fs::create_symlink("a", folder / "link");
  EXPECT_THROW(refuse_same_file(folder / "a", folder / "a"), UsageError);
  EXPECT_THROW(refuse_same_file(folder / "a", folder / "link"), UsageError);
  EXPECT_NO_THROW(refuse_same_file(folder / "a", folder / "b"));
  EXPECT_NO_THROW(refuse_same_file("-", "-"));
  EXPECT_NO_THROW(refuse_same_file("/dev/null", "/dev/null"));
}

TEST(Streams, FilesEqualMemory) {
  tests::TemporaryFolder folder;
  const Bytes original = signal(5'000'003, 8);
  const auto pipeline = synth::parse_pipeline("LNV2s RLE | ZE");
  tests::write_bytes(folder / "in", text(original));
  const Input input = Input::open(folder / "in");
  const auto packed = open_patchable_sink(folder / "packed", false);
  const std::uint64_t written = compress(input.bytes(), input.name(), pipeline, 8, *packed);
  packed->finish();
  EXPECT_EQ(fs::file_size(folder / "packed"), written);
  EXPECT_TRUE(tests::read_bytes(folder / "packed") == text(compress(original, pipeline, 8)));

  const Input file = Input::open(folder / "packed");
  const auto out = open_sink(folder / "out", false);
  EXPECT_EQ(decompress(file.bytes(), file.name(), *out), original.size());
  out->finish();
  EXPECT_TRUE(tests::read_bytes(folder / "out") == text(original));
}

}  // namespace
}  // namespace fpsynth::codec
