#include "runners/baselines/gfc/compressor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

namespace fpsynth::baselines {
namespace {

/// Enough for a GPU of its time, and the right-most column of the paper's Table 2.
constexpr unsigned kUsualChunks = 1000;
/// Of a chunk whose figures a sweep calls fitting: with fewer, headers and the start of threads
/// weigh.
constexpr std::uint64_t kLeastValues = 1024;
/// As many as an H100 runs of GFC's warps at once (132 multiprocessors with registers for 36 each).
constexpr unsigned kChunksForH100 = 4752;

class Gfc final : public Baseline {
 public:
  Description description() const override {
    return {.name = "gfc",
            .title = "GFC",
            .help = "GFC, designed for GPUs; runs on the CPU or a GPU",
            .example = "plasma.f64 plasma.gfc --chunks 1000 --dim 2 --backend auto",
            .ending = "gfc",
            .compress_threads = true,
            .decompress_threads = true,
            .device = true};
  }
  std::vector<Parameter> parameters() override {
    return {{"--chunks", "Independent chunks", &chunks_, 1, kMaxGfcChunks},
            {"--dim", "Dimensionality of the data", &dimensionality_, 1, kMaxGfcDimensionality}};
  }
  std::uint64_t compress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, encode_gfc(work.bytes, chunks_, dimensionality_, work.threads));
  }
  std::uint64_t decompress(const Work& work, codec::PatchableSink& sink) override {
    return put(sink, decode_gfc(work.bytes, work.name, work.threads));
  }
  OnDevice on(const device::DeviceInfo& gpu, synth::Precision) override {
    return {on_gpu<gfc_on>(gpu), chunks_, dimensionality_};
  }

  Compressor compressor(unsigned dimensionality) override {
    return gfc(kUsualChunks, dimensionality);
  }
  std::vector<TimedBaseline> timed_on(const device::DeviceInfo& gpu, synth::Precision precision,
                                      unsigned dimensionality) override {
    std::vector<TimedBaseline> rows;
    if (precision != synth::Precision::Double) return rows;
    for (const unsigned chunks : {kUsualChunks, kChunksForH100}) {
      rows.push_back({fmt::format("GFC, {} chunks", chunks), [=] {
                        return timed_on_device({on_gpu<gfc_on>(gpu), chunks, dimensionality});
                      }});
    }
    return rows;
  }

  std::optional<Sweep> sweep() override {
    return Sweep{
        .help = "Ratio and throughput by number of chunks, and leading zeros",
        .footer =
            "Every round trip is verified. Several files get rows with their harmonic means.\n"
            "\n"
            "Example:\n"
            "  fpsynth baseline sweep gfc num_plasma.trace.fpc --dim 2",
        .parameters = {
            {.names = "--dim",
             .help = "Dimensionality of all data, 1 to 32; if left out, that of each data set as "
                     "far as it is known, else 1",
             .value = &sweep_dimensionality_,
             .least = 1,
             .most = kMaxGfcDimensionality,
             .shows_default = false},
            {.names = "--chunks",
             .help = "Numbers of chunks",
             .value = &sweep_chunks_,
             .least = 1,
             .most = kMaxGfcChunks,
             .usage = "N,... [1,10,100,1000]"}}};
  }
  std::vector<results::Table> measure(const SweepWork& work) override {
    std::vector<SweepInput> inputs = work.inputs;
    for (auto& [input, its] : inputs) {
      if (sweep_dimensionality_ != 0) its = {sweep_dimensionality_};
      if (its.value == 0 || its.value > kMaxGfcDimensionality) its = {1};
    }
    return {gfc_sweep(inputs, sweep_chunks_, work.effort, work.progress),
            gfc_leading_zeros(inputs)};
  }

 private:
  unsigned most_dimensionality() const override { return kMaxGfcDimensionality; }
  unsigned best_dimensionality(std::span<const std::byte> input, synth::Precision) const override {
    // Bytes that a file cannot hold are left out here; compressing refuses them.
    const auto doubles = input.first(std::min(input.size(), kMostGfcBytes) / 8 * 8);
    std::vector<std::byte> file;
    std::array<std::size_t, kMaxGfcDimensionality> sizes;
    for (unsigned d = 1; d <= kMaxGfcDimensionality; ++d) {
      file = encode_gfc(doubles, kUsualChunks, d, 0, std::move(file));
      sizes[d - 1] = file.size();
    }
    return static_cast<unsigned>(std::ranges::min_element(sizes) - sizes.begin()) + 1;
  }

