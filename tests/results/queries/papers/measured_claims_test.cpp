// Verdicts on claims of ratios and speeds, on measurements of three data sets.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "results/queries/papers/claims.hpp"
#include "tests/results/support.hpp"
#include "tests/results/throughput_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;
using tests::contains;
using tests::message_of;

std::pair<std::string, std::string> judged_measured(const std::string& claim,
                                                    const std::vector<Measurement>& measurements,
                                                    const std::string& of = "here") {
  std::vector<Document> documents;
  for (const char* name : {"a", "b", "c"})
    documents.push_back(document_with(name, {1, 2, 4, 1, 2, 1}));
  const Table numbers =
      claims({{.name = "here", .runs = Runs(documents), .measured = measurements}}).at(1);
  const auto row = std::ranges::find_if(
      numbers.rows, [&](const auto& one) { return one[0] == Cell(claim) && one[1] == Cell(of); });
  return {std::get<std::string>(row->at(2)), std::get<std::string>(row->at(3))};
}

/// The paper's six on three data sets in double precision, with these ratios of MPC and pFPC.
std::vector<Measurement> six(double mpc, double pfpc, double bzip2 = 1.3) {
  std::vector<Measurement> all;
  for (const char* set : {"a", "b", "c"}) {
    for (const auto& [name, ratio] : {std::pair("MPC", mpc),
                                      {"pFPC -1M", pfpc},
                                      {"bzip2 --best", bzip2},
                                      {"gzip --best", 1.1},
                                      {"lzop -9", 1.0},
                                      {"GFC", 1.05}}) {
      all.push_back({.compressor = name,
                     .data_set = set,
                     .timed_bytes = 16 * kMiB,
                     .ratio = ratio,
                     .compress = name == std::string("GFC") ? 4.0 : 1.0,
                     .decompress = 1});
    }
  }
  return all;
}

TEST(MeasuredClaims, AreJudgedOnThePapersOwnTables) {
  EXPECT_EQ(judged_measured("mpc-highest", {}, "the paper"),
            std::pair(std::string(kHolds), std::string("double 5 of 13, single 8 of 13")));
  EXPECT_EQ(judged_measured("each-highest", {}, "the paper").first, kHolds);
  EXPECT_EQ(judged_measured("gfc-chunks", {}, "the paper").second,
            "within 1 % on 13 of 13; at most 0.33 %");
}

TEST(MeasuredClaims, OfRatiosNeedAllSixCompressors) {
  EXPECT_EQ(judged_measured("mpc-highest", six(1.5, 1.4)).first, kHolds);
  EXPECT_EQ(judged_measured("mpc-highest", six(1.2, 1.4)).first, kNot);
  EXPECT_EQ(judged_measured("mpc-above", six(1.2, 1.4)).first, kHolds);
  EXPECT_EQ(judged_measured("mpc-above", six(1.02, 1.4)).second, "3 of 6 pairs");
  std::vector<Measurement> all = six(1.5, 1.4);
  std::erase_if(all, [](const Measurement& one) { return one.compressor == "GFC"; });
  EXPECT_EQ(judged_measured("mpc-highest", all),
            std::pair(std::string(kNotMeasured),
                      std::string("`fpsynth compare` with all of the paper's six")));
  // With one data set each on which pFPC and bzip2 are far ahead.
  all = six(1.3, 1.2, 1.2);
  for (Measurement& one : all) {
    if (one.data_set != "c" && (one.compressor == "pFPC -1M" || one.compressor == "bzip2 --best")) {
      one.ratio = 5;
    }
  }
  EXPECT_EQ(judged_measured("above-mpc", all).first, kHolds);
  EXPECT_EQ(judged_measured("above-mpc", six(1.1, 1.3)).first, kInPart);
}

