// Whole inputs of methods with a prelude through a device, against the CPU's codec.

#include "runners/codec/gpu/files_on.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "runners/codec/codec.hpp"
#include "runners/codec/gpu/files.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/changing_bytes.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using tests::message_of;

constexpr const char* kMethods[] = {
    "LAGx:20 / LNV1s ZE | RLE",      "DICT LAGs:7 / LNV1s | ZE",
    "DEC:2 LAGs:1 / BIT ZE",         "RAT:256:7:100 LAGs:1 / BIT ZE",
    "DIM:306 LAGs:1 DIM:3 / BIT ZE", "ORD GCD:128 LAGs:1 GCD:1024 / BIT ZE",
    "MATCH LAGs:1 MATCH / BIT ZE",   "ORD LAGs:1 LAGs:1000 / LNV1s ZE"};

template <class Device>
Bytes compressed(Device device, const Bytes& input, const synth::Method& method,
                 std::size_t word_bytes, std::size_t batch_bytes = kDeviceBatchBytes) {
  MemorySink sink;
  const std::uint64_t written =
      compress_on(std::move(device), input, "input", method, word_bytes, sink, {}, batch_bytes);
  EXPECT_EQ(written, sink.bytes().size());
  return std::move(sink.bytes());
}
template <class Device>
Bytes decompressed(Device device, const Bytes& file, std::size_t batch_bytes = kDeviceBatchBytes) {
  MemorySink sink;
  const std::uint64_t restored =
      decompress_on(std::move(device), file, "file", sink, {}, batch_bytes);
  EXPECT_EQ(restored, sink.bytes().size());
  return std::move(sink.bytes());
}

TEST(DevicePreludeFiles, AreTheCpusInBatchesOfAnySize) {
  for (const char* text : kMethods) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t word_bytes : {8, 4}) {
      const Bytes input = signal(12 * 1024 * word_bytes + 3, word_bytes);
      const Bytes expected = compress(input, method, word_bytes);
      for (const std::size_t chunks : {0, 5, 1000}) {
        const std::size_t batch = chunks * 1024 * word_bytes;
        EXPECT_TRUE(compressed(EmulatedDevice(), input, method, word_bytes, batch) == expected)
            << text << " in batches of " << chunks << " chunks";
        EXPECT_TRUE(decompressed(EmulatedDevice(), expected, batch) == input)
            << text << " in batches of " << chunks << " chunks";
      }
    }
  }
}

TEST(DevicePreludeFiles, OfShortInputsAreTheCpus) {
  for (const char* text : kMethods) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t bytes : {0, 1, 7, 8, 9, 17}) {
      const Bytes input = noise(bytes);
      for (const std::size_t word_bytes : {8, 4}) {
        const Bytes file = compressed(EmulatedDevice(), input, method, word_bytes);
        EXPECT_EQ(file, compress(input, method, word_bytes)) << text << ", " << bytes << " bytes";
        EXPECT_EQ(decompressed(EmulatedDevice(), file), input) << text << ", " << bytes;
      }
    }
  }
}

