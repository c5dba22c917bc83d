#include "runners/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "runners/codec/cpu/chunk_coder.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/container.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/changing_bytes.hpp"

namespace fpsynth::codec {
namespace {

using tests::contains;

/// Decompresses bytes that may be forged. Returns true if it succeeds; any exception other than
/// Error fails the test.
bool survives(std::span<const std::byte> file, const Bytes& original) {
  CodecOptions options;
  options.threads = 1;
  options.limit = std::uint64_t{1} << 20;
  try {
    EXPECT_EQ(decompress(file, options), original);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Codec, RoundTrips) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const auto& pipeline : sample_pipelines()) {
      const std::size_t chunk = 1024 * word_bytes;
      for (const std::size_t size :
           {std::size_t{1}, word_bytes - 1, word_bytes, word_bytes + 1, 2 * word_bytes, chunk - 1,
            chunk, chunk + 1, chunk + word_bytes, 3 * chunk + 5 * word_bytes + 3}) {
        const Bytes original = signal(size, word_bytes);
        const Bytes file = compress(original, pipeline, word_bytes);
        EXPECT_EQ(decompress(file), original) << synth::to_string(pipeline) << ", " << size;
        Bytes out(size);
        decompress_into(file, out);
        EXPECT_EQ(out, original);
      }
    }
  }
}

TEST(Codec, EveryCutAndWordSize) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    const Bytes original = signal(20001, word_bytes);
    for (const char* text :
         {"| LNV3s DIM5 BIT ZE", "LNV3s | DIM5 BIT ZE", "LNV3s DIM5 | BIT ZE",
          "LNV3s DIM5 BIT | ZE", "LNV3s DIM5 BIT ZE |", "| ZE RLE ZE RLE", "ZE | RLE ZE RLE",
          "ZE RLE | ZE RLE", "ZE RLE ZE | RLE", "ZE RLE ZE RLE"}) {
      const Bytes file = compress(original, synth::parse_pipeline(text), word_bytes);
      EXPECT_EQ(decompress(file), original) << text;
    }
  }
}

TEST(Codec, BytesDoNotDependOnThreads) {
  const Bytes original = signal(3'000'001, 8);
  const auto pipeline = synth::parse_pipeline("LNV2s LNV2s LNV2x | ZE");
  CodecOptions one;
  one.threads = 1;
  const Bytes file = compress(original, pipeline, 8, one);
  for (const int threads : {2, 3, 5}) {
    CodecOptions options;
    options.threads = threads;
    EXPECT_EQ(compress(original, pipeline, 8, options), file);
    EXPECT_EQ(decompress(file, options), original);
  }
}

TEST(Codec, MoreSlicesThanBuffers) {
  const Bytes original = signal(50 * kSliceBytes + 123457, 8);
  CodecOptions options;
  options.threads = 2;
  const Bytes file = compress(original, synth::parse_pipeline("LNV1s BIT ZE"), 8, options);
  EXPECT_TRUE(decompress(file, options) == original);
  MemorySink sink;
  EXPECT_EQ(decompress(file, "x", sink, options), original.size());
  EXPECT_TRUE(sink.bytes() == original);
  Bytes out(original.size());
  decompress_into(file, out, options);
  EXPECT_TRUE(out == original);
}

TEST(Codec, APipelineThatMayGrowALot) {
  const Bytes original = noise(3'000'001);
  const auto pipeline = synth::parse_pipeline("| RLE RLE RLE RLE RLE RLE RLE RLE");
  CodecOptions options;
  options.threads = 2;
  const Bytes file = compress(original, pipeline, 8, options);
  EXPECT_TRUE(decompress(file, options) == original);
}

TEST(Codec, AFileThatExpandsGreatly) {
  const Bytes original(40'000'000);
  const Bytes file = compress(original, synth::parse_pipeline("ZE | ZE RLE"), 8);
  EXPECT_LT(file.size() * 500, original.size());
  EXPECT_TRUE(decompress(file) == original);
}

