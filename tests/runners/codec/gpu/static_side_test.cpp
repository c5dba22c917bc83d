// The codec of generated CUDA projects whose prelude keeps values beside the words: the library's
// bytes, and what it makes of bytes that are not.

#include "runners/codec/gpu/preludes/static_side.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "components/family.hpp"
#include "components/preludes/registry.hpp"
#include "components/registry.hpp"
#include "components/teams/simd/native.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/cpu/static_prelude_codec.hpp"
#include "runners/codec/cpu/static_side_codec.hpp"
#include "runners/codec/cpu/steps/divided.hpp"
#include "runners/codec/cpu/steps/excepted.hpp"
#include "runners/codec/cpu/steps/lagged.hpp"
#include "runners/codec/cpu/steps/matched.hpp"
#include "runners/codec/cpu/steps/ranked.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"
#include "runners/device/emulated_device.hpp"
#include "tests/runners/codec/gpu/codec_on_device.hpp"
#include "tests/runners/codec/gpu/fixed_pipelines.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::codec {
namespace {

using device::EmulatedDevice;
using testing::kMpcBehindSideSteps, testing::Mpc, testing::MpcBehindSideSteps;
using testing::kSingle, testing::Ord, testing::Single, testing::Sub, testing::Xor;

using Dict = StaticStep<preludes::Dict>;
template <std::uint64_t D>
using Dec = StaticStep<preludes::Dec, D>;
using Rat = StaticStep<preludes::Rat, 256, 10, 100, 24400>;

template <class Pipeline, class... Steps>
using OnDevice = StaticPreludeDeviceCodec<EmulatedDevice, Pipeline, Steps...>;
/// The CPU's codec of the same steps, of which generated projects hold the code, too.
template <class Pipeline, class... Steps>
using OnCpu = StaticPreludeCodec<Pipeline, teams::NativeTeam, Steps...>;

/// Decimals of two digits, one in five no such decimal: -0, infinities, NaNs with and without
/// payloads, denormals, fractions.
template <class W>
Bytes decimals(std::size_t count) {
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;
  using Limits = std::numeric_limits<Float>;
  const W odd[] = {std::bit_cast<W>(-Float{0}),
                   std::bit_cast<W>(Limits::infinity()),
                   std::bit_cast<W>(-Limits::infinity()),
                   std::bit_cast<W>(Limits::quiet_NaN()),
                   W(std::bit_cast<W>(Limits::signaling_NaN()) | 0x1234),
                   std::bit_cast<W>(Limits::denorm_min()),
                   std::bit_cast<W>(Float(1) / 3),
                   W(-1),
                   W(0)};
  std::mt19937 random(7);
  std::vector<W> words(count);
  for (W& word : words) {
    const auto value = static_cast<Float>(static_cast<double>(int(random() % 2001) - 1000) / 100);
    word = random() % 5 == 0 ? odd[random() % std::size(odd)] : std::bit_cast<W>(value);
  }
  return bytes_of_words(words);
}

/// Originals of all kinds: empty, only a tail, one word, all equal, all distinct, with tails.
template <class W>
std::vector<Bytes> originals() {
  constexpr std::size_t kWord = sizeof(W);
  std::vector<Bytes> result = {{}, noise(1), noise(kWord - 1), noise(kWord)};
  std::vector<W> distinct(1500);
  for (std::size_t i = 0; i < distinct.size(); ++i) distinct[i] = W(i * 0x9e3779b97f4a7c15u);
  result.push_back(bytes_of_words(distinct));
  result.push_back(bytes_of_words(std::vector<W>(1100, std::bit_cast<W>(W{0x3f800000}))));
  result.push_back(bytes_of_words(with_copies<W>(3000)));
  for (const std::size_t count : {1, 31, 1024, 1025, 5000}) {
    result.push_back(decimals<W>(count));
    for (std::size_t i = 0; i < count % kWord; ++i) result.back().push_back(std::byte(i + 1));
  }
  return result;
}

template <class Pipeline, class... Steps>
void expect_all(const std::string& text) {
  testing::expect_the_librarys<OnDevice<Pipeline, Steps...>>(text, EmulatedDevice(),
                                                             originals<typename Pipeline::Word>());
}

TEST(StaticSideCodec, WritesAndReadsTheLibrarysContainersOfDoubles) {
  const std::string mpc = std::string(" / ") + testing::kMpc;
  expect_all<Mpc, Dict>("DICT" + mpc);
  expect_all<Mpc, Dec<2>>("DEC:2" + mpc);
  expect_all<Mpc, Dict, Sub<7>>("DICT LAGs:7" + mpc);
  expect_all<Mpc, Dec<2>, Xor<1000>>("DEC:2 LAGx:1000" + mpc);
  expect_all<Mpc, Ord, Dec<0>>("ORD DEC:0" + mpc);
  expect_all<Mpc, StaticStep<preludes::Match>, Sub<3>>("MATCH LAGs:3" + mpc);
  expect_all<Mpc, Rat, Sub<1>, Sub<2>, Sub<1>, Xor<3>>(
      "RAT:256:10:100:24400 LAGs:1 LAGs:2 LAGs:1 LAGx:3" + mpc);
  expect_all<Mpc, Dec<2>, Dict, Sub<9>>(kMpcBehindSideSteps);
}

TEST(StaticSideCodec, WritesAndReadsTheLibrarysContainersOfSingles) {
  const std::string single = std::string(" / ") + kSingle;
  expect_all<Single, Dict>("DICT" + single);
  expect_all<Single, Dec<1>>("DEC:1" + single);
  expect_all<Single, Sub<40>, Dict>("LAGs:40 DICT" + single);
  expect_all<Single, Sub<1>, Dec<9>, Dec<2>>("LAGs:1 DEC:9 DEC:2" + single);
  expect_all<Single, Dec<2>, Dict, Dict>("DEC:2 DICT DICT" + single);
  expect_all<Single, Xor<1>, Rat>("LAGx:1 RAT:256:10:100:24400" + single);
  expect_all<Single, Sub<1>, StaticStep<preludes::Gcd, 256>>("LAGs:1 GCD:256" + single);
  expect_all<Single, Dict, StaticStep<preludes::Match>>("DICT MATCH" + single);
  expect_all<Single, Rat, Dict>("RAT:256:10:100:24400 DICT" + single);
}

TEST(PTX_StaticSideCodec, WritesAndReadsTheLibrarysContainers) {
  FPSYNTH_NEEDS_PTX();
  using ptx::PtxDevice;
  const std::string mpc = std::string(" / ") + testing::kMpc;
  const std::vector<Bytes> inputs = {
      {}, noise(5), decimals<std::uint64_t>(1), decimals<std::uint64_t>(1100), noise(8 * 600 + 3)};
  testing::expect_the_librarys<StaticPreludeDeviceCodec<PtxDevice, Mpc, Dict>>("DICT" + mpc,
                                                                               PtxDevice(), inputs);
  testing::expect_the_librarys<StaticPreludeDeviceCodec<PtxDevice, Mpc, Ord, Dec<2>>>(
      "ORD DEC:2" + mpc, PtxDevice(), inputs);
  testing::expect_the_librarys<MpcBehindSideSteps<PtxDevice>>(kMpcBehindSideSteps, PtxDevice(),
                                                              inputs);
  testing::expect_the_librarys<StaticPreludeDeviceCodec<PtxDevice, Mpc, Rat>>(
      "RAT:256:10:100:24400" + mpc, PtxDevice(), inputs);
  testing::expect_the_librarys<
      StaticPreludeDeviceCodec<PtxDevice, Mpc, StaticStep<preludes::Match>>>(
      "MATCH" + mpc, PtxDevice(), {{}, noise(5), bytes_of_words(with_copies<std::uint64_t>(3000))});
  // Of singles, with the pipeline that their keys need in any case.
  using Narrow =
      StaticPreludeDeviceCodec<PtxDevice, SidePipeline<std::uint32_t>, Dec<2>, Dict, Sub<9>>;
  testing::expect_the_librarys<Narrow>("DEC:2 DICT LAGs:9 / LNV1s BIT | ZE RLE", PtxDevice(),
                                       {noise(3), decimals<std::uint32_t>(1100), noise(2403)});
}

/// Expects what the CPU's codec says of a container, which may be anything.
template <class Codec, class Cpu, class Device = EmulatedDevice>
class Verdicts {
 public:
  void compare(const Bytes& container) {
    Bytes expected, got;
    const Status wanted = testing::on_cpu<Cpu>(container, expected);
    ASSERT_EQ(codec_.decompress(container, got), wanted);
    ++counts_[std::size_t(wanted)];
    if (wanted == Status::Ok) {
      ASSERT_TRUE(got == expected);
    }
  }
  int count(Status status) const { return counts_[std::size_t(status)]; }

