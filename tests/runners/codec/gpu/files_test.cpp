// Whole inputs through a device in batches, against the CPU's codec.

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/gpu/files_on.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/changing_bytes.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using device::DeviceError;
using device::EmulatedDevice;
using tests::message_of;

constexpr std::size_t kSlice = std::size_t{128} << 10;

Bytes compressed(EmulatedDevice device, const Bytes& input, const synth::Pipeline& pipeline,
                 std::size_t word_bytes, std::size_t batch_bytes) {
  MemorySink sink;
  const std::uint64_t written =
      compress_on(device, input, "input", pipeline, word_bytes, sink, {}, batch_bytes);
  EXPECT_EQ(written, sink.bytes().size());
  return std::move(sink.bytes());
}

Bytes decompressed(EmulatedDevice device, const Bytes& file, std::size_t batch_bytes) {
  MemorySink sink;
  const std::uint64_t restored = decompress_on(device, file, "file", sink, {}, batch_bytes);
  EXPECT_EQ(restored, sink.bytes().size());
  return std::move(sink.bytes());
}

TEST(DeviceFiles, AreTheCpusInBatchesOfAnySize) {
  for (const char* text : {"LNV6s BIT LNV1s ZE", "| RLE RLE RLE RLE RLE RLE RLE RLE", "RLE | ZE"}) {
    const auto pipeline = synth::parse_pipeline(text);
    for (const std::size_t word_bytes : {8, 4}) {
      const Bytes input = signal(12 * 1024 * word_bytes + 3, word_bytes);
      const Bytes expected = compress(input, pipeline, word_bytes);
      for (const std::size_t chunks : {0, 5, 1000}) {
        EXPECT_EQ(compressed({}, input, pipeline, word_bytes, chunks * 1024 * word_bytes), expected)
            << text << " in batches of " << chunks << " chunks";
      }
    }
  }
}

TEST(DeviceFiles, AreRestoredInBatchesOfAnySize) {
  for (const char* text : {"LNV1s ZE", "| RLE RLE RLE RLE"}) {
    const auto pipeline = synth::parse_pipeline(text);
    const Bytes input = signal(3 * kSlice + 5003, 8);
    const Bytes file = compress(input, pipeline, 8);
    for (const std::size_t slices : {0, 1, 2, 9}) {
      EXPECT_EQ(decompressed({}, file, slices * kSlice), input)
          << text << " in batches of " << slices << " slices";
    }
  }
}

