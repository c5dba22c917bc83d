// The functions of C; tests/cli/cases/install.sh has an example in C.

#include <fpsynth.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<char>;

Bytes noise(std::size_t bytes) {
  std::mt19937 random(1);
  Bytes all(bytes);
  for (char& byte : all) byte = char(random());
  return all;
}
Bytes wave(std::size_t count) {
  Bytes all(8 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::round(1e3 * std::sin(double(i) / 50));
    std::memcpy(&all[8 * i], &value, 8);
  }
  return all;
}
/// Words of runs of two, of which RLE makes more.
Bytes pairs(std::size_t bytes) {
  Bytes all(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    all[i] = char((i % 24 < 8 ? i / 24 * 2 : i / 24 * 2 + 1) * 89);
  return all;
}

fpsynth_values view(const Bytes& bytes, fpsynth_type type = FPSYNTH_FLOAT64) {
  return {bytes.data(), bytes.size(), type, nullptr, 0};
}

/// Compressed to exactly the bound.
Bytes packed(const fpsynth_values& values, const char* method,
             const fpsynth_options* options = {}) {
  Bytes out(fpsynth_bound(&values, method, options));
  std::size_t written = 0;
  EXPECT_EQ(fpsynth_compress(&values, method, options, out.data(), out.size(), &written),
            FPSYNTH_OK)
      << fpsynth_error();
  EXPECT_LE(written, out.size());
  out.resize(written);
  return out;
}

bool says(const char* text) { return std::strstr(fpsynth_error(), text) != nullptr; }

TEST(LibraryC, AllTypesRoundTripAtAnyAddress) {
  const Bytes bytes = wave(3001);
  const std::size_t shape[] = {30, 100};
  for (int type = FPSYNTH_FLOAT64; type <= FPSYNTH_UINT8; ++type) {
    const std::size_t word = type > FPSYNTH_UINT16   ? 1
                             : type > FPSYNTH_UINT32 ? 2
                             : type % 2 == 1         ? 8
                                                     : 4;
    const std::size_t tail = word > 3 ? 3 : word - 1;
    for (const std::size_t rank : {0, 2}) {
      const std::size_t size = 3000 * word + (rank ? 0 : tail);
      const fpsynth_values values = {bytes.data() + 1, size, fpsynth_type(type), shape, rank};
      const Bytes file = packed(values, "DICT LAGs:7 / LNV1s BIT | ZE");
      fpsynth_info info;
      ASSERT_EQ(fpsynth_inspect(file.data(), file.size(), &info), FPSYNTH_OK) << fpsynth_error();
      EXPECT_EQ(info.original_bytes, size);
      EXPECT_EQ(info.type, type);
      EXPECT_EQ(info.rank, rank ? 2u : 1u);
      EXPECT_EQ(info.shape[0], rank ? 30u : 3000u);
      Bytes copy(size + 1);
      std::size_t written = 0;
      ASSERT_EQ(fpsynth_decompress(file.data(), file.size(), 2, copy.data() + 1, size, &written),
                0);
      EXPECT_EQ(written, size);
      EXPECT_EQ(std::memcmp(copy.data() + 1, bytes.data() + 1, size), 0);
    }
  }
}

TEST(LibraryC, NoMethodExceedsItsBound) {
  for (const std::size_t size : {0, 1, 8200, 40003}) {
    for (const Bytes& bytes : {noise(size), wave(size / 8), pairs(size), Bytes(size)}) {
      for (const char* method :
           {"ZE", "RLE", "| RLE RLE RLE RLE RLE RLE RLE RLE", "| RLP RLP RLP RLP", "BINS", "REC",
            "BINS | BINS ZE BINS", "DICT / ZE", "DEC:2 / | CLOG", "RAT:128:3:7 / ZEC",
            "GCD:128 MATCH DICT DEC:3 LAGx:9 / RRE"}) {
        for (const std::size_t chunk_words : {1024, 4096}) {
          const fpsynth_options options = {1, chunk_words, nullptr};
          for (const auto type : {FPSYNTH_FLOAT64, FPSYNTH_UINT32}) {
            packed(view(bytes, type), method, &options);
          }
        }
      }
    }
  }
  const Bytes bytes = noise(1 << 20);
  const fpsynth_values values = view(bytes);
  EXPECT_LT(fpsynth_bound(&values, "ZE", nullptr), 1.02 * double(packed(values, "ZE").size()));
  // Noise, and noise behind what is easy.
  Bytes runs(1 << 18);
  runs.insert(runs.end(), bytes.begin(), bytes.begin() + (1 << 17));
  const fpsynth_options quick = {0, 0, "quick"};
  packed(view(runs), "auto", &quick);
  packed(view(noise(9000)), "auto", &quick);
}

TEST(LibraryC, WrongCallsAreErrorsThatSayWhatIsMissing) {
  const Bytes bytes = wave(1000);
  const fpsynth_values values = view(bytes);
  Bytes file = packed(values, "LNV1s | ZE");
  std::size_t written = 0;
  EXPECT_EQ(fpsynth_compress(&values, "LNV1s | ZE", nullptr, nullptr, 0, &written), FPSYNTH_FAILED);
  EXPECT_EQ(written, file.size());
  EXPECT_TRUE(says(std::to_string(file.size()).c_str())) << fpsynth_error();
  Bytes exact(file.size());
  EXPECT_EQ(fpsynth_compress(&values, "LNV1s | ZE", nullptr, exact.data(), exact.size(), &written),
            0);
  EXPECT_EQ(exact, file);
  EXPECT_EQ(fpsynth_decompress(file.data(), file.size(), 0, exact.data(), 7999, &written), 1);
  EXPECT_EQ(written, 8000u);
  EXPECT_TRUE(says("8000")) << fpsynth_error();
  EXPECT_EQ(fpsynth_decompress(file.data(), file.size(), 0, nullptr, 8000, &written), 2);
  EXPECT_EQ(fpsynth_inspect(nullptr, 0, nullptr), FPSYNTH_WRONG_CALL);

  const std::size_t shape[] = {3, 333}, huge[] = {SIZE_MAX, SIZE_MAX};
  const std::size_t many[65] = {};
  const struct {
    fpsynth_values values;
    const char *method, *text;
  } cases[] = {{values, "LNV1s FOO ZE", "FOO"},
               {values, nullptr, "method is NULL"},
               {{nullptr, 8, FPSYNTH_INT32, nullptr, 0}, "ZE", "values->data is NULL"},
               {{bytes.data(), 8, fpsynth_type(13), nullptr, 0}, "ZE", "'13': give one of float64"},
               {{bytes.data(), 8000, FPSYNTH_INT64, nullptr, 1}, "ZE", "values->shape is NULL"},
               {{bytes.data(), 8000, FPSYNTH_INT64, shape, 2}, "ZE", "3x333 makes 999 values"},
               {{bytes.data(), 8000, FPSYNTH_INT64, huge, 2}, "ZE", "more values than"},
               {{bytes.data(), 0, FPSYNTH_INT64, many, 65}, "ZE", "65 dimensions"}};
  for (const auto& [wrong, method, text] : cases) {
    EXPECT_NE(fpsynth_compress(&wrong, method, nullptr, exact.data(), exact.size(), &written), 0);
    EXPECT_TRUE(says(text)) << fpsynth_error();
  }
  EXPECT_EQ(fpsynth_bound(&values, "auto ZE", nullptr), 0u);
  const fpsynth_values none = {nullptr, 0, FPSYNTH_FLOAT32, nullptr, 0};
  const Bytes empty = packed(none, "ZE");
  EXPECT_EQ(fpsynth_decompress(empty.data(), empty.size(), 0, nullptr, 0, nullptr), FPSYNTH_OK);

  char method[FPSYNTH_METHOD_BYTES];
  std::size_t chunk_words = 0;
  const fpsynth_options quick = {0, 0, "quick"}, wrong = {0, 0, "much"};
  ASSERT_EQ(fpsynth_best_method(&values, &quick, method, sizeof method, &chunk_words), FPSYNTH_OK);
  const fpsynth_options best = {0, chunk_words, nullptr};
  EXPECT_EQ(packed(values, method, &best), packed(values, "auto", &quick));
  EXPECT_EQ(fpsynth_best_method(&values, &quick, method, 2, nullptr), FPSYNTH_FAILED);
  EXPECT_EQ(fpsynth_best_method(&values, &wrong, method, 2, nullptr), FPSYNTH_WRONG_CALL);
  EXPECT_EQ(fpsynth_best_method(&none, &quick, method, sizeof method, nullptr), FPSYNTH_FAILED);
}

TEST(LibraryC, DamageIsFoundOnAnyThread) {
  const Bytes bytes = wave(4000);
  const Bytes file = packed(view(bytes), "DEC:0 / LNV1s BIT | ZE");
  std::vector<std::thread> threads;
  std::size_t wrong[2] = {}, refused[2] = {};
  for (const std::size_t thread : {0, 1}) {
    threads.emplace_back([&, thread] {
      Bytes copy(bytes.size());
      for (std::size_t at = thread; at < file.size(); at += 2) {
        Bytes damaged = file;
        damaged[at] = char(damaged[at] ^ (1 << at % 8));
        if (at % 3 == 0) damaged.resize(at);
        std::size_t written = 0;
        const int status = fpsynth_decompress(damaged.data(), damaged.size(), 1, copy.data(),
                                              copy.size(), &written);
        refused[thread] += status == FPSYNTH_FAILED && says("compressed data");
        wrong[thread] += status == FPSYNTH_OK && copy != bytes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0u);
  EXPECT_EQ(refused[0] + refused[1], file.size());
}

}  // namespace
