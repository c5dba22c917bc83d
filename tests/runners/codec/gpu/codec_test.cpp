// The codec on device memory against the CPU's: an emulated device runs its kernels lane by lane,
// the tests named Ptx interpret what nvcc made of them, and those named Gpu run them on a GPU where
// there is one.

#include <gtest/gtest.h>
#include <xxhash.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "runners/codec/format/archive.hpp"
#include "runners/codec/format/compact_header.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/format/description.hpp"
#include "runners/codec/gpu/codec_on.hpp"
#include "runners/codec/gpu/static_program.hpp"
#include "synth/common/child_program.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/files.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using ptx::PtxDevice;
using Emulation = EmulatedDevice::Options;

Emulation emulation(std::uint32_t lanes, std::uint32_t blocks, std::size_t shared_kib) {
  Emulation options;
  options.lanes = lanes;
  options.resident_blocks = blocks;
  options.shared_per_block = shared_kib << 10;
  return options;
}

/// A kind of device that codecs run on.
struct Kind {
  std::string name;
  std::optional<Emulation> emulation;
  std::optional<PtxDevice::Options> ptx;  ///< none of either: the first GPU
};
PtxDevice::Options interpreted(std::size_t shared_kib) {
  PtxDevice::Options options;
  options.shared_per_block = shared_kib << 10;
  return options;
}

class DeviceCodecs : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam().ptx) FPSYNTH_NEEDS_PTX();
    if (GetParam().emulation || GetParam().ptx) return;
    std::string why;
    gpus_ = device::cuda_devices(&why);
    if (gpus_.empty()) GTEST_SKIP() << why;
  }
  std::unique_ptr<DeviceCodec> make(const synth::Pipeline& pipeline, std::size_t word_bytes,
                                    std::size_t chunk_words = synth::kChunkWords) const {
    const auto& [name, emulation, ptx] = GetParam();
    if (emulation) {
      return device_codec(EmulatedDevice(*emulation), pipeline, word_bytes, chunk_words);
    }
    if (ptx) return device_codec(PtxDevice(*ptx), pipeline, word_bytes, chunk_words);
    return cuda_codec(pipeline, word_bytes, gpus_.front(), chunk_words);
  }

 private:
  std::vector<device::DeviceInfo> gpus_;
};

/// Device memory with a possibly unaligned buffer between guards.
class Guarded {
 public:
  static constexpr std::size_t kGuard = 4096;

  Guarded(DeviceCodec& codec, std::size_t bytes, std::size_t shift)
      : at_(kGuard + shift), all_(at_ + bytes + kGuard, std::byte{0xc3}) {
    buffer_ = codec.buffer(all_.size());
    buffer_->write(all_);
  }
  void* data() { return buffer_->data() + at_; }
  void write(std::span<const std::byte> bytes) { buffer_->write(bytes, at_); }
  Bytes read(std::size_t bytes) { return buffer_->read(bytes, at_); }
  /// True if only the first `used` bytes of the buffer have been written.
  bool whole(std::size_t used) {
    const Bytes now = buffer_->read(all_.size());
    const auto end = static_cast<std::ptrdiff_t>(at_ + used);
    return std::equal(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(at_), all_.begin()) &&
           std::equal(now.begin() + end, now.end(), all_.begin() + end);
  }

 private:
  std::size_t at_;
  Bytes all_;
  std::unique_ptr<DeviceBuffer> buffer_;
};

Bytes encode(DeviceCodec& codec, const Bytes& original, std::size_t shift = 0,
             std::optional<std::uint64_t> checksum = {}) {
  Guarded in(codec, original.size(), shift);
  const std::size_t capacity = codec.bound(original.size());
  Guarded out(codec, capacity, shift / 2);
  in.write(original);
  codec.encode(in.data(), original.size(), out.data(), capacity, nullptr, checksum);
  const std::size_t bytes = codec.finish_encode();
  EXPECT_LE(bytes, capacity);
  EXPECT_TRUE(out.whole(bytes)) << "written outside of the container";
  return out.read(bytes);
}

