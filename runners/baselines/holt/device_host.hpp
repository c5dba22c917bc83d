#pragma once
// The host's part of Holt's method on a device (device.hpp), a template on the device's class.

#include <type_traits>
#include <utility>

#include "runners/baselines/holt/device.hpp"
#include "runners/baselines/holt/device_kernels.hpp"
#include "runners/baselines/holt/format.hpp"
#include "runners/baselines/wire.hpp"

namespace fpsynth::baselines {

template <device::Device Device>
class HoltOn final : public HoltDevice {
 public:
  template <class Description>
  explicit HoltOn(const Description& description)
      : device_(description), stream_(device_.make_stream()) {}

  void encode_into(std::span<const std::byte> input, synth::Precision precision,
                   const HoltParameters& parameters, std::vector<std::byte>& out) override {
    check_holt(parameters);
    const HoltLayout layout{parameters, synth::word_bytes(precision), input.size()};
    put_holt_frame(layout, input, out);
    DeviceTimes times;
    for_batches(layout, [&](std::size_t first, const holt_kernels::Runs& runs) {
      in_precision(layout, [&](auto real) {
        encode_batch<decltype(real)>(layout, input.data(), first, runs, out, times);
      });
    });
    times_ = times;
  }

  void decode_into(std::span<const std::byte> file, std::string_view name,
                   std::span<std::byte> out) override {
    const HoltLayout layout = parse_holt(file, name);
    const std::vector<std::size_t> offsets = holt_offsets(file, layout, name);
    expect_original_bytes(name, layout.original_bytes, out.size());
    DeviceTimes times;
    bool good = true;
    for_batches(layout, [&](std::size_t first, const holt_kernels::Runs& runs) {
      in_precision(layout, [&](auto real) {
        good = good && decode_batch<decltype(real)>(layout, file, offsets.data() + first, first,
                                                    runs, out.data(), times);
      });
    });
    if (!good) {
      decode_holt(file, name);  // throws with the position of the damage
      refuse_device(device_.name(), name);
    }
    finish_holt(file, layout, name, out);
    times_ = times;
  }

 private:
  template <class F>
  static void in_precision(const HoltLayout& layout, F f) {
    layout.word_bytes == 4 ? f(float{}) : f(double{});
  }

  /// Calls f(first run, runs) for batches of runs that fit the device's memory.
  template <class F>
  void for_batches(const HoltLayout& layout, F f) {
    if (layout.runs() == 0) return;
    device_.use();
    // A run needs its values, its worst-case encoding and its size, and at most one group's offset;
    // a batch needs one more offset.
    const std::size_t run_bytes = layout.word_bytes * layout.parameters.run;
    const std::size_t needed = run_bytes + layout.worst_run() + 4 + 8;
    const std::size_t kept =
        values_.size() + file_.size() + 4 * sizes_.size() + 8 * offsets_.size();
    const std::size_t budget = (device_.free_memory() + kept) / 16 * 15;
    std::size_t most =
        std::min(layout.runs(), (budget - std::min<std::size_t>(budget, 64)) / needed);
    if (most == 0) refuse_memory(device_.name(), "a run of the file", needed, budget);
    if (most < layout.runs() && most > 32) most = most / 32 * 32;
    most = std::min<std::size_t>(most, std::size_t{1} << 30);
    grow(device_, values_, most * run_bytes);
    grow(device_, file_, most * layout.worst_run());
    grow(device_, sizes_, most);
    grow(device_, offsets_, (most + 31) / 32 + 1);
    grow(device_, damaged_, 1);
    for (std::size_t first = 0; first < layout.runs(); first += most) {
      const std::size_t runs = std::min(most, layout.runs() - first);
      f(first, {layout.parameters.run, static_cast<std::uint32_t>(layout.of(first + runs - 1)),
                static_cast<std::uint32_t>(runs)});
    }
  }
  /// Bytes of the values of runs, and the offset of a run's values.
  static std::size_t value_bytes(const HoltLayout& layout, const holt_kernels::Runs& runs) {
    return layout.word_bytes * ((runs.runs - std::size_t{1}) * runs.each + runs.last);
  }
  static std::size_t value_offset(const HoltLayout& layout, std::size_t run) {
    return layout.word_bytes * layout.parameters.run * run;
  }

