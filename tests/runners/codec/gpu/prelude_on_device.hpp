#pragma once
// Steps of preludes in a device's memory, against the CPU's driver, for tests on any device.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "runners/codec/cpu/prelude_table.hpp"
#include "runners/codec/gpu/preludes/prelude_on.hpp"
#include "tests/runners/codec/support.hpp"

namespace fpsynth::codec {

template <class Step>
constexpr std::uint8_t kind_of = Step::wire;

template <class W>
std::vector<W> words_of(const Bytes& bytes) {
  std::vector<W> words(bytes.size() / sizeof(W));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(W));
  return words;
}
template <class W>
std::vector<W> noise_of(std::size_t count, unsigned seed = 1) {
  return words_of<W>(noise(count * sizeof(W), seed));
}

/// Decimals of two digits, and one in `every` that is none: NaNs, infinities, -0, noise.
template <class W>
std::vector<W> decimals(std::size_t count, unsigned every) {
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  std::mt19937 random(7);
  std::vector<W> words(count);
  for (W& word : words) {
    Float value = static_cast<Float>(static_cast<double>(int(random() % 20000) - 10000) / 100);
    if (value == 0) value = 1;
    if (random() % every == 0) {
      const Float odd[] = {-Float{0}, std::numeric_limits<Float>::infinity(),
                           std::numeric_limits<Float>::quiet_NaN(),
                           std::numeric_limits<Float>::denorm_min(), Float(1) / 3};
      value = odd[random() % std::size(odd)];
    }
    word = std::bit_cast<W>(value);
  }
  return words;
}

/// Words in a device's memory, `shift` bytes after an aligned place.
template <class Device, class W>
class WordsOn {
 public:
  WordsOn(Device& device, const std::vector<W>& words, std::size_t shift)
      : device_(device),
        stream_(device.make_stream()),
        memory_(device.template allocate<std::byte>(words.size() * sizeof(W) + 8)),
        count_(words.size()),
        shift_(shift) {
    device_.to_device(stream_, data(), reinterpret_cast<const std::byte*>(words.data()),
                      words.size() * sizeof(W));
  }
  std::byte* data() { return memory_.data() + shift_; }
  std::vector<W> words() {
    std::vector<W> words(count_);
    device_.to_host(stream_, reinterpret_cast<std::byte*>(words.data()), data(),
                    count_ * sizeof(W));
    device_.wait(stream_);
    return words;
  }

 private:
  Device& device_;
  typename Device::Stream stream_;
  typename Device::template Buffer<std::byte> memory_;
  std::size_t count_, shift_;
};

template <class W>
std::vector<W> values_of(const SideData<W>& side) {
  return {side.values, side.values + side.count};
}
template <class W>
std::vector<std::uint64_t> positions_of(const SideData<W>& side) {
  if (!side.positions) return {};
  return {side.positions, side.positions + side.count};
}

template <class W>
std::vector<std::uint32_t> selectors_of(const SideData<W>& side) {
  return {side.selectors, side.selectors + side.selector_words};
}

/// Expects both directions of a step to give the CPU's words and side data.
template <class W, class Device>
void expect_the_cpus(Device device, std::uint8_t kind, std::uint64_t parameter,
                     const std::vector<W>& words, std::size_t shift = 0,
                     const preludes::Divisors& divisors = {}) {
  const std::string what = std::to_string(int(kind)) + ":" + std::to_string(parameter) + " on " +
                           std::to_string(words.size()) + " words of " + std::to_string(sizeof(W)) +
                           " bytes at " + std::to_string(shift);
  SideMemory<W> side, expected_side;
  side.data.divisors = expected_side.data.divisors = divisors;
  std::vector<W> expected(words.size());
  ASSERT_EQ(
      kPreludesBaseline.of<W>().forward(kind, reinterpret_cast<const std::byte*>(words.data()),
                                        reinterpret_cast<std::byte*>(expected.data()), words.size(),
                                        parameter, 1, expected_side.data),
      Status::Ok)
      << what;
  PreludeOn<Device, W> prelude(device);
  typename Device::Stream stream = device.make_stream();
  WordsOn<Device, W> in(device, words, shift), out(device, std::vector<W>(words.size()), shift);
  ASSERT_EQ(
      prelude.forward(stream, kind, in.data(), out.data(), words.size(), parameter, side.data),
      Status::Ok)
      << what;
  device.wait(stream);
  ASSERT_TRUE(out.words() == expected) << what;
  ASSERT_EQ(values_of(side.data), values_of(expected_side.data)) << what;
  ASSERT_EQ(positions_of(side.data), positions_of(expected_side.data)) << what;
  ASSERT_EQ(selectors_of(side.data), selectors_of(expected_side.data)) << what;
  ASSERT_EQ(prelude.backward(stream, kind, out.data(), words.size(), parameter, side.data),
            Status::Ok)
      << what;
  device.wait(stream);
  ASSERT_TRUE(out.words() == words) << what;
}

/// Multiples of various numbers, of the least integer and of nothing.
template <class W, class Device>
void expect_divisors(Device device, std::size_t n, std::size_t shift) {
  std::vector<W> words = noise_of<W>(n);
  const W factors[] = {W(W{1} << (8 * sizeof(W) - 1)), 0, 1, 12, 1000, W(-360)};
  for (std::size_t i = 0; i < n; ++i) words[i] = W(words[i] % 1000 * factors[i / 200 % 6]);
  for (const std::uint64_t block : {128, 1024}) {
    expect_the_cpus<W>(device, kind_of<preludes::Gcd>, block, words, shift);
  }
}

/// Copies of many lengths, and none.
template <class W, class Device>
void expect_copies(Device device, std::size_t n, std::size_t shift) {
  const std::vector<W> words = with_copies<W>(n);
  expect_the_cpus<W>(device, kind_of<preludes::Match>, 0, words, shift);
  expect_the_cpus<W>(device, kind_of<preludes::Match>, 0, noise_of<W>(n), shift);
}

/// Blocks of decimals with few, many and no exceptions.
template <class W, class Device>
void expect_fractions(Device device, std::size_t n, std::size_t shift) {
  std::vector<W> words = decimals<W>(n, 20);
  const std::vector<W> others = decimals<W>(n, 7), noise = noise_of<W>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i / 700 % 3 == 1) words[i] = others[i];
    if (i / 700 % 3 == 2) words[i] = noise[i];
  }
  const preludes::Divisors divisors(3, 10, 100, 200, preludes::Divisors::kGreatest);
  for (const std::uint64_t block : {128, 1024}) {
    expect_the_cpus<W>(device, kind_of<preludes::Rat>, block, words, shift, divisors);
  }
}

}  // namespace fpsynth::codec
