// Scratch test, to be replaced.
#include "runners/codec/device_codec_on.hpp"
#include "runners/codec/device_files_on.hpp"

#include <gtest/gtest.h>

#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {
namespace {

TEST(DeviceFiles, First) {
  for (const std::size_t word_bytes : {8, 4}) {
    for (const auto& pipeline : sample_pipelines()) {
      for (const std::size_t bytes : {1, 100, 300003}) {
        const Bytes in = signal(bytes, word_bytes);
        MemorySink sink;
        compress_on(device::EmulatedDevice(), in, "x", pipeline, word_bytes, sink, {}, 70000);
        ASSERT_EQ(sink.bytes(), compress(in, pipeline, word_bytes));
        MemorySink back;
        decompress_on(device::EmulatedDevice(), sink.bytes(), "x", back, {}, 140000);
        ASSERT_EQ(back.bytes(), in);
      }
    }
  }
}

TEST(DeviceCodec, First) {
  for (const std::size_t word_bytes : {8, 4}) {
    for (const auto& pipeline : sample_pipelines()) {
      for (const std::size_t bytes : {1, 7, 100, 8192, 30003}) {
        for (const Bytes& in : {signal(bytes, word_bytes), noise(bytes)}) {
          const Bytes expected = compress(in, pipeline, word_bytes);
          auto codec = device_codec(device::EmulatedDevice(), pipeline, word_bytes, 1024);
          Bytes out(codec->bound(bytes));
          codec->encode(in.data(), bytes, out.data(), out.size(), nullptr);
          out.resize(codec->finish_encode());
          ASSERT_EQ(out, expected) << synth::to_string(pipeline) << " " << bytes;
          const Header header = codec->header(out.data(), out.size(), nullptr);
          Bytes back(bytes);
          codec->decode(out.data(), out.size(), header, back.data(), nullptr);
          codec->finish_decode();
          ASSERT_EQ(in, back) << synth::to_string(pipeline) << " " << bytes;
        }
      }
    }
  }
}

}  // namespace
}  // namespace fpsynth::codec
