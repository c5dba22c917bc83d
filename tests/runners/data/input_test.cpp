#include "runners/data/input.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runners/data/fpc/fpc.hpp"
#include "synth/common/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

std::string error_of(const std::filesystem::path& path) {
  return tests::message_of([&] { open_input(path); });
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t single_of(std::uint64_t bits) {
  const auto single = to_single(std::as_bytes(std::span(&bits, 1)));
  EXPECT_EQ(single.size(), 4u);
  std::uint32_t result;
  std::memcpy(&result, single.data(), sizeof result);
  return result;
}

TEST(Input, NamesLoseFolderAndEndings) {
  EXPECT_EQ(data_set_name("a/b/num_plasma.trace.fpc"), "num_plasma");
  EXPECT_EQ(data_set_name("msg_bt.f64"), "msg_bt");
  EXPECT_EQ(data_set_name("x.F32"), "x");
  EXPECT_EQ(data_set_name("run.12.dat"), "run.12");
  EXPECT_EQ(data_set_name("plain"), "plain");
  EXPECT_EQ(data_set_name(".f64"), ".f64");
}

TEST(Input, MapsRawFiles) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "raw.f64", "0123456789abcdefXYZ");
  const Input input = open_input(folder / "raw.f64");
  EXPECT_EQ(input.name(), "raw");
  EXPECT_EQ(input.path(), folder / "raw.f64");
  EXPECT_EQ(input.native(), Precision::Double);
  EXPECT_EQ(text_of(input.bytes()), "0123456789abcdefXYZ");
  EXPECT_EQ(input.view().words, 2u);
  EXPECT_EQ(input.view().tail, 3u);
}

TEST(Input, CopiesOutliveTheOriginal) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "raw.f64", "12345678");
  Input copy("other", {});
  {
    const Input input = open_input(folder / "raw.f64");
    copy = input.named("renamed");
  }
  EXPECT_EQ(copy.name(), "renamed");
  EXPECT_EQ(text_of(copy.bytes()), "12345678");
}

TEST(Input, DecodesFpcByEnding) {
  const tests::TemporaryFolder folder;
  const std::array<double, 3> values = {1.5, 2.5, -3};
  const auto file = encode_fpc(std::as_bytes(std::span(values)), 6);
  tests::write_bytes(folder / "set.trace.FPC", text_of(file));
  const Input input = open_input(folder / "set.trace.FPC");
  EXPECT_EQ(input.name(), "set");
  EXPECT_EQ(text_of(input.bytes()), text_of(std::as_bytes(std::span(values))));
  EXPECT_THROW(open_input(folder / "set.trace.FPC", Precision::Single), Error);
}

TEST(Input, SinglesByEndingOrOption) {
  const tests::TemporaryFolder folder;
  for (const char* name : {"a.f32", "a.sp", "a.float"}) {
    tests::write_bytes(folder / name, "12345678");
    const Input input = open_input(folder / name);
    EXPECT_EQ(input.native(), Precision::Single) << name;
    EXPECT_EQ(input.view().words, 2u);
    EXPECT_EQ(input.in(Precision::Single).bytes().data(), input.bytes().data());
    EXPECT_THROW(input.in(Precision::Double), Error);
    EXPECT_EQ(open_input(folder / name, Precision::Double).native(), Precision::Double);
  }
  tests::write_bytes(folder / "b.bin", "12345678");
  EXPECT_EQ(open_input(folder / "b.bin", Precision::Single).view().words, 2u);
  EXPECT_EQ(open_input(folder / "b.bin", Precision::Double).view().words, 1u);
}