TEST(DevicePreludeFiles, WithoutAPreludeAreThePipelines) {
  const Bytes input = signal(30'000, 8);
  const Bytes file = compressed(EmulatedDevice(), input, synth::parse_method("LNV1s ZE"), 8);
  EXPECT_EQ(file, compress(input, synth::parse_pipeline("LNV1s ZE"), 8));
  EXPECT_EQ(decompressed(EmulatedDevice(), file), input);
}

TEST(DevicePreludeFiles, OfLongerChunksAreTheCpus) {
  const Bytes input = signal(10'003, 4);
  CodecOptions options;
  options.chunk_words = 2048;
  for (const char* text : kMethods) {
    const synth::Method method = synth::parse_method(text);
    const Bytes expected = compress(input, method, 4, options);
    EXPECT_NE(expected, compress(input, method, 4)) << text;
    MemorySink sink;
    compress_on(EmulatedDevice(), input, "input", method, 4, sink, options);
    EXPECT_EQ(sink.bytes(), expected) << text;
    EXPECT_EQ(decompressed(EmulatedDevice(), expected), input) << text;
  }
}

/// The processor takes over where memory ends (DeviceUnsuitable): all that needs memory is
/// allocated before anything is written.
TEST(DevicePreludeFiles, MemoryThatEndsIsTheProcessorsTurnBeforeAnythingIsWritten) {
  const synth::Method method = synth::parse_method(kMethods[0]);
  const Bytes input = signal(5003, 8), file = compress(input, method, 8);
  std::set<std::string> ends;
  for (int allocations = 0; !ends.contains("none"); ++allocations) {
    EmulatedDevice::Options options;
    options.allocations_before_failure = allocations;
    MemorySink packed, restored;
    try {
      compress_on(EmulatedDevice(options), input, "input", method, 8, packed, {});
      decompress_on(EmulatedDevice(options), file, "file", restored, {});
      ends.insert("none");
    } catch (const device::DeviceUnsuitable&) {
      EXPECT_TRUE(packed.bytes().empty() || packed.bytes() == file) << allocations;
      EXPECT_TRUE(restored.bytes().empty()) << allocations;
      ends.insert("unsuitable");
    }
  }
  EXPECT_EQ(ends, (std::set<std::string>{"none", "unsuitable"}));
}

/// Side data, words and the container within: whatever is damaged, the device says what the CPU
/// says.
TEST(DevicePreludeFiles, ThatAreDamagedGiveTheCpusErrors) {
  std::set<std::string> messages;
  for (const char* text : kMethods) {
    const Bytes input = signal(5003, 8);
    const Bytes good = compress(input, synth::parse_method(text), 8);
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) {
      Bytes file = good;
      if (i % 5 == 0) file.resize(random() % file.size());
      if (i % 5 == 1) file[4 + random() % 60] ^= std::byte{0x01};
      if (i % 5 >= 2) file[random() % file.size()] ^= static_cast<std::byte>(1 + i);
      const std::string expected = message_of([&] {
        MemorySink sink;
        decompress(file, "file", sink);
      });
      EXPECT_EQ(message_of([&] { decompressed(EmulatedDevice(), file); }), expected)
          << text << ", " << i;
      messages.insert(expected);
    }
  }
  EXPECT_GT(messages.size(), 10u);
  const Bytes good = compress(signal(5003, 8), synth::parse_method(kMethods[0]), 8);
  CodecOptions options;
  options.limit = 5002;
  MemorySink sink;
  EXPECT_THROW(decompress_on(EmulatedDevice(), good, "file", sink, options), Error);
  EXPECT_TRUE(sink.bytes().empty());
}

TEST(DevicePreludeFiles, ThatDoNotFitIntoMemorySaySo) {
  const synth::Method method = synth::parse_method(kMethods[0]);
  const Bytes input = signal(300'000, 8);
  const Bytes file = compress(input, method, 8);
  MemorySink sink;
  for (const std::size_t memory : {20'000, 250'000, 350'000}) {
    EmulatedDevice::Options options;
    options.memory_bytes = memory;
    const EmulatedDevice small(options);
    for (const std::string& message :
         {message_of([&] { compress_on(small, input, "input", method, 8, sink, {}); }),
          message_of([&] { decompress_on(small, file, "file", sink, {}); })}) {
      EXPECT_NE(message.find("MiB of device memory"), message.npos) << message;
      EXPECT_NE(message.find("--backend cpu"), message.npos) << message;
    }
    EXPECT_THROW(compress_on(small, input, "input", method, 8, sink, {}), device::DeviceUnsuitable);
    EXPECT_THROW(decompress_on(small, file, "file", sink, {}), device::DeviceUnsuitable);
  }
  EXPECT_TRUE(sink.bytes().empty());
  EXPECT_THROW(compress_on(EmulatedDevice(), input, "input", synth::parse_method("DEC:12 / ZE"), 4,
                           sink, {}),
               Error);
}

TEST(DevicePreludeFiles, FailWithTheDevice) {
  const synth::Method method = synth::parse_method(kMethods[7]);
  const Bytes input = signal(100'000, 8);
  const Bytes file = compress(input, method, 8);
  for (const int launches : {0, 1, 3, 5}) {
    EmulatedDevice::Options options;
    options.launches_before_failure = launches;
    EXPECT_THROW(compressed(EmulatedDevice(options), input, method, 8), device::DeviceError);
    if (launches > 3) continue;
    EXPECT_THROW(decompressed(EmulatedDevice(options), file), device::DeviceError);
  }
}

TEST(DevicePreludeFiles, AnInputThatChangesMeanwhileIsCompressedAsItWasRead) {
  const tests::ChangingBytes changing((std::size_t{1} << 20) + 3);
  MemorySink sink;
  compress_on(EmulatedDevice(), changing.bytes(), "input", synth::parse_method(kMethods[0]), 8,
              sink, {}, std::size_t{128} << 10);
  EXPECT_EQ(decompress(sink.bytes()).size(), changing.bytes().size());  // its checksums are right
}

TEST(GPU_DevicePreludeFiles, LONG_AreTheCpusAndAreRestored) {
  std::string why;
  const auto gpus = device::cuda_devices(&why);
  if (gpus.empty()) GTEST_SKIP() << why;
  for (const char* text : kMethods) {
    const synth::Method method = synth::parse_method(text);
    const Bytes input = signal((std::size_t{150} << 20) + 4321, 8);
    const Bytes expected = compress(input, method, 8);
    MemorySink file, back;
    compress_cuda(input, "input", method, 8, file, gpus.front());
    ASSERT_TRUE(file.bytes() == expected) << text;
    decompress_cuda(expected, "file", back, gpus.front());
    ASSERT_TRUE(back.bytes() == input) << text;
  }
}

TEST(PTX_DevicePreludeFiles, AreTheCpusAndAreRestored) {
  FPSYNTH_NEEDS_PTX();
  for (const char* text : kMethods) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t word_bytes : {8, 4}) {
      const Bytes input = signal(2500 * word_bytes + 3, word_bytes);
      const Bytes file = compress(input, method, word_bytes);
      EXPECT_TRUE(compressed(ptx::PtxDevice(), input, method, word_bytes) == file) << text;
      EXPECT_TRUE(decompressed(ptx::PtxDevice(), file) == input) << text;
    }
  }
}

}  // namespace
}  // namespace fpsynth::codec