  unsigned chunks_ = kUsualChunks, dimensionality_ = 1, sweep_dimensionality_ = 0;
  std::vector<unsigned> sweep_chunks_ = {1, 10, 100, 1000};
};

/// Counts residuals by their number of leading zero bytes; ignores a trailing part of a double.
std::array<std::uint64_t, 9> leading_zeros(std::span<const std::byte> doubles,
                                           unsigned dimensionality) {
  using namespace gfc_lanes;
  check_gfc(1, dimensionality);
  std::array<std::uint64_t, 9> counts{};
  const auto value_at = [&](std::size_t i) { return load<std::uint64_t>(doubles.data() + 8 * i); };
  for (std::size_t i = 0; i < doubles.size() / 8; ++i) {
    const std::size_t lane = i % kLanes, subchunk = i - lane;
    const std::uint64_t predicted =
        subchunk == 0 ? 0 : value_at(subchunk - kLanes + predicting_lane(lane, dimensionality));
    const Residual residual = residual_of(value_at(i), predicted);
    ++counts[static_cast<std::size_t>(std::countl_zero(residual.bits)) / 8];
  }
  return counts;
}

}  // namespace

std::unique_ptr<Baseline> gfc_baseline() { return std::make_unique<Gfc>(); }

results::Table gfc_sweep(std::span<const SweepInput> inputs, std::span<const unsigned> chunks,
                         const timing::Effort& effort, const timing::Progress& progress) {
  std::uint64_t smallest = ~std::uint64_t{0};
  for (const SweepInput& one : inputs) {
    smallest = std::min<std::uint64_t>(smallest, one.input.bytes().size());
  }
  const SweepSettings settings{
      .count = chunks.size(),
      .name = [&](std::size_t i) { return fmt::format("{} chunks", chunks[i]); },
      .compressor = [&](std::size_t i,
                        const SweepInput& of) { return gfc(chunks[i], of.dimensionality.value); },
      .cells =
          [&](std::size_t i, const SweepInput* of) {
            return results::cells(of ? std::optional(of->dimensionality.value) : std::nullopt,
                                  chunks[i]);
          },
      .fits = [&](std::size_t i,
                  const SweepInput&) { return smallest / 8 >= kLeastValues * chunks[i]; }};
  results::Table table = sweep_table("GFC by number of chunks", {{"dimensionality"}, {"chunks"}}, 5,
                                     inputs, settings, effort, progress);
  table.notes = {
      "Table 2 of the paper: ratio by chunks.",
      fmt::format("A number of chunks fits if it leaves {} values or more in every chunk "
                  "of every data set.",
                  kLeastValues),
      timing_note(effort)};
  for (const auto& [input, its] : inputs) {
    if (its.from != data::DimensionalityFrom::Guess) continue;
    table.notes.push_back(fmt::format("{}: dimensionality {}, {}", input.name(), its.value,
                                      text_of(its.from, "GFC")));
  }
  return table;
}

results::Table gfc_leading_zeros(std::span<const SweepInput> inputs) {
  results::Table table{
      .title = "Leading zero bytes of GFC's residuals",
      .columns = results::columns("data_set", "dimensionality", "leading_zero_bytes", "values",
                                  results::Column("share_percent", "share %", 2)),
      .notes = {"Figure 2 of the paper. 8: the prediction was exact."}};
  for (const auto& [input, dimensionality] : inputs) {
    const data::Input doubles = input.in(synth::Precision::Double);
    const std::array<std::uint64_t, 9> counts =
        leading_zeros(doubles.bytes(), dimensionality.value);
    const std::size_t values = doubles.bytes().size() / 8;
    for (std::size_t zeros = 0; zeros < counts.size(); ++zeros) {
      table.add(input.name(), dimensionality.value, zeros, counts[zeros],
                results::percent(counts[zeros], values));
    }
  }
  return table;
}

}  // namespace fpsynth::baselines