TEST(HashInParallel, PreparesAndHashesEveryByteOnce) {
  const Bytes data = noise(3'000'001);
  for (const int threads : {1, 3}) {
    ContentHash hash;
    Bytes copy(data.size());
    std::size_t done = 0;
    for (const std::size_t size : {1'000'000, 0, 65536, 7, 700'000, 1'234'458}) {
      const std::span piece = std::span(copy).subspan(done, size);
      hash_in_parallel(hash, piece, threads, [&](std::size_t at, std::size_t bytes) {
        for (std::size_t i = at; i < at + bytes; ++i) piece[i] ^= data[done + i];
      });
      done += size;
    }
    EXPECT_EQ(done, data.size());
    EXPECT_TRUE(copy == data);
    EXPECT_EQ(hash.digest(), ContentHash::of(data));
  }
}

TEST(DeviceFiles, WithoutAWholeWordAreTheCpus) {
  const auto pipeline = synth::parse_pipeline("LNV1s ZE");
  for (const std::size_t bytes : {0, 1, 7, 8, 9}) {
    const Bytes input = noise(bytes);
    const Bytes file = compressed({}, input, pipeline, 8, 1 << 20);
    EXPECT_EQ(file, compress(input, pipeline, 8));
    EXPECT_EQ(decompressed({}, file, 1 << 20), input);
  }
}

TEST(DeviceFiles, ThatAreDamagedGiveTheCpusErrors) {
  const Bytes input = signal(2 * kSlice + 77, 8);
  const Bytes good = compress(input, synth::parse_pipeline("LNV1s RLE | ZE"), 8);
  std::mt19937 random(5);
  int blocks = 0;
  for (int i = 0; i < 24; ++i) {
    Bytes file = good;
    if (i % 4 == 0) file.resize(file.size() - 1 - random() % 100);
    if (i % 4 == 1) file[random() % 200] ^= std::byte{0x41};
    if (i % 4 >= 2) file[file.size() - 1 - random() % 40000] ^= static_cast<std::byte>(1 + i);
    const std::string expected = message_of([&] {
      MemorySink sink;
      decompress(file, "file", sink);
    });
    EXPECT_EQ(message_of([&] { decompressed({}, file, kSlice); }), expected);
    blocks += expected.find("its block is not a valid encoding") != expected.npos;
  }
  EXPECT_GT(blocks, 0);
  CodecOptions options;
  options.limit = input.size() - 1;
  MemorySink sink;
  EXPECT_THROW(decompress_on(EmulatedDevice(), good, "file", sink, options), Error);
  EXPECT_TRUE(sink.bytes().empty());
}

TEST(DeviceFiles, NeedLittleMemory) {
  const auto pipeline = synth::parse_pipeline("LNV1s RLE | ZE");
  const Bytes input = signal(4 * kSlice, 8);
  const Bytes expected = compress(input, pipeline, 8);
  EmulatedDevice::Options options;
  options.memory_bytes = std::size_t{2} << 20;
  options.shared_per_block = std::size_t{24} << 10;
  const EmulatedDevice small(options);
  EXPECT_EQ(compressed(small, input, pipeline, 8, kDeviceBatchBytes), expected);
  EXPECT_EQ(decompressed(small, expected, kDeviceBatchBytes), input);

  options.memory_bytes = 20000;
  const EmulatedDevice tiny(options);
  for (const std::string& message :
       {message_of([&] { compressed(tiny, input, pipeline, 8, kDeviceBatchBytes); }),
        message_of([&] { decompressed(tiny, expected, kDeviceBatchBytes); })}) {
    EXPECT_NE(message.find("MiB of device memory"), message.npos) << message;
    EXPECT_NE(message.find("--backend cpu"), message.npos) << message;
  }
  // So that the CPU may do it in the same place.
  MemorySink sink;
  EXPECT_THROW(compress_on(tiny, input, "input", pipeline, 8, sink, {}), device::DeviceUnsuitable);
  EXPECT_THROW(decompress_on(tiny, expected, "file", sink, {}), device::DeviceUnsuitable);
  EXPECT_TRUE(sink.bytes().empty());
}

TEST(DeviceFiles, FailWithTheDevice) {
  const auto pipeline = synth::parse_pipeline("LNV1s ZE");
  const Bytes input = signal(4 * kSlice, 8);
  const Bytes file = compress(input, pipeline, 8);
  for (const int launches : {0, 1, 3}) {
    EmulatedDevice::Options options;
    options.launches_before_failure = launches;
    EXPECT_THROW(compressed(EmulatedDevice(options), input, pipeline, 8, kSlice), DeviceError);
    EXPECT_THROW(decompressed(EmulatedDevice(options), file, kSlice), DeviceError);
  }
}

TEST(GPU_DeviceFiles, LONG_AreTheCpusAndAreRestored) {
  std::string why;
  const auto gpus = device::cuda_devices(&why);
  if (gpus.empty()) GTEST_SKIP() << why;
  // Several batches, the last one not full; pipelines with every kind of growth.
  const Bytes input = signal((std::size_t{150} << 20) + 4321, 8);
  for (const char* text : {"LNV6s BIT LNV1s ZE", "LNV2s LNV2s | DIM8 RLE", "| RLE RLE RLE RLE"}) {
    const auto pipeline = synth::parse_pipeline(text);
    const Bytes expected = compress(input, pipeline, 8);
    MemorySink file, back;
    compress_cuda(input, "input", pipeline, 8, file, gpus.front());
    ASSERT_TRUE(file.bytes() == expected) << text;
    decompress_cuda(expected, "file", back, gpus.front());
    ASSERT_TRUE(back.bytes() == input) << text;
  }
}

TEST(DeviceFiles, AnInputThatChangesMeanwhileIsCompressedAsItWasRead) {
  const tests::ChangingBytes changing(6 * kSlice + 3);
  MemorySink sink;
  compress_on(EmulatedDevice(), changing.bytes(), "input", synth::parse_pipeline("ZE"), 8, sink, {},
              kSlice);
  EXPECT_EQ(decompress(sink.bytes()).size(), changing.bytes().size());  // its checksum is right
}

/// Copies to the host when a stream is waited for, or destroyed: as late as a GPU may.
class LateDevice : public EmulatedDevice {
 public:
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
    bool pinned;  ///< to memory of allocate_host()
  };
  class Stream : public EmulatedDevice::Stream {
   public:
    Stream() = default;
    Stream(Stream&&) = default;
    Stream& operator=(Stream&& other) noexcept {
      std::swap(copies, other.copies);
      return *this;
    }
    ~Stream() { complete(); }
    void complete() {
      for (const Copy& copy : std::exchange(copies, {})) {
        const bool good = !copy.pinned || is_pinned(copy.to);
        EXPECT_TRUE(good) << "a copy to memory that is free again";
        if (good && copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
        late += copy.pinned;
      }
    }
    std::vector<Copy> copies;
  };
  template <class T>
  class HostBuffer {
   public:
    HostBuffer() = default;
    explicit HostBuffer(std::size_t items) : items_(items) { pin(); }
    HostBuffer(HostBuffer&& other) noexcept : items_(std::move(other.items_)) {}
    HostBuffer& operator=(HostBuffer&& other) noexcept {
      std::swap(items_, other.items_);
      return *this;
    }
    ~HostBuffer() { pinned.erase(reinterpret_cast<std::byte*>(items_.data())); }
    T* data() { return items_.data(); }
    std::size_t size() const { return items_.size(); }

   private:
    void pin() { pinned[reinterpret_cast<std::byte*>(items_.data())] = items_.size() * sizeof(T); }
    std::vector<T> items_;
  };

  template <class T>
  Buffer<T> allocate(std::size_t items) {
    EXPECT_FALSE(output_begun) << "the CPU cannot take over any more if there is no memory";
    return EmulatedDevice::allocate<T>(items);
  }
  template <class T>
  HostBuffer<T> allocate_host(std::size_t items) {
    EXPECT_FALSE(output_begun);
    return HostBuffer<T>(items);
  }
  Stream make_stream() { return {}; }
  static Stream borrowed(void*) { return {}; }
  template <class T>
  void to_host(Stream& stream, T* host, const T* device, std::size_t items) {
    auto* const to = reinterpret_cast<std::byte*>(host);
    stream.copies.push_back(
        {to, reinterpret_cast<const std::byte*>(device), items * sizeof(T), is_pinned(to)});
  }
  void wait(Stream& stream) { stream.complete(); }

  static bool is_pinned(const std::byte* at) {
    const auto after = pinned.upper_bound(at);
    if (after == pinned.begin()) return false;
    const auto& [begin, bytes] = *std::prev(after);
    return at < begin + bytes;
  }
  inline static std::map<const std::byte*, std::size_t> pinned;
  inline static int late = 0;  ///< copies to such memory
  inline static bool output_begun = false;
};
static_assert(device::Device<LateDevice>);

class FullSink : public MemorySink {
 public:
  explicit FullSink(int long_writes = 1000) : left_(long_writes) {
    LateDevice::output_begun = false;
  }
  ~FullSink() override { LateDevice::output_begun = false; }
  void write(std::span<const std::byte> bytes) override {
    LateDevice::output_begun = true;
    if (bytes.size() > 1000 && left_-- == 0) throw Error("full");
    MemorySink::write(bytes);
  }

 private:
  int left_;
};

/// Two batches are on their way when a sink throws.
TEST(DeviceFiles, CopiesEndBeforeMemoryIsFreeAndMemoryIsThereBeforeOutput) {
  for (const char* text : {"LNV1s ZE", "LAGs:3 / LNV1s ZE"}) {
    const synth::Method method = synth::parse_method(text);
    const Bytes input = signal(5 * kSlice, 8);
    const Bytes file = compress(input, method, 8);
    LateDevice::late = 0;
    FullSink good;
    compress_on(LateDevice(), input, "input", method, 8, good, {}, kSlice);
    EXPECT_EQ(good.bytes(), file);
    FullSink back;
    decompress_on(LateDevice(), file, "file", back, {}, kSlice);
    EXPECT_EQ(back.bytes(), input);
    EXPECT_GT(LateDevice::late, 10);
    FullSink full(1);
    EXPECT_THROW(compress_on(LateDevice(), input, "input", method, 8, full, {}, kSlice), Error);
    FullSink other(1);
    EXPECT_THROW(decompress_on(LateDevice(), file, "file", other, {}, kSlice), Error);
  }
}

}  // namespace
}  // namespace fpsynth::codec
