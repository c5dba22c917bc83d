// Verdicts on claims of speeds: each holds on some measurements, does not on others, and says what
// would measure it where there are none.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "results/queries/papers/claims.hpp"
#include "tests/results/support.hpp"
#include "tests/results/throughput_support.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;
using tests::contains;

constexpr const char* kSets[] = {"a", "b", "c"};
using Judged = std::pair<std::string, std::string>;

Judged judged_speed(const std::string& claim, const std::vector<Measurement>& measurements,
                    const std::string& of = "here") {
  std::vector<Document> documents;
  for (const char* name : kSets) documents.push_back(document_with(name, {1, 2, 4, 1, 2, 1}));
  const Table numbers =
      claims({{.name = "here", .runs = Runs(documents), .measured = measurements}}).at(1);
  const auto row = std::ranges::find_if(
      numbers.rows, [&](const auto& one) { return one[0] == Cell(claim) && one[1] == Cell(of); });
  return {std::get<std::string>(row->at(2)), std::get<std::string>(row->at(3))};
}

/// A compressor on three data sets in both precisions, compressing and decompressing at so many
/// GB/s.
void add(std::vector<Measurement>& all, const char* compressor, double compress, double decompress,
         bool gpu = false) {
  for (const char* set : kSets) {
    for (const Precision precision : kPaperPrecisions) {
      all.push_back({.compressor = compressor,
                     .data_set = set,
                     .precision = precision,
                     .timed_bytes = 16 * kMiB,
                     .ratio = 1.5,
                     .compress = compress,
                     .decompress = decompress,
                     .compress_transfers = gpu ? 5.0 : 0,
                     .decompress_transfers = gpu ? 5.0 : 0,
                     .gpu = gpu});
    }
  }
}

std::vector<Measurement> as_in_table_v() {
  std::vector<Measurement> all;
  add(all, "bzip2 --best", 0.01, 0.02);
  add(all, "gzip --best", 0.02, 0.15);
  add(all, "lzop -9", 0.01, 1.93);
  add(all, "pFPC -1M", 1.43, 1.05);
  add(all, "FPC", 0.6, 0.5);
  add(all, "MPC", 0.5, 0.5);  // on the processor, too
  add(all, "MPC", 10.78, 7.91, true);
  add(all, "GFC", 32.34, 31.47, true);
  return all;
}

/// The measurements with those of a compressor on a device slowed down.
std::vector<Measurement> slowed(std::vector<Measurement> all, const std::string& compressor,
                                bool gpu, double times) {
  for (Measurement& one : all) {
    if (one.compressor != compressor || one.gpu != gpu) continue;
    one.compress /= times;
    one.decompress /= times;
  }
  return all;
}

TEST(SpeedClaims, AreJudgedOnThePapersTableV) {
  EXPECT_EQ(
      judged_speed("mpc-above-lzop", {}, "the paper"),
      Judged(kHolds, "4.1 times in decompression (double), 3.0 times in decompression (single)"));
  EXPECT_EQ(judged_speed("mpc-above-gzip", {}, "the paper").first, kHolds);
  EXPECT_EQ(
      judged_speed("mpc-above-pfpc", {}, "the paper"),
      Judged(kHolds, "7.5 times in compression (double), 7.5 times in decompression (double)"));
  EXPECT_EQ(judged_speed("gfc-above-mpc", {}, "the paper").first, kHolds);
  EXPECT_EQ(judged_speed("gzip-fastest", {}, "the paper").first, kHolds);
  EXPECT_EQ(judged_speed("lzop-fastest", {}, "the paper").first, kHolds);
  EXPECT_EQ(judged_speed("gfc-above-pfpc", {}, "the paper"),
            Judged("", "4.5 and 4.0 times: a GPU beside 8 cores"));
  EXPECT_EQ(judged_speed("holt-ratios", {}, "the paper"),
            Judged(kHolds, "a fifth or more is saved on 6 of 25, and 7 grow"));
}

