#include <gtest/gtest.h>

#include <algorithm>

#include "runners/baselines/fpc/compressor.hpp"
#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/baselines/holt/device_host.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/measure.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/support/emulated/device.hpp"

namespace fpsynth::baselines {
namespace {

std::uint64_t count(const results::Cell& cell) { return std::get<std::uint64_t>(cell); }
double figure(const results::Cell& cell) { return std::get<double>(cell); }

std::vector<SweepInput> inputs(unsigned dimensionality = 0) {
  return {{data::Input("a", bytes_of(mixed(3000))), {dimensionality}},
          {data::Input("b", bytes_of(mixed(2000, 9))), {dimensionality}}};
}

std::size_t column(const results::Table& table, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name, &results::Column::key) -
                                  table.columns.begin());
}

/// Row `mean` has the harmonic means of the throughputs of two other rows and the larger spread, if
/// they were timed more than once.
void expect_mean_timings(const results::Table& table, std::size_t one, std::size_t other,
                         std::size_t mean, bool repeated) {
  for (const std::string way : {"compress", "decompress"}) {
    const std::size_t rate = column(table, way + "_gb_per_s"),
                      spread = column(table, way + "_spread");
    const auto at = [&](std::size_t row, std::size_t cell) {
      return figure(table.rows[row][cell]);
    };
    EXPECT_DOUBLE_EQ(at(mean, rate), 2 / (1 / at(one, rate) + 1 / at(other, rate)));
    if (repeated) {
      EXPECT_EQ(at(mean, spread), std::max(at(one, spread), at(other, spread)));
    } else {
      for (const std::size_t row : {one, other, mean}) {
        EXPECT_EQ(table.rows[row][spread], results::Cell()) << "a spread of one time";
      }
    }
  }
}

TEST(Sweep, SettingsOfTheFigures) {
  const auto settings = pfpc_figures(std::vector<unsigned>{9, 17});
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
  const results::Table table = pfpc_sweep(sets, settings, {.repetitions = 1});
  ASSERT_EQ(table.rows.size(), 24u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  const auto& row = table.rows[8 + 7];
  EXPECT_EQ(std::get<std::string>(row[0]), "b");
  EXPECT_EQ(count(row[1]), 12u);
  EXPECT_EQ(count(row[3]), 3u);
  EXPECT_EQ(count(row[4]), 100u);
  EXPECT_EQ(count(row[6]), encode_pfpc(sets[1].input.bytes(), {12, 3, 100}).size());
  EXPECT_GT(figure(row[8]), 0);
  const double mean = 2 / (1 / figure(table.rows[7][7]) + 1 / figure(row[7]));
  EXPECT_DOUBLE_EQ(figure(table.rows[23][7]), mean);
  expect_mean_timings(table, 7, 15, 23, false);
}

TEST(Sweep, MeansAlsoOverTheDataSetsThatFit) {
  const std::vector<SweepInput> sets = {{data::Input("a", bytes_of(mixed(3000))), {1}},
                                        {data::Input("b", bytes_of(mixed(2500))), {1}},
                                        {data::Input("c", bytes_of(mixed(2000))), {1}}};
  const auto pfpc_of = [&](std::size_t count, unsigned tables) {
    return pfpc_sweep(std::span(sets).first(count), pfpc_product({{9, tables}}, {{1}}, {{8}}),
                      {.repetitions = 1});
  };
  const auto cells = [](const results::Table& table, std::size_t row, const std::string& name) {
    return table.rows.at(row)[column(table, name)];
  };
  const results::Table table = pfpc_of(3, 10);  // 16 KiB, of which c has less
  ASSERT_EQ(3u * 2 + 2 * 2, table.rows.size());
  const auto ratio = [&](std::size_t row) { return figure(cells(table, row, "ratio")); };
  EXPECT_EQ(results::Cell("no"), cells(table, 5, "fits"));
  for (std::size_t setting = 0; setting < 2; ++setting) {
    const std::size_t all = 6 + 2 * setting, fitting = all + 1;
    EXPECT_EQ(results::Cell("no"), cells(table, all, "fits"));
    EXPECT_EQ(3u, count(cells(table, all, "data_sets")));
    EXPECT_EQ(results::Cell("yes"), cells(table, fitting, "fits"));
    EXPECT_EQ(2u, count(cells(table, fitting, "data_sets")));
    EXPECT_DOUBLE_EQ(2 / (1 / ratio(setting) + 1 / ratio(2 + setting)), ratio(fitting));
  }
  EXPECT_EQ(2u * 2 + 2, pfpc_of(2, 10).rows.size());  // all fit
  EXPECT_EQ(3u * 2 + 2, pfpc_of(3, 12).rows.size());  // none
  const results::Table gfc = gfc_sweep(sets, std::vector<unsigned>{1, 2}, {.repetitions = 1});
  ASSERT_EQ(3u * 2 + 2, gfc.rows.size());
  EXPECT_EQ(results::Cell("yes"), cells(gfc, 6, "fits"));
  EXPECT_EQ(results::Cell("no"), cells(gfc, 7, "fits"));  // 2,000 values in two chunks
}

TEST(Sweep, Gfc) {
  const auto sets = inputs(2);
  const results::Table table = gfc_sweep(sets, std::vector<unsigned>{1, 10}, {.repetitions = 2});
  ASSERT_EQ(table.rows.size(), 6u);
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  EXPECT_EQ(count(table.rows[1][4]), encode_gfc(sets[0].input.bytes(), 10, 2).size());
  EXPECT_EQ(std::get<std::string>(table.rows[5][0]), "harmonic mean");
  expect_mean_timings(table, 1, 3, 5, true);
  EXPECT_THROW(gfc_sweep(inputs(33), std::vector<unsigned>{1}, {}), UsageError);
}

// The leading zeros of all residuals determine the file's length to the byte.
TEST(Sweep, GfcLeadingZerosAreThoseOfTheFile) {
  for (const unsigned dimensionality : {1u, 3u, 32u}) {
    const auto sets = inputs(dimensionality);
    const results::Table table = gfc_leading_zeros(sets);
    ASSERT_EQ(table.rows.size(), 9 * sets.size());
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const auto bytes = sets[s].input.bytes();
      std::size_t values = 0, stored = 0;
      for (std::size_t zeros = 0; zeros <= 8; ++zeros) {
        const auto& row = table.rows[9 * s + zeros];
        ASSERT_EQ(count(row[2]), zeros);
        values += count(row[3]);
        stored += count(row[3]) * (zeros == 6 ? 3 : 8 - zeros);  // 2 bytes are stored as 3
      }
      EXPECT_EQ(values, bytes.size() / 8);
      const std::size_t subchunks = (values + 31) / 32;
      EXPECT_EQ(encode_gfc(bytes, 1, dimensionality).size(),
                gfc_header_bytes(1) + 16 * subchunks + stored);
    }
  }
  EXPECT_THROW(gfc_leading_zeros(inputs(33)), UsageError);
}