/// A container with other chunk lengths than those that the codec writes, as readers accept them.
Bytes compress_in_chunks(const Bytes& original, const synth::Pipeline& pipeline,
                         std::uint32_t chunk_words) {
  Header header;
  header.pipeline = pipeline;
  header.chunk_words = chunk_words;
  header.original_bytes = original.size();
  const std::span<const std::byte> all = original;
  MemorySink sink;
  ContainerWriter writer(header, all.last(header.tail_bytes()), sink);
  ChunkCoder coder(pipeline, 8, chunk_words);
  const PipelineFrames frames(header);
  Bytes frame(frames.bytes());
  for (std::uint64_t chunk = 0; chunk < header.chunks(); ++chunk) {
    const auto [block, extents] =
        coder.encode(all.subspan(chunk * header.chunk_bytes(), 8 * header.words_of(chunk)));
    frames.write(extents, frame.data());
    writer.add_blocks(block);
    writer.add_frames(frame);
  }
  writer.finish(ContentHash::of(all));
  return std::move(sink.bytes());
}

TEST(Codec, SlicesNeedNotEndWithASegment) {
  const Bytes original = signal(5 * kSliceBytes + 4321, 8);
  const auto pipeline = synth::parse_pipeline("LNV1s BIT ZE");
  for (const std::uint32_t chunk_words : {1000u, 8193u, 20000u, 65536u}) {
    const Bytes file = compress_in_chunks(original, pipeline, chunk_words);
    Bytes bad = file;
    bad[checksum_at(pipeline.stages.size())] ^= std::byte{1};
    for (const int threads : {1, 3}) {
      CodecOptions options;
      options.threads = threads;
      EXPECT_TRUE(decompress(file, options) == original) << chunk_words;
      MemorySink sink;
      decompress(file, "x", sink, options);
      EXPECT_TRUE(sink.bytes() == original) << chunk_words;
      EXPECT_THROW(decompress(bad, options), Error) << chunk_words;
    }
  }
}

TEST(Codec, FilesOfEarlierVersionsAreRefusedWithWhatToDo) {
  Bytes file = compress(noise(16000), synth::parse_pipeline("LNV1s RLE"), 8);
  file[kVersionAt] = std::byte{1};
  const std::string says = message(file);
  EXPECT_TRUE(contains(says, "some.fps: format version 1, of an earlier development version"));
  EXPECT_TRUE(contains(says, "compress the original again"));
}

TEST(Codec, AnEmptyInputIsAHeaderAlone) {
  for (const char* text : {"ZE", "LNV1s BIT | RLE"}) {
    const synth::Pipeline pipeline = synth::parse_pipeline(text);
    Bytes file = compress({}, pipeline, 8);
    EXPECT_EQ(file.size(), header_bytes(pipeline));
    EXPECT_EQ(parse_header(file, "file").checksum, 0x2d06800538d394c2);  // of an empty list
    EXPECT_TRUE(decompress(file).empty());
    decompress_into(file, {});
    Bytes longer = file;
    longer.push_back({});
    EXPECT_THROW(decompress(longer), Error);
    file.back() ^= std::byte{1};  // of the checksum
    EXPECT_THROW(decompress(file), Error);
  }
}

TEST(Codec, TheOutputMustHaveTheOriginalsSize) {
  const Bytes file = compress(noise(100), synth::parse_pipeline("ZE"), 8);
  Bytes out(101);
  EXPECT_THROW(decompress_into(file, out), Error);
}

TEST(Codec, TheLimitIsKept) {
  const Bytes file = compress(noise(100), synth::parse_pipeline("ZE"), 8);
  CodecOptions options;
  Bytes out(100);
  options.limit = 99;
  EXPECT_THROW(decompress(file, options), Error);
  EXPECT_THROW(decompress_into(file, out, options), Error);
  options.limit = 100;
  EXPECT_NO_THROW(decompress(file, options));
  EXPECT_NO_THROW(decompress_into(file, out, options));
}