TEST(MeasuredClaims, OfMpcBesideTheNext) {
  EXPECT_EQ(judged_measured("mpc-ahead", {}, "the paper"),
            std::pair(std::string(kHolds),
                      std::string("highest on 13 of 26, at most 32.6 % above the next")));
  EXPECT_EQ(judged_measured("mpc-ahead", six(2, 1.5)).first, kHolds);
  EXPECT_EQ(judged_measured("mpc-ahead", six(1.6, 1.5)).first, kInPart);
  EXPECT_EQ(judged_measured("mpc-ahead", six(1.4, 1.5)).first, kNot);
  EXPECT_EQ(judged_measured("singles-higher", {}, "the paper").first, kHolds);
  EXPECT_EQ(judged_measured("singles-higher", six(2, 1.5)).first, kNotMeasured);
}

TEST(MeasuredClaims, OfTheFastestModes) {
  std::vector<Measurement> all;
  for (const char* set : {"a", "b", "c"}) {
    for (const auto& [name, ratio] : {std::pair("lzop -1", 1.0),
                                      {"GFC", 1.1},
                                      {"bzip2 -1", 1.2},
                                      {"gzip -1", 1.3},
                                      {"FPC", 9.0}}) {  // not in its fastest mode
      all.push_back({.compressor = name, .data_set = set, .ratio = ratio});
    }
  }
  EXPECT_EQ(judged_measured("gfc-order", all).first, kNotMeasured);
  for (const char* set : {"a", "b", "c"}) {
    for (const std::uint64_t threads : {1, 4}) {
      all.push_back({.compressor = "sweep pfpc",
                     .data_set = set,
                     .threads = threads,
                     .tables = 8192,
                     .chunks = 1024,
                     .ratio = threads == 1 ? 1.4 : 1.35});
    }
  }
  EXPECT_EQ(judged_measured("gfc-order", all),
            std::pair(std::string(kHolds),
                      std::string("lzop -1 1.000, GFC 1.100, bzip2 -1 1.200, gzip -1 1.300, FPC "
                                  "1.400, pFPC 1.350")));
  for (Measurement& one : all) {
    if (one.compressor == "bzip2 -1") one.ratio = 5;
  }
  EXPECT_EQ(judged_measured("gfc-order", all).first, kInPart);
}

TEST(MeasuredClaims, OfPeaks) {
  std::vector<Measurement> all;
  const auto ratio = [](std::uint64_t threads) {
    return threads % 5 == 0 || threads % 7 == 0 || threads == 13 ? 2.0 : 1.0;
  };
  for (std::uint64_t threads = 1; threads <= 16; ++threads) {
    all.push_back({.compressor = "sweep pfpc",
                   .data_set = "num_plasma",
                   .threads = threads,
                   .tables = 2 * kMiB,
                   .chunks = 1,
                   .ratio = ratio(threads)});
  }
  EXPECT_EQ(judged_measured("pfpc-peaks", all),
            std::pair(std::string(kHolds), std::string("peaks at 5, 7, 10, 13, 15")));
  all[14].ratio = 0.5;
  EXPECT_EQ(judged_measured("pfpc-peaks", all),
            std::pair(std::string(kInPart), std::string("peaks at 5, 7, 10, 13; none at 15")));
  EXPECT_EQ(judged_measured("pfpc-peaks", {}),
            std::pair(std::string(kNotMeasured),
                      std::string("`fpsynth baseline sweep pfpc num_plasma.trace.fpc`")));
}