constexpr std::size_t kMostOriginal = std::size_t{1} << 22;

Bytes decode(DeviceCodec& codec, const Bytes& container, std::size_t shift = 0) {
  Guarded in(codec, container.size(), shift);
  in.write(container);
  const Header header = codec.header(in.data(), container.size(), nullptr);
  // A forged size for which the container has too few frames is refused before anything is written.
  const std::size_t capacity = std::min<std::size_t>(header.original_bytes, kMostOriginal);
  Guarded out(codec, capacity, shift / 3);
  struct Check {  // also checks if decoding throws
    Guarded& out;
    std::size_t bytes;
    ~Check() { EXPECT_TRUE(out.whole(bytes)) << "written outside of the original"; }
  } const check{out, capacity};
  codec.decode(in.data(), container.size(), header, out.data(), nullptr);
  codec.finish_decode();
  return out.read(header.original_bytes);
}

void expect_the_cpus(DeviceCodec& codec, const Bytes& original, const synth::Pipeline& pipeline,
                     std::size_t word_bytes, std::size_t shift = 0) {
  const Bytes expected = compress(original, pipeline, word_bytes);
  ASSERT_EQ(encode(codec, original, shift), expected)
      << synth::to_string(pipeline) << ", " << original.size() << " bytes of " << word_bytes;
  ASSERT_EQ(decode(codec, expected, shift), original)
      << synth::to_string(pipeline) << ", " << original.size() << " bytes of " << word_bytes;
}

TEST_P(DeviceCodecs, WriteAndReadTheCpusContainers) {
  std::size_t shift = 0;
  for (const std::size_t word_bytes : {8, 4, 2}) {
    for (const auto& pipeline : sample_pipelines()) {
      const auto codec = make(pipeline, word_bytes);
      for (const std::size_t bytes :
           {std::size_t{0}, std::size_t{1}, word_bytes, 31 * word_bytes + 3, 1024 * word_bytes,
            2500 * word_bytes + 1}) {
        const Bytes original = shift % 3 ? signal(bytes, word_bytes) : noise(bytes);
        expect_the_cpus(*codec, original, pipeline, word_bytes, shift++ % 48);
      }
    }
  }
}

std::vector<synth::Component> all_components() {
  std::vector<synth::Component> found;
  for (std::size_t family = 0; family < synth::family_count(); ++family) {
    const auto row = static_cast<std::uint8_t>(family);
    if (!synth::family(family).parametric) {
      found.push_back({row, 0});
      continue;
    }
    for (const std::uint8_t n : {1, 2, 3, 5, 8, 17, 32, 64}) found.push_back({row, n});
  }
  return found;
}

/// Pipelines of four stages in which each component occurs at each position; the others are random.
TEST_P(DeviceCodecs, LONG_RunEveryComponentAtEveryPlace) {
  const auto components = all_components();
  std::mt19937 random(7);
  std::vector<synth::Component> reducing;
  for (const auto component : components) {
    if (synth::family(component.family).reduces) reducing.push_back(component);
  }
  for (const std::size_t word_bytes : {8, 4, 2}) {
    for (const auto component : components) {
      for (std::size_t place = 0; place < 4; ++place) {
        if (place == 3 && !synth::family(component.family).reduces) continue;
        synth::Pipeline pipeline;
        for (std::size_t i = 0; i < 3; ++i) {
          pipeline.stages.push_back(components[random() % components.size()]);
        }
        pipeline.stages.push_back(reducing[random() % reducing.size()]);
        pipeline.stages[place] = component;
        pipeline.cut = static_cast<unsigned>(random() % 5);
        const auto contents = testing::kContents[random() % std::size(testing::kContents)];
        const Bytes original =
            testing::make_block(contents, word_bytes, 1024 + random() % 1024, random());
        expect_the_cpus(*make(pipeline, word_bytes), original, pipeline, word_bytes);
      }
    }
  }
}

