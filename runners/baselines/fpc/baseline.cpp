#include "runners/baselines/fpc/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "runners/data/fpc/fcm_predictor.hpp"
#include "runners/data/fpc/fpc.hpp"

namespace fpsynth::baselines {
namespace {

/// The MPC paper compares with tables of 2^20 entries, and pFPC on 20 cores.
constexpr PfpcParameters kCompared{.table_bits = 20, .threads = 20, .chunk = 1024};
constexpr double kMostChunk = ~std::uint32_t{0};

Parameter table_bits_of(unsigned& bits) {
  return {.names = "--table-bits",
          .help = "Two predictor tables of 2^P entries of 8 bytes",
          .value = &bits,
          .least = data::kMinTableBits,
          .most = data::kMaxTableBits,
          .value_name = "P"};
}

class Fpc final : public Baseline {
 public:
  Description description() const override {
    return {.name = "fpc",
            .title = "FPC",
            .help = "FPC, as the 13 data sets are distributed (*.fpc)",
            .example = "plasma.f64 plasma.fpc --table-bits 22",
            .ending = "fpc"};
  }
  std::vector<Parameter> parameters() override { return {table_bits_of(table_bits_)}; }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, data::encode_fpc(work.bytes, table_bits_));
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, data::decode_fpc(work.bytes, work.name));
  }
  Compressor compressor(unsigned) override { return fpc(kCompared.table_bits); }

 private:
  unsigned table_bits_ = data::kFpcTableBits;
};

class Pfpc final : public Baseline {
 public:
  Description description() const override {
    return {.name = "pfpc",
            .title = "pFPC",
            .help = "pFPC v1.0: FPC by several threads in turn",
            .example = "plasma.f64 plasma.pfpc --table-bits 20 --instances 4 --chunk 1024",
            .ending = "pfpc",
            .decompress_threads = true};
  }
  std::vector<Parameter> parameters() override {
    return {table_bits_of(parameters_.table_bits),
            {"--instances",
             "Instances of FPC that take turns; part of the format, and run by as many threads as "
             "OpenMP has",
             &parameters_.threads, 1, kMaxPfpcThreads},
            {"--chunk", "Values in a turn", &parameters_.chunk, 1, kMostChunk}};
  }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, encode_pfpc(work.bytes, parameters_));
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, decode_pfpc(work.bytes, work.name, work.threads));
  }
  Compressor compressor(unsigned) override { return pfpc(kCompared); }

  std::optional<Sweep> sweep() override {
    return Sweep{
        .help = "Ratio and throughput by table size, threads and chunk size",
        .footer =
            "Without --instances and --chunks, the settings of Figures 2, 3 and 4 of the\n"
            "paper; with one of them, all combinations, of 1,2,3,4 and 1,8,64,512,4096,32768\n"
            "where left out. --tables are the paper's 9,17 if left out. Every round trip is\n"
            "verified. Several files get rows with their harmonic means.\n"
            "\n"
            "Examples:\n"
            "  fpsynth baseline sweep pfpc num_plasma.trace.fpc --csv > figures.csv\n"
            "  fpsynth baseline sweep pfpc data/*.f64 --tables 20 --instances 1,2,4,8 --chunks "
            "1024",
        .parameters = {
            {"--tables",
             "Exponents P of table sizes, as 9,17: 2^P entries, 16 * 2^P bytes per thread",
             &tables_, data::kMinTableBits, data::kMaxTableBits},
            {"--instances,--threads", "Numbers of instances, the paper's threads, as 1,2,4",
             &instances_, 1, kMaxPfpcThreads},
            {"--chunks", "Chunk sizes in values, as 1,1024", &chunks_, 1, kMostChunk}}};
  }
  std::vector<results::Table> measure(const SweepWork& work) override {
    const auto or_usual = [](const std::vector<unsigned>& asked, std::vector<unsigned> usual) {
      return asked.empty() ? usual : asked;
    };
    const std::vector<unsigned> tables = or_usual(tables_, {9, 17});
    const std::vector<PfpcParameters> settings =
        instances_.empty() && chunks_.empty()
            ? pfpc_figures(tables)
            : pfpc_product(tables, or_usual(instances_, {1, 2, 3, 4}),
                           or_usual(chunks_, {1, 8, 64, 512, 4096, 32768}));
    return {pfpc_sweep(work.inputs, settings, work.effort, work.progress)};
  }

 private:
  PfpcParameters parameters_;
  std::vector<unsigned> tables_, instances_, chunks_;
};

}  // namespace

std::unique_ptr<Baseline> fpc_baseline() { return std::make_unique<Fpc>(); }
std::unique_ptr<Baseline> pfpc_baseline() { return std::make_unique<Pfpc>(); }

std::vector<PfpcParameters> pfpc_product(std::span<const unsigned> table_bits,
                                         std::span<const unsigned> threads,
                                         std::span<const std::uint32_t> chunks) {
  std::vector<PfpcParameters> settings;
  for (const unsigned p : table_bits) {
    for (const unsigned t : threads) {
      for (const std::uint32_t c : chunks) settings.push_back({p, t, c});
    }
  }
  return settings;
}

std::vector<PfpcParameters> pfpc_figures(std::span<const unsigned> table_bits) {
  std::vector<PfpcParameters> settings;
  for (const unsigned p : table_bits) {
    for (unsigned t = 1; t <= 16; ++t) {
      const std::uint32_t largest = t <= 4 ? 65536 : 1;
      for (std::uint32_t c = 1; c <= largest; c *= 2) settings.push_back({p, t, c});
    }
  }
  return settings;
}

results::Table pfpc_sweep(std::span<const SweepInput> inputs,
                          std::span<const PfpcParameters> settings, const timing::Effort& effort,
                          const timing::Progress& progress) {
  std::uint64_t largest = 0;  // bytes of tables
  for (const PfpcParameters& p : settings) {
    largest = std::max(largest, std::uint64_t{16} << p.table_bits);
  }
  const SweepSettings rows{
      .count = settings.size(),
      .name =
          [&](std::size_t i) {
            const PfpcParameters& p = settings[i];
            return fmt::format("2^{} entries, {} threads, chunks of {} ({} of {})", p.table_bits,
                               p.threads, p.chunk, i + 1, settings.size());
          },
      .compressor = [&](std::size_t i, const SweepInput&) { return pfpc(settings[i]); },
      .cells =
          [&](std::size_t i, const SweepInput*) {
            const PfpcParameters& p = settings[i];
            return results::cells(p.table_bits, std::uint64_t{16} << p.table_bits, p.threads,
                                  p.chunk);
          },
      .fits = [&](std::size_t,
                  const SweepInput& from) { return from.input.bytes().size() >= largest; }};
  results::Table table =
      sweep_table("pFPC by table size, threads and chunk size",
                  {{"table_bits"}, {"table_bytes"}, {"threads"}, {"chunk_values", "chunk"}}, 4,
                  inputs, rows, effort, progress);
  table.notes = {
      "Figure 2 of the paper: ratio by threads, there at chunk 1 and 2097152 table bytes.",
      "Figure 3: harmonic mean of the ratio by chunk, 1 to 4 threads, there 8192 and 2097152 table "
      "bytes; Figure 4: the same for the throughputs.",
      fmt::format(
          "A data set fits if it is as large as the largest tables, {} bytes: in larger ones, "
          "the time goes into clearing them.",
          largest),
      timing_note(effort)};
  return table;
}

}  // namespace fpsynth::baselines