TEST(MeasuredClaims, OfSpeedsNeedDataThatTakeTime) {
  EXPECT_EQ(judged_measured("gfc-above-mpc", six(1, 1)).first, kNotMeasured);
  EXPECT_TRUE(
      contains(judged_measured("gfc-above-mpc", six(1, 1)).second,
               "--backend cuda --baselines --runs DIR` on a GPU; on a processor: 4.0 times in "
               "compression (double)"));
  std::vector<Measurement> all = six(1, 1);
  for (Measurement& one : all) one.gpu = true;
  EXPECT_EQ(judged_measured("gfc-above-mpc", all).first, kNot);  // as fast in decompression
  for (Measurement& one : all) one.decompress = one.compress;
  EXPECT_EQ(judged_measured("gfc-above-mpc", all).first, kHolds);
  double ratio = 1;
  for (Measurement& one : all) {
    if (one.compressor == "GFC") one.compress = one.decompress = one.ratio = ratio++;
  }
  EXPECT_EQ(judged_measured("gfc-follows", all).second,
            "correlation of compression 1.00, of decompression 1.00, over 3 inputs");
  EXPECT_EQ(judged_measured("gfc-size", all).first, kNotMeasured);  // of one size
  for (Measurement& one : all) {
    one.timed_bytes *= one.data_set == "a" ? 1 : one.data_set == "b" ? 4 : 2;
  }
  EXPECT_EQ(judged_measured("gfc-size", all).second,
            "correlation of compression 0.33, of decompression 0.33, over 3 inputs");
  for (Measurement& one : all) one.timed_bytes = kMiB - 1;
  EXPECT_EQ(judged_measured("gfc-follows", all).first, kNotMeasured);
}

TEST(MeasuredClaims, OfSweeps) {
  std::vector<Measurement> all;
  for (const char* set : {"a", "b", "c"}) {
    all.push_back(
        {.compressor = "sweep gfc", .data_set = set, .bytes = kMiB, .chunks = 1, .ratio = 2});
    all.push_back(
        {.compressor = "sweep gfc", .data_set = set, .bytes = kMiB, .chunks = 10, .ratio = 1.99});
    // Of chunks without two subchunks nothing is claimed.
    all.push_back(
        {.compressor = "sweep gfc", .data_set = set, .bytes = kMiB, .chunks = 9999, .ratio = 1});
    all.push_back({.compressor = std::string(kResidualsOfSix), .data_set = set, .percent = 0.5});
    all.push_back({.compressor = "MPC",
                   .data_set = set,
                   .dimensionality = 2,
                   .dimensionality_is = "known",
                   .ratio = 1});
    for (const std::uint64_t threads : {1, 2, 3}) {
      for (const std::uint64_t chunks : {1, 64, 1024}) {
        for (const std::uint64_t tables : {8192, 1 << 21}) {
          const bool large = tables > 8192;
          all.push_back({.compressor = "sweep pfpc",
                         .data_set = set,
                         .timed_bytes = 2 * kMiB,
                         .threads = threads,
                         .machine_threads = 2,
                         .tables = tables,
                         .chunks = chunks,
                         .ratio = chunks > 99    ? 1.5
                                  : chunks > 1   ? 1
                                  : threads == 2 ? 1.4
                                                 : 1.2,
                         .compress = (chunks > 99 ? 2 : 1) * (threads == 1 ? 1
                                                              : large      ? 1.2
                                                                           : 1.8),
                         .decompress = large ? 4.0 : 5.0});
        }
      }
    }
    for (const std::uint64_t bytes : {4096, 65536}) {
      all.push_back({.compressor = "sweep holt",
                     .data_set = set,
                     .bytes = bytes,
                     .ratio = 1,
                     .compress = double(bytes)});
    }
  }
  for (Measurement& one : all) one.gpu = true;
  for (const char* id :
       {"gfc-six", "gfc-chunks", "pfpc-threads", "pfpc-page", "pfpc-medium", "pfpc-large-chunks",
        "pfpc-compression", "pfpc-tables", "pfpc-scaling", "holt-size"}) {
    EXPECT_EQ(judged_measured(id, all).first, kHolds)
        << id << ": " << judged_measured(id, all).second;
    EXPECT_EQ(judged_measured(id, {}).first, kNotMeasured) << id;
  }
  for (Measurement& one : all) {
    if (one.chunks == 10) one.ratio = 1.9;
    if (one.chunks == 1024) one.ratio = one.compress = 0.1;
    if (one.threads == 2) one.ratio = 1.1;
    if (one.bytes == 65536) one.compress = 1;
    if (one.chunks == 64) one.ratio = 9;
    if (one.decompress > 0) one.decompress = one.tables > 8192 ? 0.02 : 0.01;
    one.percent *= 4;
  }
  for (const char* id : {"gfc-six", "gfc-chunks", "pfpc-threads", "pfpc-page", "pfpc-medium",
                         "pfpc-large-chunks", "pfpc-compression", "pfpc-tables", "holt-size"}) {
    EXPECT_EQ(judged_measured(id, all).first, kNot)
        << id << ": " << judged_measured(id, all).second;
  }
}

