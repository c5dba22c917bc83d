#pragma once
// The host's part of Holt's method on a device (compressor.hpp), a template on the device's class.

#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/holt/device_kernels.hpp"

namespace fpsynth::baselines {

template <device::Device Device>
class HoltOn final : public BatchesOn<HoltDevice, Device> {
 public:
  template <class Description>
  explicit HoltOn(const Description& description) : BatchesOn<HoltDevice, Device>(description) {}

  void encode_into(std::span<const std::byte> input, synth::Precision precision,
                   HoltParameters parameters, std::vector<std::byte>& out) override {
    check_holt(parameters);
    const HoltLayout layout{parameters, synth::word_bytes(precision), input.size()};
    put_holt_frame(layout, input, out);
    this->times_ = {};
    for_batches(layout, [&](std::size_t first, const holt_kernels::Runs& runs) {
      layout.in_precision(
          [&](auto real) { encode_runs<decltype(real)>(layout, input, first, runs, out); });
    });
  }

  void decode_into(std::span<const std::byte> file, std::string_view name,
                   std::span<std::byte> out) override {
    const HoltLayout layout = parse_holt(file, name);
    const std::vector<std::size_t> offsets = holt_offsets(file, layout, name);
    expect_original_bytes(name, layout.original_bytes, out.size());
    this->times_ = {};
    bool good = true;
    for_batches(layout, [&](std::size_t first, const holt_kernels::Runs& runs) {
      layout.in_precision([&](auto real) {
        good = good &&
               decode_runs<decltype(real)>(layout, file, offsets.data() + first, first, runs, out);
      });
    });
    if (!good) {
      decode_holt(file, name);  // throws with the position of the damage
      refuse_device(device_.name(), name);
    }
    finish_holt(file, layout, name, out);
  }

 private:
  using Base = BatchesOn<HoltDevice, Device>;
  using Base::device_, Base::stream_, Base::values_, Base::file_, Base::offsets_, Base::damaged_;

  std::size_t original_bytes(std::span<const std::byte> file,
                             std::string_view name) const override {
    const HoltLayout layout = parse_holt(file, name);
    holt_offsets(file, layout, name);
    return layout.original_bytes;
  }

  /// Calls f(first run, runs) for batches of runs that fit the device's memory.
  template <class F>
  void for_batches(const HoltLayout& layout, F f) {
    if (layout.runs() == 0) return;
    device_.use();
    // A run needs its values, its worst-case encoding and its size, and at most one group's offset;
    // a batch needs one more offset.
    const std::size_t run_bytes = layout.word_bytes * layout.parameters.run;
    std::size_t most = this->that_fit(layout.runs(), run_bytes + layout.worst_run() + 4 + 8,
                                      4 * sizes_.size(), "a run of the file");
    if (most < layout.runs() && most > 32) most = most / 32 * 32;
    most = std::min<std::size_t>(most, std::size_t{1} << 30);
    this->reserve(most * run_bytes, most * layout.worst_run(), (most + 31) / 32 + 1);
    grow(device_, sizes_, most);
    for (std::size_t first = 0; first < layout.runs(); first += most) {
      const std::size_t runs = std::min(most, layout.runs() - first);
      f(first, {layout.parameters.run, static_cast<std::uint32_t>(layout.of(first + runs - 1)),
                static_cast<std::uint32_t>(runs)});
    }
  }
  /// The bytes of the values of runs, beginning with run `first`, in those of all.
  template <class Byte>
  static std::span<Byte> values_of(const HoltLayout& layout, std::span<Byte> all, std::size_t first,
                                   const holt_kernels::Runs& runs) {
    const std::size_t values = (runs.runs - std::size_t{1}) * runs.each + runs.last;
    return all.subspan(layout.word_bytes * layout.parameters.run * first,
                       layout.word_bytes * values);
  }

  template <typename Real>
  void encode_runs(const HoltLayout& layout, std::span<const std::byte> input, std::size_t first,
                   const holt_kernels::Runs& runs, std::vector<std::byte>& out) {
    using Sizes = holt_kernels::SizesBody<Real>;
    using Encode = holt_kernels::EncodeKernel<Real>;
    auto* const values = reinterpret_cast<const HoltWord<Real>*>(values_.data());
    const HoltFactors<Real> factors(layout.parameters.alpha, layout.parameters.beta);
    const std::uint32_t size_blocks = blocks_for<Sizes>(device_, runs.groups());
    const std::uint32_t encode_blocks = blocks_for<Encode>(device_, runs.groups());
    const auto launch = [&] {
      device_.template launch<Sizes>(stream_, size_blocks, Sizes::kSharedBytes,
                                     {values, sizes_.data(), offsets_.data(), runs, factors});
      device_.template launch<SumsBody>(stream_, 1, SumsBody::kSharedBytes,
                                        {offsets_.data(), runs.groups()});
      device_.template launch<Encode>(
          stream_, encode_blocks, Encode::kSharedBytes,
          {values, sizes_.data(), offsets_.data(), this->file_bytes(), runs, factors});
    };
    std::vector<std::uint32_t> sizes(runs.runs);
    this->encode_batch(values_of(layout, input, first, runs), out, launch, [&] {
      std::uint64_t bytes = 0;
      device_.to_host(stream_, sizes.data(), sizes_.data(), sizes.size());
      device_.to_host(stream_, &bytes, offsets_.data() + runs.groups(), 1);
      device_.wait(stream_);
      return bytes;
    });
    put_holt_sizes(layout, first, {sizes.data(), sizes.size()}, out.data());
  }

  /// Decodes runs, beginning with run `first`, whose first offset in the file is *at. Returns false
  /// if a run's codes do not match its size.
  template <typename Real>
  bool decode_runs(const HoltLayout& layout, std::span<const std::byte> file, const std::size_t* at,
                   std::size_t first, const holt_kernels::Runs& runs, std::span<std::byte> out) {
    using Decode = holt_kernels::DecodeKernel<Real>;
    std::vector<std::uint32_t> sizes(runs.runs);
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < runs.runs; ++i) {
      sizes[i] = static_cast<std::uint32_t>(at[i + 1] - at[i]);
      if (i % 32 == 0) offsets.push_back(at[i] - at[0]);
    }
    const std::uint32_t blocks = blocks_for<Decode>(device_, runs.groups());
    const auto upload = [&] {
      device_.to_device(stream_, sizes_.data(), sizes.data(), sizes.size());
      device_.to_device(stream_, offsets_.data(), offsets.data(), offsets.size());
    };
    const auto launch = [&] {
      device_.template launch<Decode>(
          stream_, blocks, Decode::kSharedBytes,
          {this->file_bytes(), sizes_.data(), offsets_.data(),
           reinterpret_cast<HoltWord<Real>*>(values_.data()), damaged_.data(), runs,
           HoltFactors<Real>(layout.parameters.alpha, layout.parameters.beta)});
    };
    return this->decode_batch(file.subspan(at[0], at[runs.runs] - at[0]),
                              values_of(layout, out, first, runs), upload, launch);
  }

  typename Device::template Buffer<std::uint32_t> sizes_;
};

}  // namespace fpsynth::baselines
