// The best of searches beside other compressors, out of small made comparisons.

#include "results/queries/queries.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "results/queries/papers/claims.hpp"
#include "synth/common/error.hpp"
#include "tests/results/throughput_support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

constexpr const char *kShuffle = "blosc shuffle+zstd -9", *kBits = "blosc bitshuffle+zstd -9";

/// Ratio and GB/s of a compressor.
using Rows = std::map<std::string, std::pair<double, double>>;

class Peers : public ::testing::Test {
 protected:
  /// A comparison of data sets "a (double)" with these rows.
  ComparedFile compared(const std::string& name, const std::map<std::string, Rows>& sets,
                        std::string_view ours = {}, const std::string& hash = "1") {
    std::vector<ComparedSet> all;
    for (const auto& [set, rows] : sets) {
      std::vector<ComparedRow> its;
      for (const auto& [compressor, row] : rows) {
        its.push_back(compared_row(compressor, row.first, row.second, 2 * row.second, name));
      }
      const auto precision =
          set.ends_with("double") ? synth::Precision::Double : synth::Precision::Single;
      all.push_back(compared_set(set.substr(0, set.find(' ')), precision, its, hash));
    }
    const auto path = folder_ / (name + ".json");
    write_comparison(path, all);
    return {path, ours};
  }
  /// Four inputs of ours with these ratios, alone and with preludes, beside others.
  std::vector<Table> four(const Rows& others) {
    std::map<std::string, Rows> plain, beside;
    for (const char* set : {"a double", "a single", "b double", "b single"}) {
      plain[set] = {{"best searched", {1.5, 2}}, {"memcpy", {1, 9}}};
      beside[set] = others;
    }
    auto preludes = plain;
    preludes["a double"] = {{"best searched", {4, 0.7}}};
    preludes["b double"] = {{"best searched", {2, 0.7}}};
    return peers({compared("peers", beside), compared("BIT ZE", plain, "pipelines"),
                  compared("DICT-ZE", preludes, "preludes")});
  }

  tests::TemporaryFolder folder_;
};

/// The row that begins with a text, by the keys of the columns.
std::map<std::string, Cell> row(const Table& table, const std::string& beginning) {
  for (const auto& cells : table.rows) {
    if (!std::get<std::string>(cells[0]).starts_with(beginning)) continue;
    std::map<std::string, Cell> found;
    for (std::size_t i = 0; i < cells.size(); ++i) found[table.columns[i].key] = cells[i];
    return found;
  }
  ADD_FAILURE() << beginning;
  return {};
}

TEST_F(Peers, HaveWhatAutoFindsAmongOurs) {
  const Rows rows = {{"auto quick", {3, 0.4}}, {"best searched", {2, 2}}, {"xz -9", {2.5, 0.1}}};
  const ComparedFile file = compared("all", {{"a double", rows}});
  const ComparedFile more = compared("more", {{"a double", rows}, {"b double", rows}}, kAuto);
  const auto tables = peers({file, {file.path, "pipelines"}, {file.path, "preludes"}, more});
  auto first = row(tables.at(0), "a");
  EXPECT_EQ(first["best_of_ours"], Cell("all"));  // of what was searched
  EXPECT_EQ(first["auto_ratio"], Cell(3.0));
  EXPECT_EQ(row(tables.at(2), "ahead of xz")["in_auto"], Cell("1 of 1 (double 1 of 1)"));
  EXPECT_EQ(row(tables.at(2), "ahead of xz")["in_pipelines"], Cell("0 of 1 (double 0 of 1)"));
  ASSERT_EQ(tables.at(1).rows.size(), 4u);
  EXPECT_EQ(row(tables.at(1), "auto")["searched_in"], Cell("auto"));
  EXPECT_EQ(row(tables.at(1), "auto")["inputs"], Cell(std::uint64_t{1}));  // one has no others
  EXPECT_EQ(row(tables.at(0), "b")["best_of_ours"], Cell("auto quick"));
}

TEST_F(Peers, HaveTheBestOfEachSpaceAndTheHighestLevelOfEachCompressor) {
  const auto tables = four({{"pco -8", {1.6, 1}}, {"pco -12", {1.7, 1}}, {"zstd -19", {1.1, 1}}});
  ASSERT_EQ(tables.at(0).rows.size(), 4u);
  auto first = row(tables[0], "a");
  EXPECT_EQ(first["pipelines_ratio"], Cell(1.5));
  EXPECT_EQ(first["preludes_method"], Cell("DICT-ZE"));
  EXPECT_EQ(first["wide_ratio"], Cell());
  EXPECT_EQ(first["best_of_ours"], Cell("DICT-ZE"));
  EXPECT_EQ(first["compress_gb_per_s"], Cell(0.7));
  EXPECT_EQ(first["pco_ratio"], Cell(1.7));
  EXPECT_EQ(first["xz_ratio"], Cell());
  EXPECT_EQ(tables[0].rows[2][12], Cell("BIT ZE"));  // of equal ones, the simpler
}

