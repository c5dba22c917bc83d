#include "results/throughput/throughput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "results/documents/check_field.hpp"
#include "results/documents/document.hpp"
#include "synth/common/error.hpp"
#include "synth/parsing.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::results {
namespace {

void check_one_of(const std::string& field, const std::string& value,
                  std::initializer_list<std::string_view> known) {
  check_field(std::ranges::find(known, value) != known.end(), field, "'{}' is not one of {}", value,
              fmt::format("{}", fmt::join(known, ", ")));
}

void check_seconds(const std::string& field, const std::vector<double>& seconds) {
  for (const double value : seconds) {
    check_field(value >= 0 && std::isfinite(value), field, "{} seconds", value);
  }
}

void validate_run(const ThroughputRun& run) {
  check_one_of("run.backend", run.backend, {"cpu", "cuda"});
  check_field(run.threads > 0, "run.threads", "0 threads");
  check_field(run.repetitions > 0, "run.repetitions", "0 repetitions");
  check_field(run.input_bytes > 0, "run.input_bytes", "nothing was compressed");
  check_field(run.copies > 0, "run.copies", "0 copies of the data set in the input");
}

void validate_times(const std::string& field, const Times& times, std::size_t most) {
  check_field(!times.seconds.empty(), field + ".seconds", "no times");
  check_field(times.seconds.size() <= most, field + ".seconds", "{} times of {} repetitions",
              times.seconds.size(), most);
  check_seconds(field + ".seconds", times.seconds);
  for (const auto& [name, seconds] : {std::pair(".kernel_seconds", &times.kernel_seconds),
                                      std::pair(".transfer_seconds", &times.transfer_seconds)}) {
    check_seconds(field + name, *seconds);
    check_field(seconds->empty() || seconds->size() == times.seconds.size(), field + name,
                "{} times, but {} wall times", seconds->size(), times.seconds.size());
  }
}

void validate_row(const std::string& field, const ThroughputRow& row,
                  const ThroughputDocument& document) {
  check_one_of(field + ".kind", row.kind, {"pipeline", "baseline", "peer", "copy"});
  check_one_of(field + ".how", row.how, {"library", "generated"});
  check_field(!row.name.empty(), field + ".name", "no name");
  check_field(row.kind != "pipeline" || !row.pipeline.empty(), field + ".pipeline",
              "empty, but the kind is pipeline");
  if (!row.pipeline.empty()) {
    try {
      synth::parse_pipeline(row.pipeline);
    } catch (const synth::ParseError& error) {
      contradiction(field + ".pipeline", error.what());
    }
  }
  check_field(row.threads > 0, field + ".threads", "0 threads");
  check_field(row.input_bytes > 0, field + ".input_bytes", "nothing was compressed");
  check_field(row.compressed_bytes > 0, field + ".compressed_bytes", "0 bytes");
  validate_times(field + ".compress", row.compress, document.run.repetitions);
  validate_times(field + ".decompress", row.decompress, document.run.repetitions);
}

}  // namespace

std::string_view to_string(Direction direction) {
  return direction == Direction::Compress ? "compress" : "decompress";
}

double ThroughputDocument::ratio(const ThroughputRow& row) const {
  return results::ratio(data.bytes, row.compressed_bytes);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> spread(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return std::nullopt;
  const double middle = median(seconds);
  const auto [low, high] = std::ranges::minmax(seconds);
  return middle > 0 ? (high - low) / middle : 0;
}

double gb_per_s(const std::vector<double>& seconds, std::uint64_t bytes) {
  const double middle = seconds.empty() ? 0 : median(seconds);
  return middle > 0 ? static_cast<double>(bytes) / middle / 1e9 : 0;
}

void validate(const ThroughputDocument& document) {
  validate(document.data);
  validate_run(document.run);
  std::set<std::tuple<std::string, std::string, std::uint64_t>> seen;
  for (std::size_t i = 0; i < document.rows.size(); ++i) {
    const ThroughputRow& row = document.rows[i];
    const std::string field = fmt::format("rows[{}]", i);
    validate_row(field, row, document);
    check_field(seen.emplace(row.name, row.how, row.threads).second, field,
                "'{}' ({}, {} threads) is listed twice", row.name, row.how, row.threads);
  }
}

}  // namespace fpsynth::results