TEST(Input, ErrorsNameTheFile) {
  const tests::TemporaryFolder folder;
  tests::write_bytes(folder / "empty.f64", "");
  tests::write_bytes(folder / "none.fpc", "\x16");
  tests::write_bytes(folder / "bad.fpc", "not an FPC file at all");
  tests::write_bytes(folder / "zipped.fpc", std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
  tests::write_bytes(folder / "table.f64", "1.5, 2.5\n");
  tests::write_bytes(folder / "words.bin", "12345678");
  const struct {
    const char* name;
    const char* message;
  } cases[] = {{"missing.f64", "No such file"},   {"empty.f64", "it is empty"},
               {"none.fpc", "holds no values"},   {"bad.fpc", "byte 0"},
               {"zipped.fpc", "is a gzip file"},  {"table.f64", "is text with numbers"},
               {"words.bin", "--type, f64, f32"}, {"", "it is a directory"}};
  for (const auto& [name, message] : cases) {
    const std::string error = error_of(folder / name);
    EXPECT_TRUE(tests::contains(error, message));
    EXPECT_TRUE(tests::contains(error, (folder / name).string()));
  }
  EXPECT_TRUE(tests::contains(error_of("/dev/null"), "no regular file"));
}

TEST(ToSingle, RoundsToNearestEven) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const auto expected = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  EXPECT_EQ(single_of(bits(1.0)), expected(1.0f));
  EXPECT_EQ(single_of(bits(-0.0)), 0x8000'0000u);
  EXPECT_EQ(single_of(bits(0.1)), 0x3dcc'cccdu);
  EXPECT_EQ(single_of(bits(1 + 0x1p-24)), 0x3f80'0000u);            // tie, down to even
  EXPECT_EQ(single_of(bits(1 + 0x3p-24)), 0x3f80'0002u);            // tie, up to even
  EXPECT_EQ(single_of(bits(1 + 0x1p-24 + 0x1p-52)), 0x3f80'0001u);  // just above the tie
  EXPECT_EQ(single_of(bits(0x1.ffffffp127)), 0x7f80'0000u);         // rounds up to infinity
  EXPECT_EQ(single_of(bits(0x1.fffffefp127)), 0x7f7f'ffffu);
  EXPECT_EQ(single_of(bits(-1e300)), 0xff80'0000u);
  EXPECT_EQ(single_of(bits(0x1p-149)), 1u);
  EXPECT_EQ(single_of(bits(0x1p-150)), 0u);  // tie between zero and the least denormal
  EXPECT_EQ(single_of(bits(0x1.8p-149)), 2u);
  EXPECT_EQ(single_of(bits(-1e-300)), 0x8000'0000u);
}

TEST(ToSingle, KeepsNanSignAndTopOfPayload) {
  EXPECT_EQ(single_of(0x7ff8'0000'0000'0000), 0x7fc0'0000u);
  EXPECT_EQ(single_of(0xfff8'0000'0000'0000), 0xffc0'0000u);
  EXPECT_EQ(single_of(0x7ff0'0000'0000'0001), 0x7fc0'0000u);  // signalling, payload lost: quiet
  EXPECT_EQ(single_of(0xfff4'0000'2000'0000), 0xffe0'0001u);
  EXPECT_EQ(single_of(0x7fff'ffff'ffff'ffff), 0x7fff'ffffu);
  EXPECT_EQ(single_of(0x7ff0'0000'0000'0000), 0x7f80'0000u);  // infinity is no NaN
}

TEST(ToSingle, AgreesWithTheHardwareOnNans) {
#if defined(__x86_64__) || defined(__aarch64__)
  for (std::uint64_t bits : {0x7ff8'1234'5678'9abc, 0x7ff0'1234'5678'9abc, 0x7ff0'0000'0000'0001}) {
    volatile double value = std::bit_cast<double>(bits);
    const volatile float single = static_cast<float>(value);
    EXPECT_EQ(single_of(bits), std::bit_cast<std::uint32_t>(static_cast<float>(single)));
  }
#else
  GTEST_SKIP() << "only x86-64 and AArch64 are known to convert NaNs this way";
#endif
}

TEST(ToSingle, KeepsTheTail) {
  const std::array<double, 2> values = {1, 2};
  std::vector<std::byte> bytes(19);
  std::memcpy(bytes.data(), values.data(), 16);
  bytes[16] = std::byte{7};
  bytes[18] = std::byte{9};
  const auto singles = to_single(bytes);
  ASSERT_EQ(singles.size(), 11u);
  EXPECT_EQ(singles[8], std::byte{7});
  EXPECT_EQ(singles[9], std::byte{0});
  EXPECT_EQ(singles[10], std::byte{9});
  EXPECT_TRUE(to_single({}).empty());
}

}  // namespace
}  // namespace fpsynth::data