 private:
  // Its memory must do for all calls: it counts what was ever allocated.
  static Device device() {
    typename Device::Options options;
    options.memory_bytes = std::size_t{1} << 40;
    return Device(options);
  }
  testing::CodecOn<Codec, Device> codec_{device()};
  std::array<int, 10> counts_{};
};

/// All truncations, and every third bit flipped.
template <class Codec, class Cpu>
void expect_the_cpus_verdicts(const std::string& method, const Bytes& original) {
  Verdicts<Codec, Cpu> verdicts;
  const Bytes good = compress(original, synth::parse_method(method), sizeof(typename Codec::Word));
  ASSERT_LT(good.size(), 1200u) << "this takes too long";
  for (std::size_t size = 0; size < good.size(); ++size) {
    SCOPED_TRACE(::testing::Message() << method << ", " << size << " bytes");
    verdicts.compare(Bytes(good.begin(), good.begin() + std::ptrdiff_t(size)));
  }
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += 3) {
    SCOPED_TRACE(::testing::Message() << method << ", bit " << bit);
    Bytes container = good;
    container[bit / 8] ^= std::byte(1 << bit % 8);
    verdicts.compare(container);
  }
  Bytes longer = good;
  longer.push_back({});
  verdicts.compare(longer);
  for (const Status status :
       {Status::NotOurs, Status::OtherCodec, Status::Damaged, Status::WrongSum}) {
    EXPECT_GT(verdicts.count(status), 0) << method << ": " << describe(status);
  }
}

