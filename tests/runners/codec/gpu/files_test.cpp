// Whole inputs through a device, against the CPU's codec: in batches, and with preludes.

#include "runners/codec/gpu/files_on.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/parallel.hpp"
#include "runners/codec/gpu/files.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/changing_bytes.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::DeviceError;
using device::EmulatedDevice;
using tests::message_of;

constexpr std::size_t kSlice = std::size_t{128} << 10;

constexpr const char* kPreludes[] = {
    "LAGx:20 / LNV1s ZE | RLE",      "DICT LAGs:7 / LNV1s | ZE",
    "DEC:2 LAGs:1 / BIT ZE",         "RAT:256:7:100 LAGs:1 / BIT ZE",
    "DIM:306 LAGs:1 DIM:3 / BIT ZE", "ORD GCD:128 LAGs:1 GCD:1024 / BIT ZE",
    "LPC:256 LAGs:1 / BIT ZE",       "MATCH LAGs:1 MATCH / BIT ZE",
    "REV:3 LAGs:1 / BIT ZE",         "ORD LAGs:1 LAGs:1000 / LNV1s ZE"};

/// With pipelines of every kind of growth.
std::vector<const char*> methods() {
  std::vector<const char*> all = {"LNV6s BIT LNV1s ZE", "| RLE RLE RLE RLE RLE RLE RLE RLE",
                                  "LNV1s RLE | ZE"};
  all.insert(all.end(), std::begin(kPreludes), std::end(kPreludes));
  return all;
}

bool is_for(const synth::Method& method, std::size_t word_bytes) {
  return synth::defect(method.prelude, word_bytes).empty();
}

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

TEST(DeviceFiles, AreTheCpusInBatchesOfAnySize) {
  for (const char* text : methods()) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t word_bytes : {8, 4, 2}) {
      if (!is_for(method, word_bytes)) continue;
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

TEST(DeviceFiles, OfShortInputsAreTheCpus) {
  for (const char* text : kPreludes) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t bytes : {0, 1, 7, 8, 9, 17}) {
      const Bytes input = noise(bytes);
      for (const std::size_t word_bytes : {8, 4, 2}) {
        if (!is_for(method, word_bytes)) continue;
        const Bytes file = compressed(EmulatedDevice(), input, method, word_bytes);
        EXPECT_EQ(file, compress(input, method, word_bytes)) << text << ", " << bytes << " bytes";
        EXPECT_EQ(decompressed(EmulatedDevice(), file), input) << text << ", " << bytes;
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
      EXPECT_EQ(decompressed(EmulatedDevice(), file, slices * kSlice), input)
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

TEST(DeviceFiles, OfLongerChunksAreTheCpus) {
  const Bytes input = signal(10'003, 4);
  CodecOptions options;
  options.chunk_words = 2048;
  for (const char* text : kPreludes) {
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
TEST(DeviceFiles, MemoryThatEndsIsTheProcessorsTurnBeforeAnythingIsWritten) {
  const synth::Method method = synth::parse_method(kPreludes[0]);
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

/// Side data, words and blocks: whatever is damaged, the device says what the CPU says.
TEST(DeviceFiles, ThatAreDamagedGiveTheCpusErrors) {
  std::set<std::string> messages;
  int blocks = 0;
  for (const char* text : methods()) {
    const synth::Method method = synth::parse_method(text);
    const Bytes input = signal(method.prelude.empty() ? 2 * kSlice + 77 : 5003, 8);
    const Bytes good = compress(input, method, 8);
    std::mt19937 random(5);
    for (int i = 0; i < 40; ++i) {
      Bytes file = good;
      if (i % 5 == 0) file.resize(random() % file.size());
      if (i % 5 == 1) file[4 + random() % 60] ^= std::byte{0x01};
      if (i % 5 >= 2) file[random() % file.size()] ^= static_cast<std::byte>(1 + i);
      const std::string expected = message_of([&] {
        MemorySink sink;
        decompress(file, "file", sink);
      });
      EXPECT_EQ(message_of([&] { decompressed(EmulatedDevice(), file, kSlice); }), expected)
          << text << ", " << i;
      messages.insert(expected);
      blocks += expected.find("its block is not a valid encoding") != expected.npos;
    }
    CodecOptions options;
    options.limit = input.size() - 1;
    MemorySink sink;
    EXPECT_THROW(decompress_on(EmulatedDevice(), good, "file", sink, options), Error);
    EXPECT_TRUE(sink.bytes().empty());
  }
  EXPECT_GT(messages.size(), 10u);
  EXPECT_GT(blocks, 0);
}

TEST(DeviceFiles, NeedLittleMemory) {
  const synth::Method pipeline = synth::parse_method("LNV1s RLE | ZE");
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

TEST(DeviceFiles, ThatDoNotFitIntoMemorySaySo) {
  const synth::Method method = synth::parse_method(kPreludes[0]);
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

TEST(DeviceFiles, FailWithTheDevice) {
  for (const char* text : {"LNV1s ZE", kPreludes[7]}) {
    const synth::Method method = synth::parse_method(text);
    const Bytes input = signal(4 * kSlice, 8);
    const Bytes file = compress(input, method, 8);
    for (const int launches : {0, 1, 3}) {
      EmulatedDevice::Options options;
      options.launches_before_failure = launches;
      EXPECT_THROW(compressed(EmulatedDevice(options), input, method, 8, kSlice), DeviceError);
      EXPECT_THROW(decompressed(EmulatedDevice(options), file, kSlice), DeviceError);
    }
  }
}

TEST(DeviceFiles, AnInputThatChangesMeanwhileIsCompressedAsItWasRead) {
  const tests::ChangingBytes changing(6 * kSlice + 3);
  for (const char* text : {"ZE", kPreludes[0]}) {
    MemorySink sink;
    compress_on(EmulatedDevice(), changing.bytes(), "input", synth::parse_method(text), 8, sink, {},
                kSlice);
    EXPECT_EQ(decompress(sink.bytes()).size(), changing.bytes().size());  // its checksums are right
  }
}

TEST(GPU_DeviceFiles, LONG_AreTheCpusAndAreRestored) {
  std::string why;
  const auto gpus = device::cuda_devices(&why);
  if (gpus.empty()) GTEST_SKIP() << why;
  for (const char* text : methods()) {
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

TEST(PTX_DeviceFiles, AreTheCpusAndAreRestored) {
  FPSYNTH_NEEDS_PTX();
  for (const char* text : kPreludes) {
    const synth::Method method = synth::parse_method(text);
    for (const std::size_t word_bytes : {8, 4, 2}) {
      if (!is_for(method, word_bytes)) continue;
      const Bytes input = signal(2500 * word_bytes + 3, word_bytes);
      const Bytes file = compress(input, method, word_bytes);
      EXPECT_TRUE(compressed(ptx::PtxDevice(), input, method, word_bytes) == file) << text;
      EXPECT_TRUE(decompressed(ptx::PtxDevice(), file) == input) << text;
    }
  }
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