TEST_P(DeviceCodecs, ReadAndWriteChunksOfOtherLengths) {
  for (const char* text : {"LNV2s RLE | BIT RLE", "| RLE RLE RLE", "DIM3 ZE"}) {
    const auto pipeline = synth::parse_pipeline(text);
    for (const std::size_t chunk_words : {1, 3, 700}) {
      const auto codec = make(pipeline, 4, chunk_words);
      const std::size_t bytes = std::min<std::size_t>(9000, 160 * chunk_words);
      for (const Bytes& original : {signal(bytes, 4), noise(chunk_words * 4 * 2 + 3)}) {
        const Bytes container = encode(*codec, original, 5);
        ASSERT_EQ(decompress(container), original) << text << " in chunks of " << chunk_words;
        ASSERT_EQ(decode(*codec, container, 7), original)
            << text << " in chunks of " << chunk_words;
      }
    }
  }
}

TEST_P(DeviceCodecs, LONG_ReadAndWriteTheLongestChunks) {
  const auto pipeline = synth::parse_pipeline("LNV2s RLE | BIT RLE");
  const auto codec = make(pipeline, 8, kMaxChunkWords);
  for (const Bytes& original : {signal(600000, 8), noise(530000)}) {
    const Bytes container = encode(*codec, original);
    ASSERT_EQ(decompress(container), original);
    ASSERT_EQ(decode(*codec, container), original);
  }
}

TEST_P(DeviceCodecs, UseGivenChecksums) {
  const auto pipeline = synth::parse_pipeline("LNV1s BIT ZE");
  const auto codec = make(pipeline, 8);
  for (const std::size_t bytes : {5, 240, 241, 20000}) {
    const Bytes original = signal(bytes, 8);
    const std::uint64_t checksum = ContentHash::of(original);
    EXPECT_EQ(encode(*codec, original, 0, checksum), compress(original, pipeline, 8));
    const Bytes wrong = encode(*codec, original, 0, checksum + 1);
    EXPECT_THROW(decompress(wrong), Error);
    EXPECT_THROW(decode(*codec, wrong), Error);
  }
}

TEST_P(DeviceCodecs, RefuseTooSmallOutputs) {
  const auto pipeline = synth::parse_pipeline("| RLE");
  const auto codec = make(pipeline, 8);
  const Bytes original = noise(20000);
  const std::size_t needed = compress(original, pipeline, 8).size();
  Guarded in(*codec, original.size(), 0);
  in.write(original);
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{30}, needed / 2, needed - 1}) {
    Guarded out(*codec, capacity, 1);
    EXPECT_THROW(
        {
          codec->encode(in.data(), original.size(), out.data(), capacity, nullptr);
          codec->finish_encode();
        },
        Error)
        << capacity << " of " << needed;
    EXPECT_TRUE(out.whole(capacity)) << capacity << " of " << needed;
  }
  Guarded out(*codec, needed, 1);
  codec->encode(in.data(), original.size(), out.data(), needed, nullptr);
  EXPECT_EQ(codec->finish_encode(), needed);
}

TEST_P(DeviceCodecs, RefuseOtherFormats) {
  const auto codec = make(synth::parse_pipeline("LNV1s ZE"), 8);
  const Bytes original = signal(20000, 8);
  EXPECT_THROW(decode(*codec, compress(original, synth::parse_pipeline("LNV2s ZE"), 8)), Error);
  EXPECT_THROW(decode(*codec, compress(original, synth::parse_pipeline("LNV1s ZE"), 4)), Error);
  EXPECT_THROW(make({{*synth::parse_component("BIT")}, 1}, 8), Error);
}

