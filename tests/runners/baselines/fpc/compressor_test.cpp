#include "runners/baselines/fpc/compressor.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "runners/data/input.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/changing_file.hpp"

namespace fpsynth::baselines {
namespace {

using synth::Precision;

std::string error_of_file(const Bytes& file) {
  return message_of([&] { decode_pfpc(file, "x.pfpc"); });
}

/// A simple pFPC encoder that follows the format's description. Shares no code with the project's.
Bytes plain_encode(const std::vector<std::uint64_t>& words, unsigned p, unsigned t,
                   std::uint32_t c) {
  const std::uint64_t m = (std::uint64_t{1} << p) - 1;
  std::vector<std::vector<std::uint64_t>> fcm(t, std::vector<std::uint64_t>(m + 1)), dfcm = fcm;
  Bytes file = raw({p, t});
  const auto put32 = [&](std::uint64_t value) {
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  put32(c);
  for (std::size_t first = 0; first < words.size(); first += 1048576) {
    const std::size_t n = std::min<std::size_t>(1048576, words.size() - first);
    put32(n);
    for (unsigned thread = 0; thread < t; ++thread) {
      std::uint64_t hash = 0, dhash = 0, last = 0, pred1 = 0, pred2 = 0;
      std::vector<unsigned> nibbles;
      Bytes residuals;
      for (std::size_t i = 0; i < n; ++i) {
        if (i / c % t != thread) continue;
        const std::uint64_t v = words[first + i];
        const std::uint64_t r1 = v ^ pred1, r2 = v ^ (last + pred2);
        fcm[thread][hash] = v;
        hash = ((hash << 6) ^ (v >> 48)) & m;
        pred1 = fcm[thread][hash];
        const std::uint64_t s = v - last;
        dfcm[thread][dhash] = s;
        dhash = ((dhash << 2) ^ (s >> 40)) & m;
        pred2 = dfcm[thread][dhash];
        last = v;
        const std::uint64_t residual = r1 > r2 ? r2 : r1;
        unsigned length = 0;
        while (length < 8 && residual >> (8 * length) != 0) ++length;
        if (length == 4) length = 5;
        nibbles.push_back((r1 > r2 ? 8 : 0) + (length > 4 ? length - 1 : length));
        for (unsigned b = 0; b < length; ++b) {
          residuals.push_back(static_cast<std::byte>(residual >> (8 * b)));
        }
      }
      Bytes codes((nibbles.size() + 1) / 2);
      for (std::size_t i = 0; i < nibbles.size(); ++i) {
        codes[i / 2] |= static_cast<std::byte>(i % 2 ? nibbles[i] : nibbles[i] << 4);
      }
      put32(4 + codes.size() + residuals.size());
      file.insert(file.end(), codes.begin(), codes.end());
      file.insert(file.end(), residuals.begin(), residuals.end());
    }
  }
  return file;
}

TEST(Pfpc, WorkedExample) {
  // Two threads take turns, one value at a time. Thread 0 gets 1, 2, 3: one residual byte, then the
  // stride repeats (codes 1, 8, 8). Thread 1 gets 0x100 and 0x100: two residual bytes; then a
  // repetition, which its fcm table predicts (codes 2, 0).
  const Bytes file = raw({4, 2, 1, 0, 0,    0,          // p, t, c
                          5, 0, 0, 0,                   // values
                          7, 0, 0, 0, 0x18, 0x80, 1,    // thread 0
                          7, 0, 0, 0, 0x20, 0x00, 1});  // thread 1
  const Bytes doubles = bytes_of<std::uint64_t>({1, 0x100, 2, 0x100, 3});
  EXPECT_EQ(encode_pfpc(doubles, {4, 2, 1}), file);
  EXPECT_EQ(decode_pfpc(file, "example"), doubles);
}

TEST(Pfpc, NoValues) {
  EXPECT_EQ(encode_pfpc({}, {20, 3, 7}), raw({20, 3, 7, 0, 0, 0}));
  EXPECT_TRUE(decode_pfpc(raw({20, 3, 7, 0, 0, 0}), "none").empty());
}

TEST(Pfpc, OneThreadWithoutGroupsIsFpc) {
  const Bytes doubles = bytes_of(mixed(5000));
  const Bytes ours = encode_pfpc(doubles, {10, 1, 64}), theirs = data::encode_fpc(doubles, 10);
  // Headers of 14 and 7 bytes, then the same codes and residuals.
  EXPECT_TRUE(std::equal(ours.begin() + 14, ours.end(), theirs.begin() + 7, theirs.end()));
}

TEST(Pfpc, AgreesWithThePlainEncoderAndBack) {
  // Remainders of every kind: part of a chunk, chunks for some threads only, threads without any.
  for (const std::size_t count : {1, 2, 3, 63, 64, 65, 127, 1000, 4097, 10007}) {
    const auto words = mixed(count);
    for (const unsigned threads : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 33u, 64u, 255u}) {
      for (const std::uint32_t chunk : {1u, 2u, 3u, 7u, 15u, 16u, 17u, 63u, 64u, 100u, 65536u}) {
        const PfpcParameters parameters{threads % 2 ? 6u : 12u, threads, chunk};
        const Bytes file = encode_pfpc(bytes_of(words), parameters);
        ASSERT_EQ(file, plain_encode(words, parameters.table_bits, threads, chunk))
            << count << " values, " << threads << " threads, chunk " << chunk;
        ASSERT_EQ(decode_pfpc(file, "round trip"), bytes_of(words))
            << count << " values, " << threads << " threads, chunk " << chunk;
      }
    }
  }
}

TEST(Pfpc, SeveralGroups) {
  const auto words = mixed(2 * kPfpcGroupValues + 12345);
  for (const auto& [p, t, c] :
       {PfpcParameters{4, 1, 1}, PfpcParameters{16, 5, 7}, PfpcParameters{20, 3, 1024},
        PfpcParameters{18, 64, 65536}, PfpcParameters{9, 2, 3'000'000}}) {
    const Bytes file = encode_pfpc(bytes_of(words), {p, t, c});
    EXPECT_EQ(file, plain_encode(words, p, t, c)) << p << ", " << t << ", " << c;
    EXPECT_TRUE(decode_pfpc(file, "groups") == bytes_of(words)) << p << ", " << t << ", " << c;
  }
}

TEST(Pfpc, RoundTripForTableSizes) {
  const Bytes doubles = bytes_of(mixed(20001));
  for (unsigned p = 1; p <= 28; ++p) {
    const Bytes file = encode_pfpc(doubles, {p, 3, 50});
    EXPECT_EQ(std::to_integer<unsigned>(file[0]), p);
    EXPECT_EQ(decode_pfpc(file, "tables"), doubles) << "p " << p;
  }
}

TEST(Pfpc, BytesDoNotDependOnTheMachinesThreads) {
  const Bytes doubles = bytes_of(mixed(100'003));
  const Bytes file = encode_pfpc(doubles, {12, 11, 33}, 1);
  for (const int machine : {2, 3, 8}) {
    EXPECT_EQ(encode_pfpc(doubles, {12, 11, 33}, machine), file) << machine;
    EXPECT_EQ(decode_pfpc(file, "threads", machine), doubles) << machine;
  }
}

TEST(Pfpc, GroupsOfFewerValuesAreReadToo) {
  Bytes file = raw({4, 2, 1, 0, 0, 0});
  for (int group = 0; group < 2; ++group) {
    const Bytes more = raw({1, 0, 0, 0, 6, 0, 0, 0, 0x10, 9, 4, 0, 0, 0});
    file.insert(file.end(), more.begin(), more.end());
  }
  EXPECT_EQ(decode_pfpc(file, "short groups"), bytes_of<std::uint64_t>({9, 9}));
}

TEST(Pfpc, RefusesParameters) {
  const Bytes doubles = bytes_of<std::uint64_t>({1, 2});
  for (const PfpcParameters& bad :
       {PfpcParameters{0, 1, 1}, PfpcParameters{29, 1, 1}, PfpcParameters{9, 0, 1},
        PfpcParameters{9, 256, 1}, PfpcParameters{9, 1, 0}}) {
    EXPECT_THROW(encode_pfpc(doubles, bad), UsageError);
  }
  EXPECT_THROW(pfpc({29, 1, 1}), UsageError);
  const Bytes tail(9);
  EXPECT_TRUE(contains(message_of([&] { encode_pfpc(tail, {9, 1, 1}); }), "9 bytes are not"));
}

TEST(Pfpc, EveryTruncationIsAnError) {
  const Bytes whole = encode_pfpc(bytes_of(mixed(99)), {10, 3, 5});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (size == kPfpcHeaderBytes) {
      EXPECT_TRUE(decode_pfpc(cut, "header").empty());  // a whole file of no values
    } else {
      EXPECT_TRUE(contains(error_of_file(cut), "x.pfpc: byte ")) << size;
    }
  }
}

TEST(Pfpc, ForgedFilesAreErrors) {
  const struct {
    Bytes file;
    const char* message;
  } cases[] = {
      {raw({4, 2, 1}), "byte 0: a header needs 6 bytes, the file has 3"},
      {raw({0, 1, 1, 0, 0, 0}), "tables of 2^0 entries"},
      {raw({29, 1, 1, 0, 0, 0}), "tables of 2^29 entries"},
      {raw({4, 0, 1, 0, 0, 0}), "0 threads"},
      {raw({4, 1, 0, 0, 0, 0}), "chunks of 0 values"},
      {raw({4, 1, 1, 0, 0, 0, 1, 0}), "byte 6: a group starts with 4 bytes, 2 are left"},
      {raw({4, 1, 1, 0, 0, 0, 0, 0, 0, 0}), "byte 6: a group of 0 values"},
      {raw({4, 1, 1, 0, 0, 0, 1, 0, 0x10, 0}), "byte 6: a group of 1048577 values"},
      {raw({4, 1, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0}), "a record of 2 values cannot take 4 bytes"},
      {raw({4, 1, 1, 0, 0, 0, 2, 0, 0, 0, 22, 0, 0, 0}), "cannot take 22 bytes"},
      {raw({4, 1, 1, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 0}), "a record of 6 bytes, 5 are left"},
      {raw({4, 1, 1, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 0, 0}), "byte 10: a record of 6 bytes, but"},
      {raw({4, 1, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0x11}), "byte 10: a record of 5 bytes, but"},
      {raw({4, 2, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0}),
       "a record of 0 values cannot take 5 bytes"},
      {raw({4, 1, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 9}), "byte 15: a group starts with 4"},
      // Nothing is allocated for a group that claims 8 MiB, 255 threads and the largest tables.
      {raw({28, 255, 1, 0, 0, 0, 0, 0, 0x10, 0, 4, 0, 0, 0}), "cannot take 4 bytes"},
  };
  for (const auto& forged : cases) {
    EXPECT_TRUE(contains(error_of_file(forged.file), forged.message))
        << error_of_file(forged.file) << " instead of " << forged.message;
  }
}

TEST(Pfpc, DecodesAsManyValuesAsWereCountedIfTheFileChanges) {
  const Bytes doubles = bytes_of(mixed(3));
  Bytes file = encode_pfpc(doubles, {4, 200, 1});
  PfpcDecoder decoder(file, "x.pfpc");
  for (const unsigned count : {0u, 2u, 200u}) {
    file[6] = static_cast<std::byte>(count);
    ASSERT_EQ(decoder.next_values(), 3u) << count;
  }
  Bytes out(8 * 3);
  decoder.decode(out.data());
  EXPECT_EQ(out, doubles);
  EXPECT_EQ(decoder.next_values(), 0u);
}

TEST(Pfpc, ReadsNothingBehindTheFileIfCodesChange) {
  // The first 64 values of each thread become the codes of the others of the first one.
  std::vector<std::uint64_t> words;
  for (int thread = 0; thread < 2; ++thread) {
    words.insert(words.end(), 64, ~std::uint64_t{0});
    words.insert(words.end(), 64, 0);
  }
  tests::ChangingFile changing(encode_pfpc(bytes_of(words), {4, 2, 128}));
  const auto out = changing.written(6 + 4 + 4 + 32).first(8 * words.size());
  const std::string message =
      message_of([&] { decode_pfpc_into(changing.file(), "x.pfpc", out, 1); });
  EXPECT_TRUE(contains(message, "x.pfpc: byte 10: a record of"));
}

TEST(Pfpc, FlippedBitsAreErrorsOrOtherValues) {
  const Bytes doubles = bytes_of(mixed(64));
  const Bytes whole = encode_pfpc(doubles, {10, 3, 5});
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    Bytes file = whole;
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    try {
      decode_pfpc(file, "flipped");
    } catch (const Error&) {
    }
  }
}

TEST(Pfpc, Names) {
  EXPECT_EQ(pfpc({20, 8, 1024}).name, "pFPC -1M");
  EXPECT_EQ(pfpc({9, 8, 1024}).name, "pFPC -512");
  EXPECT_EQ(pfpc({17, 8, 1024}).name, "pFPC -128K");
}

TEST(Pfpc, LONG_RealFile) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const data::Input input = data::open_input(path);
  const struct {
    PfpcParameters parameters;
    std::size_t bytes;
    std::uint64_t hash;
  } cases[] = {
      {{20, 20, 1024}, 4'869'481, 0xdaf3e8bb2e0b6525},  // SHA-256 0c8f6175...96bd4a32
      {{16, 3, 7}, 9'029'785, 0x7d0e739087d73870},      // SHA-256 4da75265...1909b6b
  };
  for (const auto& known : cases) {
    const Bytes file = encode_pfpc(input.bytes(), known.parameters);
    EXPECT_EQ(file.size(), known.bytes);
    EXPECT_EQ(XXH3_64bits(file.data(), file.size()), known.hash);
    EXPECT_TRUE(std::ranges::equal(decode_pfpc(file, "real"), input.bytes()));
  }
}

TEST(FpcBaseline, IsTheFileOfTheDataSets) {
  const Bytes doubles = bytes_of(mixed(1000));
  const Compressor compressor = fpc(12);
  EXPECT_EQ(compressor.name, "FPC");
  EXPECT_EQ(compressor.threads, 1);
  const Bytes file = compressed(compressor, doubles, Precision::Double);
  EXPECT_EQ(file, data::encode_fpc(doubles, 12));
  EXPECT_EQ(decompressed(compressor, file, Precision::Double, doubles.size()), doubles);
}

TEST(FpcBaseline, Refuses) {
  EXPECT_THROW(fpc(0), UsageError);
  EXPECT_THROW(fpc(29), UsageError);
  const Bytes doubles = bytes_of(mixed(4));
  for (const Compressor& compressor : {fpc(12), pfpc({12, 2, 1}), gfc(2, 2)}) {
    EXPECT_THROW(compressed(compressor, doubles, Precision::Single), Error) << compressor.name;
    EXPECT_THROW(decompressed(compressor, raw({200, 0}), Precision::Double, 8), Error)
        << compressor.name;
    // A buffer of another size than the original's.
    const Bytes file = compressed(compressor, doubles, Precision::Double);
    for (const std::size_t size : {0, 8, 31, 33, 64}) {
      EXPECT_TRUE(
          contains(message_of([&] { decompressed(compressor, file, Precision::Double, size); }),
                   "its original has 32 bytes, but the output buffer has"))
          << compressor.name << ' ' << size;
    }
  }
}

TEST(FpcBaseline, FilesAreWrittenToTheCallersMemory) {
  const Bytes doubles = bytes_of(mixed(1000));
  for (const Compressor& compressor : {fpc(12), pfpc({12, 2, 1}), gfc(2, 2)}) {
    Bytes file;
    compressor.compress(doubles, Precision::Double, file);
    const Bytes first = file;
    const std::byte* const memory = file.data();
    compressor.compress(doubles, Precision::Double, file);
    EXPECT_EQ(file, first) << compressor.name;
    EXPECT_EQ(file.data(), memory) << compressor.name;
  }
}

}  // namespace
}  // namespace fpsynth::baselines