TEST(StaticSideCodec, SaysWhatTheCpusSaysOfDamagedContainers) {
  expect_the_cpus_verdicts<OnDevice<Mpc, Dec<2>, Dict, Sub<9>>, OnCpu<Mpc, Dec<2>, Dict, Sub<9>>>(
      kMpcBehindSideSteps, decimals<std::uint64_t>(60));
  expect_the_cpus_verdicts<OnDevice<Single, Xor<3>, Dict>, OnCpu<Single, Xor<3>, Dict>>(
      std::string("LAGx:3 DICT / ") + kSingle, decimals<std::uint32_t>(90));
  expect_the_cpus_verdicts<OnDevice<Single, Dec<1>>, OnCpu<Single, Dec<1>>>(
      std::string("DEC:1 / ") + kSingle, decimals<std::uint32_t>(90));
  expect_the_cpus_verdicts<OnDevice<Single, Rat>, OnCpu<Single, Rat>>(
      std::string("RAT:256:10:100:24400 / ") + kSingle, decimals<std::uint32_t>(90));
}

/// Kernels that meet damaged side data access no other memory.
TEST(PTX_StaticSideCodec, SaysWhatTheCpusSaysOfDamagedContainers) {
  FPSYNTH_NEEDS_PTX();
  Verdicts<MpcBehindSideSteps<ptx::PtxDevice>, OnCpu<Mpc, Dec<2>, Dict, Sub<9>>, ptx::PtxDevice>
      verdicts;
  const Bytes good =
      compress(decimals<std::uint64_t>(60), synth::parse_method(kMpcBehindSideSteps), 8);
  for (std::size_t at = 75; at < good.size(); at += 3) {
    SCOPED_TRACE(::testing::Message() << "byte " << at);
    Bytes container = good;
    container[at] ^= std::byte(1 << at % 8);
    verdicts.compare(container);
  }
  EXPECT_GT(verdicts.count(Status::Damaged), 10);
  EXPECT_GT(verdicts.count(Status::WrongSum), 10);
}

