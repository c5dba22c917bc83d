#pragma once
// The host's part of GFC on a device (compressor.hpp), a template on the device's class.

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/gfc/device_kernels.hpp"

namespace fpsynth::baselines {

template <device::Device Device>
class GfcOn final : public BatchesOn<GfcDevice, Device> {
 public:
  template <class Description>
  explicit GfcOn(const Description& description) : BatchesOn<GfcDevice, Device>(description) {}

  void encode_into(std::span<const std::byte> doubles, unsigned chunks, unsigned dimensionality,
                   std::vector<std::byte>& out) override {
    const GfcLayout layout = gfc_layout(doubles.size(), chunks, dimensionality);
    out.resize(gfc_header_bytes(chunks));
    std::vector<std::size_t> sizes;
    this->times_ = {};
    for_batches(layout, [&](std::size_t first, const gfc_lanes::Chunks& batch) {
      encode_chunks(doubles.subspan(8 * first * layout.chunk_doubles(), 8 * batch.count), batch,
                    sizes, out);
    });
    put_gfc_header(layout, {sizes.data(), sizes.size()}, out.data());
  }

  void decode_into(std::span<const std::byte> file, std::string_view name,
                   std::span<std::byte> out) override {
    const GfcFile parsed = parse_gfc(file, name);
    expect_original_bytes(name, 8 * parsed.layout.doubles, out.size());
    this->times_ = {};
    bool good = true;
    for_batches(parsed.layout, [&](std::size_t first, const gfc_lanes::Chunks& batch) {
      const std::span<std::byte> to =
          out.subspan(8 * first * parsed.layout.chunk_doubles(), 8 * batch.count);
      good = good && decode_chunks(file, parsed.offsets.data() + first, batch, to);
    });
    if (!good) {
      decode_gfc(file, name);  // throws with the position of the damage
      refuse_device(device_.name(), name);
    }
  }

 private:
  using Base = BatchesOn<GfcDevice, Device>;
  using Base::device_, Base::stream_, Base::values_, Base::file_, Base::offsets_, Base::damaged_;

  std::size_t original_bytes(std::span<const std::byte> file,
                             std::string_view name) const override {
    return 8 * parse_gfc(file, name).layout.doubles;
  }

  /// Calls f(first chunk, chunks) for batches of chunks that fit the device's memory.
  template <class F>
  void for_batches(const GfcLayout& layout, F f) {
    const std::size_t used = layout.used(), each = layout.chunk_doubles();
    if (used == 0) return;
    device_.use();
    // A chunk needs its doubles, its worst-case encoding and its offset; a batch needs one more
    // unit and one more offset.
    const std::size_t worst = each / 32 * gfc_lanes::kWorstSubchunk;
    const std::size_t most = this->that_fit(used, 8 * each + worst + 8, 0, "a chunk of the file");
    this->reserve(8 * std::min(layout.doubles, most * each), most * worst, most + 1);
    for (std::size_t first = 0; first < used; first += most) {
      const std::size_t chunks = std::min(most, used - first);
      const std::size_t count = std::min(chunks * each, layout.doubles - first * each);
      f(first, {count, each, static_cast<std::uint32_t>(chunks), layout.dimensionality});
    }
  }

  void encode_chunks(std::span<const std::byte> doubles, const gfc_lanes::Chunks& chunks,
                     std::vector<std::size_t>& sizes, std::vector<std::byte>& out) {
    using gfc_lanes::EncodeKernel, gfc_lanes::SizesBody;
    auto* const values = reinterpret_cast<const std::uint64_t*>(values_.data());
    const std::uint32_t size_blocks = blocks_for<SizesBody>(device_, chunks.chunks);
    const std::uint32_t encode_blocks = blocks_for<EncodeKernel>(device_, chunks.chunks);
    const auto launch = [&] {
      device_.template launch<SizesBody>(stream_, size_blocks, SizesBody::kSharedBytes,
                                         {values, offsets_.data(), chunks});
      device_.template launch<SumsBody>(stream_, 1, SumsBody::kSharedBytes,
                                        {offsets_.data(), chunks.chunks});
      device_.template launch<EncodeKernel>(stream_, encode_blocks, EncodeKernel::kSharedBytes,
                                            {values, offsets_.data(), file_.data(), chunks});
    };
    std::vector<std::uint64_t> offsets(chunks.chunks + std::size_t{1});
    this->encode_batch(doubles, out, launch, [&] {
      device_.to_host(stream_, offsets.data(), offsets_.data(), offsets.size());
      device_.wait(stream_);
      return offsets.back();
    });
    for (std::size_t i = 0; i < chunks.chunks; ++i) sizes.push_back(offsets[i + 1] - offsets[i]);
  }

  /// Decodes chunks whose first offset in the file is *at. Returns false if a chunk's codes do not
  /// match its size.
  bool decode_chunks(std::span<const std::byte> file, const std::size_t* at,
                     const gfc_lanes::Chunks& chunks, std::span<std::byte> doubles) {
    using gfc_lanes::DecodeKernel;
    std::vector<std::uint64_t> offsets(chunks.chunks + std::size_t{1});
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = at[i] - at[0];
    const std::uint32_t blocks = blocks_for<DecodeKernel>(device_, chunks.chunks);
    const auto upload = [&] {
      device_.to_device(stream_, offsets_.data(), offsets.data(), offsets.size());
    };
    return this->decode_batch(file.subspan(at[0], offsets.back()), doubles, upload, [&] {
      device_.template launch<DecodeKernel>(
          stream_, blocks, DecodeKernel::kSharedBytes,
          {file_.data(), offsets_.data(), reinterpret_cast<std::uint64_t*>(values_.data()),
           damaged_.data(), chunks});
    });
  }
};

}  // namespace fpsynth::baselines