TEST(MeasuredClaims, OfSweepsCompareWhatDiffersInOneParameterAlone) {
  std::vector<Measurement> all;
  const auto add = [&](std::uint64_t threads, std::uint64_t chunks, double ratio, double speed) {
    for (const char* set : {"a", "b", "c"}) {
      all.push_back({.compressor = "MPC",
                     .data_set = set,
                     .dimensionality = 2,
                     .dimensionality_is = "known",
                     .ratio = 1});
      all.push_back({.compressor = "sweep pfpc",
                     .data_set = set,
                     .bytes = kMiB,
                     .timed_bytes = kMiB,
                     .threads = threads,
                     .tables = 8192,
                     .chunks = chunks,
                     .ratio = ratio,
                     .compress = speed});
    }
  };
  const auto expect_means = [&] {
    EXPECT_EQ(judged_measured("pfpc-large-chunks", all),
              std::pair(std::string(kHolds), std::string("on 3 of 3; means 3.000 and 2.000")));
    EXPECT_EQ(judged_measured("pfpc-threads", all).second, "on 3 of 3; means 2.000 and 1.500");
    EXPECT_EQ(judged_measured("pfpc-page", all).second, "on 3 of 3; means 2.000 and 1.000");
  };
  add(2, 1, 2, 1);
  add(3, 1, 1.5, 1);
  add(2, 4096, 3, 2);
  expect_means();
  // Nothing was measured with sixteen threads and another chunk, or chunks of two values and other
  // threads.
  add(16, 1, 50, 50);
  add(3, 2, 70, 70);
  expect_means();
}

TEST(MeasuredClaims, AreReadFromSweeps) {
  const tests::TemporaryFolder folder;
  const auto file = [&](const std::string& text) {
    tests::write_bytes(folder / "document.json", text);
    return folder / "document.json";
  };
  const std::vector<Measurement> swept = measurements(file(
      R"({"schema": "fpsynth-tables", "version": 2, "kind": "sweep pfpc", "tables": [{"rows": [
          {"data_set": "a", "bytes": 80, "timed_bytes": 40, "table_bytes": 8192, "threads": 3,
           "chunk_values": 4, "machine_threads": 2, "ratio": 1.5, "compress_gb_per_s": 2.0,
           "decompress_gb_per_s": 3.0},
          {"data_set": "harmonic mean", "bytes": null}]}]})"));
  ASSERT_EQ(swept.size(), 1u);
  EXPECT_EQ(swept[0].compressor, "sweep pfpc");
  EXPECT_EQ(std::tuple(swept[0].bytes, swept[0].timed_bytes, swept[0].threads, swept[0].chunks,
                       swept[0].tables, swept[0].machine_threads),
            std::tuple(80u, 40u, 3u, 4u, 8192u, 2u));
  const std::vector<Measurement> gfc = measurements(file(
      R"({"schema": "fpsynth-tables", "version": 2, "kind": "sweep gfc", "tables": [{"rows": []},
          {"rows": [{"data_set": "a", "leading_zero_bytes": 5, "share_percent": 9.0},
                    {"data_set": "a", "leading_zero_bytes": 6, "share_percent": 2.5}]}]})"));
  ASSERT_EQ(gfc.size(), 1u);
  EXPECT_EQ(std::pair(gfc[0].compressor, gfc[0].percent),
            std::pair(std::string(kResidualsOfSix), 2.5));
  EXPECT_TRUE(contains(message_of([&] {
                         measurements(file(R"({"schema": "fpsynth-tables", "version": 2,
                                               "kind": "query best", "tables": []})"));
                       }),
                       "document of a sweep"));
}

}  // namespace
}  // namespace fpsynth::results