/// A container with other side data of its first step.
template <class Header>
Bytes with_side(const Bytes& container, const Bytes& side) {
  PreludeFields fields;
  EXPECT_EQ(Header::read(container.data(), container.size(), fields), Status::Ok);
  const auto rest = container.begin() + std::ptrdiff_t(Header::kBytes + fields.step[0].side_bytes);
  fields.step[0].side_bytes = side.size();
  Bytes result(Header::kBytes);
  store_prelude_header(fields, result.data());
  result.insert(result.end(), side.begin(), side.end());
  result.insert(result.end(), rest, container.end());
  return result;
}

template <class T>
Bytes side_container(const std::vector<T>& values) {
  return compress(bytes_of_words(values), synth::parse_method("LNV1s BIT | ZE RLE"), sizeof(T));
}
Bytes exceptions(const std::vector<std::uint64_t>& positions,
                 const std::vector<std::uint32_t>& values) {
  const Bytes first = side_container(positions), second = side_container(values);
  Bytes side(8);
  store(side.data(), std::uint64_t{first.size()});
  side.insert(side.end(), first.begin(), first.end());
  side.insert(side.end(), second.begin(), second.end());
  return side;
}

TEST(StaticSideCodec, RefusesForgedSideData) {
  using Ranked = OnDevice<Mpc, Dict>;
  const Bytes ranked = compress(bytes_of_words(std::vector<std::uint64_t>(100, 5)),
                                synth::parse_method(std::string("DICT / ") + testing::kMpc), 8);
  const auto keys = [&](const Bytes& side) {
    Verdicts<Ranked, OnCpu<Mpc, Dict>> verdicts;
    verdicts.compare(with_side<Ranked::Header>(ranked, side));
    return verdicts.count(Status::Damaged) == 1;
  };
  EXPECT_FALSE(keys(side_container<std::uint64_t>({7})));
  EXPECT_TRUE(keys(side_container<std::uint64_t>({7, 7})));
  EXPECT_TRUE(keys(side_container<std::uint64_t>({})));
  EXPECT_TRUE(keys(side_container(std::vector<std::uint64_t>(101, 5))));
  EXPECT_TRUE(keys(side_container<std::uint32_t>({7, 8})));
  EXPECT_TRUE(keys({}));
  EXPECT_TRUE(keys(Bytes(100)));

  using Excepted = OnDevice<Single, Dec<1>>;
  const Bytes excepted = compress(bytes_of_words(std::vector<std::uint32_t>(100, 1)),
                                  synth::parse_method(std::string("DEC:1 / ") + kSingle), 4);
  const auto refused = [&](const Bytes& side) {
    Verdicts<Excepted, OnCpu<Single, Dec<1>>> verdicts;
    verdicts.compare(with_side<Excepted::Header>(excepted, side));
    return verdicts.count(Status::Damaged) == 1;
  };
  EXPECT_FALSE(refused(exceptions({0, 99}, {7, 7})));
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused(exceptions({0, 100}, {7, 7})));
  EXPECT_TRUE(refused(exceptions({0, ~std::uint64_t{0}}, {7, 7})));
  EXPECT_TRUE(refused(exceptions({9, 9}, {7, 7})));
  EXPECT_TRUE(refused(exceptions({0, 1}, {7})));
  EXPECT_TRUE(refused(exceptions({0}, {7, 7})));
  EXPECT_TRUE(refused(exceptions({}, {})));
  EXPECT_TRUE(
      refused(exceptions(std::vector<std::uint64_t>(101), std::vector<std::uint32_t>(101))));
  EXPECT_TRUE(refused(Bytes(7)));
  for (const std::uint64_t length : {std::uint64_t{1000}, ~std::uint64_t{0}, std::uint64_t{0}}) {
    Bytes side = exceptions({0, 99}, {7, 7});
    store(side.data(), length);
    EXPECT_TRUE(refused(side)) << length;
  }
}