/// The error that decoding throws, or the checksum of its output.
std::string outcome(const std::function<Bytes()>& decoded) {
  try {
    const Bytes bytes = decoded();
    return std::to_string(XXH3_64bits(bytes.data(), bytes.size()));
  } catch (const device::DeviceError&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
}

/// True if a file claims an original that is too long for these tests, and has enough frames for
/// it.
bool is_large(const Bytes& file, const std::string& outcome) {
  try {
    return parse_header(file, "").original_bytes > kMostOriginal &&
           outcome.find("are too few") == outcome.npos;
  } catch (const Error&) {
    return false;
  }
}

TEST_P(DeviceCodecs, ReportTheCpusErrorsForForgedContainers) {
  std::mt19937 random(3);
  int damaged = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(tests::source_file("tests/fuzz/seeds/container"))) {
    const std::string text = tests::read_bytes(entry.path());
    const auto seed_bytes = bytes_of(text);
    // Not a container that a device gets.
    if (has_prelude(seed_bytes) || is_described(seed_bytes) || has_sections(seed_bytes) ||
        is_compact(seed_bytes)) {
      continue;
    }
    const Header seed = parse_header(seed_bytes, "seed");
    if (seed.original_bytes > kMostOriginal / 32) continue;
    const auto codec = make(seed.pipeline, seed.word_bytes, seed.chunk_words);
    const std::size_t front = header_bytes(seed.pipeline);
    for (int variant = 0; variant < 14; ++variant) {
      Bytes file(seed_bytes.begin(), seed_bytes.end());
      if (variant % 7 == 1) file.resize(random() % file.size());
      if (variant % 7 == 2) file.resize(file.size() + 1 + random() % 100);
      for (int i = 0; variant % 7 >= 3 && i < variant - 2; ++i) {
        // Most changes are in the frames and blocks, which the device must check.
        const std::size_t begin = file.size() > front && random() % 8 ? front : 0;
        file[begin + random() % (file.size() - begin)] = static_cast<std::byte>(random());
      }
      const std::string expected = outcome([&] {
        CodecOptions options;
        options.limit = kMostOriginal;
        return decompress(file, options);
      });
      if (expected.find("the limit; raise it") != expected.npos || is_large(file, expected))
        continue;
      const std::string got = outcome([&] { return decode(*codec, file, 11); });
      if (got.find("create a codec") != got.npos) continue;  // the header names another format
      EXPECT_EQ(got, expected) << entry.path() << ", variant " << variant;
      damaged += expected.find("damaged") != expected.npos;
    }
  }
  EXPECT_GT(damaged, 60);
}

/// Eight RLE stages have the longest possible frames.
TEST_P(DeviceCodecs, ReportTheCpusErrorsForTheLongestFrames) {
  const Header format{synth::parse_pipeline("| RLE RLE RLE RLE RLE RLE RLE RLE")};
  Bytes file = compress(signal(20000, 8), format.pipeline, 8);
  file[header_bytes(format.pipeline)] ^= std::byte{0xff};
  const auto codec = make(format.pipeline, 8, format.chunk_words);
  const std::string expected = outcome([&] { return decompress(file); });
  EXPECT_NE(expected.find("damaged"), expected.npos) << expected;
  EXPECT_EQ(outcome([&] { return decode(*codec, file); }), expected);
}

std::string kind_name(const ::testing::TestParamInfo<Kind>& info) { return info.param.name; }
// Shared memory for all blocks; for usual blocks only; for none, so that all overflow.
INSTANTIATE_TEST_SUITE_P(Emulated, DeviceCodecs,
                         ::testing::Values(Kind{"Roomy", emulation(32, 3, 200), {}},
                                           Kind{"Tight", emulation(64, 2, 24), {}},
                                           Kind{"NoRoom", emulation(32, 2, 2), {}}),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(PTX_, DeviceCodecs,
                         ::testing::Values(Kind{"Roomy", {}, interpreted(200)},
                                           Kind{"Tight", {}, interpreted(36)}),
                         kind_name);
INSTANTIATE_TEST_SUITE_P(GPU_, DeviceCodecs, ::testing::Values(Kind{"Gpu", {}, {}}), kind_name);

TEST(DeviceLookBack, FindsOffsetsInAnyOrderOfBlocks) {
  const auto pipeline = synth::parse_pipeline("RLE");
  const Bytes original = signal(16 * 150 * 4, 4);
  Bytes expected;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Emulation options = emulation(32, seed % 3 == 0 ? 45 : seed, 100);
    options.seed = seed;
    const auto codec = device_codec(EmulatedDevice(options), pipeline, 4, 16);
    const Bytes container = encode(*codec, original);
    if (seed == 1) expected = container;
    ASSERT_EQ(container, expected) << "seed " << seed;
    ASSERT_EQ(decode(*codec, container), original) << "seed " << seed;
  }
  EXPECT_EQ(decompress(expected), original);
}