TEST(Codec, EveryTruncationIsAnError) {
  for (const auto& pipeline : sample_pipelines()) {
    const Bytes original = signal(83, 8);
    const Bytes file = compress(original, pipeline, 8);
    for (std::size_t size = 0; size < file.size(); ++size) {
      // A copy, so that a sanitizer detects a read of the first byte after it.
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(survives(cut, original)) << synth::to_string(pipeline) << " at " << size;
    }
    Bytes longer = file;
    longer.push_back({});
    EXPECT_FALSE(survives(longer, original));
  }
}

TEST(Codec, EveryFlippedBitIsAnErrorOrDoesNotMatter) {
  for (const auto& pipeline : sample_pipelines()) {
    const Bytes original = signal(83, 8);
    Bytes file = compress(original, pipeline, 8);
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      file[bit / 8] ^= std::byte{1} << bit % 8;
      survives(file, original);
      file[bit / 8] ^= std::byte{1} << bit % 8;
    }
    EXPECT_TRUE(survives(file, original));
  }
}

TEST(Codec, AForgedOriginalSizeIsRefusedBeforeAnythingIsAllocated) {
  const Bytes original = noise(100);
  const auto pipeline = synth::parse_pipeline("ZE");
  const Bytes file = compress(original, pipeline, 8);
  const std::size_t at = header_bytes(pipeline) - 16;
  for (std::size_t byte = 0; byte < 8; ++byte) {
    Bytes forged = file;
    forged[at + byte] = std::byte{0xff};
    EXPECT_TRUE(contains(message(forged), "some.fps: "));
    EXPECT_FALSE(contains(message(forged), "no error"));
  }
  Bytes forged = file;
  std::fill_n(forged.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0xff});
  EXPECT_TRUE(contains(message(forged), "too few for an original of 18446744073709551615 bytes"));
}

TEST(Codec, ErrorsSayWhatIsWrong) {
  const auto pipeline = synth::parse_pipeline("LNV1s RLE");
  const Bytes file = compress(noise(16000), pipeline, 8);
  const std::size_t frames = overhead_bytes(pipeline, 16000, 8);
  Bytes bad = file;
  bad.back() ^= std::byte{1};
  bad[checksum_at(pipeline.stages.size())] ^= std::byte{1};
  EXPECT_TRUE(contains(message(bad), "some.fps: "));
  bad = file;
  bad[checksum_at(pipeline.stages.size())] ^= std::byte{1};
  EXPECT_TRUE(contains(message(bad), "checksum"));
  bad = file;
  bad[frames + 1] = std::byte{0xff};
  EXPECT_TRUE(contains(message(bad), "chunk 0"));
  EXPECT_TRUE(contains(message(bad), "stage 2 (RLE)"));
  bad = file;
  bad.pop_back();
  EXPECT_TRUE(contains(message(bad), "ends within the block of chunk 1 of 2"));
  bad = file;
  bad.resize(bad.size() + 3);
  EXPECT_TRUE(contains(message(bad), "3 bytes follow"));
}

TEST(Codec, TheFirstBadChunkIsNamedWhateverTheThreads) {
  const auto pipeline = synth::parse_pipeline("RLE");
  const Bytes original = noise(4 * kSliceBytes);
  Bytes file = compress(original, pipeline, 8);
  const std::size_t chunks = original.size() / 8192;
  const std::size_t blocks = overhead_bytes(pipeline, original.size(), 8) + chunks * 4;
  const std::size_t block = (file.size() - blocks) / chunks;
  for (const std::size_t chunk : {20u, 45u, 60u}) {
    // The first token byte of an RLE block of 1024 literals: 128 literals become 128 repeats.
    file[blocks + chunk * block + 8192] = std::byte{0xff};
  }
  for (const int threads : {1, 4}) {
    EXPECT_TRUE(contains(message(file, {.threads = threads}), "chunk 20:")) << threads;
  }
}