TEST(Sweep, HoltBySize) {
  EXPECT_EQ(holt_sizes(100000), (std::vector<std::size_t>{4096, 16384, 65536, 100000}));
  EXPECT_EQ(holt_sizes(4096), std::vector<std::size_t>{4096});
  const auto sets = inputs();
  const results::Table table = holt_sweep(sets, {.repetitions = 1});
  ASSERT_EQ(table.rows.size(), 4u);  // 12,000 and 8,000 bytes of singles
  for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size());
  const auto singles = sets[1].input.in(synth::Precision::Single);
  EXPECT_EQ(count(table.rows[2][2]),
            encode_holt(singles.bytes().first(4096), synth::Precision::Single).size());
  EXPECT_EQ(count(table.rows[3][1]), singles.bytes().size());
  EXPECT_DOUBLE_EQ(figure(table.rows[3][3]) * figure(table.rows[3][4]), 1);
}

TEST(Sweep, HoltByRunAndSmoothing) {
  const auto sets = inputs();
  const results::Table table = holt_settings(sets);
  ASSERT_EQ(table.rows.size(), sets.size() * 2 * (8 + 20));
  const auto singles = sets[0].input.in(synth::Precision::Single);
  const auto size = [&](const HoltParameters& p) {
    return encode_holt(singles.bytes(), synth::Precision::Single, p).size();
  };
  EXPECT_EQ(count(table.rows[0][5]), size({0, 0, 16}));
  EXPECT_EQ(count(table.rows[1][5]), size({0, 0, 16, true}));
  EXPECT_EQ(count(table.rows[54][5]), size({1, 1, 115}));
  EXPECT_EQ(std::get<std::string>(table.rows[55][1]), "floats");
}

TEST(Sweep, HoltBySizeOnADevice) {
  const auto sets = inputs();
  const auto holt =
      std::make_shared<HoltOn<device::EmulatedDevice>>(device::EmulatedDevice::Options{});
  const results::Table table = holt_sweep(sets, {.repetitions = 2}, nullptr, holt, "emulated");
  const results::Table cpu = holt_sweep(sets, {.repetitions = 1});
  ASSERT_EQ(table.rows.size(), cpu.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    ASSERT_EQ(table.rows[i].size(), table.columns.size());
    for (std::size_t cell = 0; cell < 5; ++cell) EXPECT_EQ(table.rows[i][cell], cpu.rows[i][cell]);
    const auto at = [&](const char* name) { return figure(table.rows[i][column(table, name)]); };
    EXPECT_GE(at("compress_kernels_gb_per_s"), 0);
    EXPECT_GE(at("decompress_transfers_ms"), 0);
    EXPECT_EQ(std::get<std::string>(table.rows[i][column(table, "device")]), "emulated");
  }
}

TEST(Baseline, GpuRowsAreTimed) {
  std::string why;
  const auto gpus = device::cuda_devices(&why);
  if (gpus.empty()) GTEST_SKIP() << why;
  const Bytes input = bytes_of(mixed(50000));
  for (const auto& baseline : all_baselines()) {
    for (const auto& row : baseline->timed_on(gpus.front(), synth::Precision::Double, 1)) {
      timing::measure(*row.make(), row.name, input, {.repetitions = 1});
    }
  }
}

}  // namespace
}  // namespace fpsynth::baselines