/// Side data of RAT without exceptions.
Bytes fractions(const std::vector<std::uint64_t>& divisors,
                const std::vector<std::uint32_t>& selectors) {
  std::vector<std::uint64_t> numbers = {divisors.size()};
  numbers.insert(numbers.end(), divisors.begin(), divisors.end());
  const Bytes list = side_container(selectors);
  numbers.push_back(list.size());
  Bytes side = bytes_of_words(numbers);
  side.insert(side.end(), list.begin(), list.end());
  return side;
}

TEST(StaticSideCodec, RefusesForgedDivisorsAndSelectors) {
  using Selected = OnDevice<Single, Rat>;
  const Bytes selected =
      compress(bytes_of_words(std::vector<std::uint32_t>(600, 1)),
               synth::parse_method(std::string("RAT:256:10:100:24400 / ") + kSingle), 4);
  const auto status = [&](const Bytes& side) {
    Verdicts<Selected, OnCpu<Single, Rat>> verdicts;
    verdicts.compare(with_side<Selected::Header>(selected, side));
    return verdicts.count(Status::Damaged) == 1;
  };
  EXPECT_FALSE(status(fractions({10, 100, 24400}, {0x00030201})));
  EXPECT_FALSE(status(fractions({3}, {0})));
  EXPECT_TRUE(status(fractions({3}, {2})));
  EXPECT_TRUE(status(fractions({3}, {0x01000000, 0})));
  EXPECT_TRUE(status(fractions({3}, {})));
  EXPECT_TRUE(status(fractions({3, 3}, {0})));
  EXPECT_TRUE(status(fractions({0}, {0})));
  EXPECT_TRUE(status(fractions({}, {0})));
  EXPECT_TRUE(status(fractions({(std::uint64_t{1} << 53) + 1}, {0})));
  EXPECT_TRUE(status(fractions({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {0})));
  EXPECT_TRUE(status(fractions({3}, std::vector<std::uint32_t>(1'000'000))));
  const Bytes whole = fractions({3, 5}, {0});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(status(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)))) << size;
  }
  for (const std::uint64_t count : {std::uint64_t{15}, ~std::uint64_t{0}}) {
    Bytes side = whole;
    store(side.data(), count);
    EXPECT_TRUE(status(side)) << count;
  }
}

TEST(StaticSideCodec, TheBoundIsEnoughForTheWorstAndNoneForMoreThanMemory) {
  using Worst = OnDevice<Single, Dec<2>, Dict, Sub<9>>;
  const Bytes distinct = noise(4 * 9000 + 1);
  testing::CodecOn<OnDevice<Single, Rat>, EmulatedDevice>{EmulatedDevice()}.compress(distinct);
  testing::CodecOn<Worst, EmulatedDevice> codec{EmulatedDevice()};
  codec.compress(distinct);  // expects nothing to be written behind the bound
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) EXPECT_EQ(Worst::bound(bytes), 0u);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4099}, std::size_t{1} << 40}) {
    EXPECT_EQ(Worst::bound(bytes), (OnCpu<Single, Dec<2>, Dict, Sub<9>>::bound(bytes))) << bytes;
  }
}

}  // namespace
}  // namespace fpsynth::codec