class ThrowingSink : public MemorySink {
 public:
  void write(std::span<const std::byte>) override { throw Error("disk full"); }
};

TEST(Codec, ASinksErrorIsPassedOn) {
  ThrowingSink sink;
  const Bytes original = signal(300000, 8);
  EXPECT_THROW(compress(original, "x", synth::parse_pipeline("ZE"), 8, sink), Error);
  const Bytes file = compress(original, synth::parse_pipeline("ZE"), 8);
  EXPECT_THROW(decompress(file, "x", sink), Error);
}

TEST(InOrder, ProducesAllAndConsumesInOrder) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> produced(1000);
    std::vector<std::uint64_t> held(buffer_count(threads)), consumed;
    in_order(
        3, produced.size(), threads,
        [&](std::uint64_t slice, std::size_t buffer, std::size_t thread) {
          EXPECT_LT(thread, static_cast<std::size_t>(threads));
          ++produced[slice];
          held[buffer] = slice;
        },
        [&](std::uint64_t slice, std::size_t buffer) {
          EXPECT_EQ(held[buffer], slice);
          consumed.push_back(slice);
        });
    ASSERT_EQ(consumed.size(), produced.size() - 3);
    for (std::size_t i = 0; i < consumed.size(); ++i) {
      EXPECT_EQ(consumed[i], i + 3);
      EXPECT_EQ(produced[i + 3], 1);
    }
  }
  in_order(
      0, 0, 2, [](auto...) { FAIL(); }, [](auto...) { FAIL(); });
}

TEST(InOrder, ThrowsWhatAPlainLoopWould) {
  const auto attempt = [](std::uint64_t bad_produce, std::uint64_t bad_consume) {
    std::uint64_t consumed = 0;
    std::string what;
    try {
      in_order(
          0, 500, 4,
          [&](std::uint64_t slice, std::size_t, std::size_t) {
            if (slice % 100 == bad_produce) throw Error("produce " + std::to_string(slice));
          },
          [&](std::uint64_t slice, std::size_t) {
            if (slice == bad_consume) throw Error("consume " + std::to_string(slice));
            ++consumed;
          });
    } catch (const Error& error) {
      what = error.what();
    }
    return what + " after " + std::to_string(consumed);
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(attempt(37, 900), "produce 37 after 37");
    EXPECT_EQ(attempt(37, 20), "consume 20 after 20");
    EXPECT_EQ(attempt(37, 37), "produce 37 after 37");
    EXPECT_EQ(attempt(900, 499), "consume 499 after 499");
  }
}

TEST(Codec, AnInputThatChangesMeanwhileIsCompressedAsItWasRead) {
  const tests::ChangingBytes changing((std::size_t{16} << 20) + 3);
  CodecOptions options;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    const Bytes file =
        compress(changing.bytes(), synth::parse_pipeline("LNV1s BIT ZE"), 8, options);
    EXPECT_EQ(decompress(file).size(), changing.bytes().size());  // its checksum is right
  }
}

TEST(Codec, AnArchiveThatChangesMeanwhileIsNeverReadOutOfItsBounds) {
  // A good file whose frames are other ones a moment later.
  const Bytes file = compress(signal(std::size_t{1} << 20, 8), synth::parse_pipeline("ZE"), 8);
  Bytes changing = file;
  class Changing : public Sink {
   public:
    explicit Changing(Bytes& bytes) : bytes_(bytes) {}
    void write(std::span<const std::byte>) override {
      std::fill(bytes_.begin() + 40, bytes_.end(), std::byte{0xff});
    }
    void finish() override {}

   private:
    Bytes& bytes_;
  } sink(changing);
  CodecOptions options;
  options.threads = 1;
  EXPECT_THROW(decompress(changing, "file", sink, options), Error);
}

}  // namespace
}  // namespace fpsynth::codec
