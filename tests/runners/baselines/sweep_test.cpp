#include <gtest/gtest.h>

#include <algorithm>

#include "runners/baselines/gfc.hpp"
#include "runners/baselines/gfc_sweep.hpp"
#include "runners/baselines/pfpc_sweep.hpp"
#include "tests/runners/baselines/values.hpp"

namespace fpsynth::baselines {
namespace {

std::uint64_t count(const results::Cell& cell) { return std::get<std::uint64_t>(cell); }
double figure(const results::Cell& cell) { return std::get<double>(cell); }

std::vector<data::Input> inputs() {
  return {data::Input("a", bytes_of(mixed(3000))), data::Input("b", bytes_of(mixed(2000, 9)))};
}

TEST(Sweep, SettingsOfTheFigures) {
  const auto settings = pfpc_figures();
  const auto has = [&](unsigned p, unsigned t, std::uint32_t c) {
    return std::ranges::count_if(settings, [&](const PfpcParameters& s) {
             return s.table_bits == p && s.threads == t && s.chunk == c;
           }) == 1;
  };
  EXPECT_TRUE(has(17, 16, 1));
  EXPECT_TRUE(has(9, 4, 65536));
  EXPECT_TRUE(has(17, 1, 512));
  EXPECT_EQ(settings.size(), 2u * (4 * 17 + 12));
}

TEST(Sweep, Pfpc) {
  const auto settings = pfpc_product(std::vector<unsigned>{9, 12}, std::vector<unsigned>{1, 3},
                                     std::vector<std::uint32_t>{1, 100});
  ASSERT_EQ(settings.size(), 8u);
  const auto sets = inputs();
  const results::Table table = pfpc_sweep(sets, settings, 1);
  ASSERT_EQ(table.rows.size(), 24u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  const auto& row = table.rows[8 + 7];
  EXPECT_EQ(std::get<std::string>(row[0]), "b");
  EXPECT_EQ(count(row[1]), 12u);
  EXPECT_EQ(count(row[3]), 3u);
  EXPECT_EQ(count(row[4]), 100u);
  EXPECT_EQ(count(row[6]), encode_pfpc(sets[1].bytes(), {12, 3, 100}).size());
  EXPECT_GT(figure(row[8]), 0);
  const double mean = 2 / (1 / figure(table.rows[7][7]) + 1 / figure(row[7]));
  EXPECT_DOUBLE_EQ(figure(table.rows[23][7]), mean);
}

TEST(Sweep, Gfc) {
  const auto sets = inputs();
  const results::Table table = gfc_sweep(sets, 2, std::vector<unsigned>{1, 10}, 1);
  ASSERT_EQ(table.rows.size(), 6u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(count(table.rows[1][4]), encode_gfc(sets[0].bytes(), 10, 2).size());
  EXPECT_THROW(gfc_sweep(sets, 33, std::vector<unsigned>{1}, 1), UsageError);
}

}  // namespace
}  // namespace fpsynth::baselines
