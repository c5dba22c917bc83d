#pragma once
// Calls the codecs of generated CUDA projects as their callers do, from the host's memory.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "components/scratch_view.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/format/status.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec::testing {

/// A codec in a device's memory, on a device all of whose memory is its own. Codec:
/// StaticDeviceCodec, or what has its interface.
template <class Codec, class Device>
class CodecOn {
 public:
  explicit CodecOn(const Device& device) : device_(device), codec_(device_) {}

  Bytes compress(const Bytes& original) {
    const std::size_t room = Codec::bound(original.size());
    auto in = uploaded(original), out = uploaded(Bytes(room + 64, std::byte{0xc3}));
    auto written = device_.template allocate<std::uint64_t>(1);
    EXPECT_EQ(codec_.compress(stream_, in.data(), original.size(), out.data(), written.data(),
                              workspace(original.size())),
              Status::Ok);
    Bytes container = downloaded(out);
    std::uint64_t bytes = 0;
    device_.to_host(stream_, &bytes, written.data(), 1);
    EXPECT_LE(bytes, room);
    for (std::size_t i = bytes; i < container.size(); ++i) {
      EXPECT_EQ(container[i], std::byte{0xc3}) << "written behind the container";
    }
    container.resize(bytes);
    return container;
  }
  Status original_size(const Bytes& container, std::size_t& size) {
    auto in = uploaded(container);
    return codec_.original_size(stream_, in.data(), container.size(), size);
  }
  Status decompress(const Bytes& container, std::size_t size, Bytes& original) {
    auto in = uploaded(container), out = uploaded(Bytes(size + 64, std::byte{0x5a}));
    auto verdict = device_.template allocate<int>(1);
    const Status now = codec_.decompress(stream_, in.data(), container.size(), out.data(), size,
                                         verdict.data(), workspace(size));
    original = downloaded(out);
    for (std::size_t i = size; i < original.size(); ++i) {
      EXPECT_EQ(original[i], std::byte{0x5a}) << "written behind the original";
    }
    original.resize(size);
    int status = -1;
    device_.to_host(stream_, &status, verdict.data(), 1);
    return now == Status::Ok ? Status(status) : now;
  }
  /// As a caller does it.
  Status decompress(const Bytes& container, Bytes& original) {
    std::size_t size = 0;
    if (const Status status = original_size(container, size); status != Status::Ok) return status;
    return decompress(container, size, original);
  }

 private:
  using Buffer = typename Device::template Buffer<std::byte>;

  Buffer uploaded(const Bytes& bytes) {
    Buffer buffer = device_.template allocate<std::byte>(bytes.size());
    device_.to_device(stream_, buffer.data(), bytes.data(), bytes.size());
    return buffer;
  }
  Bytes downloaded(const Buffer& buffer) {
    Bytes bytes(buffer.size());
    device_.to_host(stream_, bytes.data(), buffer.data(), bytes.size());
    return bytes;
  }
  /// With whatever the call before left in it.
  std::byte* workspace(std::size_t bytes) {
    const std::size_t needed = codec_.workspace_bytes(bytes) + components::kBlockAlignment;
    if (workspace_.size() < needed) workspace_ = device_.template allocate<std::byte>(needed);
    const auto at = reinterpret_cast<std::uintptr_t>(workspace_.data());
    return workspace_.data() + (-at & (components::kBlockAlignment - 1));
  }

  Device device_;
  Codec codec_;
  typename Device::Stream stream_;
  Buffer workspace_;
};

/// Expects a codec on a device to write the library's containers of a method, and to read them.
template <class Codec, class Device>
void expect_the_librarys(const std::string& method, const Device& device,
                         const std::vector<Bytes>& originals) {
  CodecOn<Codec, Device> codec(device);
  for (std::size_t i = 0; i < originals.size(); ++i) {
    SCOPED_TRACE(::testing::Message()
                 << method << ", original " << i << " of " << originals[i].size() << " bytes");
    const Bytes container =
        compress(originals[i], synth::parse_method(method), sizeof(typename Codec::Word));
    ASSERT_TRUE(codec.compress(originals[i]) == container);
    Bytes back;
    ASSERT_EQ(codec.decompress(container, back), Status::Ok);
    ASSERT_TRUE(back == originals[i]);
  }
}

/// The verdict of the CPU's codec of generated projects on a container, and the original that it
/// gives.
template <class Codec>
Status on_cpu(const Bytes& container, Bytes& original) {
  std::size_t size = 0, written = 0;
  const Status status = Codec::original_size(container.data(), container.size(), size);
  if (status != Status::Ok) return status;
  original.assign(size + 1, std::byte{0x5a});
  const Status result =
      Codec::decompress(container.data(), container.size(), original.data(), size, written, 1);
  original.resize(written);
  return result;
}

template <class Device>
Device with_shared(std::size_t kib) {
  typename Device::Options options;
  options.shared_per_block = kib << 10;
  return Device(options);
}

}  // namespace fpsynth::codec::testing