TEST(SpeedClaims, OfAGpuBesideAProcessor) {
  for (const char* id : {"mpc-above-lzop", "mpc-above-gzip", "mpc-above-pfpc", "gfc-above-pfpc",
                         "gfc-above-others", "gfc-above-mpc"}) {
    const std::vector<Measurement> all = as_in_table_v();
    EXPECT_EQ(judged_speed(id, all).first, kHolds) << id << ": " << judged_speed(id, all).second;
    const std::string faster = std::string(id).starts_with("gfc") ? "GFC" : "MPC";
    EXPECT_EQ(judged_speed(id, slowed(all, faster, true, 2000)).first, kNot) << id;
    std::vector<Measurement> without = all;
    std::erase_if(without, &Measurement::gpu);
    EXPECT_EQ(judged_speed(id, without).first, kNotMeasured) << id;
    EXPECT_TRUE(contains(judged_speed(id, without).second, "on a GPU"));
  }
  EXPECT_EQ(judged_speed("mpc-above-gzip", slowed(as_in_table_v(), "MPC", true, 10)).first,
            kInPart);
  std::vector<Measurement> shorter = as_in_table_v();
  for (Measurement& one : shorter) one.timed_bytes = 8 * kMiB;
  EXPECT_EQ(judged_speed("mpc-above-lzop", shorter).first, kHolds);
  EXPECT_EQ(judged_speed("mpc-above-pfpc", shorter).first, kNotMeasured);  // 16 MiB of tables
}

TEST(SpeedClaims, OfTheFastestOnAProcessor) {
  for (const auto& [id, compressor] :
       {std::pair("lzop-fastest", "lzop -9"), {"gzip-fastest", "gzip --best"}}) {
    std::vector<Measurement> all = as_in_table_v();
    EXPECT_EQ(judged_speed(id, all).first, kHolds) << id;
    EXPECT_EQ(judged_speed(id, slowed(all, compressor, false, 10)).first, kNot) << id;
    for (Measurement& one : all) {
      if (one.compressor == compressor && one.precision == Precision::Single) {
        one.compress = one.decompress = 0;
      }
    }
    EXPECT_EQ(judged_speed(id, all).first, kInPart) << id;
    EXPECT_EQ(judged_speed(id, {}),
              Judged(kNotMeasured, "`fpsynth compare` over 1048576 bytes or more of a data set"));
  }
  EXPECT_EQ(judged_speed("gzip-fastest", as_in_table_v()).second,
            "double precision: gzip --best 0.02, lzop -9 0.01, bzip2 --best 0.01 GB/s; single "
            "precision: gzip --best 0.02, lzop -9 0.01, bzip2 --best 0.01 GB/s");
}

TEST(SpeedClaims, OfKernelsBesideTransfers) {
  std::vector<Measurement> all = as_in_table_v();
  add(all, "Holt", 9, 4, true);
  EXPECT_EQ(judged_speed("mpc-above-transfers", all),
            Judged(kHolds,
                   "compression: kernels 10.8, transfers 5 GB/s; decompression: kernels 7.91, "
                   "transfers 5 GB/s"));
  EXPECT_EQ(judged_speed("mpc-above-transfers", slowed(all, "MPC", true, 3)).first, kNot);
  EXPECT_EQ(judged_speed("holt-transfers", all).first, kInPart);
  std::erase_if(all, &Measurement::gpu);
  for (const char* id : {"mpc-above-transfers", "holt-transfers"}) {
    EXPECT_EQ(judged_speed(id, all), Judged(kNotMeasured, std::string(kOnGpu)));
  }
}

/// A sweep of pFPC on a machine of four threads: gains in compression and decompression by number
/// of threads and tables.
std::vector<Measurement> swept(const std::function<double(std::uint64_t, bool, bool)>& gain) {
  std::vector<Measurement> all;
  for (const char* set : kSets) {
    for (const std::uint64_t threads : {1, 2, 3, 4, 8}) {
      for (const std::uint64_t tables : {8192, 1 << 21}) {
        for (const std::uint64_t chunks : {8, 1024}) {
          const double chunked = chunks > 8 ? 1 : 0.5;
          all.push_back({.compressor = "sweep pfpc",
                         .data_set = set,
                         .timed_bytes = 2 * kMiB,
                         .threads = threads,
                         .machine_threads = 4,
                         .tables = tables,
                         .chunks = chunks,
                         .ratio = 1.1,
                         .compress = chunked * gain(threads, tables == 8192, true),
                         .decompress = chunked * gain(threads, tables == 8192, false)});
        }
      }
    }
  }
  return all;
}