TEST_F(Peers, VerdictsFollowTheirRules) {
  const auto of = [&](const Rows& others, const std::string& what) {
    return row(four(others).at(2), what);
  };
  const std::string shuffled = "ahead of the better of shuffle";
  const Rows rows = {{kShuffle, {1.0, 1}}, {kBits, {1.4, 1}}, {"pco -8", {1.5, 1}}};
  auto found = of(rows, shuffled);
  EXPECT_EQ(found["verdict"], Cell(std::string(kHolds)));
  EXPECT_EQ(found["best_of_ours"], Cell("4 of 4 (double 2 of 2, single 2 of 2)"));
  EXPECT_EQ(found["in_wide"], Cell());
  EXPECT_EQ(of(rows, "ahead of pco")["verdict"], Cell(std::string(kHolds)));
  EXPECT_EQ(of(rows, "ahead of pco")["in_pipelines"],
            Cell("0 of 4 (double 0 of 2, single 0 of 2)"));  // equal is not ahead
  EXPECT_EQ(of(rows, "ahead of xz")["verdict"], Cell(std::string(kCannot)));
  EXPECT_EQ(of(rows, "at 1 GB/s")["verdict"], Cell(std::string(kNot)));
  EXPECT_EQ(of(rows, "at 0.6 GB/s")["true_on"], Cell(std::uint64_t{4}));
  EXPECT_EQ(of(rows, "median ratio")["best_of_ours"], Cell("1.17"));
  // Two of four are not more than half; one of the two alone says nothing of the better.
  EXPECT_EQ(of({{kShuffle, {1.45, 1}}, {kBits, {1.6, 1}}}, shuffled)["verdict"],
            Cell(std::string(kNot)));
  EXPECT_EQ(of({{kShuffle, {1.0, 1}}}, shuffled)["verdict"], Cell(std::string(kCannot)));
  EXPECT_EQ(of({{"pco -8", {3.0, 1}}}, "ahead of pco")["verdict"], Cell(std::string(kInPart)));
}

TEST_F(Peers, MeansAreOverTheInputsThatAllHave) {
  const auto others = compared("others", {{"a double", {{"xz -9", {2, 0.1}}, {"GFC", {9, 9}}}},
                                          {"a single", {{"xz -9", {8, 0.4}}}}});
  const auto ours = compared(
      "ZE", {{"a double", {{"best searched", {3, 1}}}}, {"a single", {{"best searched", {27, 3}}}}},
      "pipelines");
  const Table means = peers({others, ours}).at(1);
  ASSERT_EQ(means.rows.size(), 2u);  // GFC, of doubles alone, would leave one input
  EXPECT_NEAR(std::get<double>(row(means, "pipelines")["geometric_mean_ratio"]), 9, 1e-12);
  EXPECT_EQ(row(means, "pipelines")["median_decompress_gb_per_s"], Cell(4.0));
  EXPECT_NEAR(std::get<double>(row(means, "xz -9")["geometric_mean_ratio"]), 4, 1e-12);
  EXPECT_EQ(row(means, "xz -9")["inputs"], Cell(std::uint64_t{2}));
  EXPECT_EQ(row(means, "xz -9")["data_sets"], Cell(std::uint64_t{1}));
}

TEST_F(Peers, OtherValuesAreLeftOut) {
  const Rows best = {{"best searched", {3, 1}}};
  const auto tables = peers({compared("ZE", {{"a double", best}}, "pipelines"),
                             compared("other", {{"a double", {{"xz -9", {2, 1}}}}}, {}, "2")});
  EXPECT_EQ(row(tables[0], "a")["xz_ratio"], Cell());
  ASSERT_EQ(tables[0].notes.size(), 1u);
  EXPECT_EQ(tables[0].notes[0],
            "other.json: a (double) is left out, because it was measured on other values");
  EXPECT_TRUE(tables[2].rows.empty());
  std::ofstream(folder_ / "damaged.json") << R"({"schema": "fpsynth-tables", "version": 2})";
  EXPECT_TRUE(tests::contains(tests::message_of([&] { peers({{folder_ / "damaged.json"}}); }),
                              "fpsynth-comparison"));
}

}  // namespace
}  // namespace fpsynth::results
