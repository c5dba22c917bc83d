#pragma once
// The host's part of GFC on a device (device.hpp), a template on the device's class.

#include <utility>

#include "runners/baselines/gfc/device.hpp"
#include "runners/baselines/gfc/device_kernels.hpp"
#include "runners/baselines/gfc/format.hpp"
#include "runners/baselines/wire.hpp"

namespace fpsynth::baselines {

template <device::Device Device>
class GfcOn final : public GfcDevice {
 public:
  template <class Description>
  explicit GfcOn(const Description& description)
      : device_(description), stream_(device_.make_stream()) {}

  void encode_into(std::span<const std::byte> doubles, unsigned chunks, unsigned dimensionality,
                   std::vector<std::byte>& out) override {
    const GfcLayout layout = gfc_layout(doubles.size(), chunks, dimensionality);
    out.resize(gfc_header_bytes(chunks));
    std::vector<std::size_t> sizes;
    DeviceTimes times;
    for_batches(layout, [&](std::size_t first, const gfc_lanes::Chunks& batch) {
      encode_batch(doubles.data() + 8 * first * layout.chunk_doubles(), batch, sizes, out, times);
    });
    put_gfc_header(layout, {sizes.data(), sizes.size()}, out.data());
    times_ = times;
  }

  void decode_into(std::span<const std::byte> file, std::string_view name,
                   std::span<std::byte> out) override {
    const GfcFile parsed = parse_gfc(file, name);
    expect_original_bytes(name, 8 * parsed.layout.doubles, out.size());
    DeviceTimes times;
    bool good = true;
    for_batches(parsed.layout, [&](std::size_t first, const gfc_lanes::Chunks& batch) {
      std::byte* const to = out.data() + 8 * first * parsed.layout.chunk_doubles();
      good = good && decode_batch(file, parsed.offsets.data() + first, batch, to, times);
    });
    if (!good) {
      decode_gfc(file, name);  // throws with the position of the damage
      refuse_device(device_.name(), name);
    }
    times_ = times;
  }

 private:
  /// Calls f(first chunk, chunks) for batches of chunks that fit the device's memory.
  template <class F>
  void for_batches(const GfcLayout& layout, F f) {
    const std::size_t used = layout.used(), each = layout.chunk_doubles();
    if (used == 0) return;
    device_.use();
    // A chunk needs its doubles, its worst-case encoding and its offset; a batch needs one more
    // unit and one more offset.
    const std::size_t chunk_bytes = 8 * each + each / 32 * gfc_lanes::kWorstSubchunk + 8;
    const std::size_t kept =
        values_.size() + file_.size() * sizeof(Aligned16) + 8 * offsets_.size();
    const std::size_t budget = (device_.free_memory() + kept) / 16 * 15;
    const std::size_t most =
        std::min(used, (budget - std::min<std::size_t>(budget, 64)) / chunk_bytes);
    if (most == 0) refuse_memory(device_.name(), "a chunk of the file", chunk_bytes, budget);
    grow(device_, values_, 8 * std::min(layout.doubles, most * each));
    grow(device_, file_, most * (each / 32) * gfc_lanes::kWorstSubchunk / sizeof(Aligned16) + 1);
    grow(device_, offsets_, most + 1);
    grow(device_, damaged_, 1);
    for (std::size_t first = 0; first < used; first += most) {
      const std::size_t chunks = std::min(most, used - first);
      const std::size_t count = std::min(chunks * each, layout.doubles - first * each);
      f(first, {count, each, static_cast<std::uint32_t>(chunks), layout.dimensionality});
    }
  }

  void encode_batch(const std::byte* doubles, const gfc_lanes::Chunks& chunks,
                    std::vector<std::size_t>& sizes, std::vector<std::byte>& out,
                    DeviceTimes& times) {
    auto* const values = reinterpret_cast<const std::uint64_t*>(values_.data());
    using gfc_lanes::EncodeKernel, gfc_lanes::SizesBody;
    const std::uint32_t size_blocks = blocks_for<SizesBody>(device_, chunks.chunks);
    const std::uint32_t encode_blocks = blocks_for<EncodeKernel>(device_, chunks.chunks);
    const auto start = device_.record(stream_);
    device_.to_device(stream_, values_.data(), doubles, 8 * chunks.count);
    const auto uploaded = device_.record(stream_);
    device_.template launch<SizesBody>(stream_, size_blocks, SizesBody::kSharedBytes,
                                       {values, offsets_.data(), chunks});
    device_.template launch<SumsBody>(stream_, 1, SumsBody::kSharedBytes,
                                      {offsets_.data(), chunks.chunks});
    device_.template launch<EncodeKernel>(stream_, encode_blocks, EncodeKernel::kSharedBytes,
                                          {values, offsets_.data(), file_.data(), chunks});
    const auto done = device_.record(stream_);
    std::vector<std::uint64_t> offsets(chunks.chunks + std::size_t{1});
    device_.to_host(stream_, offsets.data(), offsets_.data(), offsets.size());
    device_.wait(stream_);
    const std::size_t at = out.size();
    out.resize(at + offsets.back());
    const auto downloading = device_.record(stream_);
    device_.to_host(stream_, out.data() + at, reinterpret_cast<const std::byte*>(file_.data()),
                    offsets.back());
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    for (std::size_t i = 0; i < chunks.chunks; ++i) sizes.push_back(offsets[i + 1] - offsets[i]);
    times.add(device_, start, uploaded, done, downloading, downloaded);
  }

  /// Decodes chunks whose first offset in the file is *at. Returns false if a chunk's codes do not
  /// match its size.
  bool decode_batch(std::span<const std::byte> file, const std::size_t* at,
                    const gfc_lanes::Chunks& chunks, std::byte* doubles, DeviceTimes& times) {
    std::vector<std::uint64_t> offsets(chunks.chunks + std::size_t{1});
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = at[i] - at[0];
    using gfc_lanes::DecodeKernel;
    const std::uint32_t blocks = blocks_for<DecodeKernel>(device_, chunks.chunks);
    const auto start = device_.record(stream_);
    device_.to_device(stream_, reinterpret_cast<std::byte*>(file_.data()), file.data() + at[0],
                      offsets.back());
    device_.to_device(stream_, offsets_.data(), offsets.data(), offsets.size());
    device_.clear(stream_, damaged_.data(), 1);
    const auto uploaded = device_.record(stream_);
    device_.template launch<DecodeKernel>(
        stream_, blocks, DecodeKernel::kSharedBytes,
        {file_.data(), offsets_.data(), reinterpret_cast<std::uint64_t*>(values_.data()),
         damaged_.data(), chunks});
    const auto done = device_.record(stream_);
    std::uint32_t damaged = 0;
    device_.to_host(stream_, &damaged, damaged_.data(), 1);
    device_.to_host(stream_, doubles, values_.data(), 8 * chunks.count);
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    times.add(device_, start, uploaded, done, done, downloaded);
    return damaged == 0;
  }

  Device device_;
  typename Device::Stream stream_;
  typename Device::template Buffer<std::byte> values_;
  typename Device::template Buffer<Aligned16> file_;
  typename Device::template Buffer<std::uint64_t> offsets_;
  typename Device::template Buffer<std::uint32_t> damaged_;
};

}  // namespace fpsynth::baselines