  template <typename Real>
  void encode_batch(const HoltLayout& layout, const std::byte* input, std::size_t first,
                    const holt_kernels::Runs& runs, std::vector<std::byte>& out,
                    DeviceTimes& times) {
    using Sizes = holt_kernels::SizesBody<Real>;
    using Encode = holt_kernels::EncodeKernel<Real>;
    auto* const values = reinterpret_cast<const HoltWord<Real>*>(values_.data());
    const HoltFactors<Real> factors(layout.parameters.alpha, layout.parameters.beta);
    const std::uint32_t size_blocks = blocks_for<Sizes>(device_, runs.groups());
    const std::uint32_t encode_blocks = blocks_for<Encode>(device_, runs.groups());
    const auto start = device_.record(stream_);
    device_.to_device(stream_, values_.data(), input + value_offset(layout, first),
                      value_bytes(layout, runs));
    const auto uploaded = device_.record(stream_);
    device_.template launch<Sizes>(stream_, size_blocks, Sizes::kSharedBytes,
                                   {values, sizes_.data(), offsets_.data(), runs, factors});
    device_.template launch<SumsBody>(stream_, 1, SumsBody::kSharedBytes,
                                      {offsets_.data(), runs.groups()});
    device_.template launch<Encode>(
        stream_, encode_blocks, Encode::kSharedBytes,
        {values, sizes_.data(), offsets_.data(), file_.data(), runs, factors});
    const auto done = device_.record(stream_);
    std::vector<std::uint32_t> sizes(runs.runs);
    std::uint64_t bytes = 0;
    device_.to_host(stream_, sizes.data(), sizes_.data(), sizes.size());
    device_.to_host(stream_, &bytes, offsets_.data() + runs.groups(), 1);
    device_.wait(stream_);
    const std::size_t at = out.size();
    out.resize(at + bytes);
    const auto downloading = device_.record(stream_);
    device_.to_host(stream_, out.data() + at, file_.data(), bytes);
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    put_holt_sizes(layout, first, {sizes.data(), sizes.size()}, out.data());
    times.add(device_, start, uploaded, done, downloading, downloaded);
  }

  /// Decodes runs, beginning with run `first`, whose first offset in the file is *at. Returns false
  /// if a run's codes do not match its size.
  template <typename Real>
  bool decode_batch(const HoltLayout& layout, std::span<const std::byte> file,
                    const std::size_t* at, std::size_t first, const holt_kernels::Runs& runs,
                    std::byte* out, DeviceTimes& times) {
    using Decode = holt_kernels::DecodeKernel<Real>;
    std::vector<std::uint32_t> sizes(runs.runs);
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < runs.runs; ++i) {
      sizes[i] = static_cast<std::uint32_t>(at[i + 1] - at[i]);
      if (i % 32 == 0) offsets.push_back(at[i] - at[0]);
    }
    const std::uint32_t blocks = blocks_for<Decode>(device_, runs.groups());
    const auto start = device_.record(stream_);
    device_.to_device(stream_, file_.data(), file.data() + at[0], at[runs.runs] - at[0]);
    device_.to_device(stream_, sizes_.data(), sizes.data(), sizes.size());
    device_.to_device(stream_, offsets_.data(), offsets.data(), offsets.size());
    device_.clear(stream_, damaged_.data(), 1);
    const auto uploaded = device_.record(stream_);
    device_.template launch<Decode>(
        stream_, blocks, Decode::kSharedBytes,
        {file_.data(), sizes_.data(), offsets_.data(),
         reinterpret_cast<HoltWord<Real>*>(values_.data()), damaged_.data(), runs,
         HoltFactors<Real>(layout.parameters.alpha, layout.parameters.beta)});
    const auto done = device_.record(stream_);
    std::uint32_t damaged = 0;
    device_.to_host(stream_, &damaged, damaged_.data(), 1);
    device_.to_host(stream_, out + value_offset(layout, first), values_.data(),
                    value_bytes(layout, runs));
    const auto downloaded = device_.record(stream_);
    device_.wait(stream_);
    times.add(device_, start, uploaded, done, done, downloaded);
    return damaged == 0;
  }

  Device device_;
  typename Device::Stream stream_;
  typename Device::template Buffer<std::byte> values_, file_;
  typename Device::template Buffer<std::uint32_t> sizes_, damaged_;
  typename Device::template Buffer<std::uint64_t> offsets_;
};

}  // namespace fpsynth::baselines