/// Four times as many chunks as are in progress at once, beside a second process that does the
/// same, each of which pauses at random: the blocks that a look-back waits for may be preempted.
TEST(GPU_DeviceLookBack, LONG_IsRightAThousandTimesBesideAnotherProcess) {
  std::string why;
  const auto gpus = device::cuda_devices(&why, {}, 1);
  if (gpus.empty()) GTEST_SKIP() << why;
  constexpr const char* kOther = "FPSYNTH_TEST_IS_THE_OTHER_PROCESS";
  const tests::TemporaryFolder folder;
  const auto log = folder / "log";
  std::atomic<bool> other_is_right = true;
  std::jthread other;
  if (!std::getenv(kOther)) {
    other = std::jthread([&] {
      other_is_right = run_program(
          {"/usr/bin/env", std::string(kOther) + "=1",
           std::filesystem::read_symlink("/proc/self/exe"), "--gtest_filter=GPU_DeviceLookBack.*"},
          log);
    });
  }
  constexpr std::size_t kWords = 64, kChunks = 4 * 2048;  // 256 multiprocessors of 8 blocks
  const auto pipeline = synth::parse_pipeline("LNV1s ZE");
  const Bytes original = signal(kChunks * kWords * 8, 8);
  CodecOptions options;
  options.chunk_words = kWords;
  const Bytes expected = compress(original, pipeline, 8, options);
  const auto codec = cuda_codec(pipeline, 8, gpus.front(), kWords);
  std::mt19937 random(std::random_device{}());
  for (int time = 1; time <= 1000; ++time) {
    ASSERT_TRUE(encode(*codec, original) == expected) << "time " << time;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
  }
  if (other.joinable()) other.join();
  EXPECT_TRUE(other_is_right) << tests::read_bytes(log);
}

/// A pipeline as a type, as in generated codecs.
template <class Pipeline>
void expect_fixed_the_cpus(const char* text, const Emulation& emulation) {
  using Program = StaticProgram<Pipeline>;
  constexpr std::size_t word_bytes = sizeof(typename Pipeline::Word);
  Header format;
  format.pipeline = synth::parse_pipeline(text);
  format.word_bytes = word_bytes;
  DeviceCodecOn<EmulatedDevice, Program> codec(EmulatedDevice(emulation), format, Program());
  for (const std::size_t bytes : {1, 100, 30000}) {
    expect_the_cpus(codec, signal(bytes, word_bytes), format.pipeline, word_bytes);
    expect_the_cpus(codec, noise(bytes), format.pipeline, word_bytes);
  }
  Bytes forged = compress(signal(30000, word_bytes), format.pipeline, word_bytes);
  forged[header_bytes(format.pipeline) + 30000 % word_bytes] ^= std::byte{0xff};
  EXPECT_EQ(outcome([&] { return decode(codec, forged); }),
            outcome([&] { return decompress(forged); }));
}

TEST(DeviceFixedCodec, WritesAndReadsTheCpusContainers) {
  using namespace components;
  for (const Emulation& device : {emulation(256, 2, 200), emulation(32, 3, 48)}) {
    expect_fixed_the_cpus<
        StaticPipeline<std::uint64_t, 4, Use<LnvSub, 6>, Use<Bit>, Use<LnvSub, 1>, Use<Ze>>>(
        "LNV6s BIT LNV1s ZE", device);
    expect_fixed_the_cpus<
        StaticPipeline<std::uint32_t, 1, Use<Rle>, Use<Nul>, Use<Dim, 5>, Use<Rle>>>(
        "RLE | NUL DIM5 RLE", device);
  }
}

}  // namespace
}  // namespace fpsynth::codec