TEST(SpeedClaims, OfThreads) {
  const auto sublinear = [](std::uint64_t threads, bool small, bool compress) {
    return 1 + (double(threads) - 1) * (small ? 0.8 : 0.7) * (compress ? 1 : 0.95);
  };
  const std::vector<Measurement> all = swept(sublinear);
  for (const char* id : {"pfpc-gains", "pfpc-sublinear", "pfpc-scaling"}) {
    EXPECT_EQ(judged_speed(id, all).first, kHolds) << id << ": " << judged_speed(id, all).second;
    EXPECT_EQ(judged_speed(id, {}).first, kNotMeasured) << id;
    EXPECT_TRUE(contains(judged_speed(id, {}).second, "fpsynth baseline sweep pfpc")) << id;
  }
  EXPECT_TRUE(contains(judged_speed("pfpc-gains", all).second,
                       "4 threads with 8192 bytes of tables: 3.40 and 3.28 times"));
  EXPECT_FALSE(contains(judged_speed("pfpc-gains", all).second, "8 threads"));  // more than at once
  const auto none = [](std::uint64_t, bool, bool) { return 1.0; };
  EXPECT_EQ(judged_speed("pfpc-gains", swept(none)).first, kNot);
  const auto linear = [](std::uint64_t threads, bool, bool) { return double(threads); };
  EXPECT_EQ(judged_speed("pfpc-sublinear", swept(linear)).first, kNot);
  EXPECT_EQ(judged_speed("pfpc-scaling", swept(linear)).first, kNot);
  const auto small_only = [&](std::uint64_t threads, bool small, bool compress) {
    return small ? sublinear(threads, true, compress) : 1.0;
  };
  EXPECT_EQ(judged_speed("pfpc-gains", swept(small_only)).first, kInPart);
  std::vector<Measurement> less = all;  // than the large tables have
  for (Measurement& one : less) one.timed_bytes = kMiB;
  EXPECT_FALSE(contains(judged_speed("pfpc-gains", less).second, "2097152 bytes"));
  EXPECT_EQ(judged_speed("pfpc-scaling", less).first, kNotMeasured);
}

TEST(SpeedClaims, OfHolt) {
  std::vector<Measurement> all;
  add(all, "Holt", 6, 5, true);
  for (const char* id : {"holt-compression", "holt-most"}) {
    EXPECT_EQ(judged_speed(id, all).first, kHolds) << id << ": " << judged_speed(id, all).second;
    EXPECT_EQ(judged_speed(id, {}), Judged(kNotMeasured, std::string(kOnGpu))) << id;
  }
  for (Measurement& one : all) one.compress = 2;
  EXPECT_EQ(judged_speed("holt-compression", all), Judged(kNot, "in 0 of 6 timings"));
  EXPECT_EQ(judged_speed("holt-most", all), Judged(kNot, "at most 2.00 GB/s in compression"));
  for (Measurement& one : all) one.gpu = false;
  EXPECT_EQ(judged_speed("holt-most", all).first, kNotMeasured);

  const auto with = [&](double a, double b, double c) {
    for (Measurement& one : all) one.ratio = one.data_set == "a" ? a : one.data_set == "b" ? b : c;
    return judged_speed("holt-ratios", all);
  };
  EXPECT_EQ(with(2, 1.1, 0.95), Judged(kHolds, "a fifth or more is saved on 1 of 3, and 1 grow"));
  EXPECT_EQ(with(2, 0.9, 0.95).first, kInPart);
  EXPECT_EQ(with(1, 0.9, 0.95).first, kNot);
  EXPECT_EQ(judged_speed("holt-ratios", {}).first, kNotMeasured);
  for (const char* id : {"holt-levels", "holt-blocks", "holt-directions", "holt-cell"}) {
    EXPECT_EQ(judged_speed(id, all).first, kCannot) << id;
  }
}

TEST(SpeedClaims, AreReadFromTimingsOnGpus) {
  ThroughputDocument document = throughput_with("a", {timed_row("GFC, 1000 chunks", 2, 1, 1)});
  EXPECT_TRUE(measurements(document).empty());  // of a processor
  document.run.backend = "cuda";
  ThroughputRow& row = document.rows.front();
  row.input_bytes = 4'000'000'000;
  row.compress.kernel_seconds = row.decompress.transfer_seconds = {2};
  row.compress.transfer_seconds = row.decompress.kernel_seconds = {1};
  const Measurement one = measurements(document).front();
  EXPECT_EQ(std::tuple(one.compressor, one.gpu, one.timed_bytes),
            std::tuple("GFC", true, 4'000'000'000u));
  EXPECT_EQ(
      std::tuple(one.compress, one.compress_transfers, one.decompress, one.decompress_transfers),
      std::tuple(2, 4, 4, 2));
}

}  // namespace
}  // namespace fpsynth::results
